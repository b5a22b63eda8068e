//! ToolSearch: finds tools by name or by words, so that their schemas need not stand in every request.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::deferral::{Loaded, SearchWire};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::conversation::ToolResultContent;
use crate::permissions::Access;

/// Tools that a search gives unless it says otherwise.
const USUAL_RESULTS: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolSearchInput {
    /// `select:A,B` for tools by name; else words, of which those with `+` in front have to be there.
    query: String,
    /// How many tools at most, 5 unless given.
    #[schemars(range(min = 1))]
    max_results: Option<usize>,
}

/// Knows the tools that are not sent.
pub struct ToolSearch {
    deferred: Vec<Arc<dyn Tool>>,
    loaded: Loaded,
    wire: SearchWire,
}

impl ToolSearch {
    pub fn new(deferred: Vec<Arc<dyn Tool>>, loaded: Loaded, wire: SearchWire) -> Self {
        Self { deferred, loaded, wire }
    }

    fn find(&self, query: &str, most: usize) -> Vec<&Arc<dyn Tool>> {
        if let Some(names) = query.strip_prefix("select:") {
            let names = names.split(',').map(str::trim);
            return names
                .filter_map(|name| self.deferred.iter().find(|tool| is_named(tool.as_ref(), name)))
                .collect();
        }
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut found: Vec<(usize, &Arc<dyn Tool>)> = self
            .deferred
            .iter()
            .filter_map(|tool| Some((rank(tool.as_ref(), &words)?, tool)))
            .filter(|(rank, _)| *rank > 0)
            .collect();
        // The deferred stand in order of their names, which decides between equals.
        found.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        found.into_iter().take(most).map(|(_, tool)| tool).collect()
    }
}

impl Tool for ToolSearch {
    fn name(&self) -> &'static str {
        "ToolSearch"
    }

    /// The names are here, since a model has to know what it can ask for.
    fn description(&self) -> String {
        let names: Vec<&str> = self.deferred.iter().map(|tool| tool.name()).collect();
        format!(
            "{}\n\nThe tools are: {}.",
            include_str!("tool_search/description.md").trim_end(),
            names.join(", ")
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn input_schema(&self) -> Value {
        input::schema::<ToolSearchInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: ToolSearchInput = input::parse("ToolSearch", input)?;
        if input.query.trim().is_empty() {
            return Err(ToolError("`query` is empty: name a tool, or words for what it does.".to_owned()));
        }
        Ok(())
    }

    fn title(&self, input: &Value) -> String {
        format!("Look for tools: {}", input::text(input, "query"))
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Nothing
    }

    fn call(
        &self,
        input: Value,
        _context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let result = input::parse("ToolSearch", &input).map(|input| self.search(&input));
        async move { result }.boxed()
    }
}

impl ToolSearch {
    fn search(&self, input: &ToolSearchInput) -> ToolResult {
        let found = self.find(input.query.trim(), input.max_results.unwrap_or(USUAL_RESULTS));
        let names: Vec<&str> = found.iter().map(|tool| tool.name()).collect();
        let data = json!({"type": "tools", "names": names, "deferred": self.deferred.len()});
        if names.is_empty() {
            let text = format!(
                "No tool matches `{}`. The names stand in the description of ToolSearch.",
                input.query
            );
            return ToolResult { data, ..ToolResult::text(text) };
        }
        for name in &names {
            self.loaded.add(name);
        }
        let content = match self.wire {
            SearchWire::References => {
                names.iter().map(|name| ToolResultContent::ToolReference((*name).to_owned())).collect()
            }
            SearchWire::Schemas => {
                let text =
                    format!("These tools can be called from your next answer on: {}.", names.join(", "));
                vec![ToolResultContent::Text(text)]
            }
        };
        ToolResult { content, data, ..ToolResult::default() }
    }
}

fn is_named(tool: &dyn Tool, name: &str) -> bool {
    tool.name().eq_ignore_ascii_case(name)
        || tool.aliases().iter().any(|alias| alias.eq_ignore_ascii_case(name))
}

/// How well a tool fits. A word in the name weighs more than one in the description. `None`: a word is missing that has to
/// be there.
fn rank(tool: &dyn Tool, words: &[String]) -> Option<usize> {
    let (name, description) = (tool.name().to_lowercase(), tool.description().to_lowercase());
    let mut rank = 0;
    for word in words {
        let (wanted, word) = word.strip_prefix('+').map_or((false, word.as_str()), |word| (true, word));
        let weight = if name.contains(word) { 3 } else { usize::from(description.contains(word)) };
        if wanted && weight == 0 {
            return None;
        }
        rank += weight;
    }
    Some(rank)
}

#[cfg(test)]
mod tests;
