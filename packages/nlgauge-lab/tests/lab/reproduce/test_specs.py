"""Specs of tables and suites as metrics."""

from __future__ import annotations

import pytest

from nlgauge import SpecError
from nlgauge_lab.reproduce.specs import metric_of, names_of, refusal


def test_defaults_are_for_metrics_that_have_them_and_leave_them_open() -> None:
    shared = {"references": "mean"}
    assert str(metric_of("InfoLM(measure='l1')", None, shared)) == "InfoLM(references='mean', measure='l1')"
    assert str(metric_of("ROUGE(references='sum')", None, shared)) == "ROUGE(references='sum')"
    assert str(metric_of("MarkEvaluate", None, shared)) == "MarkEvaluate"


def test_the_model_is_for_metrics_that_name_none() -> None:
    assert str(metric_of("InfoLM", "other", {})) == "InfoLM(model='other')"
    assert "other" not in str(metric_of("InfoLM(model='pocket')", "other", {}))
    assert str(metric_of("Length", "other", {})) == "Length"


def test_a_metric_is_meant_by_class_name_or_spec() -> None:
    spec = "published/Consistency(layer=9)"
    names = names_of(spec, metric_of(spec, None, {}))
    assert names == {"Consistency", "published/Consistency", spec}


def test_a_refusal_leaves_out_the_list() -> None:
    with pytest.raises(SpecError) as caught:
        metric_of("Tomorrow", None, {})
    assert "; there are " in str(caught.value) and refusal(caught.value) == "no metric 'Tomorrow'"
