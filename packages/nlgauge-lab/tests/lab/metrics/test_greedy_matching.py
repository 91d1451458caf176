import pytest

from nlgauge_lab.metrics.greedy_matching import GreedyMatching
from tests.metrics.pieces import pieces, row, scored, shown
from tests.metrics.test_word_vectors import A, B, C, value


def test_greedy_matching_is_the_mean_of_both_directions():
    mean = value(GreedyMatching(), pieces("a b", [A, B]), pieces("c", [C]))
    assert mean == pytest.approx(((0 + 0.6) / 2 + 0.6) / 2)


def test_evidence_explains_both_directions():
    one = row("w1 w2 w1", "", "w9 w8", "w2 w1 w4")
    evidence = shown(GreedyMatching(), one)
    assert evidence["reference"] == 2, "counted among all of the row's references"
    directions = []
    for side, texts in (("candidate", (one.candidate, one.references[2])), ("reference", one.references[2:0:-1])):
        matches = [match for match in evidence["matches"] if match["side"] == side]
        assert [match["token"]["text"] for match in matches] == texts[0].split()
        assert all(texts[0][m["token"]["begin"] : m["token"]["end"]] == m["token"]["text"] for m in matches)
        directions.append(sum(match["weight"] * match["similarity"] for match in matches))
    assert sum(directions) / 2 == pytest.approx(scored(GreedyMatching(), [one])[0].parts[0])
    assert {match["match"]["text"] for match in evidence["matches"] if match["similarity"] == 1} == {"w1", "w2"}
    assert shown(GreedyMatching(), row("", "w1")) == {}
