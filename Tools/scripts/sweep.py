#!/usr/bin/env python3
"""Searches everything that a test run printed and logged for every secret that it made (R9).

usage: sweep.py [--partial] FOLDER [FILE…]
       sweep.py --self-test

FOLDER is what SECRET_SWEEP named during the run: `made-*` holds the secrets, `said-*` what was
printed and logged. Each FILE is searched too, but for the lines in which the test runner shows a
test's own arguments: those are its source. --partial: only a part of the tests ran, so that it
is no fault when somebody made or said nothing.

Looked for are
  - every secret that the tests, their servers and the doubles noted when they made it,
  - every password, passphrase, token and seed that stands as a literal in a test's source,
  - whatever has the form of a token that nobody noted: a JWT, or 32 random bytes in base64url;
each as it is, any 12 characters of one that is longer than 18 (R9 lets 6 be shown), in base64 (also inside of something longer),
in hexadecimal, percent-encoded and escaped for JSON. Status 1 when one is found: its kind and
place are said, never itself.
"""
import base64
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest
import urllib.parse

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Whoever is not heard from has stopped noting, and the search has become blind for it.
MAKERS = {
    "SessionModelsTesting/AuthInfoFixtures.swift", "SessionModelsTesting/TokenFixtures.swift",
    "AuthNetworkingTesting/RotatingServer.swift", "AuthNetworkingTesting/RotatingServer+Answers.swift",
    "AuthNetworkingTesting/ScriptedTransport.swift", "HeadlessClientTests/FakeBackend.swift",
    "IntegrationTests/RotatingBackend.swift", "IntegrationTests/RunningProcess.swift",
    "IntegrationTests/ScriptedBackend.swift", "literals",
}
SPEAKERS = {
    "AuthNetworkingTests/SessionHarness.swift", "HeadlessClientTests/MemoryStreams.swift",
    "IntegrationTests/RunningProcess.swift", "DevBackendTests/SweptOutput.swift",
}

# Shorter ones stand in half of all words; R9 shows nothing of them, which the packages' tests see.
SHORTEST = 8

# `wrong one` is the password of a test, and stands in a help text.
WORDS = re.compile(rb"[a-z _-]{,15}")

# How much of one is a leak, where it is not all of it.
PART = 12

# What a token, and each encoding of one, is made of. `/` parts words, as it does in paths.
WORD = re.compile(rb"[A-Za-z0-9._~+=%-]{8,}")

LITERALS = [
    re.compile(r'\bSecret\(\s*"([^"\\]+)"\s*\)'),
    re.compile(r'(?i)\b(?:\w*pass(?:word|phrase)|access_?token|refresh_?token|identity_?seed)\w*'
               r'\\?"?\s*[:=]\s*\\?"([^"\\\s]+)\\?"'),
]


def literals(root=ROOT):
    """The secrets that stand in the sources of tests and doubles.

    Plain words are names of fields, and what begins with `<` or `…` is what takes a secret's place.
    """
    found = set()
    for pattern in ("**/Tests/**/*.swift", "Tests/**/*.swift", "**/*Testing/*.swift"):
        for path in root.glob(pattern):
            if ".build" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            for literal in LITERALS:
                found.update(match.encode() for match in literal.findall(text)
                             if not re.fullmatch("[a-z_ ]*|[<…].*", match))
    return found


def read_made(folder):
    """What was made: each secret with its makers."""
    made = {}
    for path in sorted(folder.glob("made-*")):
        for line in path.read_bytes().splitlines():
            maker, _, text = line.rpartition(b" ")
            made.setdefault(bytes.fromhex(text.decode()), set()).add(maker.decode())
    return made


ECHO = re.compile(rb"(?ms)^\xe2\x97\x87 Test case passing \d+ arguments? .*? started\.$")

# The backend's help tells everybody the demo users' passwords.
DEMO_USER = re.compile(rb"(?m)^  \w+  \w+@example\.com  \S+$")


def read_said(folder, files):
    """What was said: texts by speaker."""
    said = {}
    for path in sorted(folder.glob("said-*")):
        for part in path.read_bytes().split(b"\x1e")[1:]:
            speaker, _, text = part.partition(b"\n")
            said.setdefault(speaker.decode(), []).append(DEMO_USER.sub(b"", text))
    for path in files:
        said.setdefault(str(path), []).append(ECHO.sub(b"", path.read_bytes()))
    return {speaker: b"\n".join(texts) for speaker, texts in said.items()}


def forms(secret):
    """The ways in which a secret may be written, each with its name."""
    yield "as it is", secret
    if len(secret) > PART + 6:
        for start in range(len(secret) - PART + 1):
            part = secret[start:start + PART]
            # Words like `access-token` are no secrets.
            if not re.fullmatch(rb"[a-z_ -]*", part):
                yield "in part", part
    for shift in range(3):
        # The characters that no neighbour in the same base64 text can change.
        text = base64.b64encode(b"\0" * shift + secret)
        text = text[math.ceil(shift * 8 / 6):(shift + len(secret)) * 8 // 6]
        yield "in base64", text
        yield "in base64url", text.translate(bytes.maketrans(b"+/", b"-_"))
    yield "in hexadecimal", secret.hex().encode()
    yield "in hexadecimal", secret.hex().upper().encode()
    yield "percent-encoded", urllib.parse.quote(secret, safe="").encode()
    try:
        text = secret.decode()
    except UnicodeDecodeError:
        return
    for ascii_only in (True, False):
        yield "escaped for JSON", json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode()


class Needles:
    """Everything that is looked for, laid out for looking it up instead of searching for each."""

    def __init__(self, made):
        self.words = {}
        self.texts = {}
        for secret, makers in made.items():
            maker = min(makers)
            if len(secret) < SHORTEST or WORDS.fullmatch(secret):
                continue
            for form, text in forms(secret):
                if len(text) < SHORTEST:
                    continue
                if WORD.fullmatch(text):
                    self.words.setdefault(len(text), {}).setdefault(text, (maker, form))
                else:
                    self.texts.setdefault(text, (maker, form))

    def find(self, text):
        """Who made what stands in a text, and in which form."""
        found = set()
        for word in set(WORD.findall(text)):
            for length, known in self.words.items():
                for start in range(len(word) - length + 1):
                    hit = known.get(word[start:start + length])
                    if hit:
                        found.add(hit)
        found.update(hit for needle, hit in self.texts.items() if needle in text)
        return found


# A JWT has a header, a payload that is an object, and a signature.
JWT = re.compile(rb"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{8,}")
RANDOM = re.compile(rb"(?<![A-Za-z0-9_+/=.-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_+/=-]|\.[A-Za-z0-9_])")


def shapes(text):
    """What has the form of a token, whoever made it."""
    if JWT.search(text):
        yield "unknown", "a JWT"
    for word in set(RANDOM.findall(text)):
        # 32 random bytes have some 26 different characters, digits and both cases; names do not.
        kinds = (rb"[0-9]", rb"[A-Z]", rb"[a-z]")
        if len(set(word)) >= 20 and all(re.search(kind, word) for kind in kinds):
            yield "unknown", "32 bytes in base64url"


def sweep(folder, files, partial, root=ROOT):
    """The faults, and a summary."""
    made = read_made(folder)
    for secret in literals(root):
        made.setdefault(secret, set()).add("literals")
    said = read_said(folder, files)
    faults = []
    if not partial:
        faults += [f"{maker} noted no secret" for maker in sorted(MAKERS - set().union(*made.values()))]
        faults += [f"{name} noted nothing said" for name in sorted(SPEAKERS - set(said))]
    needles = Needles(made)
    for speaker, text in said.items():
        for maker, form in sorted(needles.find(text) | set(shapes(text))):
            faults.append(f"{speaker}: a secret of {maker} was printed {form}")
    size = sum(map(len, said.values()))
    return faults, (f"{len(made)} secrets looked for in {size // 1024} KiB "
                    f"of {len(said)} kinds of output")


class Planted(unittest.TestCase):
    """Plants each kind of leak and sees that it is found."""

    SECRET = "correct horse/1+battery ähnlich"
    TOKEN = "refresh-token-7-0a1b2c3d4e5f60718293"
    JWT = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJlLW9mLW5vYm9keQ"
    RANDOM = base64.urlsafe_b64encode(bytes(range(7, 256, 8))).rstrip(b"=").decode()

    def run_on(self, said, made=(SECRET, TOKEN), source=""):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "made-1").write_text("".join(f"A/B.swift {m.encode().hex()}\n" for m in made))
            (folder / "said-1").write_text(f"\x1eC/D.swift\n{said}\n")
            (folder / "root/Tests").mkdir(parents=True)
            (folder / "root/Tests/T.swift").write_text(source)
            return sweep(folder, [], True, folder / "root")[0]

    def test_a_leak_is_found_in_every_form(self):
        for secret in (self.SECRET, self.TOKEN):
            raw = secret.encode()
            leaks = [
                f"token={secret}", f"{secret}{secret}", f"x{secret}y", secret[:-8], secret[8:],
                base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(),
                *(base64.b64encode(b"u" * n + b":" + raw + b"!").decode() for n in range(3)),
                raw.hex(), raw.hex().upper(), urllib.parse.quote(secret, safe=""),
                json.dumps({"a": secret}), json.dumps({"a": secret}, ensure_ascii=False),
            ]
            for leak in leaks:
                with self.subTest(leak=leak):
                    self.assertTrue(self.run_on(f"before {leak} after"))

    def test_a_token_that_nobody_noted_is_found(self):
        for token in (self.JWT, f"Bearer {self.JWT}", self.RANDOM, f'"{self.RANDOM}"'):
            with self.subTest(token=token):
                self.assertTrue(self.run_on(f"said {token}.", made=()))

    def test_a_literal_of_a_test_is_found(self):
        for source in ('Secret("hidden-in-a-test")', 'password: "hidden-in-a-test"',
                       '"HEADLESS_CLIENT_PASSWORD": "hidden-in-a-test"',
                       r'"{\"access_token\":\"hidden-in-a-test\"}"',
                       '#"{"refreshToken":"hidden-in-a-test"}"#', 'password = "hidden-in-a-test"'):
            with self.subTest(source=source):
                self.assertTrue(self.run_on("x hidden-in-a-test", made=(), source=source))

    def test_what_may_be_shown_is_no_leak(self):
        allowed = f"…{self.TOKEN[-6:]} [{'0f' * 4}-0000-4000-8000-{'ab' * 6}] GET: 200 <redacted>"
        self.assertEqual(self.run_on(allowed + " R9_no_secret_is_in_any_file_or_line_of_out1A"), [])

    def test_the_demo_users_passwords_are_no_leak_where_the_help_lists_them(self):
        line = "  ada  ada@example.com  hidden-in-a-test\n"
        source = 'password: "hidden-in-a-test"'
        self.assertEqual(self.run_on(f"Demo users:\n{line}Groups", made=(), source=source), [])
        self.assertTrue(self.run_on(f"{line}hidden-in-a-test", made=(), source=source))

    def test_what_takes_a_secret_s_place_is_none(self):
        source = 'password: "<redacted>", accessToken: "…s-a-test"'
        self.assertEqual(self.run_on("<redacted> …s-a-test", made=(), source=source), [])

    def test_a_test_s_own_arguments_are_no_leak_and_what_follows_them_is(self):
        echo = f'◇ Test case passing 1 argument a → "{self.TOKEN}" to "b" started.\n'
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "made-1").write_text(f"A/B.swift {self.TOKEN.encode().hex()}\n")
            for more, leaks in ((echo, False), (f"{echo}{self.TOKEN}\n{echo}", True)):
                (folder / "log").write_text(echo + more)
                faults, _ = sweep(folder, [folder / "log"], True, folder)
                self.assertEqual(bool(faults), leaks, faults)

    def test_a_maker_or_speaker_that_is_silent_is_a_fault(self):
        with tempfile.TemporaryDirectory() as name:
            faults, _ = sweep(pathlib.Path(name), [], False, pathlib.Path(name))
            self.assertEqual(len(faults), len(MAKERS) + len(SPEAKERS))

    def test_no_fault_says_the_secret(self):
        for fault in self.run_on(f"{self.TOKEN} {self.JWT}"):
            self.assertNotIn(self.TOKEN[:12], fault)
            self.assertNotIn(self.JWT[:12], fault)


def main(arguments):
    if arguments == ["--self-test"]:
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Planted)
        return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
    partial = "--partial" in arguments
    paths = [pathlib.Path(argument) for argument in arguments if argument != "--partial"]
    if not paths or not paths[0].is_dir():
        print(__doc__.strip(), file=sys.stderr)
        return 64
    faults, summary = sweep(paths[0], paths[1:], partial)
    for fault in faults:
        print(f"R9: {fault}")
    print(f"R9: {summary}: {len(faults) or 'no'} fault{'' if len(faults) == 1 else 's'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
