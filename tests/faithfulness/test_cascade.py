"""A second model for the rows that the first cannot decide: who decides, what the verdict says, what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

import nlgauge
from nlgauge.engine import aligners
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, Floats, Ints
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.wording import Band
from tests.command import nlgauge as command
from tests.command import refused
from tests.engine.fake import FakeModel, Part

ROWS = [
    {"candidate": f"w1 w{number} w3", "source": "w1 w2 w3 w4" if number == 2 else source, "system": "a"}
    for number, source in [(2, ""), (5, "w1 w3 w4"), (6, "w7 w8"), (7, "w1 w3 w9")]
]
SPEC = "Faithfulness(then='second')"


class Sure(FakeModel):
    """Every text is supported with the log-odds 4."""

    name, digest = "second", "11" * 32
    asked = 0

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        type(self).asked += len(ids)
        return (*super().align(ids, attend, side)[:2], np.full(len(ids), 4, np.float32), np.zeros(len(ids), np.float32))


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, FakeModel]]:
    first = FakeModel(32, ModelCard(grounded=(0.6, 0.9)))
    second = Sure(32, ModelCard(grounded=(0.2, 0.8), origins={"grounded": "published"}))
    second.abilities[ALIGNER] = Part(second, "cd" * 32)
    Sure.asked = 0
    known = {"pocket": first, "second": second}
    monkeypatch.setattr(loading, "load", lambda name, *how: known[name])
    monkeypatch.setattr(loading, "_held", WeakValueDictionary())
    monkeypatch.setattr(loading, "_last", [])
    yield known


def table(spec: str = SPEC, **more: object) -> nlgauge.ScoreTable:
    return nlgauge.evaluate(ROWS, metrics=spec, cache=False, **more)  # type: ignore[arg-type]


def test_the_second_model_reads_only_what_the_first_cannot_decide() -> None:
    alone = table("Faithfulness").values("Faithfulness", part="probability")
    both = table()
    # Log-odds 3 less 1 for each unsupported word: one word away is .88, between the thresholds.
    unsure = (alone >= 0.6) & (alone < 0.9)
    assert unsure.tolist() == [False, True, False, True] and Sure.asked == 2
    found = both.values(SPEC, part="probability")
    assert found[~unsure].tolist() == alone[~unsure].tolist()
    assert found[unsure] == pytest.approx(1 / (1 + np.exp(-4)))
    assert both.values(SPEC, part="decided").tolist() == [1, 2, 1, 2]
    assert both.values(SPEC, part="score").tolist() == table("Faithfulness").values("Faithfulness", "score").tolist()


def test_the_verdict_says_who_decided_and_by_which_thresholds() -> None:
    verdict = nlgauge.check(table(evidence=True), grounded=True)
    assert [one.state for one in verdict.outcomes] == ["passed", "passed", "failed", "passed"]
    assert [one.decided_by for one in verdict.outcomes] == ["fake", "second", "fake", "second"]
    assert verdict.outcomes[2].problem is not None and verdict.outcomes[2].problem.endswith("(decided by fake)")
    assert "second read 2 of 4 rows (50%), which the first model cannot decide" in verdict.notes
    assert [row["decided_by"] for row in verdict.record["rows"]] == ["fake", "second", "fake", "second"]


def test_its_numbers_are_calibrated_as_one(tmp_path: Path) -> None:
    rated = ({**row, "item": str(n), "scores": {"right": float(n % 4 != 2)}} for n, row in enumerate(ROWS * 40))
    rows = nlgauge.Corpus.from_records(list(rated))
    scored = nlgauge.evaluate(rows, metrics=SPEC, cache=False)
    found = nlgauge.calibrate(scored, rows, metric=f"{SPEC} probability", risk=0.5)
    made = found.threshold()
    assert (made.metric, made.part) == (SPEC, "probability")
    assert nlgauge.check(scored, threshold=made).outcomes[1].decided_by == "second"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("Faithfulness(then='')", "then='' is not a model's name"),
        ("Consistency(aligner='D', then='second')", "no parameter 'then' any more: Faithfulness has it"),
        ("Consistency(aligner='D', unsure=(0.2, 0.8))", "no parameter 'unsure' any more: Faithfulness has it"),
        ("Faithfulness(unsure=(0.2, 0.8))", "unsure is for a second model"),
        ("Faithfulness(then='second', unsure=(0.8, 0.2))", "not two probabilities in ascending order"),
    ],
)
def test_what_makes_no_sense_is_refused(spec: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        table(spec)


def test_thresholds_have_to_be_known(models: dict[str, FakeModel]) -> None:
    models["pocket"].card = ModelCard()
    with pytest.raises(SpecError, match="has no measured thresholds; say where it is unsure"):
        table()
    models["pocket"].card = ModelCard(grounded=(0.5, 0.5))
    with pytest.raises(SpecError, match="decides every row"):
        table()
    models["second"].card = ModelCard()
    one = table("Faithfulness(then='second', unsure=(0.6, 0.9))")
    with pytest.raises(InputError, match=r"the second model of .* has no measured thresholds"):
        nlgauge.check(one, grounded=True)


def test_what_the_first_cannot_read_goes_to_the_second(
    models: dict[str, FakeModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    models["pocket"].card = replace(models["pocket"].card, languages=("en",))
    monkeypatch.setattr(aligners, "foreign", lambda text: "German" if "w5" in text else None)
    rows = [{"candidate": "w1 w5", "source": "w1 w2"}, {"candidate": "w1", "source": None}]
    found = nlgauge.evaluate(rows, metrics=SPEC, cache=False)
    column = found.columns[SPEC]
    assert column.values[0, column.parts.index("decided")] == 2 and np.isnan(column.values[0, 1])
    assert "German" in column.reasons[0]
    assert np.isnan(column.values[1]).all() and column.reasons[1] == "no source"


def test_the_first_model_decides_from_the_upper_probability_on_and_not_at_the_lower_one() -> None:
    alone = table("Faithfulness").values("Faithfulness").tolist()
    for unsure, decided in (((alone[1], 0.999), 2), ((0.001, alone[1]), 1)):
        spec = f"Faithfulness(then='second', unsure=({unsure[0]!r}, {unsure[1]!r}))"
        assert table(spec).values(spec, part="decided")[1] == decided


def test_what_neither_model_can_read_has_the_reason_of_the_second(
    models: dict[str, FakeModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    models["second"].card = replace(models["second"].card, languages=("en",))
    monkeypatch.setattr(aligners, "foreign", lambda text: "German" if "w5" in text else None)
    found = table().columns[SPEC]
    assert np.isnan(found.values[1, [0, found.parts.index("decided")]]).all() and "German" in found.reasons[1]
    assert found.values[1, 1] == table("Faithfulness").values("Faithfulness", part="score")[1]


def test_the_evidence_is_of_the_model_that_decided() -> None:
    evidence = table(evidence=True).columns[SPEC].evidence
    supported = [evidence[row]["texts"][0]["stretches"][0]["supported"] for row in range(4)]
    assert supported == pytest.approx(table().values(SPEC).tolist())


def test_the_command_names_who_decided(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    done = command("check", file, "--grounded", "--no-cache", "--then", "second")
    assert done.exit_code == 1 and "(decided by fake)" in done.stdout and "second read 2 of 4 rows" in done.stderr
    refused("score", file, "-m", "Length", "--no-cache", "--then", "second", say="--then is for Faithfulness")


def test_the_second_reads_what_is_in_other_words_but_for_what_is_found_exactly(models: dict[str, FakeModel]) -> None:
    # Row 1 shares one of three words, row 3 two, row 2 none; below a half the first cannot read.
    bands = (Band(0.0, 0.5, 0.6, 0.5), Band(0.5, 1.0, 0.9, 0.8))
    models["pocket"].card = replace(models["pocket"].card, bands=bands, languages=("en",))
    both = table("Faithfulness(then='second', unsure=(0.999, 0.9991))")
    wording = both.values(both.metrics[0], part="wording")
    assert wording.tolist() == pytest.approx([1.0, 2 / 3, 0.0, 2 / 3])
    assert both.values(both.metrics[0], part="decided").tolist() == [1, 1, 2, 1]
    models["pocket"].card = replace(models["pocket"].card, bands=(Band(0.0, 0.9, 0.6, 0.5),))
    rows = [{"candidate": f"w1 w2 w3 {number} km.", "source": "w1 w2 w3 6 km"} for number in ("5", "w9")]
    found = nlgauge.evaluate(
        rows, metrics="Faithfulness(then='second', unsure=(0.999, 0.9991))", evidence=True, cache=False
    )
    sure = [
        any(one.get("sure") for one in evidence["texts"][0].get("reasons", []))
        for evidence in found.columns[found.metrics[0]].evidence.values()
    ]
    assert sure == [True, False] and found.values(found.metrics[0], part="decided").tolist() == [1, 2]
