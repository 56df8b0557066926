"""Manifests: the same settings everywhere, and mirrors that equal their originals."""
import re

from .fault import Fault

SETTINGS = re.compile(r"// ---    STANDARD SETTINGS.*?// ---    END STANDARD SETTINGS   --- //\n", re.S)
MANIFEST = "Package.swift"


def settings(text):
    """The settings block, if it stands at the end of a manifest, where nothing follows it."""
    match = SETTINGS.search(text)
    return match.group() if match and not text[match.end():].strip() else None


def check(tree):
    faults = []
    reference = settings(tree.read(MANIFEST))
    if reference is None:
        faults.append(Fault(MANIFEST, "does not end in the standard settings", "restore them"))
    odd = set()
    for path in tree.files:
        if not path.endswith("/" + MANIFEST):
            continue
        text = tree.read(path)
        if settings(text) != reference:
            odd.add(path)
            faults.append(Fault(path, "its standard settings are not the root's, or not at its end",
                                f"copy the block from {MANIFEST}"))
        if "unsafeFlags" in text:
            faults.append(Fault(path, "uses unsafeFlags", "a package that does is not a dependency"))

    mirrors = {t["path"]: t for t in tree.root_package.test_targets if t.get("path")}
    for package in tree.packages:
        for target in package.test_targets:
            mirror = mirrors.pop(package.sources(target), None)
            if mirror is None:
                faults.append(Fault(MANIFEST, f"does not mirror {package.folder}'s {target['name']}",
                                    "add a mirror, so that the root runs its tests"))
            elif package.path(MANIFEST) not in odd and _essence(mirror) != _essence(target):
                faults.append(Fault(MANIFEST, f"{target['name']} differs from {package.folder}'s own: "
                                    + _difference(mirror, target), "make them equal"))
    for path, target in mirrors.items():
        if not path.startswith("Tests/"):
            faults.append(Fault(MANIFEST, f"mirrors {target['name']}, which no package declares",
                                "remove the mirror"))
    return faults


def _names(target):
    """What a target depends on, whether it is written as a product or as a target."""
    return {(d.get("product") or d.get("byName") or d["target"])[0] for d in target["dependencies"]}


def _essence(target):
    return (_names(target), target["settings"], target["resources"], target["exclude"])


def _difference(mirror, target):
    missing, extra = _names(target) - _names(mirror), _names(mirror) - _names(target)
    parts = [f"lacks {', '.join(sorted(missing))}"] if missing else []
    parts += [f"has {', '.join(sorted(extra))} besides"] if extra else []
    return " and ".join(parts) or "other settings, resources or exclusions"
