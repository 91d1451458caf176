"""The sentences of the probes: every line is read, every error has its place, every kind is there."""

from __future__ import annotations

from collections import Counter

import pytest

from nlgauge.errors import InputError
from nlgauge.lab.studies.probe_texts import KINDS, Probe, Probed, read_probes


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
