"""The command line of Tools/check."""
import argparse
import pathlib
import sys
import unittest

from . import (arrows, documentation, formatting, layout, manifests, owners, plans, readme,
               sources, traits)
from .tree import BrokenManifest, Tree

ROOT = pathlib.Path(__file__).resolve().parents[3]

# In the order of their cost; the last two build first.
RULES = {
    "layout": layout.check,
    "owners": owners.check,
    "manifests": manifests.check,
    "arrows": arrows.check,
    "plans": plans.check,
    "sources": sources.check,
    "readme": readme.check,
    "formatting": formatting.check,
    "traits": traits.check,
    "documentation": documentation.check,
}
SLOW = {"traits", "documentation"}


class _Parser(argparse.ArgumentParser):
    """Ends with sysexits' status for a wrong usage, as the other scripts do."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def main():
    """Runs the rules that were asked for and prints every fault; 1 when there is one."""
    parser = _Parser(
        prog="Tools/check",
        description="Checks what SwiftPM does not. Every fault is one line: where it is, what is "
                    "wrong, and what to do about it.",
        epilog=f"Rules: {', '.join(RULES)}.")
    parser.add_argument("--fast", action="store_true", help="leave out what needs a build")
    parser.add_argument("--only", metavar="RULE[,RULE]", help="check these rules alone")
    parser.add_argument("--write", action="store_true",
                        help="first format the sources and renew the derived parts of README.md")
    parser.add_argument("--self-test", action="store_true",
                        help="plant each fault in a copy of the tree and see that it is named")
    options = parser.parse_args()
    if options.self_test:
        return _self_test()

    chosen = options.only.split(",") if options.only else [
        name for name in RULES if not (options.fast and name in SLOW)]
    if unknown := [name for name in chosen if name not in RULES]:
        parser.error(f"no rule is called {', '.join(unknown)}")
    try:
        if options.write:
            formatting.write(Tree(ROOT))
            readme.write(Tree(ROOT))
        tree = Tree(ROOT)
        faults = []
        for name in chosen:
            if name in SLOW:
                print(f"Tools/check: {name} (builds in debug, minutes the first time)",
                      file=sys.stderr, flush=True)
            faults += RULES[name](tree)
    except BrokenManifest as broken:
        print(broken)
        return 1
    for fault in faults:
        print(fault, flush=True)
    if faults:
        print(f"Tools/check: {len(faults)} fault{'s' if len(faults) > 1 else ''}", file=sys.stderr)
    else:
        print(f"Tools/check: {', '.join(chosen)}: no fault", file=sys.stderr)
    return 1 if faults else 0


def _self_test():
    from . import self_test
    suite = unittest.defaultTestLoader.loadTestsFromModule(self_test)
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
