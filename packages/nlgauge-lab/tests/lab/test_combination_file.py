"""CombinationFile: a file that comes back as it was, numbers worked out by hand, and one line for every other file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError
from nlgauge_lab.combination_file import CombinationFile, Member

COMBINATION = CombinationFile(
    (
        Member("A", "f1", True, 0.5, 0.25, 2.0),
        Member("B(k=1)", "score", False, -10.0, 5.0, 1.0),
        Member("C", "score", True, 0.0, 1.0, 0.0),
    ),
    3.0,
    "fluency",
    "nnls",
    models={"pocket": "12345678"},
    facts={"rows": 4},
)


def test_the_sum_by_hand() -> None:
    assert [member.name for member in COMBINATION.used] == ["A f1", "B(k=1) score"]
    # 3 + 2 (.75 - .5) / .25 + 1 (-5 + 10) / 5: the second is a distance, at 5 where its mean is 10.
    values = np.array([[0.75, 5.0], [0.5, 10.0]])
    assert_allclose(COMBINATION.standardised(values), [[1, 1], [0, 0]])
    assert_allclose(COMBINATION.combined(values), [6, 3])


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "weights.json"
    path.write_text(text, encoding="utf-8")
    return path


def record(**changed: Any) -> str:
    member = {**vars(COMBINATION.members[0]), **{k: v for k, v in changed.items() if k in vars(COMBINATION.members[0])}}
    whole = {k: v for k, v in changed.items() if k not in member}
    return json.dumps({"combination": {**vars(COMBINATION), "members": [member], **whole}})


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("", "is not a combination file"),
        ("[]", "is not a combination file"),
        ("{}", "is not a combination file"),
        ('{"combination": {"members": []}}', "is not a combination file"),
        (record(members=[]), "holds no member with a weight"),
        (record(weight=0), "holds no member with a weight"),
        (record(weight=None), "A f1: its weight is None"),
        (record(mean=math.nan), "A f1: its mean is nan"),
        (record(deviation=0), "A f1: its deviation is 0"),
        (record(higher_is_better="yes"), "A f1: its higher_is_better is 'yes'"),
        (record(intercept="3"), "no intercept"),
        (record(surplus=1), "is not a combination file"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, say: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        CombinationFile.load(path)
    assert str(path) in str(caught.value) and say in str(caught.value)
    assert "nlgauge train combination" in str(caught.value)
