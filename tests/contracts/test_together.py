"""Every metric scores the rows of several runs together as it scores each run alone."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.metrics import registry
from nlgauge.run.executors.together import JointRun, score_together
from tests.contracts.test_metrics import EXAMPLES
from tests.contracts.test_sets import EXAMPLES as SETS
from tests.extras import lacking
from tests.run.executors.test_together import rows

pytestmark = pytest.mark.usefixtures("one_model")

SPECS = [examples[0].spec for examples in EXAMPLES.values() if not examples[0].torch]
SPECS += [specs[0] for specs in SETS.values()]
SPECS += ["BERTScore(idf='references')", "InfoLM(measure='kl', idf='references', stride=4)"]


@pytest.mark.parametrize("spec", SPECS)
def test_runs_together_are_as_each_alone(spec: str) -> None:
    metric = registry.metric(spec, model="pocket")
    if (extra := lacking(metric.libraries)) is not None:
        pytest.skip(f"needs nlgauge[{extra}]")
    runs = [JointRun(rows(seed, seed), {str(metric): metric}, {}) for seed in (1, 3, 2)]
    score_together(runs, {"pocket": Engine(loading.load("pocket"))})
    for run in runs:
        assert run.error is None and run.table is not None
        alone = nlgauge.evaluate(run.corpus, metrics=[metric], cache=False)
        (mine, wanted) = (run.table.columns[str(metric)], alone.columns[str(metric)])
        np.testing.assert_allclose(mine.values, wanted.values, rtol=1e-3, atol=1e-4)
        assert mine.reasons == wanted.reasons
        assert run.table.signatures == alone.signatures
        assert run.table.run["notes"] == alone.run["notes"]
