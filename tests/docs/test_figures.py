"""A figure that a page quotes is the one of the table that it comes from.

A comment in front of the figure names its cell:

    <!-- PAGE / SECTION / FIRST HEAD OF THE TABLE / ROW / COLUMN -->.407

In the table of agreement these are DATA / LEVEL, COEFFICIENT / METRIC, MODEL / ASPECT.

A long table stands as CSV in docs/data, and a link in its place on the page: it is read as if it stood there.

A row is named by its first cell, and by its second one under a head of `SECOND`; the first row of a name counts.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nlgauge.maths.rated_means import GAIN
from tests.answers.test_designs import NAMED

ROOT = Path(__file__).parents[2]
# As they stand here: the base install has no companion, and its figures are tested all the same.
MODELS = {
    "pocket": ROOT / "src" / "nlgauge" / "engine" / "models" / "pocket",
    "base": ROOT / "packages" / "nlgauge-base" / "src" / "nlgauge_base" / "model",
}
SECOND = ("model", "level, coefficient")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")])
_QUOTED = re.compile(r"<!-- (\S+\.md / .+?) -->([^\s,;)]*\d)")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def tables(text: str) -> list[list[list[str]]]:
    """The cells of each table, its head first, without the line below it."""
    found = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    return [[cells(line) for number, line in enumerate(one.splitlines()) if number != 1] for one in found]


def beside(link: re.Match[str]) -> str:
    """The table of a CSV file, as its page would show it."""
    with (ROOT / "docs" / link[1]).open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    shown = []
    for line in lines:
        line = [re.sub(r"^-(?=[.\d])", "−", re.sub(r"^(-?)0\.", r"\1.", cell)) for cell in line]
        ends = {at: f" [{line[at + 1]}, {line[at + 2]}]" for at, name in enumerate(head) if f"{name} low" in head}
        cells = [cell + (ends.get(at, "") if line[at + 1 : at + 2] != [""] else "") for at, cell in enumerate(line)]
        shown.append([cell for cell, name in zip(cells, head, strict=True) if not name.endswith((" low", " high"))])
    heads = [name for name in head if not name.endswith((" low", " high"))]
    return "\n".join("| " + " | ".join(one) + " |" for one in (heads, ["---"] * len(heads), *shown))


@cache
def sections(page: str) -> dict[str, str]:
    """By its heading, the text of each section of a page of docs/, or of the README."""
    file = ROOT / page if page == "README.md" else ROOT / "docs" / page
    text = re.sub(r"^\[\S+\]\((data/\S+\.csv)\): .*$", beside, file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = re.split(r"^##+ ", text, flags=re.MULTILINE)
    return {part.partition("\n")[0].strip(): part for part in parts}


def rows(table: list[list[str]]) -> dict[str, list[str]]:
    """The lines of a table by their names."""
    named: dict[str, list[str]] = {}
    for line in table[1:]:
        second = line[1].partition("@")[0] if table[0][1] in SECOND else ""
        named.setdefault(", ".join(filter(None, (line[0], second))).replace(" ‡", "").replace("`", ""), line)
    return named


@cache
def agreement() -> dict[tuple[str, str, str, str], str]:
    """The figures of the table of agreement, by (data, level and coefficient, metric and model, aspect)."""
    found: dict[tuple[str, str, str, str], str] = {}
    with (ROOT / "docs" / "data" / "agreement.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            name = ", ".join(filter(None, (line["metric"], line["model"].partition("@")[0])))
            if line["kind"] != "published":
                found[line["data"], f"{line['level']}, {line['coefficient']}", name, line["aspect"]] = line["value"]
    return {key: re.sub(r"^(-?)0\.", r"\1.", value).replace("-", "−") for key, value in found.items()}


def figure_at(cell: str) -> str:
    """The figure of a cell; a LookupError names what is not there."""
    page, section, head, row, column = cell.split(" / ")
    if page == "agreement.md":
        return agreement()[section, head, row, column]
    found = [one for one in tables(sections(page)[section]) if one[0][0] == head and column in one[0]]
    if not found:
        raise LookupError(f"no such table: {cell}")
    return rows(found[0])[row][found[0][0].index(column)].strip("*").split(" ")[0]


def quotations() -> list[tuple[str, str, str]]:
    """(page, cell, figure) of all that pages quote."""
    found = []
    for file in PAGES:
        page, text = str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
        found += [(page, named[1], named[2]) for named in _QUOTED.finditer(text)]
    return found


def test_the_choice_of_baryscores_weights_counts_its_columns() -> None:
    names = [f"BaryScore{weights}, pocket" for weights in ("", "(idf='none')", "(idf='references')")]
    columns = [
        (data, [float(agreement()[data, level, name, aspect].replace("−", "-")) for name in names])
        for data, level, name, aspect in agreement()
        if name == names[1] and "pearson" in level
    ]
    better, worse = (sum(sign * (row[0] - row[1]) > 0 for _, row in columns) for sign in (1, -1))
    by_data = [[row for data, row in columns if data == one] for one in dict.fromkeys(data for data, _ in columns)]
    means = np.mean([np.mean(rows, axis=0) for rows in by_data], axis=0)
    page = " ".join((ROOT / "docs" / "embedding.md").read_text(encoding="utf-8").split())
    assert f"In {len(columns)} columns of Pearson correlations, `general` agrees better than `none` in {better}" in page
    assert f"and worse in {worse}. " in page
    assert len(by_data) == 7 and "Averaged over the seven sets, the three are within .005 of each other" in page
    assert np.ptp(means) <= 0.005


def test_there_are_figures() -> None:
    assert len(quotations()) >= 40


@pytest.mark.parametrize(("page", "cell", "figure"), quotations())
def test_a_quoted_figure_is_the_one_of_its_table(page: str, cell: str, figure: str) -> None:
    assert figure == figure_at(cell), f"correct {page}, and read what it concludes from the figure"


@pytest.mark.parametrize("block", ["agreement", "detection"])
def test_the_tables_of_the_readme_are_those_of_the_generated_pages(block: str) -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"<!-- {block} -->")[2]
    table = table.partition(f"<!-- end of {block} -->")[0].strip()
    assert table and table in (ROOT / "docs" / f"{block}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", MODELS)
def test_a_card_gives_the_sizes_of_its_weights(model: str) -> None:
    card = (MODELS[model] / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| `(\w+\.safetensors)`.*?, ([\d.]+) MB", card, flags=re.MULTILINE))
    assert set(named) == {file.name for file in MODELS[model].glob("*.safetensors")}
    for file, told in named.items():
        size = (MODELS[model] / file).stat().st_size / 1e6
        assert told == f"{size:.{len(told.partition('.')[2])}f}", file


def test_the_page_of_installing_gives_the_size_of_the_companion() -> None:
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    [told] = re.findall(r"^\| `nlgauge-base` .*\| (\d+) \|$", text, flags=re.MULTILINE)
    files = (ROOT / "packages" / "nlgauge-base" / "src").rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    assert told == f"{size / 1e6:.0f}"


def test_the_tutorial_of_estimates_says_what_its_commands_print() -> None:
    page = (ROOT / "docs" / "guides" / "estimate.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    [effective] = set(re.findall(r"^v1 +60 of 150 .*?(\d+) \[\d+, \d+\]$", page, flags=re.MULTILINE))
    assert f"60 ratings and the metric say as much as {effective} ratings alone" in text
    [alone] = set(re.findall(r"^v2 +60 of 150 +(\S+ \[.*?\]) +\1 +60 \[\d+, \d+\]$", page, flags=re.MULTILINE))
    assert alone and "So the ratings stand alone there, and 60 ratings count as 60." in text


def test_the_fewest_ratings_of_a_guarantee_are_those_of_the_exact_test() -> None:
    page = " ".join((ROOT / "docs" / "guides" / "estimate.md").read_text(encoding="utf-8").split())
    fewest = {risk: next(n for n in range(1, 999) if (1 - risk) ** n <= 0.1) for risk in (0.1, 0.05, 0.02, 0.2)}
    assert f"a risk of 10 % takes at least {fewest[0.1]} ratings" in page
    assert f"a risk of 2 % takes {fewest[0.02]}." in page
    assert f"{fewest[0.05]} good ones of {fewest[0.05]} are enough for a risk of 5 %" in page
    assert f"{fewest[0.2]} of them at least for a recall of 80 % with 90 % confidence" in page


def test_the_page_of_statistics_says_when_scores_are_taken() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    assert f"make the interval at least {100 * (1 - GAIN):g} % shorter" in page


def test_the_page_of_statistics_names_every_design_that_holds_too_seldom() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    with (ROOT / "docs" / "data" / "statistics-designs.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        named = re.search(rf"^- {re.escape(line['family'])}, {re.escape(line['design'])}: (.*)$", page, re.MULTILINE)
        told = named is not None and f"{line['holds']} (n = {line['n']})" in named[1].split(", ")
        assert told == (float(line["holds"].removesuffix(" %")) < 93), line
    assert f"(data/statistics-designs.csv): {len(lines)} rows." in page


def test_the_page_of_statistics_names_every_figure_of_the_designs_of_the_tests() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    words = {"score": "mean, holds", "compare": "difference, holds", "margin": "margin, errs"}
    lines = sorted(f"| {design} | {words[what]} | {share:.3f} |" for (design, what), share in NAMED.items())
    order = list(words.values())
    lines.sort(key=lambda line: (line.split(" | ")[0], order.index(line.split(" | ")[1])))
    assert "\n".join(lines) in page
