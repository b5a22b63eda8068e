//! AskUserQuestion: what only the person can decide, put to them with its answers.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Choice, Chosen, InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input,
};
use crate::permissions::{Access, PermissionMode};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QuestionOption {
    /// The answer, in a few words.
    label: String,
    /// What it means, or what follows from it.
    #[serde(default)]
    description: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    /// The whole question, with a question mark.
    question: String,
    /// What it is about, in one or two words.
    #[serde(default)]
    header: String,
    /// Two to four answers. The user can always give another one, or none.
    options: Vec<QuestionOption>,
    /// More than one answer may be chosen.
    #[serde(rename = "multiSelect", default)]
    multi_select: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskUserQuestionInput {
    /// One to four questions, asked one after the other.
    questions: Vec<Question>,
}

#[derive(Debug)]
pub struct AskUserQuestion;

impl Tool for AskUserQuestion {
    fn name(&self) -> &'static str {
        "AskUserQuestion"
    }

    fn description(&self) -> String {
        include_str!("ask_user_question/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn input_schema(&self) -> Value {
        input::schema::<AskUserQuestionInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: AskUserQuestionInput = input::parse("AskUserQuestion", input)?;
        if !(1..=4).contains(&input.questions.len()) {
            return Err(ToolError(format!(
                "`questions` has {} entries: ask one to four.",
                input.questions.len()
            )));
        }
        for (at, question) in input.questions.iter().enumerate() {
            let labels: Vec<&str> = question.options.iter().map(|option| option.label.trim()).collect();
            if !(2..=4).contains(&labels.len()) {
                return Err(ToolError(format!(
                    "`questions[{at}].options` has {} entries: give two to four.",
                    labels.len()
                )));
            }
            if question.question.trim().is_empty() || labels.contains(&"") {
                return Err(ToolError(format!("`questions[{at}]` has an empty question or label.")));
            }
            if labels
                .iter()
                .enumerate()
                .any(|(at, label)| labels.iter().skip(at + 1).any(|other| other == label))
            {
                return Err(ToolError(format!("`questions[{at}].options` has the same label twice.")));
            }
        }
        Ok(())
    }

    fn title(&self, input: &Value) -> String {
        let first = input.pointer("/questions/0/question").and_then(Value::as_str).unwrap_or_default();
        format!("Ask: {first}")
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    /// What the user writes instead of an answer is the answer.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Person
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { ask(input::parse("AskUserQuestion", &input)?, context).await }.boxed()
    }
}

async fn ask(input: AskUserQuestionInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    if context.mode.get() == PermissionMode::DontAsk {
        return Err(ToolError(
            "In this mode nobody is asked: decide yourself, and say what you assumed.".to_owned(),
        ));
    }
    let (mut lines, mut answers) = (Vec::new(), Map::new());
    for question in &input.questions {
        let answer = if question.multi_select {
            several(question, &context).await
        } else {
            one(question, &context).await
        };
        match answer {
            Answered::With(answer) => {
                lines.push(format!("{}\nThe user's answer: {answer}", question.question));
                answers.insert(question.question.clone(), json!(answer));
            }
            Answered::Not => lines.push(format!(
                "{}\nThe user gave no answer to this. Decide yourself, and say what you assumed.",
                question.question
            )),
            Answered::Nobody => {
                return Err(ToolError(
                    "Nobody is here to be asked: decide yourself, and say what you assumed.".to_owned(),
                ));
            }
        }
    }
    let data = json!({"type": "answers", "answers": answers});
    Ok(ToolResult { data, ..ToolResult::text(lines.join("\n\n")) })
}

enum Answered {
    With(String),
    Not,
    /// There is nobody.
    Nobody,
}

impl From<Option<String>> for Answered {
    fn from(words: Option<String>) -> Self {
        words.map_or(Self::Not, Self::With)
    }
}

async fn one(question: &Question, context: &ToolUseContext) -> Answered {
    let left: Vec<&QuestionOption> = question.options.iter().collect();
    let choice = choice(question, &left, &[], "No answer");
    match context.person.choose(choice).await {
        Chosen::Option(at, words) => {
            let label = question.options.get(at).map(|option| option.label.clone());
            words.or(label).into()
        }
        Chosen::Declined(words) => words.into(),
        Chosen::Nobody => Answered::Nobody,
    }
}

/// The same question again and again, without what was chosen, until the person says that it is all: that way exists in
/// every editor.
async fn several(question: &Question, context: &ToolUseContext) -> Answered {
    let mut chosen: Vec<String> = Vec::new();
    loop {
        let left: Vec<&QuestionOption> =
            question.options.iter().filter(|option| !chosen.contains(&option.label)).collect();
        if left.is_empty() {
            break;
        }
        let decline = if chosen.is_empty() { "No answer" } else { "That is all" };
        match context.person.choose(choice(question, &left, &chosen, decline)).await {
            Chosen::Option(at, words) => {
                let label = left.get(at).map(|option| option.label.clone());
                chosen.extend(words.or(label));
            }
            Chosen::Declined(words) => {
                chosen.extend(words);
                break;
            }
            Chosen::Nobody => return Answered::Nobody,
        }
    }
    (!chosen.is_empty()).then(|| chosen.join(", ")).into()
}

fn choice(question: &Question, left: &[&QuestionOption], chosen: &[String], decline: &str) -> Choice {
    let described = |option: &&QuestionOption| {
        (!option.description.trim().is_empty())
            .then(|| format!("{}: {}", option.label, option.description.trim()))
    };
    let mut explanation: Vec<String> = left.iter().filter_map(described).collect();
    if !chosen.is_empty() {
        explanation.push(format!("Chosen so far: {}.", chosen.join(", ")));
    }
    let header = question.header.trim();
    Choice {
        title: if header.is_empty() {
            question.question.clone()
        } else {
            format!("{header}: {}", question.question)
        },
        explanation: explanation.join(" · "),
        options: left.iter().map(|option| option.label.clone()).collect(),
        decline: decline.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::{Answers, Fixture, said};

    fn question(multi: bool) -> Value {
        json!({"questions": [{
            "question": "Which way?", "header": "Way", "multiSelect": multi,
            "options": [{"label": "Left", "description": "is shorter"}, {"label": "Right"}, {"label": "Up"}],
        }]})
    }

    async fn asked(input: Value, answers: Vec<Chosen>) -> (String, Vec<Choice>) {
        let fixture = Fixture::new(&[]);
        let person = Answers::new(answers);
        let mut context = fixture.context();
        context.person = person.clone();
        AskUserQuestion.validate(&input).unwrap();
        let result = AskUserQuestion.call(input, context).await.unwrap();
        (said(&result), person.asked())
    }

    #[tokio::test]
    async fn the_model_is_told_what_was_chosen() {
        let (text, asked) = asked(question(false), vec![Chosen::Option(1, None)]).await;
        assert_eq!(text, "Which way?\nThe user's answer: Right");
        assert_eq!(
            asked,
            [Choice {
                title: "Way: Which way?".into(),
                explanation: "Left: is shorter".into(),
                options: vec!["Left".into(), "Right".into(), "Up".into()],
                decline: "No answer".into(),
            }]
        );
    }

    #[tokio::test]
    async fn the_persons_own_words_count_more() {
        let (text, _) = asked(question(false), vec![Chosen::Declined(Some("back home".into()))]).await;
        assert_eq!(text, "Which way?\nThe user's answer: back home");
        let (text, _) = asked(question(false), vec![Chosen::Declined(None)]).await;
        assert!(text.contains("gave no answer to this. Decide yourself"), "{text}");
    }

    #[tokio::test]
    async fn several_answers_are_chosen_one_after_the_other() {
        let answers = vec![Chosen::Option(0, None), Chosen::Option(1, None), Chosen::Declined(None)];
        let (text, asked) = asked(question(true), answers).await;
        assert_eq!(text, "Which way?\nThe user's answer: Left, Up");
        assert_eq!(asked[2].options, ["Right"]);
        assert_eq!(asked[2].decline, "That is all");
        assert!(asked[2].explanation.ends_with("Chosen so far: Left, Up."));
    }

    #[tokio::test]
    async fn where_nobody_is_to_be_asked_the_model_decides() {
        let fixture = Fixture::new(&[]);
        let context = fixture.context();
        context.mode.set(PermissionMode::DontAsk).unwrap();
        let error = AskUserQuestion.call(question(false), context).await.unwrap_err();
        assert!(error.0.contains("nobody is asked"), "{error}");
    }

    #[test]
    fn a_question_has_answers_that_differ() {
        let check = |pointer: &str, value: Value, want: &str| {
            let mut input = question(false);
            *input.pointer_mut(pointer).unwrap() = value;
            let error = AskUserQuestion.validate(&input).unwrap_err().0;
            assert!(error.contains(want), "{error}");
        };
        check("/questions", json!([]), "`questions` has 0 entries");
        check("/questions/0/options", json!([{"label": "a"}]), "has 1 entries: give two to four");
        check("/questions/0/options/1/label", json!("Left"), "the same label twice");
        check("/questions/0/question", json!(" "), "an empty question");
    }
}
