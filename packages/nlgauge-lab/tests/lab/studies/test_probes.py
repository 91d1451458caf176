"""The study of the probes, by a metric whose numbers can be counted by hand, and by one that marks words."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from nlgauge.errors import InputError, SpecError
from nlgauge_lab.studies.probes import KINDS, SETTINGS, Probe, Probed, probes, read_probes

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


def test_what_is_copied_is_ordered_by_how_much_of_it_is(mine):
    (alone,) = probes(["CopyRate"], settings=["source"], file=mine, replicates=20).records
    # Errors .5, .5, .5; twins 1, 1, 1; paraphrases 0 and 1.
    assert alone.twin.value == 1 and alone.paraphrase.value == 0.5
    assert alone.kinds == {"number": 1, "addition": 1, "antonym": 1}
    assert alone.twin.low == alone.twin.high == 1 and 0 <= alone.paraphrase.low <= 0.5 <= alone.paraphrase.high
    assert math.isnan(alone.marked) and alone.undefined == 0
    (asked,) = probes(["CopyRate"], settings=["question"], file=mine, replicates=0).records
    assert asked.kinds["answer"] == 0.5 and math.isnan(asked.twin.low)


def test_other_passages_stand_around_the_source(mine):
    (among,) = probes(["CopyRate"], settings=["4 passages"], file=mine, replicates=0).records
    assert among.twin.value == 1 and among.paraphrase.value == pytest.approx(0.5)


def test_marked_words_are_counted(mine):
    found = probes(["Consistency(aligner='D')"], settings=["source"], file=mine, replicates=0)
    assert {one.part for one in found.records} == {"score", "least_stretch", "unsupported", "probability"}
    first, *others = found.records
    assert 0 <= first.marked <= 1 and 0 <= first.found <= 1
    assert all(math.isnan(one.marked) for one in others)
    assert (found.sources, found.statements) == (2, 4) and found.signatures
    all_together, by_kind = found.tables()
    assert len(all_together) == len(by_kind) == 5


def test_our_own_sentences_show_that_copying_is_no_support():
    found = probes(["CopyRate"], settings=["source"], replicates=0).records[0]
    assert found.twin.value > 0.6 and found.paraphrase.value < 0.05


def test_a_setting_that_is_none_is_refused(mine):
    with pytest.raises(SpecError, match="no setting 'alone'; there are source"):
        probes(["CopyRate"], settings=["alone"], file=mine)
    assert tuple(SETTINGS) == ("source", "question", "4 passages", "8 passages")


def test_our_own_are_of_every_kind_and_no_two_are_alike():
    sources = read_probes()
    probes = [probe for one in sources for probe in one.probes]
    assert len(probes) >= 200 and len({one.source for one in sources}) == len(sources)
    assert set(Counter(probe.kind for probe in probes)) == set(KINDS)
    assert min(Counter(probe.kind for probe in probes).values()) >= 10
    for one in sources:
        assert len(one.probes) >= 3 and one.question.endswith("?")
        for probe in one.probes:
            assert probe.right != probe.wrong and probe.right.endswith(".")
            assert all(probe.wrong[begin:end].strip() == probe.wrong[begin:end] != "" for begin, end in probe.places)
            assert (probe.question is not None) == (probe.kind == "answer")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "# a head\n\nS: Two came.\nQ: Who came?\nP: A pair arrived.\nnumber: {Two|Three} came.\n"
        "addition: Two came{|, and one left}.\nanswer: Did two come? {Yes|No}.\nnegation: Two did {not |}go.\n",
        encoding="utf-8",
    )
    assert read_probes(path) == (
        Probed(
            "Two came.", "Who came?", ("A pair arrived.",),
            (
                Probe("number", "Two came.", "Three came.", ((0, 5),)),
                Probe("addition", "Two came.", "Two came, and one left.", ((10, 22),)),
                Probe("answer", "Yes.", "No.", ((0, 2),), "Did two come?"),
                Probe("negation", "Two did not go.", "Two did go.", ()),
            ),
        ),
    )  # fmt: skip


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
