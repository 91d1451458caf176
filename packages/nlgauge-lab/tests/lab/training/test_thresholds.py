"""The thresholds of `check --grounded`: chosen by sets, whatever their sizes, and written where the gate finds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, SpecError, evaluate
from nlgauge.engine.models.card import read_card
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.gate import check
from nlgauge_lab.reproduce.markdown import region
from nlgauge_lab.training.thresholds import (
    Judged,
    Measured,
    Thresholds,
    bands,
    by_finding,
    by_kind,
    rates,
    right_answers,
    strict,
    thresholds,
    write,
)
from nlgauge_lab.training.thresholds_page import REGION, card_tables
from tests.command import nlgauge


def card_facts(model: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((model / "card.json").read_text(encoding="utf-8"))
    return facts


def judged(unsupported: list[float], supported: list[float], least: list[float] | None = None) -> Judged:
    truth = [False] * len(unsupported) + [True] * len(supported)
    chances = np.array(unsupported + supported)
    return Judged(chances, np.array(truth), chances if least is None else np.array(least))


def test_both_thresholds_lie_around_the_one_that_parts_the_two_kinds() -> None:
    rng = np.random.default_rng(0)
    low, high = rng.beta(2, 5, 2000), rng.beta(5, 2, 2000)
    found = thresholds([judged(low.tolist(), high.tolist())])
    assert found.fail_below < 0.5 < found.pass_from
    both = np.concatenate([low, high])
    assert np.mean((both >= found.fail_below) & (both < found.pass_from)) == pytest.approx(0.1, abs=0.03)


def test_sets_of_one_kind_choose_nothing() -> None:
    with pytest.raises(InputError, match="no set has both"):
        thresholds([judged([0.1, 0.2], [])])


def test_the_command_writes_what_the_gate_reads(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for path in pocket_folder().iterdir():
        (model / path.name).symlink_to(path)
    card = json.loads((model / "card.json").read_text(encoding="utf-8"))
    card.pop("grounded", None)
    (model / "card.json").unlink()
    (model / "card.json").write_text(json.dumps(card), encoding="utf-8")
    threshold = read_card(model).aligner_threshold
    source = "The ferry leaves at nine and costs four crowns."
    rows = [(source, True), ("The ferry costs ninety crowns and sank.", False)]
    lines = [json.dumps({"source": source, "candidate": text, "supported": kind}) for text, kind in rows]
    (tmp_path / "scifact.dev.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")

    table = evaluate([{"candidate": source, "source": source}], metrics="Faithfulness", model=str(model))
    with pytest.raises(InputError, match="has no measured thresholds"):
        check(table, grounded=True)
    run = ("train", "thresholds", "--limit", 6, "--labelled", tmp_path, "--model", model, "--write", "--no-cache")
    done = nlgauge(*run)
    assert done.exit_code == 0, done.output
    card = read_card(model)
    assert card.grounded is not None
    written = json.loads((model / "card.json").read_text(encoding="utf-8"))["grounded"]
    assert card.aligner_threshold == written["mark_below"] != threshold
    table = evaluate([{"candidate": source, "source": source}], metrics="Faithfulness", model=str(model))
    verdict = check(table, grounded=True)
    assert verdict.passed and verdict.part == "probability"

    # In another precision they stand beside those of float32, and belong to scores of this precision alone.
    assert nlgauge(*run, "--precision", "int8").exit_code == 0
    both = json.loads((model / "card.json").read_text(encoding="utf-8"))["grounded"]
    assert both.pop("by_precision").keys() == {"int8"} and both == written
    others = {**written, "by_precision": {"int8": {**written, "fail_below": 0.01, "mark_below": 0.02}}}
    (model / "card.json").write_text(json.dumps({**card_facts(model), "grounded": others}), encoding="utf-8")
    assert read_card(model).grounded == card.grounded and read_card(model, "bfloat16").grounded == card.grounded
    assert read_card(model, "int8").grounded == (0.01, written["pass_from"])
    assert read_card(model, "int8").aligner_threshold == 0.02
    table = evaluate(
        [{"candidate": source, "source": source}], metrics="Faithfulness", model=str(model), precision="int8"
    )
    assert check(table, grounded=True).at_least == min(0.01, written["strict"])
    assert not any("precision" in note or "int8" in note for note in check(table, grounded=True).notes)

    # New thresholds in float32 take the place of all.
    assert nlgauge(*run).exit_code == 0
    assert card_facts(model)["grounded"] == written


def test_a_card_without_thresholds_in_float32_takes_none_of_another_precision(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for path in pocket_folder().iterdir():
        if path.name != "card.json":
            (model / path.name).symlink_to(path)
    nothing = Measured(Thresholds(0.1, 0.2, 0.3), {}, {}, {}, {}, 0.05, {}, {})
    with pytest.raises(SpecError, match="run the command with --precision float32 first"):
        write(str(model), nothing, "int8")
    assert not (model / "card.json").exists()


def test_hits_are_counted_by_kind_and_findings_by_label() -> None:
    judged = Judged(
        np.array([0.1, 0.9, 0.5, 0.2, 0.9, np.nan]),
        np.array([False, False, False, True, True, True]),
        np.zeros(6),
        kinds=["number", "number", "name", "", "", ""],
    )
    chosen = Thresholds(0.4, 0.6, 0.5)
    assert by_kind(judged, chosen, least=2) == {"number": {"rows": 2, "hits": 0.5, "unsure": 0.0}}
    assert by_kind(judged, chosen, least=1)["name"] == {"rows": 1, "hits": 0.0, "unsure": 1.0}
    said = by_finding(judged, below=0.3, doubted_below=0.6)
    assert said["doubtful"] == {"supported": 0.0, "unsupported": 0.3333}
    assert said["no claim"] == {"supported": 0.3333, "unsupported": 0.0}


def test_the_page_has_the_tables_of_the_cards() -> None:
    pytest.importorskip("nlgauge_base")
    page = Path(__file__).parents[5] / "docs" / "check-evidence.md"
    assert (region(page.read_text(encoding="utf-8"), REGION) or "").splitlines() == card_tables()


def test_few_right_texts_lie_below_the_strict_threshold_of_any_set() -> None:
    right = np.linspace(0.005, 0.995, 100)
    first = Judged(np.concatenate([right, [0.1]]), np.array([True] * 100 + [False]), np.zeros(101))
    assert strict([first]) == 0.03, "3 % in the mean of the sets"
    second = Judged(right * 0.9 + 0.1, np.ones(100, bool), np.zeros(100))
    assert strict([first, second]) == 0.05, "5 % of a set, and 2.5 % in the mean"


def test_right_texts_are_counted_by_kind_and_a_sure_difference_fails() -> None:
    chances = np.array([0.05] * 5 + [0.3] * 15 + [0.9] * 80)
    reason = {"said": "9 pm: the source has 9 am", "sure": True}
    evidence = {5: {"texts": [{"name": "candidate", "reasons": [reason]}]}}
    judged = Judged(chances, np.ones(100, bool), np.zeros(100), evidence=evidence, asked=np.ones(100, bool))
    (kind, answers), *others = right_answers([judged], below=0.1, doubted_below=0.4).items()
    assert kind == "answers" and not others
    # Wilson's intervals of 6 and of 20 of 100.
    assert answers == pytest.approx((0.1248, 0.1334, 0.2888), abs=1e-3)


def by_wording(area: float, rows: int, wording: float, seed: int) -> Judged:
    """Rows of one wording, right and wrong by turns, with some area."""
    rng = np.random.default_rng(seed)
    right = np.arange(rows) % 2 == 0
    chances = np.where(rng.random(rows) < 2 * area - 1, 0.2 + 0.6 * right, 0.5) + rng.normal(0, 0.01, rows)
    return Judged(chances, right, np.zeros(rows), wording=np.full(rows, wording))


def test_the_area_of_a_band_is_the_mean_over_the_sets_and_its_limit_that_of_their_mean() -> None:
    first, second, few = by_wording(0.9, 400, 0.1, 0), by_wording(0.6, 60, 0.1, 1), by_wording(0.5, 20, 0.1, 2)
    apart = by_wording(0.97, 200, 0.9, 3)
    found = bands([first, second, few, apart])
    assert [(one.begin, one.end) for one in found] == [(0.0, 0.2), (0.8, 1.0)] and list(found.values()) == [460, 200]
    areas = []
    for one in (first, second):
        right, wrong = one.probability[one.supported], one.probability[~one.supported]
        areas.append(np.mean(right[:, None] > wrong))
    low = next(iter(found))
    assert low.area == pytest.approx(np.mean(areas), abs=1e-4)
    alone = [next(iter(bands([one]))) for one in (first, second)]
    error = np.hypot(*(one.area - one.low for one in alone)) / 2
    assert low.low == pytest.approx(low.area - error, abs=1e-3) and min(one.low for one in alone) < low.low


def test_a_band_that_seems_to_be_read_worse_than_one_with_less_of_the_wording_is_measured_with_it() -> None:
    (pooled,) = bands([by_wording(0.9, 400, 0.1, 0), by_wording(0.55, 200, 0.9, 3)])
    assert (pooled.begin, pooled.end) == (0.0, 1.0)


def test_texts_in_other_words_are_not_judged_but_for_what_is_sure() -> None:
    chances, right = np.array([0.05, 0.05, 0.9, 0.05]), np.array([False, True, True, False])
    reason = {"said": "9 pm: the source has 9 am", "sure": True}
    evidence = {3: {"texts": [{"name": "candidate", "text": "9 pm", "reasons": [reason]}]}}
    some = Judged(chances, right, np.zeros(4), evidence, wording=np.array([0.1, 0.1, 0.9, 0.1]))
    assert not some.unread.any(), "the bands are not known"
    some = some._replace(bands=tuple(bands([by_wording(0.55, 200, 0.1, 0)])))
    assert some.unread.tolist() == [True, True, False, False]
    told = rates(some, Thresholds(0.4, 0.6, 0.5))
    assert (told["hits"], told["false_alarms"], told["unread"], told["unsure"]) == (0.5, 0.0, 0.5, 0.5)
    assert by_finding(some, 0.1, 0.4)["other words"] == {"supported": 0.5, "unsupported": 0.5}
    assert strict([some]) == 0.9, "of the right texts that are read"
