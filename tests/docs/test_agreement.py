"""What the page of agreement says of its own tables is what they have."""

from __future__ import annotations

import re

from tests.docs.test_figures import sections, tables

PAGE = "agreement.md"
BEST = "aspect"
"""The first head of a section's table of the best metrics"""
LOSS = re.compile(r"^- (.+), (.+) \((\w+, \w+)\): (\S+) \((`.+`)\) against (\S+) \(", re.MULTILINE)

Key = tuple[str, str, str, str]
"""(data, aspect, level and coefficient, model)"""


def number(cell: str) -> float:
    return float(cell.strip("*").split(" ")[0].replace("−", "-"))


def best_rows() -> dict[Key, tuple[str, str, str, str]]:
    """The metric, its figure, the verdict and the published figure of each best row."""
    found = {}
    for data, text in sections(PAGE).items():
        for head, *lines in tables(text):
            for line in lines if head[0] == BEST else ():
                aspect, level, _, published, model, metric, figure, verdict = line[:8]
                found[data, aspect, level, model.partition("@")[0]] = metric, figure, verdict, published
    return found


def test_a_best_row_is_the_largest_figure_of_its_model() -> None:
    best = best_rows()
    assert len(best) > 60
    for (data, aspect, level, model), (metric, figure, verdict, published) in best.items():
        (head, *lines) = next(one for one in tables(sections(PAGE)[data]) if one[0][0] == level)
        # A row with its number of scored rows takes no part.
        of_model = {line[0]: line[head.index(aspect)] for line in lines if line[0].endswith(f", {model}")}
        most = max(number(cell) for cell in of_model.values() if cell != "-")
        where = (data, aspect, level, model)
        assert of_model[f"{metric.replace('`', '')}, {model}"] == figure and number(figure) == most, where
        if number(figure) != number(published):  # the verdict knows more digits
            assert ("ahead" in verdict) == (number(figure) > number(published)), where


def test_who_wins_has_the_figures_of_the_best_rows() -> None:
    best = best_rows()
    losses = {}
    for section, text in sections(PAGE).items():
        if section.startswith("Columns by data, on "):
            model = section.removeprefix("Columns by data, on ").partition("@")[0]
            for data, aspect, level, *cells in LOSS.findall(text):
                losses[data, aspect, level, model] = cells
    assert losses.keys() == {key for key, (*_, verdict, _) in best.items() if "behind" in verdict}
    for key, (figure, metric, published) in losses.items():
        row = best[key]
        assert [figure, metric, published] == [row[1].split(" ")[0], row[0].replace(" ‡", ""), row[3]], key
    shown = next(one for one in tables(sections(PAGE)["Who wins"]) if one[0][0] == "rated")
    for title, level, _, *figures in shown[1:]:
        data, aspect = title.rsplit(": ", 1)
        for model, figure in zip(("pocket", "base"), figures, strict=False):
            row = best[data, aspect, level, model]
            assert figure.strip("*") == row[1].split(" ")[0], (data, aspect, level, model)
            assert figure.startswith("**") == ("ahead" in row[2]), (data, aspect, level, model)
