"""Specs become metrics without anything being run, and back; names become models; what a package offers is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge
from nlgauge import _plugins as plugins
from nlgauge import registry
from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.contract.parameters import parameters_of
from nlgauge.errors import SpecError
from nlgauge.maths.divergences import DIRECTIONS, MEASURES
from nlgauge.metrics.infolm import InfoLM


def refused(spec: Any, *parts: str) -> str:
    """The message of the SpecError that `spec` meets."""
    with pytest.raises(SpecError) as caught:
        registry.metric(spec)
    for part in parts:
        assert part in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        "InfoLM(measure='ab',alpha=3,beta=.25)",
        " InfoLM ( beta = 0.25 , alpha = 3.0 , measure = 'ab' ) ",
        'InfoLM(measure="ab", alpha=+3, beta=2.5e-1,)',
        "InfoLM(\n  measure='ab',\n  alpha=3,\n  beta=0.25,\n)",
        "InfoLM(measure='a' 'b', alpha=0x3, beta=0.25)",
        "InfoLM(measure='ab', alpha=3, beta=0.25, model=None, temperature=None)",
    ],
)
def test_ways_to_write_one_metric(spec: str) -> None:
    metric = registry.metric(spec)
    assert metric == InfoLM(measure="ab", alpha=3, beta=0.25)
    assert hash(metric) == hash(InfoLM(measure="ab", alpha=3, beta=0.25))
    assert str(metric) == "InfoLM(measure='ab', alpha=3, beta=0.25)"


@given(measure=st.sampled_from(MEASURES), data=st.data())
@settings(max_examples=200)
def test_the_canonical_spec_comes_back(measure: str, data: st.DataObject) -> None:
    numbers = st.integers(1, 50) | st.floats(0.001, 1e6, allow_nan=False)
    taken = {"alpha": ("alpha",), "renyi": ("alpha",), "gamma": ("beta",), "ab": ("alpha", "beta")}.get(measure, ())
    parameters: dict[str, Any] = {"measure": measure} | {name: data.draw(numbers, name) for name in taken}
    optional: dict[str, st.SearchStrategy[Any]] = {
        "temperature": st.none() | numbers,
        "idf": st.sampled_from(parameters_of(InfoLM)["idf"].choices),
        "direction": st.sampled_from(DIRECTIONS),
        "references": st.sampled_from(["best", "mean"]),
        "stride": st.integers(1, 10**30),
        "model": st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    }
    chosen = data.draw(st.lists(st.sampled_from(list(optional)), unique=True), "given")
    parameters |= {name: data.draw(optional[name], name) for name in chosen}
    metric = InfoLM(**parameters)
    again = registry.metric(str(metric))
    assert again == metric
    assert str(again) == str(metric)
    shuffled = data.draw(st.permutations(list(parameters.items())), "order")
    written = ",".join(f" {name} = {value!r}" for name, value in shuffled)
    assert registry.metric(f"InfoLM({written})") == metric


@pytest.mark.parametrize(
    "spec",
    [
        "InfoLM(measure=__import__('os').getcwd())",
        "InfoLM(measure=open('planted', 'w'))",
        "InfoLM(measure=str)",
        "InfoLM(measure=InfoLM.choices)",
        "InfoLM(stride=1 if True else 2)",
        "InfoLM(stride=10**9)",
        "InfoLM(stride=(lambda: 3)())",
        "InfoLM(measure=f'kl')",
        'InfoLM(measure=f\'{open("planted", "w")}\')',
        "InfoLM(measure=[x for x in ('kl',)][0])",
        "InfoLM(stride=(n := 2))",
        "InfoLM(stride=1)(open('planted', 'w'))",
        "InfoLM(stride=1) or open('planted', 'w')",
        "InfoLM(stride=1); open('planted', 'w')",
        "InfoLM(stride=1)\nopen('planted', 'w')",
        "InfoLM()[open('planted', 'w')]",
        "__import__('os').system('touch planted')",
    ],
)
def test_nothing_in_a_spec_is_run(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(spec)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "spec",
    [
        "InfoLM('kl')",
        "InfoLM(*['kl'])",
        "InfoLM(**{'measure': 'kl'})",
        "InfoLM(measure='kl', measure='kl')",
        "InfoLM(measure='kl'",
        "InfoLM(measure='kl'))",
        "InfoLM(",
        "InfoLM((",
        "InfoLM(measure=)",
        "InfoLM(measure 'kl')",
        "InfoLM(measure='kl)",
        "InfoLM(a\0=1)",
        "InfoLM(stride=" + "9" * 5000 + ")",
        "InfoLM(stride=" + "[" * 5000 + "]" * 5000 + ")",
        "InfoLM(stride=" + "-" * 50_000 + "1)",
        "InfoLM(stride=" + "(" * 150 + "1" + ")" * 150 + "[0])",
    ],
)
def test_what_does_not_parse_is_refused_with_the_way_to_write_it(spec: str) -> None:
    refused(spec, "cannot read the metric spec", "Name(param=value, ...)")


@pytest.mark.parametrize(
    ("short", "spec"),
    [
        ("Consistency:D", "Consistency(aligner='D')"),
        (" Groundedness:R ", "Groundedness(aligner='R')"),
        ("InfoLM:l2", "InfoLM(measure='l2')"),
        ("ROUGE:2", "ROUGE(variant='2')"),
        ("ROUGE:L", "ROUGE"),
        ("MarkEvaluate:schnabel", "MarkEvaluate(estimator='schnabel')"),
        ("MaskEval:my weights (1).safetensors", "MaskEval(weights='my weights (1).safetensors')"),
        ("Column:judge.score", "Column('judge.score')"),
        ("Judge:http://127.0.0.1:8080/v1", "Judge('http://127.0.0.1:8080/v1')"),
    ],
)
def test_a_value_after_a_colon_is_that_of_the_parameter_which_the_metric_names(short: str, spec: str) -> None:
    assert registry.metric(short) == registry.metric(spec)
    assert str(registry.metric(short)) == spec


@pytest.mark.parametrize(
    ("spec", "right"),
    [
        ("Consistency('D')", "'D' has no name; write Consistency:D"),
        ("Consistency(D)", "D has no name and no quotes: write Consistency:D"),
        ("Column(judge)", "write Column:judge"),
        ("Consistency:X", "aligner='X' is not one of 'E', 'D', 'R'"),
        ("Consistency:D(model='base')", "is not one of 'E', 'D', 'R'"),
        ("Consistency:", "write Name, or Name:value"),
        ("Faithfulness:windows", "it takes no value after a colon; write Faithfulness(reading='windows')"),
        ("BERTScore:base", "write BERTScore(model='base')"),
        ("TokenF1:f1", "write TokenF1, or in general Name(param=value, ...)"),
        ("nli:FOLDER", "-m Faithfulness --model nli:FOLDER"),
        ("consistency:D", "did you mean Consistency?"),
    ],
)
def test_a_wrong_short_spelling_is_answered_by_the_right_one(spec: str, right: str) -> None:
    refused(spec, right)


@pytest.mark.parametrize("spec", ["infolm", "INFOLM", "info_lm", "info-lm", "InfoLm(measure='kl')"])
def test_another_spelling_of_a_name_is_suggested(spec: str) -> None:
    refused(spec, "did you mean InfoLM?")


@pytest.mark.parametrize("spec", [None, 3, b"InfoLM", ["InfoLM"], {"InfoLM": 1}, InfoLM])
def test_what_is_neither_spec_nor_metric_is_refused(spec: object) -> None:
    refused(spec, "is not a metric")


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ("measure='kld'", "fisher_rao"),
        ("measure=['kl']", "jensen_shannon"),
        ("measure={}", "renyi"),
        ("measure='alpha'", "needs alpha"),
        ("measure='kl', alpha=1", "takes no alpha"),
        ("measure='renyi', alpha=0", "above 0"),
        ("measure='alpha', alpha=1e7", "alpha"),
        ("measure='alpha', alpha=1e400", "alpha"),
        ("measure='gamma', beta=1j", "beta"),
        ("idf='rare'", "general"),
        ("preset='paper'", "summarisation"),
        ("temperature=0", "number"),
        ("temperature=1e400", "number"),
        ("temperature=1j", "number"),
        ("temperature=" + "9" * 400, "number"),
        ("stride=0", "stride must be at least 1, not 0"),
        ("stride=[1]", "whole number"),
        ("model=''", "model"),
        ("model={}", "model"),
    ],
)
def test_a_value_outside_its_domain_is_refused(given_: str, told: str) -> None:
    message = refused(f"InfoLM({given_})", "InfoLM", told)
    assert len(message.splitlines()) == 1


@given(st.text(max_size=40))
def test_no_text_gets_anything_but_a_metric_or_a_spec_error(text: str) -> None:
    for spec in (text, f"InfoLM({text}", f"InfoLM({text})"):
        try:
            metric = registry.metric(spec)
        except SpecError:
            continue
        assert registry.metric(str(metric)) == metric


class Dist:
    name = "acme-metrics"


@dataclass(frozen=True)
class Acme(RowMetric):
    size: int = 1
    model: str | None = None

    def score_rows(self, rows: Any, prepared: Prepared, features: Any) -> list[Value]:
        return [Value((1.0,)) for _ in rows]


def not_a_metric() -> None: ...


class AcmeModel:
    def __init__(self, precision: str) -> None:
        self.precision = precision


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Pretend that an installed package offers things of this file: offer(group, name, attribute)."""
    registry._bare.cache_clear()  # what other tests made is not installed here
    points: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: [point for point in points if point.group == group])

    def add(group: str, name: str, attribute: str, dist: object = Dist) -> None:
        point = EntryPoint(name, f"{__name__}:{attribute}", group)
        vars(point)["dist"] = dist
        points.append(point)

    yield add
    registry._bare.cache_clear()


def test_a_metric_of_a_package_goes_by_package_and_name(offer: Callable[..., None]) -> None:
    offer("nlgauge.metrics", "Acme", "Acme")
    assert [name for name, _ in plugins.offered("nlgauge.metrics")] == ["acme-metrics/Acme"]
    metric = registry.metric("acme-metrics/Acme(size=3)", model="folder")
    assert metric == Acme(size=3, model="folder")
    refused("acme-metrics/Acme(weight=3)", "'weight'", "size")
    refused("Acme", "acme-metrics/Acme")
    refused("ACME-metrics/acme", "did you mean acme-metrics/Acme?")
    offer("nlgauge.metrics", "InfoLM", "Acme")  # which takes not the place of ours
    assert nlgauge.InfoLM is InfoLM is type(registry.metric("InfoLM"))
    assert type(registry.metric("acme-metrics/InfoLM")) is Acme


@pytest.mark.parametrize("attribute", ["not_a_metric", "AcmeModel", "Dist.name"])
def test_what_is_no_metric_is_refused(offer: Callable[..., None], attribute: str) -> None:
    offer("nlgauge.metrics", "Odd", attribute)
    refused("acme-metrics/Odd", "acme-metrics/Odd", "not a Metric")


@pytest.mark.parametrize("name", sorted(plugins.LAB_METRICS))
def test_a_metric_of_the_laboratory_names_its_package_where_it_is_not_installed(
    name: str, offer: Callable[..., None]
) -> None:
    said = f"{name} is in the package nlgauge-lab: pip install nlgauge-lab, or pip install ./packages/nlgauge-lab"
    assert refused(name) == refused(f"{name}(model='x')") == f"{said} from a clone"
    refused(name.lower().replace("we", "-we"), f"did you mean {name}?")
    if "/" not in name:
        with pytest.raises(AttributeError, match="in the package nlgauge-lab"):
            getattr(nlgauge, name)


def test_built_in_metrics_are_concrete_and_in_order() -> None:
    found = registry.built_in_metrics()
    assert found["InfoLM"] is InfoLM
    assert list(found) == sorted(found, key=str.lower)
    assert {"Metric", "ReferenceMetric"}.isdisjoint(found)


class Undecorated(nlgauge.Length):
    factor: int = 1


@dataclass(frozen=True)
class OwnParts(nlgauge.Length):
    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "parts", ("score", "other"))


@dataclass(frozen=True)
class Twice(nlgauge.Length):
    parts = ("score", "score")


@pytest.mark.parametrize(
    ("kind", "part"),
    [(Undecorated, "has no @dataclass"), (OwnParts, "parts are set on the object"), (Twice, "different names")],
)
def test_a_class_that_breaks_a_promise_is_refused_by_its_name(kind: type[nlgauge.Length], part: str) -> None:
    with pytest.raises(SpecError, match=part) as caught:
        nlgauge.evaluate(candidates=["a"], metrics=[kind()])
    assert f":{kind.__name__}: " in str(caught.value)
