//! Makes the TypeScript and the JSON Schema of the wire types.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use ts_rs::{Config, TS};

#[allow(clippy::wildcard_imports, reason = "the list below names every type of the crate")]
use crate::*;

/// Calls `$with` once with the list of all wire types.
macro_rules! all_types {
    ($with:ident) => {
        $with!(
            Position,
            Range,
            ErrorData,
            ClientCapability,
            ServerCapability,
            ContentBlock,
            TaskStartParams,
            EditorContext,
            TaskStartResult,
            TaskCancelParams,
            TaskSendParams,
            TaskSendResult,
            Empty,
            EventParams,
            Event,
            TaskAccount,
            ToReview,
            Delta,
            MessageRecord,
            MessageRole,
            ToolKind,
            ToolCallStatus,
            Location,
            ToolCallContent,
            PlanEntry,
            Usage,
            Cost,
            PermissionAskedParams,
            PermissionToolCall,
            PermissionDenial,
            PermissionOption,
            PermissionUpdate,
            PermissionRule,
            PermissionBehavior,
            PermissionDestination,
            PermissionOptionKind,
            PermissionAnswerParams,
            PermissionResolvedParams,
            PromptAskParams,
            SaveFilesParams,
            SaveFilesResult,
            DiagnosticsGetParams,
            DiagnosticsGetResult,
            FileDiagnostics,
            LookUpParams,
            PlacesResult,
            HoverResult,
            File,
            FileKind,
            Hunk,
            InlineMark,
            InlineSide,
            ModeChange,
            SizeChange,
            HunkState,
            ProposalChangedParams,
            ProposalListParams,
            ProposalListResult,
            ProposalShowParams,
            ProposalShowResult,
            ProposalAcceptedParams,
            ProposalAcceptedResult,
            DecideParams,
            Decision,
            DecideTarget,
            HunkLines,
            ProposalDecideResult,
            HalfDone,
            DecideResult,
            DecideOutcome,
            ProposalAmendParams,
            TextEdit,
            SessionInfo,
            PermissionMode,
            SessionSetModeParams,
            SessionState,
            SessionListResult,
            SessionUsageParams,
            SessionUsageResult,
            ModelUsage,
            SessionCompactParams,
            SessionEndCommandsParams,
            SessionEndCommandsResult,
            EndedCommand,
            DoctorResult,
            DoctorSection,
            DoctorFinding,
            DoctorMark
        )
    };
}

/// The whole of `generated/copydesk.ts`.
pub fn typescript() -> String {
    let config = Config::default();
    let mut out = String::from(
        "// The wire types of Copydesk's custom LSP methods. Generated from the Rust types: do not edit.\n",
    );
    macro_rules! declare {
        ($($name:ty),*) => { $( declare::<$name>(&mut out, &config); )* };
    }
    all_types!(declare);
    out
}

/// The whole of `generated/copydesk.schema.json`.
pub fn json_schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    macro_rules! define {
        ($($name:ty),*) => { $( define::<$name>(&mut generator); )* };
    }
    all_types!(define);
    let definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Copydesk's custom LSP methods",
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

fn declare<T: TS>(out: &mut String, config: &Config) {
    out.push('\n');
    if let Some(docs) = T::docs() {
        out.push_str(docs.trim_end());
        out.push('\n');
    }
    out.push_str("export ");
    out.push_str(&T::decl(config));
    out.push('\n');
}

fn define<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}
