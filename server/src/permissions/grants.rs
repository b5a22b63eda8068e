//! What the person allowed for the rest of a session.

use std::collections::BTreeSet;

/// The rules granted in one session. They end with it: nothing here is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    rules: BTreeSet<String>,
}

impl Grants {
    /// Grants `rule`, such as `Read(//etc/hosts)`, until the session ends.
    pub fn add(&mut self, rule: &str) {
        self.rules.insert(rule.to_owned());
    }

    /// Whether a question about `rule` is answered already. Leave to edit a file is leave to read it.
    pub fn cover(&self, rule: &str) -> bool {
        self.rules.contains(rule)
            || rule.strip_prefix("Read").is_some_and(|path| self.rules.contains(&format!("Edit{path}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leave_to_edit_is_leave_to_read_but_not_the_other_way_round() {
        let mut grants = Grants::default();
        grants.add("Edit(//tmp/a)");
        assert!(grants.cover("Edit(//tmp/a)"));
        assert!(grants.cover("Read(//tmp/a)"));

        let mut grants = Grants::default();
        grants.add("Read(//tmp/a)");
        assert!(!grants.cover("Edit(//tmp/a)"));
    }
}
