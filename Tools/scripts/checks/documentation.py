"""Documentation: every library module's DocC builds without a warning.

DocC's plugin is an outside package, so its two steps are taken here: extract the public symbols
of the module that the debug build left in .build, then convert them with the catalogue. The
archives stay in .build/documentation.
"""
import json
import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .arrows import C_MODULES
from .fault import Fault

BUILD = ["swift", "build", "--build-tests", "--explicit-target-dependency-import-check", "error",
         "--disable-build-manifest-caching"]
FINDING = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?:error|warning): (?P<text>.*)$")


def check(tree):
    # The same flags as `Tools/test`, so that this build is that one's.
    flags = os.environ.get("TOOLS_SWIFT_FLAGS", "").split()
    build = subprocess.run(BUILD + flags, cwd=tree.root, capture_output=True, text=True, check=False)
    if build.returncode:
        text = build.stdout + build.stderr
        return _findings(tree, text, "the tree must build") or [
            Fault("Package.swift", "does not build", text.strip())]
    toolchain = _toolchain()
    jobs = []
    for package in tree.packages:
        # The root does not build the benchmarks, which so have no symbols to document.
        is_built = package.folder.rpartition("/")[2] in tree.root_package.dependencies
        for target in package.targets:
            if is_built and target["type"] == "regular" and target["name"] not in C_MODULES:
                jobs.append((target["name"], _catalogue(tree, package.sources(target))))
        if catalogue := _catalogue(tree, package.folder, depth=1):
            jobs.append((None, catalogue))
    # DocC waits more than it works, so there are more workers than cores.
    with ThreadPoolExecutor(4 * os.cpu_count()) as pool:
        return [fault for faults in pool.map(lambda job: _convert(tree, toolchain, *job), jobs)
                for fault in faults]


def _catalogue(tree, folder, depth=None):
    for path in tree.files:
        head, docc, _ = path.partition(".docc/")
        if docc and head.startswith(folder + "/"):
            if depth is None or head.removeprefix(folder + "/").count("/") < depth:
                return head + ".docc"
    return None


def _toolchain():
    run = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True)
    info = json.loads(run.stdout)
    binaries = pathlib.Path(info["paths"]["runtimeResourcePath"]).parent.parent / "bin"
    sdk = []
    if "-apple-" in info["target"]["triple"]:
        path = subprocess.run(["xcrun", "--show-sdk-path"], capture_output=True, text=True, check=True)
        sdk = ["-sdk", path.stdout.strip()]
    return binaries, ["-target", info["target"]["triple"]] + sdk


def _convert(tree, toolchain, module, catalogue):
    """Documents a module, or a catalogue that belongs to none."""
    binaries, target = toolchain
    name = module or pathlib.PurePath(catalogue).stem
    debug = tree.root / ".build" / "debug"
    output = tree.root / ".build" / "documentation" / f"{name}.doccarchive"
    symbols = tree.root / ".build" / "documentation" / "symbols" / name
    symbols.mkdir(parents=True, exist_ok=True)
    for stale in symbols.iterdir():
        stale.unlink()
    if module:
        maps = [word for path in sorted(debug.glob("*.build/module.modulemap"))
                for word in ("-Xcc", f"-fmodule-map-file={path}")]
        run = subprocess.run(
            [binaries / "swift-symbolgraph-extract", "-module-name", module, *target, *maps,
             "-I", debug / "Modules", "-module-cache-path", debug / "ModuleCache",
             "-minimum-access-level", "public", "-skip-synthesized-members",
             "-output-dir", symbols], capture_output=True, text=True, check=False)
        if run.returncode:
            return [Fault(module, "its symbols cannot be extracted", run.stderr.strip())]
    run = subprocess.run(
        [binaries / "docc", "convert", *([catalogue] if catalogue else []),
         "--additional-symbol-graph-dir", symbols, "--output-dir", output, "--warnings-as-errors",
         "--no-transform-for-static-hosting", "--fallback-display-name", name,
         "--fallback-bundle-identifier", name, "--ide-console-output"],
        cwd=tree.root, capture_output=True, text=True, check=False)
    if not run.returncode:
        return []
    text = run.stdout + run.stderr
    return _findings(tree, text, "DocC must build without a warning") or [
        Fault(catalogue or name, "DocC fails", text.strip())]


def _findings(tree, output, remedy):
    """The errors and warnings in a compiler's output, each once."""
    faults = {}
    for line in output.splitlines():
        if match := FINDING.match(line):
            path = match["path"].removeprefix(f"{tree.root}/")
            faults[Fault(path, match["text"], remedy, int(match["line"]))] = None
    return list(faults)
