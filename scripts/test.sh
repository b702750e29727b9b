#!/bin/sh
# Run every test. One that fails beside others, where processes of other tests take the processor, is run once more alone,
# three tests at most: what fails then as well, or a fourth, is a failure. One that passes alone is named: its timing wants mending.
set -u
python=$1
shift
"$python" -m pytest "$@"
code=$?
[ "$code" = 1 ] || exit "$code"
failed=$("$python" -c 'import json; print(*json.load(open(".pytest_cache/v/cache/lastfailed")), sep="\n")') || exit 1
number=$(printf '%s\n' "$failed" | grep -c "::")
[ "$number" -ge 1 ] && [ "$number" -le 3 ] || exit 1
printf 'test: failed beside others, once more alone:\n%s\n' "$failed"
"$python" -m pytest --last-failed --last-failed-no-failures none || exit 1
printf 'test: depends on what runs beside it, to be mended:\n%s\n' "$failed"
