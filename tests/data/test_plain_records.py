"""Plain records: the quick reading and the careful one give the same rows, and the same errors."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge import Corpus
from nlgauge.data.corpus import plain_records
from nlgauge.data.corpus.plain_records import PlainRecords
from nlgauge.errors import InputError


class Name(str):
    """A text of another class."""


def never(self, record, positions):
    return None


def read_twice(monkeypatch, records, **how):
    """What both readings give: rows with the types of their texts, or the error."""
    found = []
    for quickly in (True, False):
        with monkeypatch.context() as patched:
            if not quickly:
                patched.setattr(PlainRecords, "row", never)
            try:
                rows = list(Corpus.from_records(records, **how))
            except InputError as error:
                found.append(str(error))
            else:
                found.append([(row, row.counted, list(row.extra), *types_of(row)) for row in rows])
    return found


def types_of(row):
    texts = (row.candidate, *row.references, row.source, row.context, row.question, row.system, row.item, row.trial)
    return [type(text) for text in texts]


FIRST = {"candidate": "A dog sat."}
ODD = [
    {},
    {"candidate": None},
    {"candidate": 3},
    {"candidate": float("nan")},
    {"candidate": Name("x")},
    {"candidate": np.str_("x")},
    {"candidate": "half \ud800"},
    {"candidate": "ø and 𝄞"},
    {"candidate": "x", "references": None},
    {"candidate": "x", "references": "y"},
    {"candidate": "x", "references": ["y", None, "z"]},
    {"candidate": "x", "references": ("y", "z")},
    {"candidate": "x", "references": {"y"}},
    {"candidate": "x", "references": frozenset({"y"})},
    {"candidate": "x", "references": [Name("y")]},
    {"candidate": "x", "references": ["y", "half \udfff"]},
    {"candidate": "x", "references": {"a": "b"}},
    {"candidate": "x", "references": b"y"},
    {"candidate": "x", "references": ["y"], "references.2": "z"},
    {"candidate": "x", "source": ["a", "b"]},
    {"candidate": "x", "source": "", "context": [{"text": "turn"}]},
    {"candidate": "x", "source": 1.5},
    {"candidate": "x", "question": ["q"]},
    {"candidate": "x", "system": 7, "item": "a"},
    {"candidate": "x", "system": "", "item": ""},
    {"candidate": "x", "item": 12},
    {"candidate": "x", "item": 12.0},
    {"candidate": "x", "item": True},
    {"candidate": "x", "item": 10**5000},
    {"candidate": "x", "item": np.int64(4)},
    {"candidate": "x", "item": "half \ud800"},
    {"candidate": "x", "trial": 1},
    {"candidate": "x", "trial": 2, "item": 3},
    {"candidate": "x", "trial": "half \ud800", "item": 3},
    {"candidate": "x", "trial": Name("b"), "item": "a"},
    {"candidate": "x", "trial": True, "item": "a"},
    {"candidate": "x", "scores": {"fluency": 1}},
    {"candidate": "x", "scores": None},
    {"candidate": "x", "scores": "good"},
    {"candidate": "x", "scores.fluency": 0.5},
    {"candidate": "x", "scores.fluency": None},
    {"candidate": "x", "other": {"deep": [1]}, "more": None},
    {"candidate": "x", 5: "five"},
    {"candidate": "x", Name("other"): 1},
    {Name("candidate"): "x"},
    ["candidate"],
    "candidate",
]


@pytest.mark.parametrize("number", range(len(ODD)))
@pytest.mark.parametrize("on_missing", ["error", "skip"])
def test_odd_records_are_read_as_with_care(monkeypatch, number, on_missing):
    for records in ([FIRST, ODD[number], FIRST], [ODD[number], FIRST]):
        quick, careful = read_twice(monkeypatch, records, on_missing=on_missing)
        assert quick == careful


def test_long_texts_and_many_references_are_refused_in_the_same_words(monkeypatch):
    for record in ({"candidate": "x" * 10_000_001}, {"candidate": "x", "references": ["y"] * 10_001}):
        quick, careful = read_twice(monkeypatch, [FIRST, record])
        assert quick == careful and "the limit is" in quick


@pytest.mark.parametrize(
    "columns",
    [
        {"candidate": "out"},
        {"candidate": "out", "references": "gold"},
        {"candidate": "out", "references": ["gold", "silver"]},
        {"candidate": "out", "source": "candidate"},
        {"candidate": "more.out"},
        {"candidate": "out", "scores.tone": "tone"},
        {"candidate": "out", "question": "nowhere"},
        {"candidate": "out", "item": "id"},
    ],
)
def test_mapped_columns_are_read_as_with_care(monkeypatch, columns):
    record = {"out": "x", "gold": "y", "silver": ["z"], "candidate": "text", "more": {"out": "w"}, "tone": 1, "id": 3}
    quick, careful = read_twice(
        monkeypatch, [record, {**record, "extra": 1}, {"gold": "g", "out": "o"}], columns=columns
    )
    assert quick == careful


TEXT = st.text(max_size=6)
RECORD = st.fixed_dictionaries(
    {"candidate": TEXT},
    optional={
        "references": st.one_of(TEXT, st.none(), st.lists(st.one_of(TEXT, st.none()), max_size=3)),
        "source": st.one_of(TEXT, st.none(), st.lists(TEXT, max_size=2)),
        "context": st.one_of(TEXT, st.none()),
        "question": st.one_of(TEXT, st.none(), st.integers()),
        "system": st.sampled_from(["a", "b", None, 3]),
        "item": st.one_of(st.integers(), TEXT, st.none(), st.floats(), st.booleans()),
        "trial": st.one_of(st.integers(), TEXT, st.none()),
        "note": st.one_of(TEXT, st.integers(), st.none()),
    },
)


@given(st.lists(RECORD, min_size=2, max_size=6))
@settings(max_examples=150, deadline=None)
def test_any_records_are_read_as_with_care(records):
    with pytest.MonkeyPatch.context() as patched:
        quick, careful = read_twice(patched, records)
    assert quick == careful


def test_plain_records_take_the_quick_way(monkeypatch):
    taken = []
    quick = PlainRecords.row
    monkeypatch.setattr(PlainRecords, "row", lambda *given: taken.append(quick(*given)) or taken[-1])
    rows = list(Corpus.from_records([{"candidate": "x", "references": ["y"], "item": n, "note": n} for n in range(9)]))
    assert taken == rows
    assert plain_records.are_plain({"candidate": "out"}) and not plain_records.are_plain({"candidate": "a.b"})


def test_the_system_of_a_named_file_is_still_refused(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"candidate": "x"}\n{"candidate": "y", "system": "b"}\n')
    with pytest.raises(InputError, match="row 2: the system is 'b'"):
        Corpus.read({"a": file})


@given(
    st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=2), st.none() | TEXT, st.none() | TEXT), min_size=1, max_size=4)
)
@settings(max_examples=80, deadline=None)
def test_the_digest_is_that_of_json(some):
    rows = [
        {"candidate": a, "references": b, "source": c, "question": d, "system": a + "s", "item": n, "trial": c}
        for n, (a, b, c, d) in enumerate(some)
    ]
    corpus = Corpus.from_records(rows)
    digest = sha256()
    for row in corpus:
        fields = [row.candidate, row.references, row.source, row.context, row.system, row.item]
        fields += [row.question] if row.question is not None else []
        fields += [("trial", row.trial)] if row.trial is not None else []
        digest.update(json.dumps(fields).encode("ascii") + b"\n")
    assert corpus.digest == digest.hexdigest()
