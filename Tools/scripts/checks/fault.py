"""One broken rule."""
from typing import NamedTuple


class Fault(NamedTuple):
    """Where a rule is broken, what is wrong, and what to do about it."""

    path: str
    problem: str
    remedy: str
    line: int = 0

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.problem}; {self.remedy}" if self.remedy else f"{place}: {self.problem}"
