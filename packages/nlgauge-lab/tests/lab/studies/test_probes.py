"""The study of the probes, by a metric whose numbers can be counted by hand, and by one that marks words."""

from __future__ import annotations

import math

import pytest

from nlgauge.data.probes import read_probes
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.studies.probes import SETTINGS, probes

pytestmark = pytest.mark.usefixtures("one_model")
MINE = """S: Two came.
Q: Who came?
P: Pair arrived.
number: {Two|Three} came.
addition: Two came{| and sang}.
answer: Did two come? {Yes|No}.

S: Rain fell.
Q: What fell?
P: Rain fell.
antonym: Rain {fell|rose}.
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_marked_words_are_counted(mine):
    found = probes(["Faithfulness"], models=[None], settings=["source"], file=mine, replicates=0)
    assert {one.model for one in found.records} == {"pocket"}
    assert {one.part for one in found.records} == {"score", "least_stretch", "unsupported", "probability"}
    first, *others = found.records
    assert 0 <= first.marked <= 1 and 0 <= first.found <= 1
    assert all(math.isnan(one.marked) for one in others)
    assert (found.sources, found.statements) == (2, 4) and found.signatures
    all_together, by_kind = found.tables()
    assert len(all_together) == len(by_kind) == 5


def test_a_setting_that_is_none_is_refused(mine):
    with pytest.raises(SpecError, match="no setting 'alone'; there are source"):
        probes(["CopyRate"], settings=["alone"], file=mine)
    assert tuple(SETTINGS) == ("source", "question", "4 passages", "8 passages")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("S: One.\nP: Two.\n", "no source with S, Q and P"),
        ("S: One.\nQ: Two?\nP: Three.\ncolour: {a|b}.\n", "no probe"),
        ("S: One.\nQ: Two?\nP: Three.\nnumber: ab.\n", "no probe"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, text, reason):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        read_probes(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_probes(tmp_path / "absent.txt")
