#!/usr/bin/env bash
# Holds the running service to assets/openapi.json with schemathesis: all
# checks, all phases, every operation with the key of its channel, once with
# live keys and once with test keys. Needs Python 3 and its package index.
# EXAMPLES sets how many cases an operation gets, SEED repeats a run, and
# PATIENCE is how many seconds each of the two runs may take. DATABASE=postgres
# runs it on a PostgreSQL server that is made for it and removed again.
set -euo pipefail
case ${1:-} in
    "") ;;
    -h | --help)
        sed -n '2,7s/^# \{0,1\}//p' "$0"
        exit
        ;;
    *)
        echo "run.sh: $1: there are no options; --help names the variables" >&2
        exit 2
        ;;
esac
cd "$(dirname "$0")/../.."

root=target/conformance
binary=${CARGO_TARGET_DIR:-target}/debug/frontdesk
service=
beat=
cluster=
programs=
st=$root/venv/bin/st
mkdir -p "$root"

say() {
    printf '%4d s  %s\n' "$SECONDS" "$*"
}

# Says every 20 seconds that something still goes on: schemathesis tells
# nothing within a phase where nobody looks at a terminal.
beat() {
    while sleep 20; do say "… $1"; done
}

# Ends what this script has started, whatever happens.
finish() {
    for process in $beat $service; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    beat=
    service=
}

# Makes a PostgreSQL server on a socket in a folder of its own. It refuses to
# run as root.
make_cluster() {
    local initdb
    initdb=$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1) || true
    initdb=${initdb:-$(command -v initdb)} || { echo "no initdb is installed"; return 1; }
    programs=$(dirname "$initdb")
    cluster=$(mktemp -d)
    [ "$(id -u)" != 0 ] || chown postgres "$cluster"
    as_server initdb -D "$cluster/data" -U frontdesk --auth=trust --no-sync --no-instructions \
        -E UTF8 --locale=C >"$cluster/log"
    as_server pg_ctl -D "$cluster/data" -w -l "$cluster/data/log" start >/dev/null -o "-c fsync=off \
        -c listen_addresses= -c unix_socket_directories=$cluster"
}

as_server() {
    local program=$programs/$1
    shift
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$program" "$@"; else "$program" "$@"; fi
}

remove_cluster() {
    [ -n "$cluster" ] || return 0
    as_server pg_ctl -D "$cluster/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$cluster"
}
trap 'finish; remove_cluster' EXIT

if ! "$st" --version >/dev/null 2>&1; then
    say "installing schemathesis"
    python3 -m venv "$root/venv"
    timeout 300 "$root/venv/bin/pip" install --quiet --timeout 20 'schemathesis==4.32.5'
fi
say "building the service"
# As the tests have built it: a build without them takes other libraries.
cargo test --locked --test it --no-run

# One run on a service of its own; its environment is live or test.
conform() {
    local environment=$1 phases=$2 folder database status=0
    folder=$(mktemp -d)
    database=$folder/service.db
    if [ -n "$cluster" ]; then
        as_server createdb -h "$cluster" -U frontdesk "$environment"
        database="postgres:///$environment?user=frontdesk&host=$cluster"
    fi
    "$binary" serve --listen 127.0.0.1:0 --db "$database" --key-file "$folder/service.key" \
        --ready-file "$folder/ready.json" --dev --unlimited >"$folder/out" 2>&1 &
    service=$!
    for _ in $(seq 100); do
        [ -s "$folder/ready.json" ] && break
        kill -0 "$service" || { cat "$folder/out"; return 1; }
        sleep 0.1
    done
    say "$environment keys: $phases"
    beat "$environment keys" &
    beat=$!
    rm -f "$root/$environment.json"
    CONFORMANCE_READY=$folder/ready.json CONFORMANCE_ENVIRONMENT=$environment \
    SCHEMATHESIS_HOOKS=hooks PYTHONPATH=tests/conformance PYTHONDONTWRITEBYTECODE=1 \
    HYPOTHESIS_STORAGE_DIRECTORY=$root/hypothesis \
        timeout --kill-after=10 "${PATIENCE:-600}" \
        "$st" --config-file tests/conformance/schemathesis.toml run assets/openapi.json \
        --url "$(sed 's/.*"base_url":"\([^"]*\)".*/\1/' "$folder/ready.json")" \
        --checks all --phases "$phases" --max-examples "${EXAMPLES:-50}" --seed "${SEED:-1}" \
        --continue-on-failure --no-shrink --request-timeout 30 \
        --report json --report-json-path "$root/$environment.json" </dev/null || status=$?
    if [ "$status" -ge 124 ]; then
        say "not done after ${PATIENCE:-600} s; the end of what the service said:"
        tail -n 20 "$folder/out"
    fi
    finish
    rm -r "$folder"
    return "$status"
}

failed=0
case ${DATABASE:-file} in
    file) ;;
    postgres) make_cluster ;;
    *) echo "DATABASE is file or postgres"; exit 2 ;;
esac
conform live examples,coverage,fuzzing,stateful || failed=1
# A test key stores nothing: what one call makes, the next cannot find, so
# there are no states to walk through.
conform test examples,coverage,fuzzing || failed=1

say "summary"
for environment in live test; do
    [ -s "$root/$environment.json" ] || { echo "$environment keys: no report"; failed=1; continue; }
    "$root/venv/bin/python" - "$environment" "$root/$environment.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[2]))
cases, operations = report["test_cases"], report["operations"]
print(f"{sys.argv[1]} keys: {operations['tested']} operations, {cases['generated']} cases, "
      f"{cases['unique_failures']} failures, {len(report['errors'])} errors, {report['running_time']:.0f} s")
PYTHON
done
exit "$failed"
