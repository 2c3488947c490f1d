#!/usr/bin/env python3
"""Changes one rule of the product at a time and shows that a test fails.

Each entry of table.toml names a place in the source, its replacement, and the
tests that must fail. The sources are copied with all changes, each behind a
switch. The copy is built once, and the tests run once for each change with
only that change switched on. The product contains none of this.

  tests/mutations/run.py             runs all changes
  tests/mutations/run.py lane guard  runs those whose name or file contains a word
  tests/mutations/run.py --check     checks that the table fits the source
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "target" / "mutations"
COPIED = ["Cargo.toml", "Cargo.lock", "README.md", "CHANGELOG.md", "src", "tests", "benches", "assets", "docs"]
SWITCH = "FRONTDESK_MUTATION"
# Another version number keeps cargo from mixing up the tests of the copy with
# those of the product, which are built in the same folder.
VERSION = re.compile(rb'((?:\[workspace\.package\]|\bname = "frontdesk(?:-[a-z]+)?")\nversion = "[^"]*)(")')
# Timeout of a test run, in seconds. A change that makes a test hang is noticed.
TIMEOUT = 600
# Minimum share of noticed changes, in percent.
MIN_NOTICED = 95
SWITCHES = f'''//! Switches of the changes.

/// True if the change is switched on.
pub fn on(number: usize) -> bool {{
    static CHOSEN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let read = || std::env::var("{SWITCH}").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *CHOSEN.get_or_init(read) == number
}}
'''


def literal_around(text, start, end):
    """Returns the bounds of the string literal around a place."""
    first, last = text.rfind('"', 0, start), text.find('"', end)
    if first < 0 or last < 0:
        raise ValueError("no literal around it")
    return first, last + 1


def changes_of(text, entries):
    """Returns the changed places of a file, in order, with their replacements."""
    places = {}
    for number, entry in entries:
        found = [match.start() for match in re.finditer(re.escape(entry["find"]), text)]
        if len(found) != 1:
            raise ValueError(f'{entry["name"]}: {entry["find"]!r} is {len(found)} times in {entry["file"]}')
        start, end = found[0], found[0] + len(entry["find"])
        put = entry["put"]
        if "text" in entry:
            first, last = literal_around(text, start, end)
            put = text[first:start] + put + text[end:last]
            start, end = first, last
        places.setdefault((start, end), []).append((number, put))
    spans = sorted(places)
    for (_, before), (after, _) in zip(spans, spans[1:]):
        if after < before:
            raise ValueError(f"two changes overlap: {text[after:before]!r}")
    return [(span, places[span]) for span in spans]


def changed(text, entries):
    """Returns a file with all its changes, each behind its switch."""
    out, at = [], 0
    for (start, end), puts in changes_of(text, entries):
        out.append(text[at:start])
        whole = text[start:end]
        if any("MUTATED" in put for _, put in puts):
            ((number, put),) = puts
            out.append(put.replace("MUTATED", f"crate::mutations::on({number})"))
        else:
            branches = "".join(f"if crate::mutations::on({number}) {{ {put} }} else " for number, put in puts)
            out.append(f"({branches}{{ {whole} }})")
        at = end
    out.append(text[at:])
    return "".join(out)


def write(path, text):
    """Writes a file unless it is the same, so that it is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text:
        path.write_bytes(text)


def make_copy(table):
    """Copies the source tree with all changes."""
    kept = set()
    crates = {(crate_of(entry["file"]),) if crate_of(entry["file"]) else () for entry in table}
    for top in COPIED:
        top = ROOT / top
        for path in [top] if top.is_file() else sorted(path for path in top.rglob("*") if path.is_file()):
            name = path.relative_to(ROOT)
            entries = [(n, entry) for n, entry in enumerate(table, 1) if entry["file"] == str(name)]
            text = path.read_bytes()
            if entries:
                text = changed(text.decode(), entries).encode()
            if str(name) in ("Cargo.toml", "Cargo.lock"):
                text = VERSION.sub(rb"\1-mutations\2", text)
            if path.name == "lib.rs" and name.parts[1:-1] in crates:
                text += b"\npub mod mutations;\n"
            write(COPY / name, text)
            kept.add(COPY / name)
    for crate in crates:
        switches = COPY.joinpath("src", *crate, "mutations.rs")
        write(switches, SWITCHES.encode())
        kept.add(switches)
    for top in COPIED:
        for path in (COPY / top).rglob("*") if (COPY / top).is_dir() else []:
            if path.is_file() and path not in kept:
                path.unlink()


def crate_of(file):
    """Returns the crate of a file below src/; None for the crate at the root."""
    parts = Path(file).parts
    return parts[1] if (ROOT / "src" / parts[1] / "Cargo.toml").exists() else None


def build():
    """Builds the tests of the copy. Returns the test program of each crate."""
    # Libraries are shared with the product and not built again.
    environment = dict(os.environ, CARGO_TARGET_DIR=os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")))
    command = [os.environ.get("CARGO", "cargo"), "test", "--locked", "--lib", "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True)
    if built.returncode:
        sys.stderr.write(built.stderr)
        sys.exit("the changed sources do not build")
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    tests = [message for message in messages if message.get("executable") and message["profile"]["test"]]
    return {crate_of(Path(test["target"]["src_path"]).relative_to(COPY)): Path(test["executable"]) for test in tests}


def run_tests(programs, tests, number):
    """Runs the tests with one change switched on. Returns the result and their number.

    The table names a test with its crate first; the program of the crate knows it
    without.
    """
    environment = dict(os.environ, FRONTDESK_LIVES="400", FRONTDESK_SEED="20261126", **{SWITCH: str(number)})
    filters = {}
    for test in tests:
        crate, _, rest = test.partition("::")
        crate, test = (crate, rest) if crate in programs else (None, test)
        filters.setdefault(crate, []).append(test)
    state, count = "survived", 0
    for crate, names in filters.items():
        command = [programs[crate], *([] if "" in names else names)]
        folder = COPY / "src" / crate if crate else COPY
        try:
            ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return "hangs", 1
        passed = re.search(r"(\d+) passed; (\d+) failed", ran.stdout)
        count += int(passed[1]) + int(passed[2]) if passed else 0
        if ran.returncode:
            state = "killed"
    return state, count


def parse_arguments(table):
    """Returns the arguments and the changes to run with their numbers. Ends on a word that no change has."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--check", action="store_true", help="only check that the table fits the source")
    parser.add_argument("--list", action="store_true", help="print the names and files of the changes")
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of a name or a file (default: all changes)")
    arguments = parser.parse_args()
    chosen = {}
    for word in arguments.words or [""]:
        fitting = {n: entry for n, entry in enumerate(table, 1) if word in entry["name"] or word in entry["file"]}
        if not fitting:
            parser.error(f"no change has {word!r} in its name or file; --list prints them")
        chosen.update(fitting)
    return arguments, sorted(chosen.items())


def main():
    table = tomllib.loads((Path(__file__).parent / "table.toml").read_text())["mutation"]
    arguments, chosen = parse_arguments(table)
    if arguments.list:
        return print("\n".join(f'{entry["name"]}  ({entry["file"]})' for _, entry in chosen))
    if arguments.check:
        for name in sorted({entry["file"] for entry in table}):
            changes_of((ROOT / name).read_text(), [(0, entry) for entry in table if entry["file"] == name])
        return print(f"{len(table)} changes fit the source")
    started = time.monotonic()
    make_copy(table)
    programs = build()
    print(f"built in {time.monotonic() - started:.0f} s", flush=True)
    every = sorted({test for _, entry in chosen for test in entry["tests"]})
    state, count = run_tests(programs, every, 0)
    if state != "survived":
        sys.exit("the tests fail with nothing changed")
    print(f"{count} tests pass with nothing changed", flush=True)
    survivors = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = [(n, entry, pool.submit(run_tests, programs, entry["tests"], n)) for n, entry in chosen]
        for _, entry, run in runs:
            state, count = run.result()
            if count == 0:
                sys.exit(f'{entry["name"]}: no test is called {entry["tests"]}')
            if state == "survived":
                survivors.append(entry)
            print(f'{state:<9} {entry["name"]}  ({entry["file"]})', flush=True)
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} noticed, {100 * killed / max(len(chosen), 1):.0f} %, {time.monotonic() - started:.0f} s")
    return sys.exit(1 if 100 * killed < MIN_NOTICED * len(chosen) else 0)


main()
