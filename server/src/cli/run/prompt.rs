//! The task of a run: its words, and the files that go with them.

use anyhow::{Context, Result, bail};
use copydesk_protocol::{ContentBlock, EditorContext, Position, Range, TaskStartParams};

use crate::cli::arguments::{FileArgument, RunArguments};
use crate::documents::{AbsPath, Workspace, from_path, text_of};

/// The prompt with its files. The first one is where the person stands.
pub(super) fn task_of(arguments: &RunArguments, workspace: &Workspace) -> Result<TaskStartParams> {
    let mut prompt = vec![ContentBlock::Text { text: arguments.prompt.clone() }];
    let mut context = None;
    for file in &arguments.files {
        let (uri, range) = located(file, workspace)?;
        if context.is_none() {
            context = Some(EditorContext { uri: uri.clone(), range, diagnostics: Vec::new() });
        }
        prompt.push(ContentBlock::ResourceLink { uri, range });
    }
    Ok(TaskStartParams { session_id: None, prompt, context, mode: None, model: None, budget_tokens: None })
}

fn located(file: &FileArgument, workspace: &Workspace) -> Result<(String, Option<Range>)> {
    anyhow::ensure!(
        !file.path.is_empty(),
        "a file is named by an empty word: leave it out, or name the file"
    );
    let resolved = |path: &str| workspace.resolve(path).with_context(|| format!("{path} is no path"));
    let path = resolved(&file.path)?;
    let whole = resolved(&file.written)?;
    if !path.as_path().exists() && whole.as_path().exists() {
        // Numbers behind a colon can be part of a name.
        let written = file.written.clone();
        return located(&FileArgument { path: written.clone(), written, lines: None }, workspace);
    }
    match std::fs::metadata(path.as_path()) {
        Ok(found) if found.is_file() => {}
        Ok(found) if found.is_dir() => bail!("{} is a folder: name a file in it", file.path),
        Ok(_) => bail!("{} is a pipe, a socket or a device, and no file to read", file.path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !file.path.contains(['.', '/']) => {
            bail!("{} is no file here. A prompt of several words stands in quotes", file.path)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!("{} is no file here", file.path),
        Err(error) => bail!("{} can't be read: {error}", file.path),
    }
    if !workspace.contains(&path) {
        bail!("{} lies outside this folder: start copydesk where the file is", file.path);
    }
    if let Some((_, last)) = file.lines {
        check_lines(file, &path, last)?;
    }
    let at = |line| Position { line, character: 0 };
    let range = file.lines.map(|(first, last)| Range { start: at(first - 1), end: at(last) });
    Ok((from_path(&path), range))
}

/// A file whose text can't be read is the task's to complain of.
fn check_lines(file: &FileArgument, path: &AbsPath, last: u32) -> Result<()> {
    let text = std::fs::read(path.as_path()).ok().and_then(|bytes| text_of(&bytes));
    let Some(text) = text else { return Ok(()) };
    // What follows the last line break is no line for a person.
    let lines = text.lines().count() - usize::from(text.to_string().ends_with(['\n', '\r']));
    if last as usize > lines.max(1) {
        let has = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        bail!("{} has {has}: there is no line {last}", file.path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::{Decide, Output};
    use crate::config::Override;

    #[test]
    fn files_become_links_and_the_first_is_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        let workspace = Workspace::new(vec![root.clone()], false);
        std::fs::write(root.join("a b.rs").as_path(), "1\n2\n3\n4\n").unwrap();
        let argument = |path: &str, lines| FileArgument { written: path.into(), path: path.into(), lines };
        let arguments = |files| RunArguments {
            prompt: "do it".into(),
            files,
            decide: Decide::Ask,
            output: Output::Text,
            overrides: Vec::<Override>::new(),
        };
        let task = task_of(&arguments(vec![argument("a b.rs", Some((3, 4)))]), &workspace).unwrap();
        let at = |line| Position { line, character: 0 };
        let range = Some(Range { start: at(2), end: at(4) });
        let uri = format!("{}/a%20b.rs", from_path(&root));
        assert_eq!(task.prompt[1], ContentBlock::ResourceLink { uri: uri.clone(), range });
        assert_eq!(task.context.unwrap().uri, uri);
        let error = task_of(&arguments(vec![argument("a b.rs", Some((3, 5)))]), &workspace).unwrap_err();
        assert_eq!(error.to_string(), "a b.rs has 4 lines: there is no line 5");
        let error = task_of(&arguments(vec![argument("missing.rs", None)]), &workspace).unwrap_err();
        assert_eq!(error.to_string(), "missing.rs is no file here");
        let error = task_of(&arguments(vec![argument("load", None)]), &workspace).unwrap_err();
        assert_eq!(error.to_string(), "load is no file here. A prompt of several words stands in quotes");
        std::fs::write(root.join("b:3").as_path(), "1\n").unwrap();
        std::fs::create_dir(root.join("sub").as_path()).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("pipe").as_path()).unwrap();
        let named = FileArgument { written: "b:3".into(), path: "b".into(), lines: Some((3, 3)) };
        let task = task_of(&arguments(vec![named]), &workspace).unwrap();
        assert_eq!(task.context.unwrap().uri, format!("{}/b:3", from_path(&root)), "a name with a colon");
        for (name, why) in
            [("sub", "is a folder: name a file in it"), ("pipe", "is a pipe, a socket or a device")]
        {
            let named = FileArgument { written: format!("{name}:3"), path: name.into(), lines: Some((3, 3)) };
            let error = task_of(&arguments(vec![named]), &workspace).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name} {why}")), "{error}");
        }
        let error = task_of(&arguments(vec![argument("/etc/hostname", None)]), &workspace).unwrap_err();
        assert!(error.to_string().contains("outside this folder"), "{error}");
    }
}
