"""How claims are judged: there is one rule for all of them.

A claim says where a number lies: above a limit, below one, or within a margin of a printed value. It *holds* if the
whole 95 % interval lies there, *fails* if the whole interval lies outside, and otherwise *cannot tell*. A claim about
several numbers uses wider intervals (Bonferroni) and holds if all of them hold, or as many as the claim needs. At the
smoke scale nothing is decided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from zeroply.arena.statistics import Interval
from zeroply.studies.measured import Measured

Holds = bool | None
"""Whether something holds; None if the measurements cannot tell."""
WORDS = {True: "holds", False: "fails", None: "cannot tell"}
SMOKE = "not decided at the smoke scale"


@dataclass(frozen=True)
class Rule:
    """Where a number has to lie."""

    low: float = -math.inf
    """Above this."""
    high: float = math.inf
    """Below this."""

    def holds(self, interval: Interval) -> Holds:
        """Whether a number with this interval lies there."""
        low, high = interval
        if high <= self.low or low >= self.high:
            return False
        inside = (low > self.low or math.isinf(self.low)) and (high < self.high or math.isinf(self.high))
        return True if inside else None


def above(limit: float) -> Rule:
    """A number above a limit."""
    return Rule(low=limit)


def below(limit: float) -> Rule:
    """A number below a limit."""
    return Rule(high=limit)


def near(value: float, margin: float) -> Rule:
    """A number within a margin of another: equivalence, not mere lack of a difference."""
    return Rule(value - margin, value + margin)


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, and the measured numbers that decide it."""

    place: str
    """Where the paper makes it: table, figure or section."""
    text: str
    """The statement, in one sentence."""
    ours: Measured | Mapping[str, Measured]
    """The measured number, or several by name."""
    rule: Rule | Mapping[str, Rule]
    """Where it has to lie; by name if the rules differ."""
    printed: float | Mapping[str, float] | None = None
    """The value that the paper prints, if it does."""
    needed: int | None = None
    """How many of several numbers have to hold; None for all."""
    note: str = ""
    """What else a reader should know."""
    undecided: str = ""
    """Why these measurements cannot decide it, if they cannot."""

    @property
    def numbers(self) -> Mapping[str, Measured]:
        """All measured numbers by name."""
        return self.ours if isinstance(self.ours, Mapping) else {"": self.ours}

    def _holds(self, name: str) -> Holds:
        rule = self.rule if isinstance(self.rule, Rule) else self.rule[name]
        return rule.holds(self.numbers[name].interval(len(self.numbers)))

    @property
    def holds(self) -> Holds:
        """Whether the claim holds."""
        if self.undecided or not self.numbers:
            return None
        outcomes = [self._holds(name) for name in self.numbers]
        needed = len(outcomes) if self.needed is None else self.needed
        holding, open_ = outcomes.count(True), outcomes.count(None)
        return True if holding >= needed else False if holding + open_ < needed else None

    @property
    def verdict(self) -> str:
        """The same in words."""
        return WORDS[self.holds]

    @property
    def deciding(self) -> str:
        """The name of the number that speaks most against the claim."""

        def distance(name: str) -> float:
            rule, number = self.rule if isinstance(self.rule, Rule) else self.rule[name], self.numbers[name]
            low, high = number.interval()
            width = (high - low) / 2 if 0 < high - low < math.inf else 1.0
            return min(number.value - rule.low, rule.high - number.value) / width

        ranked = sorted(self.numbers, key=distance, reverse=True)
        return ranked[min(len(ranked), len(ranked) if self.needed is None else max(1, self.needed)) - 1]

    @property
    def words(self) -> str:
        """Our numbers, in words."""
        numbers = "; ".join(f"{name} {number}".strip() for name, number in self.numbers.items()) or "not measured"
        wide = f"judged as {len(self.numbers)} comparisons" if len(self.numbers) > 1 else ""
        more = "; ".join(part for part in (self.note, wide, self.undecided) if part)
        return f"{numbers} ({more})" if more else numbers

    def entry(self) -> dict[str, Any]:
        """The claim for `claims.json`."""
        printed = dict(self.printed) if isinstance(self.printed, Mapping) else {"": self.printed}

        def number(name: str) -> dict[str, Any]:
            its = self.numbers.get(name)
            ends = (None, None) if its is None else its.interval()
            ours = None if its is None else _finite(its.value)
            return {"printed": printed.get(name), "ours": ours, "interval": [_finite(end) for end in ends]}

        head = {"place": self.place, "claim": self.text, **number(self.deciding if self.numbers else "")}
        entry = {**head, "verdict": self.verdict, "words": self.words}
        if len(self.numbers) > 1:
            entry["comparisons"] = [{"name": name, **number(name)} for name in self.numbers]
        return entry

    def named(self, name: str) -> Claim:
        """The same claim about one of several things."""
        return replace(self, text=f"{name}: {self.text}")

    def open(self, why: str) -> Claim:
        """The same claim, if there is a reason why it cannot be decided."""
        return replace(self, undecided=why) if why else self


def most(count: int) -> int:
    """More than half of several comparisons, for `needed`."""
    return count // 2 + 1


def _finite(number: float | None) -> float | None:
    return round(number, 6) if number is not None and math.isfinite(number) else None
