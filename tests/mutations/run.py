#!/usr/bin/env python3
"""Changes one rule of the product at a time and shows that a test fails.

Each entry of table.toml names a place in the source, what stands there
instead, and the tests that must notice. The sources are copied with all
changes in them, each behind a switch; they are built once, and the tests run
once for each change with only that one switched on. The product itself knows
nothing of this.

  tests/mutations/run.py             all of them
  tests/mutations/run.py lane guard  those whose name or file holds a word
  tests/mutations/run.py --check     whether the table still fits the source
"""

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
# The copy is another version: cargo would else take its tests for those of the
# product, which are built in the same folder.
VERSION = re.compile(rb'((?:\[workspace\.package\]|\bname = "frontdesk(?:-[a-z]+)?")\nversion = "[^"]*)(")')
# A change that makes a test hang has been noticed, too.
PATIENCE = 600
# Of the changes, in percent, that must be noticed.
LEAST = 95
SWITCHES = f'''//! Which change is switched on.

/// Whether this one is.
pub fn on(number: usize) -> bool {{
    static CHOSEN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let read = || std::env::var("{SWITCH}").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    *CHOSEN.get_or_init(read) == number
}}
'''


def literal_around(text, start, end):
    """The string literal that holds a place."""
    first, last = text.rfind('"', 0, start), text.find('"', end)
    if first < 0 or last < 0:
        raise ValueError("no literal around it")
    return first, last + 1


def changes_of(text, entries):
    """Each changed place of a file: where it is, and what stands there."""
    places = {}
    for number, entry in entries:
        found = [it.start() for it in re.finditer(re.escape(entry["find"]), text)]
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
    """A file with all its changes, each behind its switch."""
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
    """Writes what differs, so that what does not is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text:
        path.write_bytes(text)


def make_copy(table):
    """The source tree with all changes in it."""
    kept = set()
    floors = {(floor_of(it["file"]),) if floor_of(it["file"]) else () for it in table}
    for top in COPIED:
        top = ROOT / top
        for path in [top] if top.is_file() else sorted(it for it in top.rglob("*") if it.is_file()):
            name = path.relative_to(ROOT)
            entries = [(n, it) for n, it in enumerate(table, 1) if it["file"] == str(name)]
            text = path.read_bytes()
            if entries:
                text = changed(text.decode(), entries).encode()
            if str(name) in ("Cargo.toml", "Cargo.lock"):
                text = VERSION.sub(rb"\1-mutations\2", text)
            if path.name == "lib.rs" and name.parts[1:-1] in floors:
                text += b"\npub mod mutations;\n"
            write(COPY / name, text)
            kept.add(COPY / name)
    for floor in floors:
        switches = COPY.joinpath("src", *floor, "mutations.rs")
        write(switches, SWITCHES.encode())
        kept.add(switches)
    for top in COPIED:
        for path in (COPY / top).rglob("*") if (COPY / top).is_dir() else []:
            if path.is_file() and path not in kept:
                path.unlink()


def floor_of(file):
    """The crate below src/ that a file is of; nothing for that at the root."""
    parts = Path(file).parts
    return parts[1] if (ROOT / "src" / parts[1] / "Cargo.toml").exists() else None


def build():
    """The tests of each crate with all changes in it: its floor, and their program."""
    # The libraries are those of the product: they are not built again.
    environment = dict(os.environ, CARGO_TARGET_DIR=os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")))
    command = [os.environ.get("CARGO", "cargo"), "test", "--locked", "--lib", "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True)
    if built.returncode:
        sys.stderr.write(built.stderr)
        sys.exit("the changed sources do not build")
    told = [json.loads(line) for line in built.stdout.splitlines()]
    tests = [it for it in told if it.get("executable") and it["profile"]["test"]]
    return {floor_of(Path(it["target"]["src_path"]).relative_to(COPY)): Path(it["executable"]) for it in tests}


def run_tests(programs, tests, number):
    """How the tests end with one change switched on, and how many ran.

    A test is named with its floor first, as in the product; the floor's program
    knows it without.
    """
    environment = dict(os.environ, FRONTDESK_LIVES="400", FRONTDESK_SEED="20261126", **{SWITCH: str(number)})
    filters = {}
    for test in tests:
        floor, _, rest = test.partition("::")
        floor, test = (floor, rest) if floor in programs else (None, test)
        filters.setdefault(floor, []).append(test)
    state, count = "survived", 0
    for floor, names in filters.items():
        command = [programs[floor], *([] if "" in names else names)]
        folder = COPY / "src" / floor if floor else COPY
        try:
            ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return "hangs", 1
        passed = re.search(r"(\d+) passed; (\d+) failed", ran.stdout)
        count += int(passed[1]) + int(passed[2]) if passed else 0
        if ran.returncode:
            state = "killed"
    return state, count


def main():
    table = tomllib.loads((Path(__file__).parent / "table.toml").read_text())["mutation"]
    wanted = [it for it in sys.argv[1:] if it != "--check"]
    if "--check" in sys.argv:
        for name in sorted({it["file"] for it in table}):
            changes_of((ROOT / name).read_text(), [(0, it) for it in table if it["file"] == name])
        return print(f"{len(table)} changes fit the source")
    begun = time.monotonic()
    make_copy(table)
    programs = build()
    print(f"built in {time.monotonic() - begun:.0f} s", flush=True)
    chosen = [(n, it) for n, it in enumerate(table, 1) if not wanted or any(w in it["name"] + it["file"] for w in wanted)]
    every = sorted({test for _, it in chosen for test in it["tests"]})
    state, count = run_tests(programs, every, 0)
    if state != "survived":
        sys.exit("the tests fail with nothing changed")
    print(f"{count} tests pass with nothing changed", flush=True)
    survivors = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = [(n, it, pool.submit(run_tests, programs, it["tests"], n)) for n, it in chosen]
        for _, entry, run in runs:
            state, count = run.result()
            if count == 0:
                sys.exit(f'{entry["name"]}: no test is called {entry["tests"]}')
            if state == "survived":
                survivors.append(entry)
            print(f'{state:<9} {entry["name"]}  ({entry["file"]})', flush=True)
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} noticed, {100 * killed / max(len(chosen), 1):.0f} %, {time.monotonic() - begun:.0f} s")
    return sys.exit(1 if 100 * killed < LEAST * len(chosen) else 0)


main()
