"""The temperature of a masked LM in a language: found again, written, and taken by InfoLM."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge.engine.models.capabilities import MASKED_LM
from nlgauge.engine.models.loading import load, pocket_folder
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.training import temperature as measured
from tests.command import nlgauge as command

TEXT = [
    "The library opens at nine on Saturdays, and old books are sold there in June.",
    "Two trains were late on Monday because rain had fallen for a week.",
    "Nobody was hurt in the storm, but the bridge over the river was closed.",
]


class Sharper:
    """A masked LM whose logits are so many times as large."""

    def __init__(self, network, times):
        self.network, self.times = network, times

    def masked_logits(self, ids, attend, at):
        return self.network.masked_logits(ids, attend, at) * self.times


def test_a_network_that_is_twice_as_sure_needs_twice_the_temperature():
    model = load("pocket")
    plain = measured.calibrated(TEXT, model)
    sharper = replace(model, abilities={**model.abilities, MASKED_LM: Sharper(model[MASKED_LM], 2.0)})
    found = measured.calibrated(TEXT, sharper)
    assert found.temperature == pytest.approx(2 * plain.temperature, rel=0.02)
    assert found.best == pytest.approx(plain.best, abs=1e-6) and found.best <= plain.plain and found.tokens > 5
    with pytest.raises(InputError, match="no text has 4 sub-words"):
        measured.calibrated(["a"], model)


def test_it_is_written_for_each_language_and_taken_by_infolm(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(pocket_folder(), folder)
    for language in ("en", "de"):
        (tmp_path / f"{language}.txt").write_text("\n".join(TEXT[: 2 + (language == "en")]) + "\n", encoding="utf-8")
    model = load(str(folder))
    found = measured.measure([tmp_path / "en.txt"], model)
    measured.write(model, found)
    result = command("train", "temperature", "--texts", tmp_path / "de.txt", "--model", folder, "--write")
    assert result.exit_code == 0 and result.stdout.splitlines()[1].startswith("de "), result.output
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert list(card["temperatures"]) == ["en", "de"] and card["temperatures"]["en"] == found["en"].temperature
    rows = [{"candidate": TEXT[0], "references": [TEXT[1]]}]
    one, other = (
        nlgauge.evaluate(rows, metrics=spec, model=str(folder), cache=False).columns
        for spec in ("InfoLM(language='en')", f"InfoLM(temperature={found['en'].temperature})")
    )
    assert np.array_equal(next(iter(one.values())).values, next(iter(other.values())).values)
    with pytest.raises(SpecError, match="no temperature for the language 'fr': it has en, de"):
        nlgauge.evaluate(rows, metrics="InfoLM(language='fr')", model=str(folder), cache=False)
    with pytest.raises(SpecError, match="leave one of the two out"):
        nlgauge.evaluate(rows, metrics="InfoLM(language='fr', temperature=2)", cache=False)
