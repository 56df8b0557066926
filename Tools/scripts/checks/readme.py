"""The root README: what can be derived in it is derived, and compared.

Three parts stand between markers: the picture of the packages (from the manifests), the table of
teams (from CODEOWNERS and the packages' READMEs), and the example (from a file that the tests
compile). `Tools/check --write` renews them.
"""
import re
import textwrap

from .fault import Fault

PATH = "README.md"
EXAMPLE = "Tests/IntegrationTests/ReadmeExample.swift"
PART = "<!-- generated: {} -->\n"
END = "<!-- end -->"


def check(tree):
    if not tree.exists(PATH):
        return []  # The layout's rule names it.
    text, faults = tree.read(PATH), []
    for name, wanted in _parts(tree).items():
        found = _find(text, name)
        if found is None:
            faults.append(Fault(PATH, f"has no part marked {PART.format(name).strip()}", "restore it"))
        elif text[found[0]:found[1]] != wanted:
            faults.append(Fault(PATH, f"its part “{name}” is stale", "run Tools/check --write",
                                text[:found[0]].count("\n") + 1))
    return faults


def write(tree):
    """Renews every derived part."""
    text = tree.read(PATH)
    for name, wanted in _parts(tree).items():
        if found := _find(text, name):
            text = text[:found[0]] + wanted + text[found[1]:]
    (tree.root / PATH).write_text(text, encoding="utf-8")


def _find(text, name):
    start = text.find(PART.format(name))
    end = text.find(END, start)
    return None if start < 0 or end < 0 else (start + len(PART.format(name)), end)


def _parts(tree):
    parts = {"packages": _graph(tree), "teams": _teams(tree)}
    if tree.exists(EXAMPLE):
        parts["example"] = _example(tree.read(EXAMPLE))
    return parts


def _graph(tree):
    """The packages and what they depend on, tests left out, as a Mermaid picture."""
    lines = ["```mermaid", "graph TD"]
    for area in ("Apps", "Tools", "Packages"):
        lines.append(f"  subgraph {area}")
        lines += [f"    {p.name}" for p in tree.packages if p.area == area]
        lines.append("  end")
    for package in tree.packages:
        used = set()
        for target in package.targets:
            if target["type"] != "test":
                used |= {d["product"][1] for d in target["dependencies"] if "product" in d}
        lines += [f"  {package.name} --> {name}" for name in sorted(used)]
    return "\n".join(lines + ["```", ""])


def _teams(tree):
    teams = {}
    for line in tree.read("CODEOWNERS").splitlines():
        words = line.split("#")[0].split()
        if len(words) > 1:
            teams[words[0].strip("/")] = words[1]
    lines = ["| team | package | what it is |", "| --- | --- | --- |"]
    for package in tree.packages:
        lines.append(f"| `{teams.get(package.folder, '')}` | [{package.folder}]({package.folder}) | "
                     f"{_first_sentence(tree, package)} |")
    return "\n".join(lines + [""])


def _first_sentence(tree, package):
    path = package.path("README.md")
    if not tree.exists(path):
        return ""
    paragraphs = [p for p in tree.read(path).split("\n\n") if p[:1] not in ("#", "`", "<", "|", "")]
    text = " ".join(paragraphs[0].split()) if paragraphs else ""
    return re.split(r"(?<=[.!?])\s", text)[0].replace("|", "\\|")


def _example(source):
    """The lines between `// README begins` and `// README ends`, as a block of Swift."""
    match = re.search(r"// README begins\n(.*?)\n[ \t]*// README ends", source, re.S)
    return f"```swift\n{textwrap.dedent(match.group(1))}\n```\n" if match else ""
