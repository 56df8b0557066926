"""Plants each fault in a copy of the tree and sees that the check names it.

The copy is made of the real files, so the rules are tried on the tree that they are for.
"""
import pathlib
import shutil
import tempfile
import unittest

from . import arrows, formatting, imports, layout, manifests, owners, plans, readme, sources
from .command import ROOT
from .tree import Tree


class PlantedFaults(unittest.TestCase):
    """Each test changes the copy, checks it, and compares what the rule says now with before."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tools-check-")
        cls.copy = pathlib.Path(cls.folder.name).resolve()
        for path in Tree(ROOT).files:
            (cls.copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, cls.copy / path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_named(self, rule, path, text, plant, of=None):
        """Sees that planting a fault adds exactly those faults that contain `text` at `path`."""
        # Without the line, which a planted fault may move.
        before = {(f.path, f.problem) for f in rule(Tree(self.copy))}
        plant()
        added = [f for f in rule(Tree(self.copy)) if (f.path, f.problem) not in before]
        self.assertEqual([f.path for f in added], [of or path], "\n".join(map(str, added)))
        self.assertIn(text, str(added[0]))

    def write(self, path, text):
        """Replaces or creates a file until the test ends."""
        file = self.copy / path
        before = file.read_bytes() if file.exists() else None

        def restore():
            if before is None:
                file.unlink()
            else:
                file.write_bytes(before)
        self.addCleanup(restore)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path, old, new):
        """Replaces the first occurrence of a text in a file until the test ends."""
        text = (self.copy / path).read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.write(path, text.replace(old, new, 1))

    def remove(self, path):
        file = self.copy / path
        before = file.read_bytes()
        file.unlink()
        self.addCleanup(file.write_bytes, before)

    # Arrows

    FORBIDDEN = [
        ("Packages/SecureStorage/Sources/SecureStorage", "internal import AuthNetworking",
         "SecureStorage may not import AuthNetworking"),
        ("Packages/SecureStorage/Sources/SecureStorage/Deep", "internal import Realtime",
         "SecureStorage may not import Realtime"),
        ("Packages/SessionModels/Sources/SessionModels", "import CSodium",
         "SessionModels may not import CSodium"),
        ("Packages/GroupMessages/Sources/GroupMessages", "package import struct GRPC.GRPCStatus",
         "GroupMessages may not import GRPC"),
        ("Packages/Realtime/Sources/Realtime", "@preconcurrency internal import AuthNetworking",
         "Realtime may not import AuthNetworking"),
        ("Packages/Realtime/Sources/HTTP2", "#if os(Linux)\ninternal import GRPC\n#endif",
         "HTTP2 may not import GRPC"),
        ("Tools/DevBackend/Sources/DevBackend", "internal import SessionModels",
         "DevBackend may not import SessionModels"),
        ("Apps/HeadlessClient/Sources/HeadlessClient", "internal import DevBackend",
         "HeadlessClient may not import DevBackend"),
        ("Packages/AuthNetworking/Sources/AuthNetworking", "internal import FoundationNetworking",
         "imports FoundationNetworking"),
        ("Packages/AuthNetworking/Sources/AuthNetworking", "public import CCurl",
         "imports CCurl as public"),
        ("Packages/AuthNetworking/Sources/AuthNetworking", "@_exported import SessionModels",
         "re-exports SessionModels"),
        ("Packages/AuthNetworking/Sources/AuthNetworking", "internal import Foundation",
         "imports all of Foundation"),
        ("Packages/AuthNetworking/Tests/AuthNetworkingTests", "@testable import GroupMessages",
         "AuthNetworkingTests may not import GroupMessages"),
        ("Packages/SecureStorage/Tests/SecureStorageTests", "import XCTest",
         "SecureStorageTests may not import XCTest"),
    ]

    def test_an_import_against_the_arrows_is_named(self):
        for folder, line, text in self.FORBIDDEN:
            with self.subTest(line=line, folder=folder):
                path = f"{folder}/Planted.swift"
                self.assert_named(arrows.check, path, text, lambda: self.write(path, line + "\n"))
                self.doCleanups()

    def test_an_import_in_a_comment_or_a_text_is_none(self):
        source = '// import GRPC\n/* import\nimport GRPC */\nlet a = """\n  import GRPC\n  """\n'
        self.assertEqual(imports.imports(source), [])

    def test_an_import_is_read_with_its_conditions(self):
        source = ("#if canImport(FoundationEssentials)\npublic import FoundationEssentials\n"
                  "#else\n@preconcurrency import struct Foundation.Date\n#endif\nimport A; import B\n")
        found = imports.imports(source)
        self.assertEqual([(i.module, i.access, i.line, i.conditions) for i in found], [
            ("FoundationEssentials", "public", 2, ("canImport(FoundationEssentials)",)),
            ("Foundation", "internal", 4, ("not canImport(FoundationEssentials)", "else")),
            ("A", "internal", 6, ()), ("B", "internal", 6, ())])

    def test_a_dependency_against_the_arrows_is_named(self):
        path = "Packages/GroupMessages/Package.swift"
        text = (self.copy / path).read_text()
        text = text.replace('.package(path: "../SessionModels")',
                            '.package(path: "../SessionModels"), .package(path: "../Realtime")')
        text = text.replace('name: "GroupMessages",\n      dependencies: [',
                            'name: "GroupMessages",\n      dependencies: [\n'
                            '.product(name: "GRPC", package: "Realtime"),')
        self.assert_named(arrows.check, path, "GroupMessages may not depend on GRPC",
                          lambda: self.write(path, text))

    def test_a_target_without_arrows_is_named(self):
        path = "Packages/SessionModels/Package.swift"
        self.assert_named(arrows.check, path, "no arrows are drawn for Planted",
                          lambda: self.edit(path, "  targets: [\n", '  targets: [\n.target(name: "Planted"),\n'))

    # Owners

    def test_a_package_without_an_owner_is_named(self):
        for folder in ("/Packages/Realtime/", "/Apps/HeadlessClient/", "/Tools/DevBackend/", "/Tests/"):
            with self.subTest(folder=folder):
                self.assert_named(owners.check, "CODEOWNERS", f"no line for {folder}",
                                  lambda: self.edit("CODEOWNERS", f"\n{folder} ", "\n# "))
                self.doCleanups()

    def test_two_teams_for_one_package_are_named(self):
        self.assert_named(owners.check, "CODEOWNERS", "/Packages/Realtime/ has 2 owners",
                          lambda: self.edit("CODEOWNERS", "\n/Packages/Realtime/ ",
                                            "\n/Packages/Realtime/ @mobile-auth-core/auth "))

    def test_an_owner_of_nothing_is_named(self):
        self.assert_named(owners.check, "CODEOWNERS", "/Packages/Gone/ does not exist",
                          lambda: self.edit("CODEOWNERS", "\n/Apps", "\n/Packages/Gone/ @a/b\n/Apps"))

    def test_a_general_line_after_a_special_one_is_named(self):
        text = (self.copy / "CODEOWNERS").read_text()
        general = next(line for line in text.splitlines() if line.startswith("/Tools/ "))
        special = next(line for line in text.splitlines() if line.startswith("/Tools/DevBackend/"))
        moved = text.replace(general + "\n", "", 1)
        moved = moved.replace(special, special + "\n" + general)
        self.assert_named(owners.check, "CODEOWNERS", "/Tools/ takes /Tools/DevBackend/",
                          lambda: self.write("CODEOWNERS", moved))

    def test_a_new_package_is_asked_for_everything(self):
        text = (self.copy / "Packages/SessionModels/Package.swift").read_text()
        self.write("Packages/Planted/Package.swift", text.replace("SessionModels", "Planted"))
        tree = Tree(self.copy)
        said = "\n".join(str(f) for rule in (owners, plans, manifests, arrows, layout)
                         for f in rule.check(tree))
        for text in ("no line for /Packages/Planted/", "PlantedTests is in no test plan",
                     "does not mirror Packages/Planted's PlantedTests", "no arrows are drawn for Planted",
                     "Packages/Planted/README.md: is missing", "Planted.docc: is missing"):
            self.assertIn(text, said)

    # Test plans

    PLAN = "Packages/SystemLibraries/SystemLibraries.xctestplan"

    def test_a_target_in_no_plan_is_named(self):
        self.assert_named(plans.check, self.PLAN, "SystemLibrariesTests is in no test plan",
                          lambda: self.remove(self.PLAN))

    def test_a_new_test_target_in_no_plan_is_named(self):
        path = "Packages/SystemLibraries/Package.swift"
        self.assert_named(plans.check, path, "PlantedTests is in no test plan", lambda: self.edit(
            path, "targets: modules + [", 'targets: modules + [.testTarget(name: "PlantedTests"),'),
            of=self.PLAN)

    def test_a_plan_of_a_target_that_does_not_exist_is_named(self):
        self.write(self.PLAN, (self.copy / self.PLAN).read_text().replace(
            "SystemLibrariesTests", "GoneTests"))
        said = "\n".join(map(str, plans.check(Tree(self.copy))))
        self.assertIn("names GoneTests, which SystemLibraries does not have", said)
        self.assertIn("SystemLibrariesTests is in no test plan", said)

    def test_a_broken_plan_is_named(self):
        for text in ("{", "[]", "{}", '{"configurations":[],"defaultOptions":{},"testTargets":[],"version":1}'):
            with self.assertRaises(plans.BrokenPlan):
                plans.plan_targets(text)

    # Manifests

    def test_other_settings_are_named(self):
        path = "Packages/Realtime/Package.swift"
        self.assert_named(manifests.check, path, "standard settings", lambda: self.edit(
            path, '      .enableUpcomingFeature("ExistentialAny"),\n', ""))

    def test_settings_that_something_follows_are_named(self):
        path = "Packages/Realtime/Package.swift"
        text = (self.copy / path).read_text()
        self.assert_named(manifests.check, path, "not at its end", lambda: self.write(
            path, text + "for target in package.targets { target.swiftSettings = [] }\n"))

    def test_a_mirror_that_differs_is_named(self):
        path = "Packages/GroupMessages/Package.swift"
        self.assert_named(
            manifests.check, path, "GroupMessagesTests differs", lambda: self.edit(
                path, '        .product(name: "SessionModelsTesting", package: "SessionModels"),\n', ""),
            of="Package.swift")

    # Sources

    def test_what_sources_may_not_hold_is_named(self):
        for name, text, said in (
            ("Planted.swift", 'let a = String(format: "%d", 1)', "uses String(format:"),
            ("Planted.swift", "final class A: @unchecked Sendable {}", "without a reason"),
            ("PlantedHelpers.swift", "", "is named “Helpers”"),
        ):
            path = f"Packages/SessionModels/Sources/SessionModels/{name}"
            with self.subTest(said=said):
                self.assert_named(sources.check, path, said, lambda: self.write(path, text + "\n"))
                self.doCleanups()

    def test_what_is_explained_or_only_mentioned_is_fine(self):
        path = "Packages/SessionModels/Sources/SessionModels/Planted.swift"
        before = len(sources.check(Tree(self.copy)))
        self.write(path, "// Immutable after its initializer.\nfinal class A: @unchecked Sendable {}\n"
                         '/// Not a DateFormatter.\nlet text = "NSRegularExpression"\n')
        self.assertEqual(len(sources.check(Tree(self.copy))), before)

    # Layout, README and formatting

    def test_what_does_not_belong_is_named(self):
        for path, text in (
            ("Stray/file", "does not belong"), ("Apps/HeadlessClient/Sources/Placeholder.swift", "placeholder"),
            ("Packages/Realtime/Notes.md", "TO" + "DO"), ("Packages/Realtime/Long.swift", "lines, more than"),
        ):
            content = {"Notes.md": "TO" + "DO: all\n", "Long.swift": "//\n" * 401}
            with self.subTest(path=path):
                self.assert_named(layout.check, path, text, lambda: self.write(
                    path, content.get(path.rpartition("/")[2], "//\n")),
                    of=path.split("/")[0] if path.startswith("Stray") else None)
                self.doCleanups()
                shutil.rmtree(self.copy / "Stray", ignore_errors=True)

    def test_a_missing_companion_is_named(self):
        self.assert_named(layout.check, "Packages/SystemLibraries/README.md", "is missing",
                          lambda: self.remove("Packages/SystemLibraries/README.md"))

    def test_a_stale_picture_is_named(self):
        self.assert_named(readme.check, "README.md", "“packages” is stale", lambda: self.edit(
            "README.md", "  SecureStorage --> SessionModels\n", ""))

    def test_an_example_that_is_not_the_tested_one_is_named(self):
        self.assert_named(readme.check, "README.md", "“example” is stale", lambda: self.edit(
            readme.EXAMPLE, "session.send(", "session.post("), of="README.md")
        path, source = readme.COMPOSITION
        self.assert_named(readme.check, path, "“composition” is stale", lambda: self.edit(
            source, "session.send(", "session.post("), of=path)

    def test_bad_formatting_is_named(self):
        path = "Packages/SessionModels/Sources/SessionModels/Planted.swift"
        self.assert_named(formatting.check, path, "Indentation",
                          lambda: self.write(path, "struct Planted {\n   let a = 1\n}\n"))
