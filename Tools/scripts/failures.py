#!/usr/bin/env python3
"""Tells in a few lines what failed in a test run of thousands.

usage: failures.py LOG
       failures.py --self-test

LOG is what `swift test` printed. Told are the issues with their places, and, where the run broke
off before its closing line, the tests that had begun and not ended.
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
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Told)
        return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_file():
        print(__doc__.strip(), file=sys.stderr)
        return 64
    text = pathlib.Path(arguments[0]).read_text(encoding="utf-8", errors="replace")
    print("\n".join(failures(text.splitlines())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
