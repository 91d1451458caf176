"""Bodies become jobs, or errors that say what is wrong."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import Refused
from nlgauge.serve.asking import Asking, Limits, content_of

ROW = {"candidate": "A cat sat.", "references": ["The cat sat."], "source": "A cat.", "context": ["a", "b"]}


def asking(**limits: int) -> Asking:
    return Asking(AllowList.of(["TokenF1", "CopyRate"], None, any_metric=True), Limits(**limits))


def test_a_body_becomes_a_job() -> None:
    job = asking().job([ROW, {"candidate": "x"}], ["TokenF1", " Length()"], evidence=True)
    assert [row.candidate for row in job.corpus] == ["A cat sat.", "x"]
    assert job.corpus[0].context == "a\nb"
    assert list(job.metrics) == ["TokenF1", "Length"]
    assert job.asked == {"TokenF1": "TokenF1", " Length()": "Length"}
    assert job.evidence


@pytest.mark.parametrize(
    ("body", "say"),
    [
        (b"", "broken JSON at line 1, column 1"),
        (b"{", "broken JSON"),
        (b"[1]", "the body is list [1], not an object"),
        (b"null", "the body is null"),
        (b'{"rows": [{"candidate": "a", "candidate": "b"}]}', "the key 'candidate' is given twice in an object (leave"),
        (b'{"rows": [{"candidate": "a"}], "rows": []}', "the key 'rows' is given twice in an object (leave"),
        (b'{"rows": [NaN]}', "NaN is not in JSON"),
        (b'{"rows": ' + b"9" * 5000 + b"}", "broken JSON"),
        (b"\xff{}", "not UTF-8: byte 0xff at byte offset 0"),
        (b"[" * 100_000, "broken JSON"),
        (b'{"rows":' + b"[" * 900 + b"]" * 900 + b"}", "JSON nested more than 64 deep"),
    ],
)
def test_a_body_that_is_no_object_is_refused(body: bytes, say: str) -> None:
    with pytest.raises(InputError) as refused:
        content_of(body)
    assert say in str(refused.value)
    assert "\n" not in str(refused.value)


def test_limits_hold_to_the_last_row_character_and_metric() -> None:
    three = [{"candidate": "abc", "references": ["de"], "source": "f", "context": "gh"}] * 3
    assert len(asking(rows=3, characters=24).corpus(three)) == 3
    assert len(asking(metrics=2).metrics(["TokenF1", "Length"])[0]) == 2
    with pytest.raises(Refused, match="24 characters in its rows"):
        asking(characters=23).corpus(three)
