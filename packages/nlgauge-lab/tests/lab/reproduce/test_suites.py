"""What the results page measures fits the published tables."""

from __future__ import annotations

from nlgauge_lab.reproduce.published import best
from nlgauge_lab.reproduce.suites import SUITES


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
