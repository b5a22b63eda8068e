//! What `copydesk help` says.

use super::arguments::Topic;

pub(super) fn text(topic: Topic) -> &'static str {
    match topic {
        Topic::All => ALL,
        Topic::Try => TRY,
        Topic::Run => RUN,
        Topic::Doctor => DOCTOR,
        Topic::Setup => SETUP,
        Topic::Config => CONFIG,
    }
}

/// The command that prints `text(topic)`.
pub(super) fn command(topic: Topic) -> &'static str {
    match topic {
        Topic::All => "copydesk help",
        Topic::Try => "copydesk help try",
        Topic::Run => "copydesk help run",
        Topic::Doctor => "copydesk help doctor",
        Topic::Setup => "copydesk help setup",
        Topic::Config => "copydesk help config",
    }
}

const ALL: &str = "\
A coding agent that lives in the editor you already use.

usage: copydesk [COMMAND]

  try               see a whole task on a small sample project; needs no key and no network
  run PROMPT        do a task here, without an editor, and decide hunk by hunk
  setup EDITOR      print the configuration for nvim, helix, vscode or emacs
  doctor            what is missing, and what to do next
  config            the settings in effect, and where each comes from
  help [COMMAND]    more about one of these

Editors start `copydesk` without a command: it then speaks the Language Server Protocol on
stdin and stdout (`--stdio` says so even at a terminal).

options for every command but setup:
  --offline         the built-in offline model: no language model, no network
  --model NAME      the model to ask; PROVIDER/NAME names its provider too, such as openai/gpt-5
                    or anthropic/claude-sonnet-5 (providers: anthropic, openai, local, offline)
  --trust           trust this folder: its own settings may allow something this once

  --version, --help
";

const TRY: &str = "\
usage: copydesk try [--offline] [--model NAME]

Makes a small sample project in a temporary folder, opens a file of it with unsaved text, starts a
task by a code action, and shows the stream, the hunks and the result. At a terminal you decide;
otherwise it decides by itself. No file of yours is touched: beside the temporary folder it writes its
log alone, in the state folder.
";

const RUN: &str = "\
usage: copydesk run PROMPT [FILE[:LINE[-LINE]]]...

Does a task in this folder, about the files that are named; lines of the first, such as
src/store.rs:3-9, are its selection. Shows the changes and asks about each hunk:
  y accept   n reject   a this and all that follow   q leave the rest   e edit it first   ? help

  -y, --yes         accept everything, but no change of files that say what programs run
                    (.envrc, .husky/ and the like), unless a rule of yours names them:
                    --allow 'Edit(.envrc)'
  --diff            print the changes as a unified diff and change nothing
  -o, --output      text (default), json (one object at the end), or stream-json (each event as it
                    comes, one a line, and at the end the same object, with \"type\": \"result\")
  --offline         the built-in offline model
  --model NAME      the model to ask
  --permission-mode default, acceptEdits, plan, dontAsk or bypassPermissions
  --allow RULE      let calls run that a rule speaks of, such as 'Bash(cargo test:*)'
  --deny RULE       never let them run
  --add-dir FOLDER  a folder that counts as if it were in this one
  --max-turns N     rounds of tool calls, at most (100, or `max_turns` in config.toml)
  --trust           trust this folder: its own settings may allow something this once
  --                what follows is the prompt and its files, even if it begins with a dash

Without a terminal, and without --yes or --diff, the changes are printed and nothing is applied.
Ctrl-C cancels the task.

exit codes:
  0    done
  1    the task failed
  2    wrong usage
  3    there were changes, and none was applied
  4    something accepted could not be applied
  5    the offline model was asked for a change and has made none. Of a language model nobody can
       tell whether words were all that was wanted, so that is 0
  130  cancelled
";

const DOCTOR: &str = "\
usage: copydesk doctor [--model [NAME]]

Says which model would answer and why, whether there is a key (which is never shown), which editors
are installed, what is wrong in the configuration and the permission rules, what of this folder's
settings waits until you trust it, and what to do next. Exits with 1 if something is wrong. Without
`--model` nobody is asked anything over the network.

  --model [NAME]    ask the model itself, or the one named, in five short requests: whether it is
                    reached and streams, counts tokens, calls tools when it should and when it must,
                    calls several at once, sees images, and how long its window is
";

const SETUP: &str = "\
usage: copydesk setup nvim|helix|vscode|emacs [LANGUAGE]...

Prints the configuration to paste, and where. Nothing is written. For Helix it names the languages
given, or the usual ones.
";

const CONFIG: &str = "\
usage: copydesk config

Prints the settings in effect as TOML, each with what it is and, unless it is the default, the place
it came from, then, as comments, the permission rules and what is wrong in any of them.

They are read from config.toml in your configuration folder, from .copydesk/config.toml here, from
the environment (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, OPENAI_API_KEY,
OPENAI_BASE_URL, COPYDESK_PROVIDER, COPYDESK_MODEL, COPYDESK_DETECT_LOCAL, COPYDESK_LOG) and from
the command line; the later ones win. An editor's own settings are not known here.

--model openai/NAME sets both `model.provider` and `model.name`, --model local the provider alone; in
the files, `model.name` is the name alone. Without `model.provider`, the first of these answers:
Anthropic if there is a key for it, OpenAI or what `openai.base_url` leads to, a server on this
machine (unless `model.detect_local` is false), the offline model.
";
