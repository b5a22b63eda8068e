//! What holds of a decision whatever the rules.

use proptest::prelude::*;

use super::super::{PermissionMode, Policy, Source, Verdict, decide};
use super::{call, policy, rule, word};
use crate::permissions::SettledRule;

const RULES: [&str; 12] = [
    "Read",
    "Read(src/**)",
    "Read(//etc/**)",
    "Edit",
    "Edit(src/a.rs)",
    "Write(src/**)",
    "WebFetch",
    "WebFetch(domain:a.org)",
    "WebSearch",
    "mcp__git",
    "mcp__git__push",
    "TodoWrite",
];
const CALLS: [&str; 10] = [
    "Read: src/a.rs",
    "Grep: src",
    "Read: /etc/hosts",
    "Edit: src/a.rs",
    "Write: /etc/hosts",
    "Edit: .envrc",
    "WebFetch: https://a.org/",
    "WebSearch",
    "mcp__git__push",
    "TodoWrite",
];
const SOURCES: [Source; 6] =
    [Source::Managed, Source::CommandLine, Source::Session, Source::Local, Source::Project, Source::User];

fn rules() -> impl Strategy<Value = Vec<SettledRule>> {
    let behavior = prop::sample::select(vec!["deny", "ask", "allow"]);
    let one = (behavior, prop::sample::select(&RULES[..]), prop::sample::select(&SOURCES[..]));
    prop::collection::vec(
        one.prop_map(|(behavior, written, source)| rule(&format!("{behavior} {written}"), source)),
        0..6,
    )
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

proptest! {
    #[test]
    fn order_and_scope_decide_nothing(
        rules in rules(),
        called in prop::sample::select(&CALLS[..]),
        mode in prop::sample::select(&PermissionMode::ALL[..]),
        order in any::<prop::sample::Index>(),
        source in prop::sample::select(&SOURCES[..]),
    ) {
        let decided = |rules| word(&decide(&call(called), &Policy { mode, rules, ..policy(&[]) }));
        let before = decided(rules.clone());
        let mut turned = rules.clone();
        if !turned.is_empty() {
            turned.rotate_left(order.index(rules.len()));
        }
        turned.reverse();
        prop_assert_eq!(decided(turned), before);
        let moved = rules.into_iter().map(|settled| SettledRule { source, ..settled }).collect();
        prop_assert_eq!(decided(moved), before);
    }

    #[test]
    fn a_denial_wins_over_everything(
        mut rules in rules(),
        called in prop::sample::select(&CALLS[..]),
        mode in prop::sample::select(&PermissionMode::ALL[..]),
        at in any::<prop::sample::Index>(),
        source in prop::sample::select(&SOURCES[..]),
    ) {
        let tool = called.split(':').next().unwrap_or_default();
        rules.insert(at.index(rules.len() + 1), rule(&format!("deny {tool}"), source));
        prop_assert_eq!(word(&decide(&call(called), &Policy { mode, rules, ..policy(&[]) })), "deny");
    }

    #[test]
    fn an_allow_never_changes_a_denial_and_a_denial_never_lets_more_through(
        rules in rules(),
        added in prop::sample::select(&RULES[..]),
        called in prop::sample::select(&CALLS[..]),
        mode in prop::sample::select(&PermissionMode::ALL[..]),
        at in any::<prop::sample::Index>(),
    ) {
        let with = |behavior: &str| {
            let mut rules = rules.clone();
            rules.insert(at.index(rules.len() + 1), rule(&format!("{behavior} {added}"), Source::Managed));
            decide(&call(called), &Policy { mode, rules, ..policy(&[]) })
        };
        let before = decide(&call(called), &Policy { mode, rules: rules.clone(), ..policy(&[]) });
        let ruled = matches!(&before, Verdict::Deny(why) if why.contains("A rule forbids"));
        prop_assert!(!ruled || before == with("allow"));
        prop_assert!(rank(&with("allow")) <= rank(&before), "an allow asks no more");
        prop_assert!(rank(&with("deny")) >= rank(&before), "a denial lets nothing more through");
        let asked_rank = rank(&with("ask"));
        prop_assert!(asked_rank >= rank(&before), "an ask lets nothing more through");
    }
}
