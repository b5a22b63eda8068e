//! `copydesk/doctor`: what works, what does not, and what to do next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DoctorResult {
    pub sections: Vec<DoctorSection>,
    /// What to do next, the most pressing first.
    pub next: Vec<String>,
    /// Nothing is broken and a model can answer.
    pub fine: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DoctorSection {
    pub title: String,
    pub findings: Vec<DoctorFinding>,
}

/// One line for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DoctorFinding {
    pub mark: DoctorMark,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum DoctorMark {
    Good,
    Bad,
    /// Neither: more about the line above, or what is merely so.
    Note,
}
