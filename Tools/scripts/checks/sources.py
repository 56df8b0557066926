"""What Swift sources may not hold, though it compiles: each for a reason given here."""
import re

from .fault import Fault
from .imports import without_text

# One use pulls in ICU, tens of megabytes and milliseconds that every app start would pay.
ICU = re.compile(r"\bString\(format:|\b(?:DateFormatter|NumberFormatter|NSRegularExpression)\b")
# The compiler takes these on trust, so a comment has to say why that trust is earned.
TRUSTED = re.compile(r"@unchecked\s+Sendable|nonisolated\(unsafe\)|\bunsafeBitCast\(")
NAMES = re.compile(r"(?:Helpers?|Utils?|Utilities|Common|Manager|Impl|V2)(?:\+\w+)?\.swift$")


def check(tree):
    faults = []
    for path in tree.files:
        if not path.endswith(".swift"):
            continue
        if match := NAMES.search(path):
            faults.append(Fault(path, f"is named “{match.group().removesuffix('.swift')}”",
                                "name the file after its one type, by what it is"))
        text = tree.read(path)
        lines = text.splitlines()
        shipped = path.startswith(("Packages/", "Apps/")) and "/Sources/" in path
        for number, line in enumerate(without_text(text).splitlines(), start=1):
            if shipped and (match := ICU.search(line)):
                faults.append(Fault(path, f"uses {match.group().rstrip('(')}",
                                    "it pulls in ICU: format and parse by hand", number))
            if (match := TRUSTED.search(line)) and not _explained(lines, number - 1):
                faults.append(Fault(path, f"has {match.group().rstrip('(')} without a reason",
                                    "prove in a comment above it that it is safe", number))
    return faults


def _explained(lines, index):
    """Whether a comment stands on a line, or above it before a blank line."""
    while index >= 0 and lines[index].strip():
        if "//" in lines[index] or lines[index].strip().startswith("*"):
            return True
        index -= 1
    return False
