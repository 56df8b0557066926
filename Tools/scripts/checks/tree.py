"""The repository as the rules see it: its files, its packages and their targets."""
import functools
import json
import os
import pathlib
import subprocess
from concurrent.futures import ThreadPoolExecutor

AREAS = ("Packages", "Apps", "Tools")
UNTRACKED = {".build", ".git", ".swiftpm", "DerivedData", "__pycache__"}


class BrokenManifest(Exception):
    """A Package.swift that SwiftPM does not understand."""


class Package:
    """One package: its folder relative to the root ("" is the root's own) and its manifest."""

    def __init__(self, folder, manifest):
        self.folder = folder
        self.name = manifest["name"]
        self.targets = manifest["targets"]
        self.products = manifest["products"]
        self.dependencies = [
            pathlib.PurePath(d["fileSystem"][0]["path"]).name for d in manifest["dependencies"]
        ]

    @property
    def area(self):
        """Packages, Apps or Tools; empty for the root package."""
        return self.folder.split("/")[0]

    @property
    def test_targets(self):
        return [target for target in self.targets if target["type"] == "test"]

    def path(self, name):
        """The path of a file of this package, relative to the root."""
        return f"{self.folder}/{name}" if self.folder else name

    def sources(self, target):
        """The folder of a target's sources, relative to the root."""
        default = "Tests" if target["type"] == "test" else "Sources"
        return self.path(target.get("path") or f"{default}/{target['name']}")


class Tree:
    """A working copy. Files are read once, manifests are dumped at most once for each content."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    @functools.cached_property
    def files(self):
        """Every file that belongs to the project, relative to the root, sorted."""
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in UNTRACKED]
            base = os.path.relpath(folder, self.root)
            found += [name if base == "." else f"{base}/{name}" for name in names]
        return sorted(found)

    @functools.cached_property
    def packages(self):
        """Every package below Packages, Apps and Tools, sorted by folder."""
        folders = [
            path.removesuffix("/Package.swift")
            for path in self.files
            if path.count("/") == 2 and path.endswith("/Package.swift")
            and path.split("/")[0] in AREAS
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return [Package(*pair) for pair in zip(folders, pool.map(self._manifest, folders))]

    @functools.cached_property
    def root_package(self):
        """The package at the root, which composes the others."""
        return Package("", self._manifest(""))

    def swift_files(self, folder):
        """The Swift files below a folder."""
        return [p for p in self.files if p.endswith(".swift") and p.startswith(folder + "/")]

    def exists(self, path):
        return (self.root / path).exists()

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def _manifest(self, folder):
        # Each package has a scratch folder of its own: SwiftPM locks it, and these run at once.
        scratch = self.root / ".build" / "check" / (pathlib.PurePath(folder).name or "root")
        return _dump(self.root / folder, scratch, (self.root / folder / "Package.swift").read_bytes())


@functools.lru_cache(maxsize=None)
def _dump(folder, scratch, _content):
    run = subprocess.run(
        ["swift", "package", "--package-path", folder, "--scratch-path", scratch, "dump-package"],
        capture_output=True, text=True, check=False)
    if run.returncode:
        raise BrokenManifest(f"{folder}/Package.swift: {run.stderr.strip()}")
    return json.loads(run.stdout)
