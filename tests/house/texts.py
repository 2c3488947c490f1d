#!/usr/bin/env python3
"""Prints the texts of the program: string literals with words, by file and line.

    tests/house/texts.py [FOLDER…]      (src by default)

Tests, attributes, patterns of logs and SQL are left out.
"""
import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
CHARACTER = re.compile(r"b?'(?:[^'\\\n]|\\.)'")
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE|PRAGMA|ALTER)\b")
SKIPPED = re.compile(r"#!?\[[^\]]*\]|tracing::\w+!|assert\w*!|\.expect\(")


def texts(path):
    source = path.read_text(encoding="utf-8")
    source = source.split("#[cfg(test)]\nmod tests {")[0]
    # Comments become spaces, so that places stay.
    source = re.sub(r"(?m)^\s*//.*$", lambda found: " " * len(found.group()), source)
    # A quotation mark as a character begins no text.
    source = CHARACTER.sub(lambda found: " " * len(found.group()), source)
    for found in LITERAL.finditer(source):
        text = re.sub(r"\\\n\s*", "", found.group(1))
        before = source[max(0, found.start() - 40) : found.start()].rsplit("\n", 1)[-1]
        if " " in text.strip() and not SQL.search(text) and not SKIPPED.search(before):
            yield source.count("\n", 0, found.start()) + 1, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*", default=["src"])
    for name in parser.parse_args().folders:
        folder = ROOT / name
        if not folder.is_dir():
            parser.error(f"{name} is not a folder of the repository")
        for path in sorted(folder.rglob("*.rs")):
            if "tests" in path.parts or path.name == "build.rs" or path.name.endswith("tests.rs"):
                continue
            for line, text in texts(path):
                print(f"{path.relative_to(ROOT)}:{line}: {text}")


try:
    main()
except BrokenPipeError:
    pass
