"""Runs in blocks: what makes no sense, and engines that are closed; tests/contracts/test_blocks.py has more."""

from __future__ import annotations

from contextlib import suppress

import pytest

import nlgauge
from nlgauge.engine.engine import Engine
from nlgauge.errors import InputError, SpecError
from nlgauge.run.sinks import RowCollector
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.mark.parametrize("options", [{"rows_per_block": 0}, {"rows_per_block": 2, "processes": 2}, {"ray": ""}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        nlgauge.evaluate(rows(5, 7), metrics="TokenF1", cache=False, **options)  # type: ignore[arg-type]


def test_engines_are_closed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Engine] = []
    monkeypatch.setattr(Engine, "close", lambda engine: closed.append(engine))
    for metrics in (["BERTScore"], ["BERTScore", "Consistency"]):  # the second one needs a source, and there is none
        with suppress(InputError):
            nlgauge.evaluate(rows(5, 3, source=False), metrics=metrics, cache=False)
        with suppress(InputError):
            nlgauge.evaluate(rows(5, 3, source=False), metrics=metrics, cache=False, rows_per_block=2)
    assert len(closed) == 4
    monkeypatch.setattr(RowCollector, "take", lambda *some: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nlgauge.explain(rows(5, 3), "BERTScore", cache=False)
    assert len(closed) == 5
