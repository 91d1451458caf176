"""Every metric scores the rows of several requests in one run as it scores each request alone."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.engine.models import loading
from nlgauge.serve.batch import Job, evaluate
from tests.contracts.test_metrics import EXAMPLES
from tests.contracts.test_sets import EXAMPLES as SETS
from tests.extras import lacking
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")

SPECS = [examples[0].spec for examples in EXAMPLES.values() if not examples[0].torch]
SPECS += [specs[0] for specs in SETS.values()]
SPECS += ["BERTScore(idf='references')", "InfoLM(measure='kl', idf='references', stride=4)"]


@pytest.mark.parametrize("spec", SPECS)
def test_jobs_together_are_as_each_alone(spec: str) -> None:
    metric = registry.metric(spec, model="pocket")
    if (extra := lacking(metric.libraries)) is not None:
        pytest.skip(f"needs nlgauge[{extra}]")
    jobs = [Job(rows(seed, seed), {str(metric): metric}, {}) for seed in (1, 3, 2)]
    models = {"pocket": loading.load("pocket")}
    for some in [jobs] if jobs[0].shares_with(jobs[1]) else [[job] for job in jobs]:
        evaluate(some, models)
    for job in jobs:
        assert job.error is None and job.table is not None
        alone = nlgauge.evaluate(job.corpus, metrics=[metric], cache=False)
        (mine, wanted) = (job.table.columns[str(metric)], alone.columns[str(metric)])
        np.testing.assert_allclose(mine.values, wanted.values, rtol=1e-3, atol=1e-4)
        assert mine.reasons == wanted.reasons
        assert job.table.signatures == alone.signatures
        assert job.table.run["notes"] == alone.run["notes"]
