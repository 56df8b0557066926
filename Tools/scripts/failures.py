#!/usr/bin/env python3
"""Tells in a few lines what failed in a test run of thousands.

usage: failures.py LOG
       failures.py --suites LOG
       failures.py --self-test

LOG is what `swift test` printed. Told are the issues with their places, and, where the run broke
off before its closing line, the tests that had begun and not ended.

--suites: told are the suites that are worth another run by themselves, to tell what depends on the
moment from what does not. None where the run broke off, where more than a few failed, or where a
seed was printed, which plays the same failure again.
"""
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True

# How much of one issue is told: a comparison of two long values runs over hundreds of lines.
LONGEST = 12

# Every line of the runner's own begins with one of its marks.
MARK = re.compile(r"[◇✔✘➜↳]")
ISSUE = re.compile(r"✘ .* recorded an issue ")
STARTED = re.compile(r"◇ Test (?!run |case )(.+) started\.$")
ENDED = re.compile(r"[✔✘➜] Test (?!run |case )(.+?)(?: with \d+ test cases?)? (?:passed after|failed after|skipped)")
CLOSING = re.compile(r"[✔✘] Test run with ")
FAILED_SUITE = re.compile(r"✘ Suite (\w+) failed after ")
SEED = re.compile(r"\b[A-Z_]*SEED=\d")

# More suites than these do not fail by chance at once.
MOST_BY_CHANCE = 3


def failures(lines):
    """The lines that tell what failed."""
    told, running, closed, room = [], [], False, 0
    for line in lines:
        if ISSUE.match(line):
            room = LONGEST
        elif MARK.match(line) and not line.startswith("↳"):
            room = 0
        elif line.startswith(("Fatal error", "error: Exited")):
            told.append(line)
        if room > 0:
            told.append(line)
            room -= 1
        if begun := STARTED.match(line):
            running.append(begun[1])
        elif (ended := ENDED.match(line)) and ended[1] in running:
            running.remove(ended[1])
        closed = closed or bool(CLOSING.match(line))
    if not closed:
        told += [f"begun and not ended: {name}" for name in running]
    return told


def suites(lines):
    """The suites that are worth another run."""
    found = sorted({suite[1] for line in lines if (suite := FAILED_SUITE.match(line))})
    closed = any(CLOSING.match(line) for line in lines)
    if not closed or len(found) > MOST_BY_CHANCE or any(SEED.search(line) for line in failures(lines)):
        return []
    return found


class Suites(unittest.TestCase):
    CLOSING = "✘ Test run with 9 tests in 4 suites failed after 0.1 seconds with 1 issue."

    def suites(self, *lines):
        return suites(lines)

    def test_those_that_failed(self):
        self.assertEqual(
            self.suites("✔ Suite A passed after 0.1 seconds.", "✘ Suite C failed after 0.1 seconds with 1 issue.",
                        "✘ Suite B failed after 0.1 seconds with 2 issues.", self.CLOSING), ["B", "C"])

    def test_none_where_the_run_broke_off(self):
        self.assertEqual(self.suites("✘ Suite B failed after 0.1 seconds with 2 issues."), [])

    def test_none_where_many_failed(self):
        failed = [f"✘ Suite {name} failed after 0.1 seconds with 2 issues." for name in "ABCD"]
        self.assertEqual(self.suites(*failed, self.CLOSING), [])

    def test_none_where_a_seed_plays_it_again(self):
        self.assertEqual(
            self.suites('✘ Test "a" recorded an issue at A.swift:1:2: no', "again with: SIMULATION_SEED=12",
                        "✘ Suite A failed after 0.1 seconds with 1 issue.", self.CLOSING), [])


class Told(unittest.TestCase):
    def told(self, text):
        return failures(text.splitlines())

    def test_nothing_where_nothing_failed(self):
        self.assertEqual(self.told('◇ Test "a" started.\n✔ Test "a" passed after 0.1 seconds.\n'
                                   "✔ Test run with 1 test passed after 0.1 seconds."), [])

    def test_an_issue_with_what_belongs_to_it(self):
        self.assertEqual(
            self.told('✘ Test "a" recorded an issue at A.swift:1:2: Expectation failed: (x → 1) == 2\n'
                      "↳ because\n↳ two lines\nof it\n◇ Test \"b\" started.\nsaid by somebody\n"
                      '✘ Test "a" failed after 0.1 seconds with 1 issue.\n'
                      "✘ Test run with 2 tests failed after 0.1 seconds with 1 issue."),
            ['✘ Test "a" recorded an issue at A.swift:1:2: Expectation failed: (x → 1) == 2',
             "↳ because", "↳ two lines", "of it"])

    def test_a_long_issue_in_short(self):
        told = self.told('✘ Test "a" recorded an issue at A.swift:1:2: no\n' + "x\n" * 1_000)
        self.assertEqual(len(told), LONGEST)

    def test_what_had_begun_where_the_run_broke_off(self):
        self.assertEqual(
            self.told('◇ Test run started.\n◇ Test "a" started.\n◇ Test b() started.\n◇ Test "c" started.\n'
                      '◇ Test case passing 1 argument x → 1 to "c" started.\n'
                      '✔ Test "c" with 2 test cases passed after 0.1 seconds.\n'
                      '✔ Test "a" passed after 0.1 seconds.\nFatal error: gone\n'),
            ["Fatal error: gone", "begun and not ended: b()"])


def main(arguments):
    if arguments == ["--self-test"]:
        load = unittest.defaultTestLoader.loadTestsFromTestCase
        suite = unittest.TestSuite([load(Told), load(Suites)])
        return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
    tell = failures
    if arguments[:1] == ["--suites"]:
        tell, arguments = suites, arguments[1:]
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_file():
        print(__doc__.strip(), file=sys.stderr)
        return 64
    text = pathlib.Path(arguments[0]).read_text(encoding="utf-8", errors="replace")
    if told := tell(text.splitlines()):
        print("\n".join(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
