"""What a request may ask for, and that it names nothing that is opened."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nlgauge import registry
from nlgauge.contract.parameters import parameters_of
from nlgauge.errors import SpecError
from nlgauge.serve.allow_list import LONGEST_SPEC, AllowList

TEXTS = ("CANARY/file", "https://CANARY.example", "package/CANARY", "base", "")
_opened: list[str] = []
_listening = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening and event in ("open", "os.listdir", "os.scandir", "import", "socket.connect", "socket.getaddrinfo"):
        _opened.append(f"{event} {arguments[0]}")


sys.addaudithook(_hook)


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Whatever is opened, listed, imported or called up from here on; a hook can never be taken away."""
    global _listening
    _opened.clear()
    _listening = True
    yield _opened
    _listening = False


@pytest.fixture
def anything() -> AllowList:
    return AllowList.of(["BERTScore"], None, any_metric=True)


def test_what_is_opened_is_seen(opened: list[str], tmp_path: Path) -> None:
    (tmp_path / "CANARY").write_text("x", encoding="utf-8")
    assert [one for one in opened if "CANARY" in one]


@pytest.mark.parametrize("name", registry.built_in_metrics())
def test_no_text_of_a_request_is_ever_opened(anything: AllowList, opened: list[str], name: str) -> None:
    for parameter in parameters_of(registry.built_in_metrics()[name]):
        for text in TEXTS:
            with pytest.raises(SpecError, match=r"a request cannot set|is not one of|give weights"):
                anything.metric(f"{name}({parameter}={text!r})")
    assert not [one for one in opened if "CANARY" in one or "nlgauge_base" in one]


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("InfoLM(measure='ab', alpha=3, beta=0.25)", "InfoLM(measure='ab', alpha=3, beta=0.25)"),
        ("InfoLM(preset='summarisation', measure='ab')", None),
        (" ROUGE( variant = 'L' ) ", "ROUGE"),
        ("BERTScore(model='pocket')", None),
        ("BERTScore(layer=None, rescale=True)", "BERTScore(rescale=True)"),
        ("MaskEval(weights='uniform')", "MaskEval"),
        ("Consistency(aligner='D', reading='windows')", None),
    ],
)
def test_allowed_parameters_are_read(anything: AllowList, spec: str, canonical: str | None) -> None:
    assert str(anything.metric(spec)) == (canonical or str(registry.metric(spec)))


@pytest.mark.parametrize(
    "spec",
    [
        "ChrF(words=2)",
        "PRD(runs=1000000000)",
        "MarkEvaluate(k=10**9)",
        "BaryScore(layers=(1, 2))",
        "InfoLM(alpha=1e999, measure='ab')",
        "InfoLM(alpha=" + "9" * 400 + ", measure='ab')",
        "InfoLM(measure=b'ab')",
        "InfoLM(measure=['ab'])",
        "BERTScore(rescale=1)",
        "TokenF1(words=True)",
        *("", "(", "BERTScore(", "BERTScore(nonsense=1)", "é" * LONGEST_SPEC + "é", "\ud800("),
    ],
)
def test_numbers_that_say_how_much_is_computed_and_what_does_not_parse_are_refused(
    anything: AllowList, spec: str
) -> None:
    with pytest.raises(SpecError):
        anything.metric(spec)


def test_only_what_was_named_may_be_asked_for_where_nothing_else_is_said() -> None:
    allowed = AllowList.of(["BERTScore", "InfoLM(measure='l2')"], None)
    assert str(allowed.metric("InfoLM( measure = 'l2' )")) == "InfoLM(measure='l2')"
    for spec in ("TokenF1", "InfoLM", "BERTScore(rescale=True)"):
        with pytest.raises(SpecError, match=r"offered here; there is BERTScore, InfoLM"):
            allowed.metric(spec)


def test_a_judge_that_is_offered_alone_decides_a_grounded_check_that_names_no_metric() -> None:
    judge, other = "Judge('http://127.0.0.1:9/v1')", "Judge('http://127.0.0.1:8/v1')"
    assert AllowList.of([judge], None).grounded == judge
    assert AllowList.of([judge, "Faithfulness"], None).grounded == "Faithfulness"
    for specs, anything in (([judge, other], False), ([judge], True), (["TokenF1"], False), (["Length"], False)):
        assert AllowList.of(specs, None, any_metric=anything).grounded == "Faithfulness"


def test_no_request_names_the_address_of_a_judge(opened: list[str]) -> None:
    judge = "Judge('http://127.0.0.1:9/v1')"
    offered, anything = AllowList.of([judge], None), AllowList.of([judge], None, any_metric=True)
    assert str(offered.metric(judge)) == judge
    for asked in ("Judge('http://127.0.0.1:8/v1')", "Judge('http://127.0.0.1:9/v1', repeat=50)", "Judge(key='HOME')"):
        for allowed in (offered, anything):
            with pytest.raises(SpecError, match=r"a request cannot set|needs"):
                allowed.metric(asked)
    assert not [one for one in opened if one.startswith("socket")]
