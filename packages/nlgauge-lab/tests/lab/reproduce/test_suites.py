"""What the results page measures fits the published tables."""

from __future__ import annotations

import pytest

from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS
from nlgauge.stats.resampling import RESAMPLED
from nlgauge_lab.reproduce.published import best
from nlgauge_lab.reproduce.rated import VIEWS
from nlgauge_lab.reproduce.specs import metric_of
from nlgauge_lab.reproduce.suites import SUITES, Suite


@pytest.mark.parametrize("suite", [pytest.param(suite, id=suite.name) for suite in SUITES])
def test_a_suite_fits_together(suite: Suite) -> None:
    assert suite.view in VIEWS
    assert suite.resample in RESAMPLED
    specs = [spec for group in suite.groups for spec in group.metrics]
    assert len(set(specs)) == len(specs)
    for level, coefficient in suite.measured:
        assert level in LEVELS
        assert coefficient in COEFFICIENTS
    for spec in specs:
        metric_of(spec, None, suite.defaults)


def test_every_data_set_of_the_page_has_a_published_number_beside_it() -> None:
    names = {
        "summeval",
        "realsumm_abs",
        "realsumm_ext",
        "webnlg2020",
        "usr_personachat",
        "usr_topicalchat",
        "yelp_style",
    }
    assert {suite.name for suite in SUITES} == {*names, "asset"}
    for suite in SUITES:
        found = [
            best(suite.sources[0].file, aspect, level, coefficient)
            for level, coefficient in suite.measured
            for aspect in suite.aspects
        ]
        assert any(found), suite.name
