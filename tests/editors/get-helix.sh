#!/usr/bin/env bash
# Puts the Helix of a Debian suite (trixie: 25.01, sid: newer) into target/editors/helix-SUITE and prints the path of the program.
# The packages are unpacked beside the libc they were built for; nothing is installed and the system's apt state stays as it is.
# Needs apt-get, dpkg-deb and Debian's archive keyring, on amd64. The last line on stderr of a failure is its reason.
set -euo pipefail
suite=${1:?usage: get-helix.sh trixie|sid}
home=$(cd "$(dirname "$0")/../.." && pwd)/target/editors/helix-$suite
hx=$home/hx

refuse() { echo "$*" >&2; exit 1; }

# The address the system's own apt uses: this file names no mirror.
mirror() {
  [ -z "${DEBIAN_MIRROR:-}" ] || { echo "$DEBIAN_MIRROR"; return; }
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/*$' || true
}

# An apt that knows one suite and keeps its state in a folder of its own.
private_apt() {
  local apt=$1 site=$2 options="arch=amd64 signed-by=$keyring"
  # A mirror's sid can be older than its Release file allows; the signature is checked all the same.
  [ "$suite" != sid ] || options="$options check-valid-until=no"
  mkdir -p "$apt"/{lists/partial,archives/partial,parts}
  : >"$apt/status"
  echo "deb [$options] $site $suite main" >"$apt/sources.list"
  {
    apt-config dump | grep -iE '^Acquire::(https?|retries|forceipv)' || true
    cat <<CONF
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferencesparts "$apt/parts";
APT::Architecture "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
  } >"$apt/apt.conf"
}

download() {
  local site apt
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || refuse "apt-get and dpkg-deb are missing: not a Debian system"
  [ "$(dpkg --print-architecture)" = amd64 ] || refuse "only amd64 is known here, this is $(dpkg --print-architecture)"
  [ -r "$keyring" ] || refuse "the package debian-archive-keyring is missing"
  site=$(mirror)
  [ -n "$site" ] || refuse "apt knows no Debian mirror: run apt-get update, or set DEBIAN_MIRROR"
  apt=$home/apt
  private_apt "$apt" "$site"
  mkdir -p "$home/packages"
  (
    export APT_CONFIG=$apt/apt.conf
    cd "$home/packages"
    apt-get -qq update
    apt-get -qq download hx libc6 libgcc-s1
  ) >&2
  rm -rf "$apt"
}

if ! { [ -x "$hx" ] && "$hx" --version >/dev/null 2>&1; }; then
  rm -rf "$home"
  mkdir -p "$home/root"
  download
  for package in "$home"/packages/*.deb; do dpkg-deb -x "$package" "$home/root"; done
  rm -rf "$home/packages" "$home/root/usr/share"
  cat >"$hx" <<'RUN'
#!/bin/sh
# Helix on the libc it was built for, wherever this folder lies.
root=$(dirname "$(readlink -f "$0")")/root
libraries=$root/usr/lib/x86_64-linux-gnu
HELIX_RUNTIME=$root/usr/lib/hx/runtime
export HELIX_RUNTIME
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$root/usr/lib/hx/hx" "$@"
RUN
  chmod +x "$hx"
  "$hx" --version >&2 || refuse "the unpacked hx does not run here"
fi
echo "$hx"
