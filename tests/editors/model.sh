# A model whose answers are written down, sourced after project.sh: `start_model` plays the script on its standard input, and
# each request's news is a line of $told.

told=$WORK/told.log

# A list of answers: {"say": …}, {"call": [{"name": …, "input": …}]}; with "after": "NAME" it is held back until `let_go NAME`.
start_model() {
  local url=$WORK/model-url
  cat >"$WORK/script.json"
  "$SCRIPTED_MODEL" "$WORK/script.json" "$told" >"$url" 2>"$WORK/model-stderr.log" &
  model=$!
  undo+=("kill $model 2>/dev/null")
  until [ -s "$url" ]; do
    kill -0 "$model" || { cat "$WORK/model-stderr.log"; exit 1; }
    sleep 0.02
  done
  ANTHROPIC_BASE_URL=$(cat "$url")
  export ANTHROPIC_BASE_URL ANTHROPIC_API_KEY=not-a-key
  printf '[model]\nprovider = "anthropic"\n' >"$XDG_CONFIG_HOME/copydesk/config.toml"
}

let_go() { touch "$WORK/$1"; }

# How often the model was asked.
asked() { [ "$(wc -l <"$told")" = "$1" ]; }

# The script is played to its end, and every request was legal.
end_model() {
  kill "$model"
  wait "$model" || { cat "$WORK/model-stderr.log"; exit 1; }
}

# news NUMBER PATTERN: that request told the model so.
news() { sed -n "$1p" "$told" | grep -qE -- "$2" || fail "request $1 does not tell /$2/: $(sed -n "$1p" "$told")"; }
