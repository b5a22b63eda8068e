//! The list of tools, in an order that never depends on who registered first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::deferral::{Deferral, Loaded, SearchWire};
use super::{
    AskUserQuestion, Bash, Diagnostics, Edit, EnterPlanMode, ExitPlanMode, Glob, Grep, Lsp, Monitor,
    NotebookEdit, Offers, Read, TaskOutput, TaskStop, TodoWrite, Tool, ToolSearch, WebFetch, WebSearch,
    Write,
};
use crate::models::ToolDefinition;

/// Tools by name. The same tools give the same definitions byte for byte, since they head the cached prefix of every
/// request.
#[derive(Clone)]
pub struct Tools {
    by_name: BTreeMap<&'static str, Arc<dyn Tool>>,
    /// Which of them the model knows by name only.
    deferral: Option<Deferral>,
    /// Made with the first request, and shared with every choice of these tools: schemas take longer to make than all else
    /// that is done for one.
    definitions: Arc<Mutex<BTreeMap<&'static str, ToolDefinition>>>,
    /// Those of the last request: most requests have the same.
    listed: Arc<Mutex<Arc<[ToolDefinition]>>>,
}

impl Tools {
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let by_name = tools.into_iter().map(|tool| (tool.name(), tool)).collect();
        Self { by_name, deferral: None, definitions: Arc::default(), listed: Arc::default() }
    }

    /// The tools of this program.
    pub fn built_in() -> Self {
        Self::new(vec![
            Arc::new(AskUserQuestion),
            Arc::new(Bash),
            Arc::new(Diagnostics),
            Arc::new(Edit),
            Arc::new(EnterPlanMode),
            Arc::new(ExitPlanMode),
            Arc::new(Glob),
            Arc::new(Grep),
            Arc::new(Lsp),
            Arc::new(Monitor),
            Arc::new(NotebookEdit),
            Arc::new(Read),
            Arc::new(TaskOutput),
            Arc::new(TaskStop),
            Arc::new(TodoWrite),
            Arc::new(WebFetch::default()),
            Arc::new(WebSearch),
            Arc::new(Write),
        ])
    }

    /// Those that are offered: what `wants` keeps, and of it what can work with what there is.
    #[must_use]
    pub fn pool(&self, wants: impl Fn(&dyn Tool) -> bool, offers: &Offers) -> Self {
        let kept = self.all().filter(|tool| wants(tool.as_ref()) && tool.is_enabled(offers));
        let by_name = kept.map(|tool| (tool.name(), tool.clone())).collect();
        Self { by_name, deferral: None, definitions: self.definitions.clone(), listed: self.listed.clone() }
    }

    /// The same, with the tools that may be deferred behind ToolSearch. `loaded`: what the model has asked for so far.
    #[must_use]
    pub fn deferring(&self, loaded: &Loaded, wire: SearchWire) -> Self {
        let deferred: Vec<Arc<dyn Tool>> = self.all().filter(|tool| tool.should_defer()).cloned().collect();
        if deferred.is_empty() {
            return self.clone();
        }
        let deferral = Deferral::new(&deferred, loaded.clone(), wire);
        let search: Arc<dyn Tool> = Arc::new(ToolSearch::new(deferred, loaded.clone(), wire));
        let mut by_name = self.by_name.clone();
        by_name.insert(search.name(), search);
        // What ToolSearch says of itself depends on what waits behind it.
        let (definitions, listed) = (Arc::default(), Arc::default());
        Self { by_name, deferral: Some(deferral), definitions, listed }
    }

    /// What a model would be told of those that can wait until it asks for them.
    pub fn deferrable(&self) -> Vec<ToolDefinition> {
        self.all().filter(|tool| tool.should_defer()).map(|tool| self.definition(tool)).collect()
    }

    /// By name, or by an older name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name).or_else(|| self.by_name.values().find(|tool| tool.aliases().contains(&name)))
    }

    /// Whether the model knows what a call of the tool with this name takes.
    pub fn is_known(&self, name: &str) -> bool {
        self.deferral.as_ref().is_none_or(|deferral| deferral.is_known(name))
    }

    /// By name, ascending.
    pub fn names(&self) -> Vec<&'static str> {
        self.by_name.keys().copied().collect()
    }

    /// What a model is told of them, by name, ascending. What was loaded on demand comes last, in the order of the demands.
    /// As long as they are the same, they are the same in memory.
    pub fn definitions(&self) -> Arc<[ToolDefinition]> {
        let told = self.told();
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let of_listed = listed.iter().map(|definition| (definition.name.as_str(), definition.deferred));
        if !of_listed.eq(told.iter().map(|(tool, deferred)| (tool.name(), *deferred))) {
            let whole = |(tool, deferred)| ToolDefinition { deferred, ..self.definition(tool) };
            *listed = told.into_iter().map(whole).collect();
        }
        listed.clone()
    }

    /// The tools that a model is told of, and whether it is shown each only when a search names it.
    fn told(&self) -> Vec<(&Arc<dyn Tool>, bool)> {
        let Some(deferral) = &self.deferral else {
            return self.all().map(|tool| (tool, false)).collect();
        };
        match deferral.wire() {
            SearchWire::References => {
                self.all().map(|tool| (tool, deferral.is_deferred(tool.name()))).collect()
            }
            SearchWire::Schemas => {
                let first = self.all().filter(|tool| !deferral.is_deferred(tool.name()));
                let loaded = deferral.loaded();
                let later = loaded.iter().filter_map(|name| self.by_name.get(name.as_str()));
                first.chain(later).map(|tool| (tool, false)).collect()
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.by_name.values()
    }

    fn definition(&self, tool: &Arc<dyn Tool>) -> ToolDefinition {
        let mut made = self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(tool.name()).or_insert_with(|| definition(tool.as_ref())).clone()
    }
}

fn definition(tool: &dyn Tool) -> ToolDefinition {
    ToolDefinition {
        name: tool.name().to_owned(),
        description: tool.description(),
        input_schema: tool.input_schema(),
        deferred: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::{AbsPath, PathCase};
    use crate::permissions::{Behavior, Rule, SettledRule, Source, Starts};

    #[test]
    fn a_rule_on_the_command_line_can_name_every_tool() {
        let root = AbsPath::root();
        let starts = Starts { settings: root.clone(), cwd: root, home: None, case: PathCase::Sensitive };
        let (tools, mut names) = (Tools::built_in(), vec!["ToolSearch"]);
        names.extend(tools.by_name.values().flat_map(|tool| tool.aliases()));
        names.extend(tools.by_name.keys());
        for name in names {
            let rule = Rule { tool: name.to_owned(), spec: None };
            let settled = SettledRule::new(Behavior::Allow, rule, Source::CommandLine, "test", &starts);
            assert!(settled.is_ok(), "{settled:?}");
        }
    }

    #[test]
    fn the_order_of_registration_changes_no_byte() {
        let one = Tools::new(vec![Arc::new(Read), Arc::new(Edit), Arc::new(Write)]).definitions();
        let other = Tools::new(vec![Arc::new(Write), Arc::new(Read), Arc::new(Edit)]).definitions();
        let bytes = |tools: &[ToolDefinition]| format!("{tools:?}");
        assert_eq!(bytes(&one), bytes(&other));
        assert_eq!(one.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["Edit", "Read", "Write"]);
    }

    #[test]
    fn a_pool_holds_what_is_wanted_and_can_work() {
        let pool = Tools::built_in().pool(|tool| tool.name() != "Edit", &Offers::default());
        assert!(pool.find("Read").is_some());
        assert!(pool.find("Edit").is_none(), "it is denied");
        assert!(pool.find("Diagnostics").is_none() && pool.find("LSP").is_none(), "the editor offers none");
        let mut offers = Offers::default();
        offers.editor.copydesk.diagnostics = true;
        offers.editor.copydesk.navigation = true;
        let pool = Tools::built_in().pool(|_| true, &offers);
        assert!(pool.find("Diagnostics").is_some() && pool.find("LSP").is_some());
        let mut names = pool.names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, pool.names(), "sorted, each once");
    }

    #[test]
    fn every_schema_is_strict_and_describes_each_field() {
        for tool in Tools::built_in().definitions().iter() {
            let schema = &tool.input_schema;
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for (field, described) in schema["properties"].as_object().into_iter().flatten() {
                assert!(described["description"].is_string(), "{}.{field} says nothing", tool.name);
                assert!(described["type"].is_string(), "{}.{field} has no one type", tool.name);
            }
        }
    }
}
