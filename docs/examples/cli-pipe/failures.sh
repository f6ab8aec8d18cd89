#!/bin/sh
# The failed requests of an access log, one point of JSON a line:
#
#   npm install @millrace/server
#   ./failures.sh < access.log
#   tail -F access.log | ./failures.sh | tee failures.jsonl
set -eu
exec npx millrace pipeline run "$(dirname "$0")/failures.p" --category logging --format json
