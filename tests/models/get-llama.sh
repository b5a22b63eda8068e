#!/usr/bin/env bash
# Puts llama.cpp's server of Debian sid into FOLDER and makes FOLDER/llama-server.
# The packages are unpacked beside the libc they were built for; nothing is installed and the system's apt state stays as it is.
# Needs apt-get, dpkg-deb and Debian's archive keyring, on amd64. The last line on stderr of a failure is its reason.
set -euo pipefail
home=${1:?usage: get-llama.sh FOLDER}
packages=(llama.cpp-tools libllama0 libggml0 libc6 libgcc-s1 libgomp1 libstdc++6 libssl3t64 libzstd1 zlib1g)

refuse() { echo "$*" >&2; exit 1; }

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || refuse "apt-get and dpkg-deb are missing: not a Debian system"
[ "$(dpkg --print-architecture)" = amd64 ] || refuse "only amd64 is known here, this is $(dpkg --print-architecture)"
[ -r "$keyring" ] || refuse "the package debian-archive-keyring is missing"
# The address the system's own apt uses: this file names no mirror.
site=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/*$' || true)}
[ -n "$site" ] || refuse "apt knows no Debian mirror: run apt-get update, or set DEBIAN_MIRROR"

# An apt that knows one suite and keeps its state in a folder of its own.
apt=$home/apt
mkdir -p "$apt"/{lists/partial,archives/partial,parts} "$home/packages"
: >"$apt/status"
# A mirror's sid can be older than its Release file allows; the signature is checked all the same.
echo "deb [arch=amd64 signed-by=$keyring check-valid-until=no] $site sid main" >"$apt/sources.list"
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
(
  export APT_CONFIG=$apt/apt.conf
  cd "$home/packages"
  apt-get -qq update
  apt-get -qq download "${packages[@]}"
) >&2
rm -rf "$home/root"
mkdir -p "$home/root"
for package in "$home"/packages/*.deb; do dpkg-deb -x "$package" "$home/root"; done
rm -rf "$apt" "$home/packages" "$home/root/usr/share"
# Its parts for each processor are looked for beside the program that runs, which is the loader here.
libraries=$home/root/usr/lib/x86_64-linux-gnu
for part in "$libraries"/ggml/backends*/*.so; do ln -sf "${part#"$libraries"/}" "$libraries/"; done
cat >"$home/llama-server" <<'RUN'
#!/bin/sh
# llama.cpp's server on the libc it was built for, wherever this folder lies.
root=$(dirname "$(readlink -f "$0")")/root
libraries=$root/usr/lib/x86_64-linux-gnu
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries:$libraries/llama" "$root/usr/bin/llama-server" "$@"
RUN
chmod +x "$home/llama-server"
"$home/llama-server" --version >&2 || refuse "the unpacked llama-server does not run here"
