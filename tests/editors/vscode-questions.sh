#!/usr/bin/env bash
# vscode-questions.sh WORK CODE_SERVER CHROMIUM VSIX: in VS Code, questions that come while somebody types; see vscode-questions.js.
set -euo pipefail
WORK=$1
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/model.sh"
source "$here/questions.sh"
export WORK
commands='one two three four five'
start_questions
if node "$here/vscode-questions.js" "$2" "$3" "$4" "$server" && end_model; then exit; fi
show_server
exit 1
