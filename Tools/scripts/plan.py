#!/usr/bin/env python3
"""Reads the test plans for Tools/test-plan.

Without an argument: their names, a line each. With a name: the folder of the plan's package, then
its test targets, a line each; status 1 when the plan or one of its targets does not exist.
"""
import pathlib
import sys

sys.dont_write_bytecode = True

from checks import plans
from checks.tree import BrokenManifest, Tree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(arguments):
    tree = Tree(ROOT)
    found = plans.find(tree)
    if not arguments:
        for name, path, _ in sorted(found):
            print(f"{name:<18} {path}")
        return 0
    matching = [plan for plan in found if plan[0] == arguments[0]]
    if not matching:
        print(f"there is no test plan {arguments[0]}; Tools/test-plan lists them", file=sys.stderr)
        return 1
    _, path, package = matching[0]
    try:
        targets = plans.plan_targets(tree.read(path))
    except plans.BrokenPlan as broken:
        print(f"{path}: {broken}", file=sys.stderr)
        return 1
    existing = {target["name"] for target in package.test_targets} if package else set()
    missing = [target for target in targets if target not in existing]
    if missing or not targets:
        print(f"{path}: names {', '.join(missing) or 'no test target'}, which does not exist",
              file=sys.stderr)
        return 1
    print(package.folder or ".", *targets, sep="\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenManifest as broken:
        sys.exit(str(broken))
