# A project for one editor flow, sourced with WORK set: a file, what it must look like at each step, a home of its own, and the
# server under test with both directions of its traffic kept in files.

project=$WORK/project
file=$project/store.rs
to_server=$WORK/to-server.log
from_server=$WORK/from-server.log

# What the user types: at the top and at the end before the task, so that the agent has to see the buffer, and at the end while it
# runs. The task takes the comment away with the first hunk.
marker='// copydesk: rename load to open in store.rs'
unsaved='fn later() { load("b.db"); }'
meanwhile='// typed while it works'

# What is to be done at the end, however that comes.
undo=()
trap 'for step in "${undo[@]}"; do eval "$step" || true; done' EXIT

mkdir -p "$project/.git" "$WORK/home" "$WORK/expected"
cat >"$file" <<'RUST'
fn load(path: &str) -> String {
    path.to_owned()
}

fn main() {
    let text = load("a.db");
    println!("{text}");
}
RUST
echo 'load is named here too, and not asked about' >"$project/notes.txt"
cp "$file" "$WORK/expected/before"
{ cat "$file"; printf '%s\n%s\n' "$unsaved" "$meanwhile"; } >"$WORK/expected/without-comment"
{ echo "$marker"; cat "$WORK/expected/without-comment"; } >"$WORK/expected/typed"
sed 's/^fn load/fn open/' "$WORK/expected/without-comment" >"$WORK/expected/accepted"
cp "$project/notes.txt" "$WORK/expected/notes"

# The user's own keys and configuration have no say in a test.
unset ANTHROPIC_API_KEY OPENAI_API_KEY OPENAI_BASE_URL
export HOME=$WORK/home XDG_CONFIG_HOME=$WORK/home/config XDG_STATE_HOME=$WORK/home/state
export XDG_CACHE_HOME=$WORK/home/cache XDG_DATA_HOME=$WORK/home/data
mkdir -p "$XDG_CONFIG_HOME/copydesk"
# Editors take the folder they are started in for the project.
cd "$project"
printf '[model]\nprovider = "offline"\n' >"$XDG_CONFIG_HOME/copydesk/config.toml"

server=$WORK/copydesk
# The server takes the place of this shell, so the editor's process is the server itself.
cat >"$server" <<RUN
#!/usr/bin/env bash
case "\${1:---stdio}" in --stdio) ;; *) exec "$COPYDESK" "\$@" ;; esac
exec 3<&0
exec "$COPYDESK" --stdio < <(exec tee -a "$to_server" <&3 2>/dev/null) 3<&- > >(exec tee -a "$from_server") 2>>"$WORK/server-stderr.log"
RUN
chmod +x "$server"

# What the traffic and the server's own log say, for a failure.
show_server() {
  local log
  for log in "$WORK/server-stderr.log" "$XDG_STATE_HOME"/copydesk/*.log; do
    [ -s "$log" ] && { echo "--- $log"; tail -n 20 "$log"; }
  done
  for log in "$to_server" "$from_server"; do
    [ -s "$log" ] && { echo "--- end of $log"; tail -c 3000 "$log"; echo; }
  done
  return 0
}

# Nothing but the file itself may have changed.
check_untouched() {
  cmp "$project/notes.txt" "$WORK/expected/notes" || return
  local others
  others=$(cd "$project" && find . -path ./.git -prune -o -type f -print | grep -vxE './(store\.rs|notes\.txt)' || true)
  [ -z "$others" ] || { echo "new in the project: $others"; return 1; }
}
