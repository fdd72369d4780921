#!/usr/bin/env bash
# What the action does: install, push, compare, comment, check. Inputs come as variables (action.yml), never as text of this script, so
# that no branch name or title can become a command.
set -euo pipefail

install_devflow() {
  if [ -z "${INPUT_RELEASE:-}" ]; then
    command -v devflow > /dev/null || { echo "::error::devflow is not on PATH. Set the input release."; exit 1; }
    return
  fi
  local os arch work name
  os=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in x86_64) arch=x64 ;; *) arch=arm64 ;; esac
  work=$(mktemp -d)
  fetch SHA256SUMS "$work"
  name=$(awk -v end="-$os-$arch.tar.gz" 'substr($2, length($2) - length(end) + 1) == end { print $2 }' "$work/SHA256SUMS" | sort -V | tail -n 1)
  [ -n "$name" ] || { echo "::error::The release has no archive for $os-$arch."; exit 1; }
  fetch "$name" "$work"
  (cd "$work" && grep "  $name\$" SHA256SUMS | sha256sum --check --quiet -)
  tar -xzf "$work/$name" -C "$work"
  mkdir -p "$work/bin"
  mv "$work/${name%.tar.gz}/devflow" "$work/bin/devflow"
  PATH="$work/bin:$PATH"
  echo "$work/bin" >> "$GITHUB_PATH"
}

fetch() {
  case $INPUT_RELEASE in
    https://*) curl --fail --silent --show-error --location --proto '=https' --output "$2/$1" "${INPUT_RELEASE%/}/$1" ;;
    *) cp "${INPUT_RELEASE%/}/$1" "$2/$1" ;;
  esac
}

# Empty inputs are not settings.
[ -n "${DEVFLOW_SERVER:-}" ] || unset DEVFLOW_SERVER
[ -n "${DEVFLOW_ACCESS_TOKEN:-}" ] || unset DEVFLOW_ACCESS_TOKEN
export GH_REPO="${GH_REPO:-$GITHUB_REPOSITORY}"

install_devflow
devflow --version

# Patterns are expanded, and nothing else is.
files=()
while IFS= read -r pattern; do
  [ -n "$pattern" ] && while IFS= read -r file; do files+=("$file"); done < <(compgen -G "$pattern" || echo "$pattern")
done < <(tr -s ' \n' '\n\n' <<< "$INPUT_FILES")
devflow eval push "${files[@]}" --commit "$HEAD_SHA"

# The records were queued, and may be on their way already. A team that cannot be reached fails nothing, but what waits here is lost with
# this machine, so say it.
queued() { devflow sync status --json | grep -o '"queue":{"records":[0-9]*' | grep -o '[0-9]*$' || echo 1; }
if [ -n "${DEVFLOW_ACCESS_TOKEN:-}" ]; then
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    devflow sync drain || true
    [ "$(queued)" -ne 0 ] || break
    sleep 2
  done
  [ "$(queued)" -eq 0 ] || echo "::warning::The results could not be sent to the team."
fi

report=$(mktemp)
code=0
fail_on=()
[ "$INPUT_FAIL_ON" = nothing ] || fail_on=(--fail-on "$INPUT_FAIL_ON")
devflow eval compare --markdown "${fail_on[@]}" > "$report" || code=$?
verdict=$(devflow eval compare --json | grep -o '"verdict":"[a-z ]*"' | head -n 1 | cut -d '"' -f 4 || true)
echo "verdict=${verdict:-none}" >> "$GITHUB_OUTPUT"
cat "$report" >> "$GITHUB_STEP_SUMMARY"

if [ "$INPUT_COMMENT" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
  devflow eval comment "$PULL_REQUEST" --pr --name "$INPUT_NAME" || echo "::warning::The comment could not be posted."
fi

if [ "$INPUT_CHECK" = true ]; then
  # 1: worse. 0: not. Everything else is no verdict.
  case $code in 0) conclusion=success ;; 1) conclusion=failure ;; *) conclusion=neutral ;; esac
  head -c 60000 "$report" |
    gh api "repos/{owner}/{repo}/check-runs" --method POST --silent \
      -f "name=$INPUT_NAME" -f "head_sha=$HEAD_SHA" -f status=completed -f "conclusion=$conclusion" \
      -f "output[title]=${verdict:-nothing compared}" -F "output[summary]=@-" ||
    echo "::warning::The check could not be set."
fi

if [ "$code" -eq 1 ] && [ "$INPUT_FAIL_ON" != nothing ]; then
  echo "::error::The evals got worse."
  exit 1
fi
