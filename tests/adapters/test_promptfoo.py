"""The assertion for promptfoo, called as its Python wrapper calls it; promptfoo itself is a program of Node."""

from __future__ import annotations

import pytest

from nlgauge import InputError, SpecError
from nlgauge.adapters.promptfoo import assertion
from tests.adapters.needed import run_example


def test_an_output_passes_or_fails_with_its_reason() -> None:
    get_assert = assertion("TokenF1", references="gold", at_least=0.6)
    found = get_assert("A cat.", {"vars": {"gold": "A cat."}})
    assert found == {"pass": True, "score": 1.0, "reason": "TokenF1 f1 is 1.0000"}
    found = get_assert("A red dog.", {"vars": {"gold": ["A red cat."]}})
    assert (found["pass"], found["score"]) == (False, pytest.approx(0.5))
    assert (
        found["reason"].startswith("TokenF1 f1 is 0.5000; words of the candidate that the reference ")
        and "dog" in found["reason"]
    )
    none = get_assert("A cat.", {"vars": {"gold": None}})
    assert none == {"pass": False, "score": 0.0, "reason": "TokenF1 f1 has no value: no reference"}


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match=r"no variable 'gold' \(it has question\)"):
        assertion("TokenF1", references="gold", at_least=0.6)("A cat.", {"vars": {"question": "?"}})
    with pytest.raises(SpecError, match="promptfoo looks for more"):
        assertion("InfoLM", references="gold", at_least=0.6)
    with pytest.raises(SpecError, match="TokenF1 reads references"):
        assertion("TokenF1", at_least=0.6)


def test_the_example_prints_what_the_page_says() -> None:
    run_example("promptfoo")
