# A task that has questions, sourced after project.sh and model.sh: four commands that wait for leave, or those of `commands`,
# then a choice.

cat >"$project/check.sh" <<'SH'
echo "checked $1"
SH

# Each question comes when `let_go` names its command.
start_questions() {
  local words
  start_model <<JSON
[
  $(for words in ${commands:-one two three four}; do
    echo "{\"after\": \"$words\", \"call\": [{\"name\": \"Bash\", \"input\": {\"command\": \"sh check.sh $words\"}}]},"
  done)
  {"call": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Which way?", "header": "Way", "options": [
    {"label": "Left", "description": "shorter"}, {"label": "Right", "description": "safer"}
  ]}]}}]},
  {"say": "Done."}
]
JSON
}

# What a person types while a question comes: it would answer a list that takes keys.
before='let x = '
typed=$'let x = 1\n1\nlet y = 2;'
type_on() {
  write 1
  keys Enter
  write 1
  keys Enter
  write 'let y = 2;'
}

# unanswered NUMBER: nothing was allowed: the model, asked that often, still waits for the result, and no rule was kept.
unanswered() {
  asked "$1" || fail "the model was told something before anybody answered: $(tail -n 1 "$told")"
  [ ! -e "$project/.claude" ] || fail "a rule was saved"
}

# answered NUMBER PATTERN: the model was told with that request.
answered() {
  until_true 20 "the model is asked $1 times" asked "$1"
  news "$1" "$2"
}

# The file as it has to be on disk, with lines that were typed: beginning, end.
check_typed() {
  { printf '%s' "$1"; cat "$WORK/expected/before"; printf '%s\n' "$2"; } >"$WORK/expected/typed"
  wait_equal "$file" "$WORK/expected/typed"
}
