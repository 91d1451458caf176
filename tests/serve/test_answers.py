"""Whatever is sent, the answer is a score, a null with its reason, or a documented error; never a 500."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlgauge.metrics import registry
from nlgauge.metrics.base import model_of
from nlgauge.metrics.sets import SetMetric
from nlgauge.serve.answers import DOCUMENTED
from nlgauge.serve.asking import Limits
from tests.extras import lacking

pytestmark = pytest.mark.usefixtures("one_model")

ROUTES = ("/score", "/explain", "/check")
HASTY = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ODD = st.text(
    alphabet=st.one_of(
        st.characters(), st.sampled_from("\x00\x01\n\r\t\u2028\ufeff\u202e\u200b\u0301\ud800=+-@|<>&\"'\\")
    ),
    max_size=40,
)
ROW = st.fixed_dictionaries(
    {"candidate": ODD},
    optional={
        "references": st.one_of(ODD, st.lists(ODD, max_size=3)),
        "source": ODD,
        "context": st.one_of(ODD, st.lists(ODD, max_size=2)),
        "system": st.sampled_from(["a", "b", "\ud800", ""]),
        "item": st.one_of(st.integers(), ODD),
        "scores": JSON,
        "other": JSON,
    },
)
NAMES = sorted(name for name, kind in registry.built_in_metrics().items())
VALUES = st.sampled_from(
    [
        "'a'",
        "1",
        "-1",
        "1e9",
        "1e-9",
        "True",
        "None",
        "0.5",
        "'/etc/passwd'",
        "'base'",
        "()",
        "[1]",
        "'D'",
        "'none'",
        "b''",
    ]
)
PARAMETERS = sorted({name for kind in registry.built_in_metrics().values() for name in registry.parameters_of(kind)})
SPEC = st.one_of(
    st.sampled_from([*NAMES, "TokenF1", "Length", "BERTScore"]),
    st.builds("{}({}={})".format, st.sampled_from(NAMES), st.sampled_from(PARAMETERS), VALUES),
    ODD,
)
CHEAP = st.sampled_from(["TokenF1", "Length", "CopyRate", "BERTScore", "Consistency(aligner='D')"])


@pytest.fixture(scope="module")
def small(serving: Callable[..., AbstractContextManager[Any]]) -> Iterator[Any]:
    with serving(Limits(work=0.05)) as one:
        yield one


def documented(answer: Any) -> None:
    """A score, or an error of one line with a status that the service documents."""
    record = json.loads(answer.content)
    if answer.status_code == 200:
        values = [one for one in record.get("scores", []) if one["value"] is None]
        shown = [] if "scores" in record else record["rows"]
        values += [row for row in shown if None in (row.get("value", 0), *row.get("values", {}).values())]
        assert all(one.get("reason") or one.get("problem") for one in values)
        return
    assert answer.status_code in DOCUMENTED, record
    assert answer.status_code != 500, record
    assert record["error"] and "\n" not in record["error"]


def sent(client: Any, route: str, body: Any) -> Any:
    content = json.dumps(body).encode()
    return client.post(route, content=content, headers={"content-type": "application/json"})


@given(
    route=st.sampled_from(ROUTES), content=st.binary(max_size=200), kind=st.sampled_from(["application/json", "a/b"])
)
@HASTY
def test_any_bytes(small: Any, route: str, content: bytes, kind: str) -> None:
    documented(small.post(route, content=content, headers={"content-type": kind}))


@given(route=st.sampled_from(ROUTES), body=JSON)
@HASTY
def test_any_json(small: Any, route: str, body: Any) -> None:
    documented(sent(small, route, body))


@given(
    route=st.sampled_from(ROUTES),
    body=st.fixed_dictionaries(
        {"rows": st.one_of(st.lists(ROW, max_size=4), JSON)},
        optional={
            "metrics": st.one_of(st.lists(CHEAP, max_size=3), JSON),
            "metric": st.one_of(CHEAP, JSON),
            "at_least": JSON,
            "at_most": JSON,
            "part": st.one_of(st.sampled_from(["f1", "score"]), JSON),
            "evidence": JSON,
            "allow_missing": JSON,
        },
    ),
)
@HASTY
def test_any_rows_and_fields(small: Any, route: str, body: Any) -> None:
    documented(sent(small, route, body))


@given(specs=st.lists(SPEC, min_size=1, max_size=2))
@HASTY
def test_any_spec(small: Any, specs: list[str]) -> None:
    documented(sent(small, "/score", {"rows": [{"candidate": "Rain.", "references": ["It rains."]}], "metrics": specs}))


@given(
    rows=st.lists(ROW.filter(lambda row: "\ud800" not in json.dumps(row, ensure_ascii=False)), min_size=1, max_size=3)
)
@settings(HASTY, max_examples=60)
def test_rows_without_half_characters_are_scored_or_refused_by_what_is_wrong(small: Any, rows: list[Any]) -> None:
    answer = sent(small, "/score", {"rows": rows, "metrics": ["Length", "TokenF1"]})
    documented(answer)
    assert answer.status_code in (200, 422)


@pytest.mark.parametrize(
    "name", [name for name in NAMES if not issubclass(registry.built_in_metrics()[name], SetMetric)]
)
def test_every_metric_of_rows_answers_to_odd_texts(small: Any, name: str) -> None:
    kind = registry.built_in_metrics()[name]
    if any(
        True for parameter, default in registry.parameters_of(kind).items() if parameter == "weights" and not default
    ):
        pytest.skip("its file is named at the start")
    metric = registry.metric(name)
    if (extra := lacking(metric.libraries)) is not None:
        pytest.skip(f"needs nlgauge[{extra}]")
    texts = ["", " ", "\x00", "\u202e", "a", "\u0301\u0301", "=1+1", "😀" * 20, "A red car. " * 3]
    rows = [{"candidate": text, "references": [texts[-1 - n]], "source": texts[n - 1], "context": text}
            for n, text in enumerate(texts)]  # fmt: skip
    answer = sent(small, "/score", {"rows": rows, "metrics": [name]})
    documented(answer)
    if model_of(metric) is None:
        assert answer.status_code == 200, answer.text
