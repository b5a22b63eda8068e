#!/usr/bin/env bash
# Checks and packages the VS Code extension of this checkout and prints the path of the .vsix.
# Needs node and npm. The last line on stderr of a failure is its reason.
set -euo pipefail
cd "$(dirname "$0")/../../editor-clients/vscode"
command -v npm >/dev/null || { echo "npm is missing" >&2; exit 1; }
{
  # Installed packages are kept as long as the lock file says the same.
  if ! cmp -s package-lock.json node_modules/installed-lock.json; then
    npm ci
    cp package-lock.json node_modules/installed-lock.json
  fi
  npm run --silent package || { echo "the VS Code extension does not build" >&2; exit 1; }
} >&2
echo "$PWD/out/copydesk.vsix"
