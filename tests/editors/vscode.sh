#!/usr/bin/env bash
# vscode.sh WORK CODE_SERVER CHROMIUM VSIX: the whole way in VS Code with the packaged extension; see vscode.js.
set -euo pipefail
WORK=$1
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
export WORK
if node "$here/vscode.js" "$2" "$3" "$4" "$server" && check_untouched; then exit; fi
show_server
exit 1
