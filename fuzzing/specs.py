"""Fuzzing: any text is a metric's spec, whose canonical form parses to an equal metric, or an error of one line.

python fuzzing/specs.py [--inputs 2000] [--seed 0] [--repeat INPUT] [--atheris]
"""

from __future__ import annotations

import sys
from random import Random

from fuzzer import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from texts import mostly, texts

from nlgauge import registry
from nlgauge.contract.parameters import parameters_of

NAMES = sorted(registry.project_metrics())
PARAMETERS = sorted({"preset", *(name for kind in registry.project_metrics().values() for name in parameters_of(kind))})
_WORDS = [
    "fisher_rao",
    "ab",
    "D",
    "none",
    "references",
    "mean",
    "best",
    "1",
    "L",
    "sentence",
    "petersen",
    "pocket",
    "base",
]
_NUMBERS = st.one_of(
    st.integers(-3, 12).map(str),
    st.floats().map(repr),
    st.sampled_from(["1e999", "-1e999", "9" * 400, "1e-320", "0x10", "1j"]),
)
_VALUES = st.recursive(
    st.one_of(
        _NUMBERS,
        st.sampled_from(_WORDS).map(repr),
        st.sampled_from(["None", "True", "False", "...", "b''", "f''", "x", "-'a'"]),
        texts(40).map(repr),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"({', '.join(values)},)"),
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.lists(inner, max_size=2).map(lambda values: "{" + ", ".join(f"{one}: {one}" for one in values) + "}"),
        inner.map(lambda value: f"-{value}"),
    ),
    max_leaves=4,
)


def _parameters(name: str) -> st.SearchStrategy[str]:
    own = sorted(parameters_of(registry.project_metrics()[name])) or PARAMETERS
    some = mostly(st.sampled_from(own), st.sampled_from(PARAMETERS), 10)
    return st.lists(st.builds("{}={}".format, some, _VALUES), max_size=3).map(", ".join)


def _damaged(spec: str, at: int, piece: str) -> str:
    return spec[: at % (len(spec) + 1)] + piece + spec[at % (len(spec) + 1) + len(piece) :]


SPECS = st.sampled_from(NAMES).flatmap(lambda name: st.builds("{}({})".format, st.just(name), _parameters(name)))
_NESTED = st.builds(
    lambda name, left, right, depth: f"{name}(alpha={left * depth}1{right * depth})",
    st.sampled_from(NAMES),
    st.sampled_from(["(", "[", "-", "not ", "{1:", "1+"]),
    st.sampled_from([")", "]", "}", ""]),
    st.sampled_from([3, 99, 300, 5000, 100_000]),
)
INPUTS = st.one_of(
    SPECS,
    SPECS,
    SPECS,
    st.builds(_damaged, SPECS, st.integers(0, 200), st.text(max_size=3)),
    texts(200),
    st.sampled_from(NAMES),
    _NESTED,
)


_PIECES = [
    *"()[]{},=-+.'\"\\0 9\n\x00é",
    "None",
    "True",
    "1e999",
    "nan",
    "**x",
    "lambda: 0",
    "alpha=",
    "'kl'",
    "__import__('os')",
]


def varied(spec: str, chance: Random) -> str:
    """The same spec with a piece written over or put in; its name most often stays."""
    first = 0 if chance.random() < 0.02 else spec.find("(") + 1
    at = chance.randint(first, max(first, len(spec)))
    piece: str = chance.choice(_PIECES)
    return spec[:at] + piece + spec[at + chance.choice([0, 0, 1, 5]) :]


def outcome(spec: str) -> str:
    """Parse, write and parse again; no model is loaded."""
    metric = registry.metric(spec)
    canonical = str(metric)
    again = registry.metric(canonical)
    if again != metric or hash(again) != hash(metric) or str(again) != canonical:
        raise BrokenPromiseError("the canonical spec stands for another metric")
    _ = metric.reads
    return "a metric"


if __name__ == "__main__":
    sys.exit(main(Surface("specs", INPUTS, outcome, varied)))
