"""Bodies become runs, or errors that say what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.serve.asking import Asking, Limits
from nlgauge.serve.menu import Menu

ROW = {"candidate": "A cat sat.", "references": ["The cat sat."], "source": "A cat.", "context": ["a", "b"]}
KNOWN = ("rows", "metrics")


def asking(**limits: int) -> Asking:
    return Asking(Menu.of(["TokenF1", "CopyRate"], None, any_metric=True), Limits(**limits))


def fields(content: object) -> dict[str, Any]:
    return asking().fields(json.dumps(content).encode(), KNOWN)


@pytest.mark.parametrize(
    ("body", "say"),
    [
        (b"", "broken JSON at line 1, column 1"),
        (b"{", "broken JSON"),
        (b"[1]", "the body is list [1], not an object"),
        (b"null", "the body is null"),
        (b'{"rows": [NaN]}', "NaN is not in JSON"),
        (b'{"rows": ' + b"9" * 5000 + b"}", "broken JSON"),
        (b"\xff{}", "not UTF-8: byte 0xff at byte offset 0"),
        (b"[" * 100_000, "broken JSON"),
        (b'{"rows":' + b"[" * 900 + b"]" * 900 + b"}", "JSON nested more than 64 deep"),
        (b'{"rows": [], "paths": "/etc"}', "there is no field str 'paths' (the fields are rows, metrics)"),
    ],
)
def test_a_body_that_is_no_object_of_known_fields_is_refused(body: bytes, say: str) -> None:
    with pytest.raises(InputError) as refused:
        asking().fields(body, KNOWN)
    assert say in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("specs", ["TokenF1", [], [1], {"a": 1}, [["TokenF1"]], True])
def test_metrics_that_are_no_list_of_specs_are_refused(specs: object) -> None:
    with pytest.raises(InputError, match="not a list of specs"):
        asking().metrics(specs)
