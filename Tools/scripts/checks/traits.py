"""Traits: the store builds without any of its optional vaults, and without their libraries' headers.

An everyday build has every trait, so nothing else would notice a use that is not conditional.
"""
import os
import shutil
import subprocess

from .fault import Fault

PACKAGE = "Packages/SecureStorage"
OPTIONAL = ("CKeyutils", "CSecret", "CTSS2")


def check(tree):
    scratch = tree.root / ".build" / "no-traits"
    # What an earlier build with traits left there must not be taken for this one's.
    for module in OPTIONAL:
        shutil.rmtree(scratch / "debug" / f"{module}.build", ignore_errors=True)
    flags = os.environ.get("TOOLS_SWIFT_FLAGS", "").split()
    build = subprocess.run(
        ["swift", "build", "--package-path", PACKAGE, "--disable-default-traits",
         "--scratch-path", str(scratch)] + flags,
        cwd=tree.root, capture_output=True, text=True, check=False)
    if build.returncode:
        text = build.stdout + build.stderr
        errors = sorted({line for line in text.splitlines() if ": error: " in line})
        return [Fault(f"{PACKAGE}/Package.swift", "does not build without its traits",
                      "\n".join(errors) or text.strip())]
    return [Fault(f"{PACKAGE}/Package.swift", f"builds {module} without the trait that needs it",
                  "make the dependency conditional on the trait")
            for module in OPTIONAL if any((scratch / "debug" / f"{module}.build").glob("*.o"))]
