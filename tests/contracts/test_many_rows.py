"""Requests of many rows: what holds for one row holds for each of many, wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from nlgauge import ScoreTable, evaluate, registry
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.run.block import BLOCK_WEIGHT
from nlgauge.run.plan import Plan
from nlgauge.serve.answers import TooMuchWorkError
from nlgauge.serve.batch import Job
from nlgauge.serve.batch import evaluate as evaluate_jobs
from tests.contracts.test_metrics import CASES, extra_for, made

pytestmark = pytest.mark.usefixtures("one_model")

KINDS: dict[str, Row] = {
    "short": Row("Snow.", ("It snowed.",), "Snow fell all night.", "What is it like out?"),
    "long": Row(
        "The bridge was closed on Monday, and two hundred people walked home along the river in the rain.",
        ("Rain. The bridge is closed, so people walk.", "People walked home."),
        "The bridge was closed. " + "It rained on people by the river. " * 2,
        "Is the bridge open? I have to cross the river.",
    ),
    "empty": Row("", ("A cat sat.",), "A cat.", "A dog?"),
    "bare": Row("A hen laid an egg."),
    "many": Row("Old songs.", ("Songs.", "", "The songs are old ones, I think."), "Songs, old ones.", "Do you sing?"),
    "odd": Row("图书馆五月重新开放。 \U0001f642", ("图书馆开放。",), "图书馆", "?!"),
    "asked": Row("Yes, in May.", ("In May.",), "It opens in May.", "When?", question="When does the library open?"),
}
"""Rows that differ in kind"""

USABLE = [one for one in CASES if not (one.torch or extra_for(one) or made(one).uses_corpus)]
SPECS = list({made(one).name: one.spec for one in USABLE if made(one).reads and not one.published}.values())
"""An example of every metric with a model whose rows do not depend on each other; published ones share the code"""


def table_of(names: Sequence[str], **options: Any) -> ScoreTable:
    """The scores of some kinds of rows, all metrics in one run."""
    rows = tuple(replace(KINDS[name], item=str(place)) for place, name in enumerate(names))
    return evaluate(Corpus(rows), metrics=SPECS, **options)


@pytest.fixture(scope="module")
def straight(_loaded: Any) -> ScoreTable:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "load", _loaded)
        return table_of(list(KINDS))


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (list(KINDS)[::-1], {"batch_tokens": 1}),
        ([*list(KINDS)[3:], *list(KINDS)[:3]], {"batch_tokens": 100}),
        (["bare", "long", "bare", "empty", "short", "long", "odd"], {"rows_per_block": 2}),
        (["long"], {}),
        (["asked", "short"], {}),
        (["empty", "many"], {}),
    ],
    ids=["turned, one by one", "rotated, some", "again, in blocks", "alone", "first asked", "first empty"],
)
def test_a_rows_number_and_reason_do_not_depend_on_its_place_its_company_or_its_batch(
    straight: ScoreTable, names: list[str], options: dict[str, Any]
) -> None:
    found = table_of(names, **options)
    at = [list(KINDS).index(name) for name in names]
    for spec, column in found.columns.items():
        before = straight.columns[spec]
        np.testing.assert_allclose(column.values, before.values[at], rtol=1e-4, atol=2e-5, err_msg=spec)
        assert column.reasons == {n: before.reasons[place] for n, place in enumerate(at) if place in before.reasons}


@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("spec", ["InfoLM(stride=8)", "BERTScore", "Consistency(aligner='D')"])
def test_the_limit_of_work_is_of_all_rows_wherever_the_long_one_stands(spec: str, place: int) -> None:
    long = "The bridge was closed, and people walked home along the river. " * 3
    rows = [Row(f"Snow {n}.", (f"It snowed {n}.",), f"Snow fell, {n}.", "How?", item=str(n)) for n in range(6)]
    rows.insert(place, Row(long, (long[::-1],), long, "How?", item="long"))

    metric, models = registry.metric(spec), {"pocket": loading.load("pocket")}

    def refused(some: Sequence[Row], most_blocks: float) -> bool:
        job = Job(Corpus(tuple(some)), {str(metric): metric}, {})
        evaluate_jobs([job], models, most_blocks)
        assert job.error is None or isinstance(job.error, TooMuchWorkError)
        return job.error is not None

    short = [row for row in rows if row.item != "long"]
    limit = limit_of(short, spec)
    assert not refused(short, 1.01 * limit) and refused(short, 0.99 * limit)
    assert refused(rows, 1.01 * limit)


def limit_of(rows: Sequence[Row], spec: str) -> float:
    """How many blocks of work some rows are: the sum of the rows', which share no text."""
    metric = registry.metric(spec)
    engine = Engine(loading.load("pocket"))
    plans = [Plan(Corpus((row,)), {spec: metric}, engine) for row in rows]
    return sum(plan.scorer.weight(plan.corpus, [0]) for plan in plans) / BLOCK_WEIGHT
