//! Calls that a server says twice in one answer, as gateways do that stream once and then repeat: each is one call.

use super::super::arguments;
use super::{Call, fresh_id};

/// `calls` without those that are only said again. What has the id of another call and says something else gets an id of
/// its own.
pub(super) fn said_once(calls: Vec<Call>) -> Vec<Call> {
    let mut once: Vec<Call> = Vec::with_capacity(calls.len());
    for mut call in calls {
        let has_its_id = |other: &&Call| call.id.is_some() && other.id == call.id;
        let namesake = once.iter().find(has_its_id).map(|namesake| namesake.name.clone());
        if let Some(name) = &namesake {
            call.name = call.name.or_else(|| name.clone());
        }
        match once.iter_mut().find_map(|other| repetition(other, &call).map(|which| (other, which))) {
            Some((_, Repetition::SaysNoMore)) => continue,
            Some((broken_off, Repetition::SaysAll)) => {
                broken_off.arguments = call.arguments;
                continue;
            }
            None => {}
        }
        if namesake.is_some() {
            call.stand_in = Some(fresh_id());
        }
        once.push(call);
    }
    once
}

enum Repetition {
    SaysNoMore,
    /// The first time it broke off.
    SaysAll,
}

/// Whether `call` is `first` said again. Without ids only the same words are the same call: made once too seldom, a call
/// is made again by the model; made twice, nothing takes it back.
fn repetition(first: &Call, call: &Call) -> Option<Repetition> {
    if first.id != call.id || first.name != call.name {
        return None;
    }
    let [said, again] = [first, call].map(|call| call.arguments.as_str().trim());
    if said == again {
        return Some(Repetition::SaysNoMore);
    }
    call.id.as_ref()?;
    let says_nothing = |text: &str| text.is_empty() || text == "{}";
    if says_nothing(again) || said.starts_with(again) || arguments::input(said) == arguments::input(again) {
        Some(Repetition::SaysNoMore)
    } else if says_nothing(said) || again.starts_with(said) {
        Some(Repetition::SaysAll)
    } else {
        None
    }
}
