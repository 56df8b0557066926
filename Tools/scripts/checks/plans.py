"""Test plans: valid, naming only what exists, and no test target without one."""
import json

from .fault import Fault

SUFFIX = ".xctestplan"


class BrokenPlan(Exception):
    """A test plan that Xcode would not open."""


def plan_targets(text):
    """The names of the test targets that a plan lists.

    Raises BrokenPlan when it is not in Xcode's form.
    """
    try:
        plan = json.loads(text)
    except ValueError as error:
        raise BrokenPlan(f"is not JSON ({error})") from error
    shape = {"configurations": list, "defaultOptions": dict, "testTargets": list, "version": int}
    for key, kind in shape.items():
        if not isinstance(plan, dict) or not isinstance(plan.get(key), kind):
            raise BrokenPlan(f"has no {key}")
    if not plan["configurations"]:
        raise BrokenPlan("has no configuration")
    names = []
    for entry in plan["testTargets"]:
        target = entry.get("target") if isinstance(entry, dict) else None
        if not isinstance(target, dict) or not target.get("name"):
            raise BrokenPlan("has a test target without a name")
        if target.get("identifier") != target["name"]:
            raise BrokenPlan(f"identifies {target['name']} as {target.get('identifier')}")
        if not str(target.get("containerPath", "")).startswith("container:"):
            raise BrokenPlan(f"has no containerPath for {target['name']}")
        names.append(target["name"])
    return names


def find(tree):
    """Every plan as (name, path, package): `<folder>/NAME.xctestplan`, for the root in Tests."""
    plans = []
    folders = {package.folder: package for package in tree.packages}
    for path in tree.files:
        if path.endswith(SUFFIX):
            folder, _, name = path.rpartition("/")
            package = folders.get(folder, tree.root_package if folder == "Tests" else None)
            plans.append((name.removesuffix(SUFFIX), path, package))
    return plans


def check(tree):
    faults, planned, names = [], {}, {}
    for name, path, package in find(tree):
        if package is None:
            faults.append(Fault(path, "is at the top of no package",
                                "move it beside a Package.swift, or to Tests for the root's"))
            continue
        if name in names:
            faults.append(Fault(path, f"has the name of {names[name]}", "rename one of them"))
        names[name] = path
        try:
            targets = plan_targets(tree.read(path))
        except BrokenPlan as broken:
            faults.append(Fault(path, str(broken), "write it as Xcode does"))
            continue
        existing = {target["name"] for target in package.test_targets}
        for target in targets:
            if target not in existing:
                faults.append(Fault(path, f"names {target}, which {package.name} does not have",
                                    "remove it, or declare the target"))
        if not targets:
            faults.append(Fault(path, "lists no test target", "list those of its package"))
        planned.setdefault(package.name, set()).update(targets)
    for package in tree.packages + [tree.root_package]:
        for target in package.test_targets:
            if target["name"] not in planned.get(package.name, set()):
                where = package.path(f"{package.name}{SUFFIX}") if package.folder else (
                    f"Tests/{package.name}{SUFFIX}")
                faults.append(Fault(where, f"{target['name']} is in no test plan", "list it there"))
    return faults
