//! `copydesk/doctor`: what `copydesk doctor` finds, for an editor that shows it.

use copydesk_protocol as wire;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use crate::doctor::{Checkup, Finding, Mark, Rules, checkup, look_at_commands, on_path};
use crate::lsp::backend::Backend;
use crate::lsp::failure::internal;
use crate::permissions::TrustBy;

pub(in crate::lsp) async fn doctor(backend: &Backend, _params: Value) -> Result<wire::DoctorResult> {
    let loaded = backend.stage().configuration.now();
    let book = backend.stage().core.rules.clone();
    // Looking for programs and rules reads the disk.
    let commands = look_at_commands(loaded.settings.shell.trial_tree.value).await;
    let look = move || {
        let rules = Rules::of(&book.current(), TrustBy::Command);
        checkup(&loaded, &rules, Finding::good("this server runs and answers"), commands, on_path)
    };
    let found = tokio::task::spawn_blocking(look).await;
    found.map(to_wire).map_err(|error| internal(format!("the look around failed: {error}")))
}

fn to_wire(found: Checkup) -> wire::DoctorResult {
    let finding = |finding: Finding| wire::DoctorFinding {
        mark: match finding.mark {
            Mark::Good => wire::DoctorMark::Good,
            Mark::Bad => wire::DoctorMark::Bad,
            Mark::Note => wire::DoctorMark::Note,
        },
        text: finding.text,
    };
    let section = |section: crate::doctor::Section| wire::DoctorSection {
        title: section.title.to_owned(),
        findings: section.findings.into_iter().map(finding).collect(),
    };
    wire::DoctorResult {
        sections: found.sections.into_iter().map(section).collect(),
        next: found.next,
        fine: found.fine,
    }
}
