"""A threshold of ratings: as a file, of rows of another mix, and held only to numbers that mean the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.wording import Band
from tests.by_hand import by_hand
from tests.ratings.hidden import SPEC, outputs


def test_a_threshold_of_the_same_scores() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    threshold = nlgauge.calibrate(table, corpus, risk=0.15).threshold()
    verdict = nlgauge.check(table, threshold=threshold)
    assert verdict.at_least == threshold.threshold and verdict.at_most is None and not verdict.passed
    assert len(verdict.failures) == 400 - round(400 * threshold.passing)
    promise = "of rows like those that it was made of and that pass, at most 15% are rated below 1 for good: 90% sure"
    assert verdict.notes == (f"{promise}, 200 rated rows",)
    loose = nlgauge.calibrate(table, corpus, risk=0.15).threshold("f1")
    assert nlgauge.check(table, threshold=loose).notes == (
        "the threshold was chosen by f1 on 200 rated rows: it promises nothing",
    )


def test_other_numbers_are_refused_and_other_rows_noted() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    threshold = nlgauge.calibrate(table, corpus, risk=0.15).threshold()
    other = replace(table, signatures={SPEC: Signature(SPEC, {"nlgauge": "1", "model": "other"})})
    with pytest.raises(InputError, match=r"the threshold's TokenF1 was computed otherwise: model is other, was absent"):
        nlgauge.check(other, threshold=threshold)
    with pytest.raises(InputError, match="the table has no TokenF1 f1, of which the threshold was made"):
        nlgauge.check(replace(table, columns={"CopyRate": table.columns[SPEC]}), threshold=threshold)
    column = table.columns[SPEC]
    moved = replace(table, columns={SPEC: replace(column, values=column.values - 1)})
    assert any(
        "so nothing is promised of them: for these rows" in note
        for note in nlgauge.check(moved, threshold=threshold).notes
    )
    low = replace(table, columns={SPEC: replace(column, values=np.full_like(column.values, -9))})
    assert len(nlgauge.check(low, threshold=threshold).failures) == 400
    with pytest.raises(SpecError, match="stands alone"):
        nlgauge.check(table, SPEC, threshold=threshold)


def test_a_threshold_of_one_precision_is_not_held_to_scores_of_another() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    exact = {"nlgauge": "1", "backend": "onnxruntime-1.32.0", "precision": "float32"}
    table = replace(table, signatures={SPEC: Signature(SPEC, exact)})
    threshold = nlgauge.calibrate(table, corpus, risk=0.15).threshold()
    nlgauge.check(table, threshold=threshold)
    other = replace(table, signatures={SPEC: Signature(SPEC, {**exact, "precision": "int8"})})
    with pytest.raises(InputError, match="computed otherwise: precision is int8, was float32"):
        nlgauge.check(other, threshold=threshold)
    with pytest.raises(InputError, match="computed otherwise: precision is int8, was float32"):
        nlgauge.check(other, SPEC, against=table)


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "int8", None])
def test_the_thresholds_of_a_model_say_where_scores_are_of_another_precision(precision: str | None) -> None:
    facts = {"grounded": [0.2, 0.8], "grounded_from": "measured", **({"precision": precision} if precision else {})}
    column = Column(("probability",), np.array([[0.1], [0.5], [0.9]]))
    signatures = {"Faithfulness": Signature("Faithfulness", facts)}
    table = ScoreTable([("s", str(n)) for n in range(3)], {"Faithfulness": column}, signatures)
    notes = [note for note in nlgauge.check(table, grounded=True).notes if "were measured in float32" in note]
    assert bool(notes) == (precision in ("bfloat16", "int8"))
    assert all(f"computed in {precision}, and the thresholds of the model" in note for note in notes)


@pytest.mark.parametrize(
    ("precision", "first", "second", "noted"),
    [
        ("int8", "int8", "int8", []),
        ("int8", "int8", None, ["the second model"]),
        ("int8", None, "int8", ["the model"]),
        ("int8", None, None, ["the model", "the second model"]),
        ("bfloat16", "int8", "bfloat16", ["the model"]),
        (None, "int8", None, ["the model"]),
        (None, None, None, []),
    ],
)
def test_thresholds_of_the_precision_of_the_scores_need_no_note(
    precision: str | None, first: str | None, second: str | None, noted: list[str]
) -> None:
    facts = {"unsure": [0.2, 0.8], "then_grounded": [0.3, 0.7], "precision": precision}
    facts |= {"grounded_in": first, "then_grounded_in": second}
    told = {name: fact for name, fact in facts.items() if fact is not None}
    column = Column(("probability", "decided"), np.array([[0.1, 1], [0.5, 2], [0.9, 1]]), details=("decided",))
    table = ScoreTable(
        [("s", str(n)) for n in range(3)], {"Faithfulness": column}, {"Faithfulness": Signature("Faithfulness", told)}
    )
    notes = [note for note in nlgauge.check(table, grounded=True).notes if "near a threshold" in note]
    assert [note.partition("thresholds of ")[2].partition(" and")[0] for note in notes] == noted


SCORES = tuple(np.linspace(0, 1, 200).tolist())
THRESHOLD = RatedThreshold(
    "M", "f1", "at_least", 0.6, "risk", 0.1, 0.9, 200, 0.4, "good", 1.0, "M|nlgauge:1", {"nlgauge": "1"}, SCORES
)


def test_a_threshold_is_read_as_it_was_written(tmp_path: Path) -> None:
    THRESHOLD.save(tmp_path / "threshold.json")
    assert RatedThreshold.load(tmp_path / "threshold.json") == THRESHOLD
    record = json.loads((tmp_path / "threshold.json").read_text(encoding="utf-8"))
    names = {"metric", "part", "direction", "threshold", "risk", "confidence", "n", "signature"}
    assert names <= record.keys() and record["signature"] == "M|nlgauge:1"


@pytest.mark.parametrize(
    "change", [{"direction": "up"}, {"threshold": None}, {"metric": 3}, {"facts": []}, {"more": 1}]
)
def test_what_is_no_threshold(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "threshold.json"
    THRESHOLD.save(path)
    by_hand(path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(InputError, match="is not a threshold"):
        RatedThreshold.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        RatedThreshold.load(tmp_path / "none.json")


def test_rows_of_another_mix() -> None:
    rng = np.random.default_rng(0)
    p, effective = THRESHOLD.mix(rng.random(500))
    assert p > 0.01 and 170 < effective <= 200
    p, effective = THRESHOLD.mix(0.2 * rng.random(500))
    assert p < 1e-6 and 30 < effective < 50  # a fifth of the rated rows is of this kind
    assert np.isnan(THRESHOLD.mix(np.array([np.nan]))).all()


def test_passing() -> None:
    assert THRESHOLD.passes(np.array([0.6, 0.59, np.nan])).tolist() == [1, 0, 0]


def test_what_a_threshold_does_not_judge_is_unread_and_counted_first(tmp_path: Path) -> None:
    table, corpus, _ = outputs(10, 4, systems=("a",))
    rows = [replace(row, candidate="plain words alone", source="plain words alone") for row in corpus]
    rows[3] = replace(rows[3], candidate="quite other wording")
    texts = nlgauge.Corpus(tuple(rows))
    made = replace(THRESHOLD, metric=SPEC, threshold=-9.0, facts={}, bands=(Band(0.0, 0.35, 0.5, 0.4),))
    made.save(tmp_path / "threshold.json")
    assert RatedThreshold.load(tmp_path / "threshold.json") == made
    verdict = nlgauge.check(table, threshold=made, outputs=texts)
    assert [one.state for one in verdict.outcomes] == ["passed"] * 3 + ["unread"] + ["passed"] * 6
    assert verdict.passed and verdict.headline == (
        "1 of 10 answers is not judged: in other words than the source. All 9 answers pass"
    )
    assert "1 of 10 answers are in other words than their source, and not judged" in verdict.notes[1]
    stopped = nlgauge.check(table, threshold=replace(made, threshold=9.0), outputs=texts)
    assert len(stopped.failures) == 9 and not stopped.passed
    with pytest.raises(InputError, match=r"judges no answers in quite other words .* the texts are missing"):
        nlgauge.check(table, threshold=made)
    alone = nlgauge.check(table, threshold=replace(made, bands=(Band(0.0, 1.0, 0.5, 0.4),)), outputs=texts)
    assert alone.nothing_checked and not alone.passed


def test_a_threshold_of_an_earlier_version_judges_every_row(tmp_path: Path) -> None:
    record = {name: value for name, value in vars(THRESHOLD).items() if name != "bands"}
    (tmp_path / "threshold.json").write_text(json.dumps(record), encoding="utf-8")
    assert RatedThreshold.load(tmp_path / "threshold.json") == THRESHOLD and THRESHOLD.bands is None


def test_a_sure_difference_makes_no_judged_row_of_an_unread_one() -> None:
    """The guarantee is of the rows that it was tested on."""
    source = "The library opens at nine on Mondays."
    corpus = nlgauge.Corpus.from_records([{"candidate": "Visitors enter from 10 o'clock on.", "source": source}])
    table = nlgauge.evaluate(corpus, metrics="Faithfulness", evidence=True)
    made = replace(THRESHOLD, metric="Faithfulness", part="probability", facts={}, bands=(Band(0.0, 0.8, 0.5, 0.4),))
    assert [one.state for one in nlgauge.check(table, threshold=made, outputs=corpus).outcomes] == ["unread"]
