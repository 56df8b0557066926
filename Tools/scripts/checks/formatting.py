"""Formatting and lint: swift-format's findings with the root's .swift-format."""
import re
import subprocess

from .fault import Fault

FINDING = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?:error|warning): (?P<text>.*)$")


def check(tree):
    files = [path for path in tree.files if path.endswith(".swift")]
    run = subprocess.run(
        ["swift", "format", "lint", "--strict", "--parallel", "--configuration", ".swift-format"]
        + files, cwd=tree.root, capture_output=True, text=True, check=False)
    faults = []
    for line in run.stderr.splitlines():
        if match := FINDING.match(line):
            faults.append(Fault(match["path"], match["text"],
                                "run Tools/check --write, or correct it by hand",
                                int(match["line"])))
    if run.returncode and not faults:
        faults.append(Fault(".swift-format", "swift format failed", run.stderr.strip()))
    return sorted(faults, key=lambda fault: (fault.path, fault.line))


def write(tree):
    """Formats every Swift file in place; findings that need a person remain."""
    files = [path for path in tree.files if path.endswith(".swift")]
    subprocess.run(
        ["swift", "format", "--in-place", "--parallel", "--configuration", ".swift-format"] + files,
        cwd=tree.root, check=True)
