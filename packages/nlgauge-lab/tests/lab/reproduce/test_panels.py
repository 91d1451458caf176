"""Combinations are fitted to other data sets than those that they are shown on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.reproduce import pieces
from nlgauge import InputError
from nlgauge_lab.reproduce import panels
from nlgauge_lab.reproduce.panels import PANELS, Panel, RatedScores, left_out
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.suites import SUITES, Group, Suite
from tests.command import nlgauge


def rated(name: str, weights: tuple[float, ...], seed: int, rows: int = 400, fitted: bool = True) -> RatedScores:
    """Ratings that are these weights of three members and noise, on scales of their own."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    y = x @ np.array(weights) + rng.normal(size=rows)
    return RatedScores(name, 7 * x + 3, 2 * y - 5, fitted)


def test_a_combination_helps_where_all_sets_weigh_alike() -> None:
    found = left_out([rated(name, (1.0, 0.6, 0.0), seed) for seed, name in enumerate("abc")])
    for one in found:
        assert one.combination > one.equal + 0.02 and one.combination > one.alone + 0.02
        assert one.member == 0 and one.rows == 400
        assert one.weights[0] > one.weights[1] > 0.1 > one.weights[2] >= 0


def test_it_does_not_help_where_the_others_weigh_otherwise() -> None:
    sets = [rated("a", (1.0, 0.0, 0.0), 0), rated("b", (0.0, 1.0, 0.0), 1), rated("c", (0.0, 1.0, 0.2), 2)]
    first = left_out(sets)[0]
    assert first.member == 1 and first.combination < first.equal


def test_the_weights_are_those_of_least_squares_on_the_other_sets_alone() -> None:
    sets = [
        rated("a", (1.0, 0.5, 0.3), 0, 200),
        rated("b", (0.8, 0.6, 0.4), 1, 500),
        rated("c", (0.5, 0.5, 0.5), 2, 90),
    ]
    found = left_out(sets)
    for at, one in enumerate(found):
        moments, products = np.zeros((3, 3)), np.zeros(3)
        for other in sets[:at] + sets[at + 1 :]:
            together = np.corrcoef(np.column_stack([other.x, other.y]).T)
            moments, products = moments + together[:3, :3], products + together[:3, 3]
        weights = np.linalg.solve(moments, products)
        assert (weights > 0).all() and one.weights == pytest.approx(weights, abs=1e-9)
        z = (sets[at].x - sets[at].x.mean(0)) / sets[at].x.std(0)
        assert one.combination == pytest.approx(np.corrcoef(z @ weights, sets[at].y)[0, 1])
        assert one.equal == pytest.approx(np.corrcoef(z.sum(1), sets[at].y)[0, 1])
    reversed_ratings = [sets[0]._replace(y=-sets[0].y), *sets[1:]]
    again = left_out(reversed_ratings)[0]
    assert again.weights == found[0].weights and again.combination == pytest.approx(-found[0].combination)


def test_nothing_is_fitted_to_data_for_tests_alone() -> None:
    sets = [rated("a", (1.0, 0.6, 0.0), 0), rated("b", (1.0, 0.6, 0.0), 1)]
    tests = rated("c", (0.0, 0.0, 9.0), 2, fitted=False)
    assert left_out([*sets, tests])[:2] == left_out(sets)
    with pytest.raises(InputError, match="no other data set than a can be fitted to"):
        left_out([sets[0], tests])
    for panel in PANELS.values():
        assert not any(name.startswith("qags") for name, _ in panel.sets)


def test_the_panels_are_of_what_the_suites_measure() -> None:
    suites = {suite.name: suite for suite in SUITES}
    for panel in PANELS.values():
        for name, aspect in (*panel.sets, *panel.tests):
            assert aspect in suites[name].aspects and set(panel.members) <= set(suites[name].specs), (panel, name)


@pytest.mark.usefixtures("one_model", "counting")
def test_the_page_tells_of_each_panel_or_why_not(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how = ("quality",), (("pooled", "pearson"),), (Group(("Words", "Length")),)
    both = tuple(Suite(name, name.title(), (Source(name),), *how) for name in ("tiny", "other"))
    monkeypatch.setattr(panels, "SUITES", both)
    sets = (("tiny", "quality"), ("other", "quality"))
    monkeypatch.setattr(panels, "PANELS", {"counts": Panel(("Words", "Length"), sets)})
    pieces.write(folder, "other", ("long", "middle"))
    run = ("reproduce", "panels", "--model", "pocket", "-o", tmp_path / "out", "--data", folder)
    assert nlgauge(*run, "--cached").exit_code == 0
    place = tmp_path / "out" / "panels.md"
    assert "- counts: not scored by all members: Tiny, Other" in place.read_text(encoding="utf-8")
    result = nlgauge(*run)
    assert result.exit_code == 0, result.output
    text = place.read_text(encoding="utf-8")
    assert "## Counts\n\nMembers: `Words`, `Length`." in text and "| Tiny | 9 | .715 | .715 | .715 |" in text
    assert "The combination is ahead of both by more than .02 on 0 of 2." in text
    before, readme = text, tmp_path / "readme.md"
    readme.write_text("Before.\n<!-- panels -->\nold\n<!-- end of panels -->\nAfter.\n", encoding="utf-8")
    assert nlgauge(*run, "--cached", "--readme", readme).exit_code == 0
    lines = readme.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Before." and lines[-1] == "After." and "old" not in lines
    assert "| counts | Tiny | 9 | .715 | .715 | .715 | `Words` |" in lines
    assert "The combination is ahead of both by more than .02 on 0 of 2." in lines
    assert nlgauge(*run, "--cached").exit_code == 0 and place.read_text(encoding="utf-8") == before
