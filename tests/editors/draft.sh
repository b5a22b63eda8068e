# A project and a task whose tests run on the draft, sourced after project.sh and model.sh: two files are edited, the tests are red
# and then green, a formatter changes a third file.

sum=$project/sum.sh
typed='# typed, and in no file'

rm "$project"/*
cat >"$sum" <<'SH'
set -u
echo $(($1 - $2))
SH
cat >"$project/twice.sh" <<'SH'
sh sum.sh "$1" 1
SH
# They know the line that was typed, too: they are green on nothing but the buffer and both edits.
cat >"$project/test.sh" <<'SH'
grep -q typed sum.sh && [ "$(sh sum.sh 1 2)" = 3 ] && [ "$(sh twice.sh 4)" = 8 ] && echo green || { echo red; exit 1; }
SH
cat >"$project/format.sh" <<'SH'
sed -i 's/ *$//' notes.txt
SH
printf 'blanks at the end   \nnone here\n' >"$project/notes.txt"
cp -r "$project" "$WORK/expected/project"

start_draft() {
  start_model <<JSON
[
  {"call": [{"name": "Read", "input": {"file_path": "$sum"}}, {"name": "Read", "input": {"file_path": "$project/twice.sh"}}]},
  {"call": [
    {"name": "Edit", "input": {"file_path": "$sum", "old_string": "\$1 - \$2", "new_string": "\$1 * \$2"}},
    {"name": "Edit", "input": {"file_path": "$project/twice.sh", "old_string": "\" 1", "new_string": "\" \"\$1\""}}
  ]},
  {"call": [{"name": "Bash", "input": {"command": "sh test.sh"}}]},
  {"call": [{"name": "Edit", "input": {"file_path": "$sum", "old_string": "\$1 * \$2", "new_string": "\$1 + \$2"}}]},
  {"call": [{"name": "Bash", "input": {"command": "sh test.sh"}}]},
  {"call": [{"name": "Bash", "input": {"command": "sh format.sh"}}]},
  {"call": [{"name": "Bash", "input": {"command": "sha256sum *"}}]},
  {"say": "Green on the draft."}
]
JSON
  printf '\n[permissions]\nallow = ["Bash(sh:*)", "Bash(sha256sum:*)"]\n' >>"$XDG_CONFIG_HOME/copydesk/config.toml"
}

# The task is done: red, then green, and the files are as they were.
check_draft() {
  until_true 30 "the task is done" asked 8
  news 4 '"is_error":true.*red'
  news 6 '"is_error":false.*"green'
  news 7 'notes.txt: changed, pending review'
  diff -r "$project" "$WORK/expected/project" || fail "the task changed a file before anything was accepted"
  # Nothing is decided that the editor was not shown; the formatter's change comes last.
  wait_for "$from_server" 'notes\.txt.{0,20}"diagnostics":\[\{'
}

# Every change is in the editor: the last that it was shown of each file is that nothing is left to decide.
all_taken() {
  local name
  for name in notes.txt sum.sh twice.sh; do
    [[ $(grep -aoE "/$name\",\"diagnostics\":\\[.?" "$from_server" | tail -n 1) == *'[]' ]] || return 1
  done
}

# The files on disk are what the last command saw on the draft.
as_in_the_trial() {
  local seen
  seen=$(sed -n 8p "$told" | grep -oE '[0-9a-f]{64}  [a-z]+\.[a-z]+')
  [ "$(wc -l <<<"$seen")" = 5 ] && (cd "$project" && sha256sum --status --check <<<"$seen")
}
check_accepted() {
  until_true 20 "the files on disk are those of the trial tree" as_in_the_trial
  grep -qF "$typed" "$sum" || fail "what was typed is lost"
  (cd "$project" && [ "$(sh test.sh)" = green ]) || fail "the tests are not green on the disk"
  end_model
}
