#!/usr/bin/env bash
# Holds the running service to assets/openapi.json with schemathesis: all
# checks, all phases, every operation with the key of its channel, once with
# live keys and once with test keys. Needs Python 3 and its package index.
# EXAMPLES sets how many cases an operation gets, SEED repeats a run.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=target/conformance
binary=${CARGO_TARGET_DIR:-target}/debug/frontdesk
service=
st=$root/venv/bin/st
mkdir -p "$root"
if ! "$st" --version >/dev/null 2>&1; then
    python3 -m venv "$root/venv"
    "$root/venv/bin/pip" install --quiet 'schemathesis==4.32.5'
fi
cargo build --locked --quiet

# One run on a service of its own; its environment is live or test.
conform() {
    local environment=$1 phases=$2 folder status=0
    folder=$(mktemp -d)
    "$binary" serve --listen 127.0.0.1:0 --db "$folder/service.db" \
        --ready-file "$folder/ready.json" --dev --unlimited >"$folder/out" 2>&1 &
    service=$!
    trap 'kill $service 2>/dev/null || true' EXIT
    for _ in $(seq 100); do
        [ -s "$folder/ready.json" ] && break
        kill -0 "$service" || { cat "$folder/out"; return 1; }
        sleep 0.1
    done
    echo "== $environment keys =="
    rm -f "$root/$environment.json"
    CONFORMANCE_READY=$folder/ready.json CONFORMANCE_ENVIRONMENT=$environment \
    SCHEMATHESIS_HOOKS=hooks PYTHONPATH=tests/conformance PYTHONDONTWRITEBYTECODE=1 \
    HYPOTHESIS_STORAGE_DIRECTORY=$root/hypothesis \
        "$st" --config-file tests/conformance/schemathesis.toml run assets/openapi.json \
        --url "$(sed 's/.*"base_url":"\([^"]*\)".*/\1/' "$folder/ready.json")" \
        --checks all --phases "$phases" --max-examples "${EXAMPLES:-50}" --seed "${SEED:-1}" \
        --continue-on-failure --no-shrink --request-timeout 30 \
        --report json --report-json-path "$root/$environment.json" || status=$?
    kill "$service"
    wait "$service" || true
    trap - EXIT
    rm -r "$folder"
    return "$status"
}

failed=0
conform live examples,coverage,fuzzing,stateful || failed=1
# A test key stores nothing: what one call makes, the next cannot find, so
# there are no states to walk through.
conform test examples,coverage,fuzzing || failed=1

echo "== summary =="
for environment in live test; do
    "$root/venv/bin/python" - "$environment" "$root/$environment.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[2]))
cases, operations = report["test_cases"], report["operations"]
print(f"{sys.argv[1]} keys: {operations['tested']} operations, {cases['generated']} cases, "
      f"{cases['unique_failures']} failures, {len(report['errors'])} errors, {report['running_time']:.0f} s")
PYTHON
done
exit "$failed"
