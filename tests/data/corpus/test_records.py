"""Records that are no rows are refused in one line, whatever they hold; what is larger than rows are is refused too."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.row import LONGEST_TEXT, MOST_COLUMNS, MOST_REFERENCES
from nlgauge.errors import InputError


def refused(records: Any, *parts: str) -> None:
    """What from_records says of some records, in one line."""
    with pytest.raises(InputError) as caught:
        Corpus.from_records(records)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
    for part in parts:
        assert part in str(caught.value)


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


class _Broken:
    def __repr__(self) -> str:
        raise KeyError("no text")


@pytest.mark.parametrize(
    "records", [None, 3, 0.5, True, object(), dict, datetime.date(2024, 2, 29), np.int64(3), np.array("a text")]
)
def test_what_is_no_list_of_records_is_refused(records: Any) -> None:
    refused(records, "the rows are ", "not a list of records")


@pytest.mark.parametrize("value", [10**5000, _deep(), _Broken()], ids=["digits", "deep", "no text of its own"])
def test_a_value_that_has_no_text_is_refused_all_the_same(value: Any) -> None:
    refused([value], "row 1: this is")
    refused([{"candidate": value}], "row 1: candidate is")
    refused([{"candidate": "a", "references": [value]}], "row 1: references, entry 1, is")


def test_a_label_of_thousands_of_digits_is_refused() -> None:
    refused(
        [{"candidate": "a"}, {"candidate": "a", "item": 10**5000}], "row 2: item is a number of thousands of digits"
    )
    refused([{"candidate": "a", 10**5000: "b"}], "row 1: the name of a column has no text")


def test_turns_are_one_text() -> None:
    half = "x" * (LONGEST_TEXT // 2)
    refused([{"candidate": "a", "context": [half, half]}], "row 1: context has 10,000,001 characters")


def test_a_row_has_so_many_references_at_most() -> None:
    texts = ["x"] * MOST_REFERENCES
    assert len(Corpus.from_records([{"candidate": "a", "references": texts}])[0].references) == MOST_REFERENCES
    refused([{"candidate": "a", "references": texts, "references.1": "y"}], "row 1: the row has 10,001 references")


def test_a_row_has_so_many_columns_at_most() -> None:
    wide = {"candidate": "a"} | {f"column {number}": None for number in range(MOST_COLUMNS - 1)}
    assert len(Corpus.from_records([wide])) == 1
    refused([{**wide, "one more": None}], "row 1: the row has 10,001 columns")


def test_a_rating_may_stand_in_a_column_of_any_name() -> None:
    columns = {"candidate": "answer", "scores.good": "label"}
    records = [{"answer": "a", "label": 1}, {"answer": "b", "label": None}]
    rated, unrated = Corpus.from_records(records, columns=columns)
    assert (dict(rated.scores), dict(unrated.scores), rated.extra) == ({"good": 1.0}, {}, {})
    with pytest.raises(InputError, match="'scores\\.good' is there, and mapped to another"):
        Corpus.from_records([{"answer": "a", "label": 1, "scores.good": 2}], columns=columns)
    with pytest.raises(InputError, match="row 1: the rating 'good' is str 'so so', not a finite number"):
        Corpus.from_records([{"answer": "a", "label": "so so"}], columns=columns)
    for field in ("scores.", "mood"):
        with pytest.raises(InputError, match="for a rating of that name"):
            Corpus.from_records(records, columns={**columns, field: "label"})


def test_words_of_ratings(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("candidate,scores.ok,scores.tone\na,Yes,rude\nb,FAIL,3\nc,n/a,4\nd,true,\ne,0,fine\n", "utf-8")
    rows = Corpus.read(path, labels={"rude": 1, "tone:Fine": 5, "ok:fine": 0, "tone:4": 2})
    assert [row.scores.get("ok") for row in rows] == [1, 0, None, 1, 0]
    assert [row.scores.get("tone") for row in rows] == [1, 3, 2, None, 5]
    with pytest.raises(InputError, match=r"row 1: the rating 'tone' is str 'rude'.* with --label WORD=NUMBER"):
        Corpus.read(path)
    with pytest.raises(InputError, match=r"'f' is rated by yes or no \(row 1\) and by numbers off 0 to 1 \(row 2\)"):
        Corpus.from_records([{"candidate": "a", "scores.f": True}, {"candidate": "b", "scores.f": 4}])


def test_a_file_of_scores_is_told_from_outputs(tmp_path: Path) -> None:
    nlgauge.evaluate(candidates=["a b"], metrics="Length", cache=False).save(tmp_path / "scores.jsonl")
    with pytest.raises(InputError, match=r"row 1: this is a file of scores, .*give the outputs that were scored"):
        Corpus.read(tmp_path / "scores.jsonl")


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        (("qid", "llm_output", "gold", "doc"), "--map candidate=llm_output --map references=gold --map item=qid"),
        (("Model Response", "passage"), "--map 'candidate=Model Response' --map source=passage"),
        (("gold_answer", "passage"), "--map candidate=COLUMN --map source=passage"),
        (("output_tokens", "answer_id"), "--map candidate=COLUMN"),
        (("first_answer", "second_answer"), "--map candidate=COLUMN"),
        (("answer", "llm_output"), "--map candidate=answer"),
    ],
)
def test_a_command_is_ready_where_one_column_alone_may_be_the_output(columns: tuple[str, ...], guess: str) -> None:
    with pytest.raises(InputError) as error:
        Corpus.from_records([dict.fromkeys(columns, "a text")])
    assert f"{guess}," in str(error.value) or f"{guess};" in str(error.value), error.value
