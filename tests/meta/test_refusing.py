"""Ratings that cannot give a valid interval are refused, with what to do."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import nlgauge
from nlgauge import Corpus, InputError
from tests.meta.hidden import SPEC, outputs


def test_what_is_refused() -> None:
    table, corpus, truth = outputs(200, 19)
    with pytest.raises(InputError, match="a, good: 19 rows are rated, and at least 20 are needed: rate more"):
        nlgauge.estimate(table, corpus)
    lowest = sorted(truth, key=lambda key: table.values(SPEC)[table.rows.index(key)])[:160]
    with pytest.raises(InputError, match="were not drawn at random: give the key of nlgauge sample"):
        nlgauge.estimate(table, {key: truth[key] for key in lowest})
    table, corpus, _ = outputs()
    rated = {(row.system, row.item): 4.0 for row in corpus if row.scores}
    with pytest.raises(InputError, match="all 80 ratings are 4, which does not say how often others occur"):
        nlgauge.estimate(table, rated)
    rated[next(iter(rated))] = math.inf
    assert "a rating is infinite" in str(nlgauge.estimate(table, rated | _some(truth, "b"))[0].reason)
    clustered = Corpus(tuple(replace(row, extra={"doc": row.item[-1]}) for row in corpus))
    with pytest.raises(InputError, match="of 10 clusters, and at least 20 are needed"):
        nlgauge.estimate(table, clustered, cluster="doc")
    with pytest.raises(InputError, match="between 0 and 1"):
        nlgauge.estimate(table, corpus, confidence=95)
    with pytest.raises(InputError, match="nothing is rated for 'bad'"):
        nlgauge.estimate(table, corpus, aspects=["bad"])


def _some(truth: dict[tuple[str, str], float], system: str) -> dict[tuple[str, str], float]:
    """The ratings of every second row of a system."""
    return {key: value for key, value in truth.items() if key[0] == system and int(key[1][1:]) % 2}


def test_several_metrics_need_more_clusters_than_one() -> None:
    table, corpus, _ = outputs(400, 200, docs=29)
    two = replace(table, columns={**table.columns, "Other": replace(table.columns["TokenF1"])})
    found = nlgauge.estimate(two, corpus, cluster="doc")
    assert [one.reason is None for one in found] == [True] * 6 + [False] * 3
    assert found[6].reason == (
        "a, good: 29 clusters hold ratings, and at least 30 are needed where several metrics are fitted to ratings: "
        "take one metric, or rate more, drawn by nlgauge sample, of other clusters"
    )
    assert nlgauge.estimate(two, corpus, cluster="item")[6].reason is None
    few = nlgauge.estimate(*_two_metrics(29))[6]
    assert few.reason is not None and "29 rows are rated, and at least 30 are needed where" in few.reason


def _two_metrics(n: int) -> tuple[nlgauge.ScoreTable, Corpus]:
    table, corpus, _ = outputs(200, n)
    return replace(table, columns={**table.columns, "Other": replace(table.columns["TokenF1"])}), corpus
