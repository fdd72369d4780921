#!/bin/sh
# Each line is one result; `devflow eval push -` reads them from the pipe.
set -eu

answer() { # Stands in for your program: converts text to upper case.
  printf '%s' "$1" | tr '[:lower:]' '[:upper:]'
}

check() { # name, input, expected
  started=$(date +%s)
  if [ "$(answer "$2")" = "$3" ]; then passed=true; else passed=false; fi
  printf '{"name":"%s","input":"%s","passed":%s,"duration_ms":%s}\n' \
    "$1" "$2" "$passed" "$((($(date +%s) - started) * 1000))"
}

{
  echo '{"schema_version":1,"suite":"shouting","tier":"fast"}'
  check plain hello HELLO
  check mixed "Hello you" "HELLO YOU"
  check wrong hello hello
} | devflow eval push -
