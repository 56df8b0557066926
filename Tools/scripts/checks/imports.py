"""Reads the import lines of Swift sources."""
import re
from typing import NamedTuple

IMPORT = re.compile(
    r"""(?:^|;)[ \t]*
        (?P<attributes>(?:@\w+(?:\([^)]*\))?[ \t]+)*)
        (?:(?P<access>public|package|internal|fileprivate|private)[ \t]+)?
        (?P<late>(?:@\w+(?:\([^)]*\))?[ \t]+)*)
        import[ \t]+
        (?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)[ \t]+)?
        `?(?P<module>\w+)""", re.X)
OPAQUE = re.compile(
    r'#"""[\s\S]*?"""#|"""[\s\S]*?"""|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/')
CONDITION = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)")


class Import(NamedTuple):
    """One import: the module, the access it is imported with, and what it is conditional on."""

    module: str
    access: str
    exported: bool
    line: int
    conditions: tuple


def without_text(source):
    """The source with its comments and string literals blanked, line numbers unchanged."""
    return OPAQUE.sub(lambda match: "\n" * match.group().count("\n"), source)


def imports(source):
    """Every import of a source file, with the `#if` branches that it stands in."""
    found, branches = [], []
    for number, line in enumerate(without_text(source).splitlines(), start=1):
        if condition := CONDITION.match(line):
            keyword, text = condition.group(1), condition.group(2).strip()
            if keyword == "if":
                branches.append([text])
            elif keyword == "endif":
                branches[-1:] = []
            elif branches:
                # What stands in a later branch is there because the earlier ones were not.
                earlier = branches[-1][:-1] + [f"not {branches[-1][-1]}"]
                branches[-1] = earlier + [text if keyword == "elseif" else "else"]
            continue
        for match in IMPORT.finditer(line):
            attributes = match.group("attributes") + match.group("late")
            conditions = tuple(condition for branch in branches for condition in branch)
            found.append(Import(match.group("module"), match.group("access") or "internal",
                                "@_exported" in attributes, number, conditions))
    return found
