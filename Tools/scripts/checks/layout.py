"""The layout: what stands where, what each package brings along, and what no file may hold."""
import re

from .fault import Fault

TOP = {
    "Packages", "Apps", "Tools", "Tests", "Package.swift", "CODEOWNERS", "README.md", "LICENSE",
    "CHANGELOG.md",
}
IGNORED = {"Package.resolved", "DerivedData"}
LONGEST = 400
# Written in two parts, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(TO" + "DO|FIX" + r"ME)\b")
TEXT = (".swift", ".md", ".py", ".h", ".c", ".bash", ".yml", ".yaml", ".json", ".proto", ".sql")


def check(tree):
    return _top(tree) + _companions(tree) + _contents(tree)


def _top(tree):
    faults = []
    present = {path.name for path in tree.root.iterdir()}
    for name in sorted(present):
        if name not in TOP | IGNORED and not name.startswith(".") and not name.endswith(".xcodeproj"):
            faults.append(Fault(name, "does not belong at the top level",
                                "move it into Packages, Apps, Tools or Tests"))
    for name in sorted(TOP - present):
        faults.append(Fault(name, "is missing", "restore it"))
    for package in tree.packages:
        if package.name != package.folder.split("/")[1]:
            faults.append(Fault(package.path("Package.swift"), f"calls itself {package.name}",
                                "name the package as its folder"))
    return faults


def _companions(tree):
    faults = []
    for package in tree.packages:
        if not tree.exists(package.path("README.md")):
            faults.append(Fault(package.path("README.md"), "is missing",
                                "say what it is, show an example, its edges and its owner"))
        prefix = package.path("")
        if not any(p.startswith(prefix) and ".docc/" in p and p.endswith(".md") for p in tree.files):
            faults.append(Fault(package.path(f"Sources/{package.name}/{package.name}.docc"),
                                "is missing", "write the package's DocC catalogue"))
    return faults


def _contents(tree):
    faults = []
    for path in tree.files:
        name = path.rpartition("/")[2]
        if name == "Placeholder.swift":
            faults.append(Fault(path, "is a placeholder", "delete it"))
        if not (name.endswith(TEXT) or path.startswith("Tools/") and "." not in name):
            continue
        lines = tree.read(path).splitlines()
        for number, line in enumerate(lines, start=1):
            if match := UNFINISHED.search(line):
                faults.append(Fault(path, f"says “{match.group()}”",
                                    "finish it, or open an issue and describe what is", number))
        if name.endswith(".swift") and len(lines) > LONGEST:
            faults.append(Fault(path, f"has {len(lines)} lines, more than {LONGEST}",
                                "split it by type or topic"))
    return faults
