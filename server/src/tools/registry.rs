//! The list of tools, in an order that never depends on who registered first.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::{Bash, Edit, Glob, Grep, Monitor, NotebookEdit, Read, TaskOutput, TaskStop, Tool, Write};
use crate::models::ToolDefinition;

/// Tools by name. The same tools give the same definitions byte for byte, since they head the cached prefix of every
/// request.
#[derive(Clone)]
pub struct Tools {
    by_name: BTreeMap<&'static str, Arc<dyn Tool>>,
    /// Made with the first request: schemas take longer to make than all else that is done for one.
    definitions: Arc<OnceLock<Vec<ToolDefinition>>>,
}

impl Tools {
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let by_name = tools.into_iter().map(|tool| (tool.name(), tool)).collect();
        Self { by_name, definitions: Arc::default() }
    }

    /// The tools of this program.
    pub fn built_in() -> Self {
        Self::new(vec![
            Arc::new(Bash),
            Arc::new(Edit),
            Arc::new(Glob),
            Arc::new(Grep),
            Arc::new(Monitor),
            Arc::new(NotebookEdit),
            Arc::new(Read),
            Arc::new(TaskOutput),
            Arc::new(TaskStop),
            Arc::new(Write),
        ])
    }

    /// By name, or by an older name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name).or_else(|| self.by_name.values().find(|tool| tool.aliases().contains(&name)))
    }

    /// By name, ascending.
    pub fn names(&self) -> Vec<&'static str> {
        self.by_name.keys().copied().collect()
    }

    /// What a model is told of them, by name, ascending.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.definitions.get_or_init(|| self.by_name.values().map(definition).collect()).clone()
    }
}

fn definition(tool: &Arc<dyn Tool>) -> ToolDefinition {
    ToolDefinition {
        name: tool.name().to_owned(),
        description: tool.description(),
        input_schema: tool.input_schema(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_registration_changes_no_byte() {
        let one = Tools::new(vec![Arc::new(Read), Arc::new(Edit), Arc::new(Write)]).definitions();
        let other = Tools::new(vec![Arc::new(Write), Arc::new(Read), Arc::new(Edit)]).definitions();
        let bytes = |tools: &[ToolDefinition]| format!("{tools:?}");
        assert_eq!(bytes(&one), bytes(&other));
        assert_eq!(one.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["Edit", "Read", "Write"]);
    }

    #[test]
    fn every_schema_is_strict_and_describes_each_field() {
        for tool in Tools::built_in().definitions() {
            let schema = tool.input_schema;
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for (field, described) in schema["properties"].as_object().expect("fields") {
                assert!(described["description"].is_string(), "{}.{field} says nothing", tool.name);
                assert!(described["type"].is_string(), "{}.{field} has no one type", tool.name);
            }
        }
    }
}
