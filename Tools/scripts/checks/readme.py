"""READMEs: what can be derived in them is derived, and compared.

Three parts of the root README stand between markers: the picture of the packages (from the manifests), the table of
teams (from CODEOWNERS and the packages' READMEs), and the example (from a file that the tests
compile). So does the composition in the headless client's. `Tools/check --write` renews them.
"""
import re
import textwrap

from .fault import Fault

PATH = "README.md"
EXAMPLE = "Tests/IntegrationTests/ReadmeExample.swift"
COMPOSITION = ("Apps/HeadlessClient/README.md", "Tests/IntegrationTests/CompositionExample.swift")
PART = "<!-- generated: {} -->\n"
END = "<!-- end -->"


def check(tree):
    faults = []
    for path, parts in _documents(tree).items():
        text = tree.read(path)
        for name, wanted in parts.items():
            found = _find(text, name)
            if found is None:
                faults.append(Fault(path, f"has no part marked {PART.format(name).strip()}",
                                    "restore it"))
            elif text[found[0]:found[1]] != wanted:
                faults.append(Fault(path, f"its part “{name}” is stale", "run Tools/check --write",
                                    text[:found[0]].count("\n") + 1))
    return faults


def write(tree):
    """Renews every derived part."""
    for path, parts in _documents(tree).items():
        text = tree.read(path)
        for name, wanted in parts.items():
            if found := _find(text, name):
                text = text[:found[0]] + wanted + text[found[1]:]
        (tree.root / path).write_text(text, encoding="utf-8")


def _documents(tree):
    """The READMEs that are there, each with its derived parts; the layout's rule names the others."""
    documents = {}
    if tree.exists(PATH):
        documents[PATH] = _parts(tree)
    path, source = COMPOSITION
    if tree.exists(path) and tree.exists(source):
        documents[path] = {"composition": _example(tree.read(source))}
    return documents


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
