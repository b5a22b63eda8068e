//! The decision about one call, from the tool's own word and what the session was granted.

use super::{Grants, Verdict};

/// What happens to a call: a grant answers a question before a person has to, and never lifts a denial.
pub fn decide(verdict: Verdict, grants: &Grants) -> Verdict {
    match verdict {
        Verdict::Ask { rule, .. } if grants.cover(&rule) => Verdict::Allow,
        verdict @ (Verdict::Allow | Verdict::Deny(_) | Verdict::Ask { .. }) => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(rule: &str) -> Verdict {
        Verdict::Ask { title: "Read it".into(), explanation: "outside".into(), rule: rule.into() }
    }

    #[track_caller]
    fn check(verdict: Verdict, granted: &[&str], want: Verdict) {
        let mut grants = Grants::default();
        for rule in granted {
            grants.add(rule);
        }
        assert_eq!(decide(verdict, &grants), want);
    }

    #[test]
    fn a_grant_answers_the_same_question_and_no_other() {
        check(ask("Read(//etc/hosts)"), &[], ask("Read(//etc/hosts)"));
        check(ask("Read(//etc/hosts)"), &["Read(//etc/hosts)"], Verdict::Allow);
        check(ask("Read(//etc/hosts.old)"), &["Read(//etc/hosts)"], ask("Read(//etc/hosts.old)"));
    }

    #[test]
    fn a_grant_lifts_no_denial() {
        check(Verdict::Deny("no".into()), &["Read(//etc/hosts)"], Verdict::Deny("no".into()));
        check(Verdict::Allow, &[], Verdict::Allow);
    }
}
