"""What all scripts here share: inputs are made, tried within a limit of time, counted, and findings are minimised.

Fuzzing tries a surface: a strategy of Hypothesis whose values Python writes as literals, so that a finding is repeated
by one line, and a function that takes such a value through nlgauge and names the outcome. An outcome is a score, a NaN
with a reason, or an error of nlgauge.errors of one line. Everything else is a finding: another exception, a warning, an
error of several lines, and whatever takes longer than the limit.
"""

from __future__ import annotations

import argparse
import ast
import math
import resource
import shlex
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from nlgauge.errors import NlgaugeError

LIMIT_S = 5.0
"""Seconds that one input may take"""
MEMORY = 8 << 30
"""Bytes of addresses that the process may have: what fills a memory becomes a MemoryError, which is a finding"""
_AT_A_TIME = 250
_LONGEST_ERROR = 2000


class BrokenPromiseError(Exception):
    """An outcome that nlgauge does not document."""


class TooLongError(BaseException):
    """The limit of time was reached; no code catches it by mistake."""


@dataclass(frozen=True)
class Surface:
    """The inputs and the function that are tried together."""

    name: str
    """Of its file"""
    inputs: SearchStrategy[Any]
    """Values that Python writes as literals"""
    outcome: Callable[[Any], str]
    """Takes a value through nlgauge: the outcome, in a word or two"""
    varied: Callable[[Any, Random], Any] | None = None
    """Another value like one, which costs less than one that Hypothesis makes"""
    variants: int = 20


@dataclass
class Finding:
    """What should not have happened, and the smallest input that it was seen with."""

    given: Any
    message: str
    times: int = 1


@dataclass
class Fuzzer:
    """Inputs of a surface, tried one after another."""

    surface: Surface
    limit: float = LIMIT_S
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)
    _minimising: str | None = None
    _end: float = math.inf

    @property
    def tried(self) -> int:
        return self.outcomes.total()

    def run(self, inputs: int, first: int, seconds: float = math.inf) -> None:
        """Try so many inputs, made from the seed `first`, or as many as the time allows."""
        self._end = time.monotonic() + seconds
        for part in range(4 * (inputs // _AT_A_TIME + 1)):
            missing = inputs - self.tried
            if missing <= 0 or time.monotonic() > self._end:
                return
            self._part(min(_AT_A_TIME, missing), first * 1_000_003 + part)

    def _part(self, inputs: int, number: int) -> None:
        self._minimising = None
        examples = max(1, inputs // (1 + self.surface.variants * bool(self.surface.varied)))
        tested = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            print_blob=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )(seed(number)(given(self.surface.inputs)(self._one)))
        try:
            tested()
        except Exception as error:
            if self._minimising is None:
                raise error from None

    def count(self, value: Any) -> Exception | None:
        """Try an input, and count what came of it: what is wrong with it, where that was not seen before."""
        outcome, error = self.attempt(value)
        self.outcomes[outcome] += 1
        if error is None:
            return None
        if outcome in self.findings:
            self.findings[outcome].times += 1
            return None
        self.findings[outcome] = Finding(value, " ".join(str(error).split())[:200])
        return error

    def _one(self, value: Any) -> None:
        """Try an input of Hypothesis's; raise what was not seen before, so that Hypothesis makes it smaller."""
        for one in self._with_variants(value):
            if time.monotonic() > self._end:
                return
            if self._minimising is not None:
                outcome, error = self.attempt(one)
                if outcome == self._minimising and error is not None:
                    self.findings[outcome].given = one
                    raise error
            elif (error := self.count(one)) is not None and not isinstance(error, _SlowError):
                self._minimising = next(reversed(self.findings))
                raise error

    def _with_variants(self, value: Any) -> Iterator[Any]:
        yield value
        if self.surface.varied is not None:
            chance = Random(repr(value))
            for _ in range(self.surface.variants):
                yield self.surface.varied(value, chance)

    def attempt(self, value: Any) -> tuple[str, Exception | None]:
        """The outcome of an input, and what is wrong with it."""
        error: Exception | None
        for last in (False, True):
            began = time.monotonic()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    outcome, error = self._within_limit(value), None
            except TooLongError as bad:
                outcome, error = f"longer than {self.limit:g} s, {_place(bad)}", _SlowError()
            except NlgaugeError as bad:
                outcome, error = _documented(bad)
            except Exception as bad:
                outcome, error = f"{type(bad).__name__}, {_place(bad)}", bad
            if error is None and time.monotonic() - began > self.limit:
                outcome, error = f"longer than {self.limit:g} s, then {outcome}", _SlowError()
            # Once more: on a machine that does other things too, anything is slow now and then.
            if last or not isinstance(error, _SlowError):
                break
        return outcome, error

    def _within_limit(self, value: Any) -> str:
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, self.limit, 1.0)  # again and again: the end of an object swallows it
        try:
            return self.surface.outcome(value)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def told(self, seconds: float) -> str:
        """What there is to say at the end."""
        lines = [f"{self.surface.name}: {self.tried:,} inputs in {seconds:.0f} s"]
        lines += [f"{count:10,}  {outcome}" for outcome, count in self.outcomes.most_common()]
        for what, finding in self.findings.items():
            lines += [f"FINDING, seen {finding.times} times: {what}: {finding.message}"]
            lines += [f"    python fuzzing/{self.surface.name}.py --repeat {shlex.quote(repr(finding.given))}"]
        return "\n".join([*lines, f"{len(self.findings)} findings"])


class _SlowError(Exception):
    """Stands for an input that took too long: to make it smaller would take too long too."""


def main(surface: Surface, arguments: Sequence[str] | None = None) -> int:
    """Try a surface as the command line says. Return 0, or 1 where there is a finding."""
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or surface.name).partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=2000, help="how many inputs are tried (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="what the inputs are made from (default: 0)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing more after so long")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds that an input may take (default: 5)")
    parser.add_argument("--repeat", metavar="INPUT", help="try this one input, as a finding prints it")
    parser.add_argument("--atheris", action="store_true", help="let atheris choose inputs by the code they reach")
    options = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    fuzzer = Fuzzer(surface, options.limit)
    if options.repeat is not None:
        outcome, error = fuzzer.attempt(ast.literal_eval(options.repeat))
        if error is not None:
            traceback.print_exception(error)
        print(outcome)
        return int(error is not None)
    began = time.monotonic()
    if options.atheris:
        from guided import guided

        guided(fuzzer, options.inputs, options.seed)
    else:
        fuzzer.run(options.inputs, options.seed, options.seconds)
    print(fuzzer.told(time.monotonic() - began))
    return int(bool(fuzzer.findings) or not fuzzer.tried)


def _ring(*_: object) -> None:
    raise TooLongError


def _documented(error: NlgaugeError) -> tuple[str, Exception | None]:
    line, kind = str(error), type(error).__name__
    if not line or "\n" in line or len(line) > _LONGEST_ERROR:
        return f"{kind} whose message is not one line of a readable length, {_place(error)}", error
    return kind, None


def _place(error: BaseException) -> str:
    """Where nlgauge was when it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "nlgauge" in frame.filename] or list(frames)
    return f"at {ours[-1].filename.rpartition('src/')[2]}:{ours[-1].lineno}"
