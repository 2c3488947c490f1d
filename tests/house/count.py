#!/usr/bin/env python3
"""Figures about the source: shape, repetition and lines by crate.

Prints one figure a line; with --list also the places that were counted. Nothing
here is a bound: read the figures beside those of an earlier commit.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.rs"))
SCREEN = ("inbox",)
FULL_SCREEN = 20


def is_test(path):
    return path.stem == "tests" or path.stem.endswith("_tests") or "tests" in path.relative_to(ROOT).parts


def module_of(path):
    """The names that lead to a file: src/inbox/mod.rs is ("inbox",)."""
    parts = list(path.relative_to(ROOT / "src").with_suffix("").parts)
    if parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return tuple(parts)


def root_fields():
    """Fields of the object that holds the whole screen."""
    for name in ("Inbox",):
        for path in SOURCES:
            text = path.read_text()
            found = re.search(r"^pub struct %s \{\n(.*?)^\}" % name, text, re.M | re.S)
            if found and path.relative_to(ROOT / "src").parts[0] in SCREEN:
                return name, re.findall(r"^    (?:pub(?:\([a-z: ]+\))? )?([a-z_]+):", found[1], re.M)
    return "?", []


def imports(path, modules):
    """The files of the screen that a file names; each floor is a crate."""
    own = module_of(path)
    text = re.sub(r"#\[cfg\(test\)\]\nmod tests \{.*", "", path.read_text(), flags=re.S)
    start = "|".join(("crate", "(?:super::)*super", *SCREEN))
    for prefix, rest in re.findall(r"(?<![\w:])(%s)::((?:[a-z_0-9]+::)*[A-Za-z_0-9{]+)" % start, text):
        if prefix == "crate":
            base = own[:1]
        elif prefix in SCREEN:
            base = (prefix,)
        else:
            base = own[: len(own) - prefix.count("super")]
        names = base + tuple(it for it in rest.split("::") if it)
        # The longest part of the path that is a file.
        for length in range(len(names), 0, -1):
            if names[:length] in modules:
                if names[:length] != own:
                    yield names[:length]
                break
    for child in re.findall(r"^(?:pub(?:\([a-z]+\))? )?mod (\w+);", text, re.M):
        if own + (child,) in modules and re.search(r"(?<![\w:])%s::" % child, text):
            yield own + (child,)


def largest_circle():
    """The largest set of files of the screen that name each other in a circle."""
    files = [it for it in SOURCES if it.relative_to(ROOT / "src").parts[0] in SCREEN and not is_test(it)]
    modules = {module_of(it) for it in files}
    leads = {module_of(it): set(imports(it, modules)) for it in files}
    # Strongly connected components, by two walks over the graph.
    order, seen = [], set()

    def walk(start, edges, out):
        stack = [(start, iter(sorted(edges[start])))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            following = next((it for it in rest if it not in seen), None)
            if following is None:
                stack.pop()
                out.append(node)
            else:
                seen.add(following)
                stack.append((following, iter(sorted(edges[following]))))

    for module in sorted(leads):
        if module not in seen:
            walk(module, leads, order)
    back = defaultdict(set)
    for module, others in leads.items():
        for other in others:
            back[other].add(module)
    seen.clear()
    circles = []
    for module in reversed(order):
        if module not in seen:
            circle = []
            walk(module, back, circle)
            circles.append(circle)
    return sorted("::".join(it) for it in max(circles, key=len))


def type_names():
    """Names that more than one type has."""
    names = Counter()
    for path in SOURCES:
        if is_test(path):
            continue
        text = re.sub(r"#\[cfg\(test\)\]\nmod tests \{.*", "", path.read_text(), flags=re.S)
        names.update(re.findall(r"^\s*(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|union) ([A-Z]\w*)", text, re.M))
    return sorted(f"{name} ({count})" for name, count in names.items() if count > 1)


def desk_files():
    """Files with an `impl Desk`."""
    return [str(path.relative_to(ROOT)) for path in SOURCES if re.search(r"^impl Desk \{", path.read_text(), re.M)]


def positional():
    """Columns of a row that are read by their number."""
    found = []
    for path in SOURCES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\brow\.get(?:_ref)?(?:::<[^(]*>)?\(\d+\)|\bat\(row, \d+\)", line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    return found


def pictures():
    """Snapshots as long as a whole screen."""
    snapshots = (ROOT / "tests").rglob("*.snap")
    return sorted(
        str(it.relative_to(ROOT)) for it in snapshots if len(it.read_text().split("---\n", 2)[-1].splitlines()) >= FULL_SCREEN
    )


def lines_of(path):
    """The lines of a file: in tests, comments, blank, code."""
    text = path.read_text()
    inline = re.search(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", text, re.M | re.S)
    own = "" if is_test(path) else text[: inline.start()] if inline else text
    kinds = Counter("comments" if it.startswith("//") else "code" if it else "blank" for it in map(str.strip, own.splitlines()))
    kinds["tests"] = len(text.splitlines()) - kinds.total()
    return kinds


def floors():
    """The lines of each floor, the largest first, and of all together."""
    counted = defaultdict(Counter)
    for path in SOURCES:
        floor = path.relative_to(ROOT / "src").parts[0].removesuffix(".rs")
        for name in (floor, "together"):
            counted[name] += lines_of(path)
    return sorted(counted.items(), key=lambda it: -it[1].total())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="also print the places that were counted")
    arguments = parser.parse_args()
    name, fields = root_fields()
    with_methods = [
        str(it.relative_to(ROOT)) for it in SOURCES if re.search(r"^impl(?:<[^>]*>)? %s \{" % name, it.read_text(), re.M)
    ]
    lines = sum(len(it.read_text().splitlines()) for it in SOURCES)
    rows = [
        ("fields of the root", fields),
        ("files with methods of the root", with_methods),
        ("files that implement Desk", desk_files()),
        ("files of the largest circle", largest_circle()),
        ("type names used more than once", type_names()),
        ("columns read by their number", positional()),
        ("snapshots of a whole screen", pictures()),
    ]
    for label, found in rows:
        print(f"{len(found):>7,}  {label}")
        if arguments.list:
            print("".join(f"             {entry}\n" for entry in found), end="")
    print(f"{lines:>7,}  lines under src")
    print()
    for floor, of in floors():
        print(f"{of.total():>7,}  {of['tests']:>7,} tests  {of['comments']:>7,} comments  {of['blank']:>7,} blank  {of['code']:>7,} code  {floor}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
