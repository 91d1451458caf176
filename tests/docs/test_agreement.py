"""What the page of agreement says of its own table is what the table has."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import statistics
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import nlgauge
from tests.contracts.browser import Watched, chromium
from tests.docs.test_figures import sections, tables

DATA = Path(__file__).parents[2] / "docs" / "data"
LOSS = re.compile(r"^- (.+), ([^,]+) \((\w+, \w+)\): (\S+) \(`(.+)`\) against (\S+) \((.+)\)$", re.MULTILINE)

Key = tuple[str, str, str]
"""(data, aspect, level)"""


def lines() -> list[dict[str, str]]:
    with (DATA / "agreement.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(shown: str) -> float:
    return math.nan if shown == "-" else float(shown.strip("*† ").replace("−", "-").replace(",", ""))


def plain(metric: str) -> str:
    """A metric's name without how many words are masked at a time."""
    return metric.replace(", stride=8", "").replace("(stride=8)", "")


def columns() -> dict[Key, dict[str, dict[str, dict[str, str]]]]:
    """The lines that may win, by column of Pearson's r, by kind or model, and by metric."""
    found: dict[Key, dict[str, dict[str, dict[str, str]]]] = {}
    for line in lines():
        whole = line["missing"] in ("", "0") and line["note"] != "systems without a number were not counted"
        if line["coefficient"] == "pearson" and line["kind"] in ("ours", "no model", "published") and whole:
            by = line["model"].partition("@")[0] if line["kind"] == "ours" else line["kind"]
            column = found.setdefault((line["data"], line["aspect"], line["level"]), {})
            column.setdefault(by, {})[plain(line["metric"])] = line
    return found


def value(line: Mapping[str, str] | None) -> float:
    return math.nan if line is None else float(line["value"])


def top(some: Mapping[str, Mapping[str, str]]) -> str:
    return max(some, key=lambda name: float(some[name]["value"]), default="")


def counted(key: Key) -> dict[str, dict[str, Mapping[str, str] | None]]:
    """The lines of one column by how they were chosen and by model, computed again from the CSV file."""
    choices = pytest.importorskip("nlgauge_lab.reproduce.choices")
    every = columns()
    choice = choices.CHOICES[key[:2]]

    def of(column: Key, model: str) -> dict[str, dict[str, str]]:
        return {**every[column].get("no model", {}), **every[column].get(model, {})}

    def first(rated: tuple[str, str], level: str = "") -> Key:
        there = [column for column in every if column[:2] == tuple(rated)]
        return next((column for column in there if column[2] == level), there[0])

    name = choice.given or ""
    if choice.by:
        means = {}
        for metric in {*of(key, "pocket")} & {*of(key, "base")}:
            numbers = [
                value(of(first(rated), model).get(metric)) for rated in choice.by for model in ("pocket", "base")
            ]
            means[metric] = sum(numbers) / len(numbers)
        name = max((metric for metric in means if means[metric] == means[metric]), key=lambda metric: means[metric])
    made: dict[str, dict[str, Mapping[str, str] | None]] = {"recommended": {}, "sister": {}, "best": {}}
    for model in ("pocket", "base"):
        here = of(key, model)
        made["recommended"][model] = here.get(name)
        made["best"][model] = every[key][model][top(every[key][model])]
        if choice.sister:
            there = of(first(choice.sister, key[2]), model)
            made["sister"][model] = here[top({metric: line for metric, line in there.items() if metric in here})]
    return made


def shown() -> dict[Key, dict[str, str]]:
    """The lines of the table of all measurements, by their columns."""
    with (DATA / "agreement-choices.csv").open(encoding="utf-8", newline="") as file:
        told = list(csv.DictReader(file))
    found = {}
    for line in told:
        aspect, _, level = line["aspect, level"].rpartition(", ")
        found[line["data"], aspect, level] = line
    return found


WAYS = {"recommended": "recommended", "sister": "picked on a sister set", "best": "best, picked here"}


def test_each_measurement_shows_what_other_data_choose() -> None:
    table = shown()
    assert len(table) >= 36
    for key, line in table.items():
        made = counted(key)
        for way, head in WAYS.items():
            for model in ("pocket", "base"):
                told, ours = number(line[f"{head}: {model}"]), value(made[way].get(model))
                assert told == ours or (told != told and ours != ours), (key, way, model)
        pocket = made["recommended"]["pocket"]
        assert line["recommended"] == ("none" if pocket is None else pocket["metric"])
        assert number(line["n"]) == (float(pocket["n"]) if pocket else pytest.approx(math.nan, nan_ok=True))
        printed = columns()[key].get("published", {})
        assert number(line["best published"]) == pytest.approx(value(printed.get(top(printed))), nan_ok=True)


def test_who_wins_counts_the_measurements() -> None:
    (head, *rows), *_ = tables(sections("agreement.md")["Who wins"])
    every, choices = columns(), pytest.importorskip("nlgauge_lab.reproduce.choices")
    wins: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for key, column in every.items():
        if "published" not in column:
            continue
        assert key[:2] in choices.CHOICES
        printed = float(column["published"][top(column["published"])]["value"])
        made, own = counted(key), wins[key[0]]
        own["measurements"] += 1
        own["with a sister set"] += bool(made["sister"])
        for way, name in WAYS.items():
            for model, line in made[way].items():
                # Both have three digits: ahead is ahead by more than the last one.
                own[f"{name}: {model}"] += line is not None and round(1000 * (value(line) - printed)) > 1
        strings = column["no model"]
        own["no model, picked here"] += round(1000 * (value(strings[top(strings)]) - printed)) > 1
    told = {
        row[0]: {name: int(cell) for name, cell in zip(head[1:], row[1:], strict=True)}
        for row in rows
        if row[0] in wins
    }
    assert told == {data: {name: own[name] for name in head[1:]} for data, own in wins.items()}
    total = next(row for row in rows if row[0] == "**all in print**")
    inside = [own for data, own in wins.items() if not data.startswith("REALSumm")]
    assert [int(cell.strip("*")) for cell in total[1:]] == [sum(own[name] for own in inside) for name in head[1:]]


def test_what_the_recommended_metric_clearly_loses_is_in_the_table() -> None:
    text = sections("agreement.md")["Each measurement"]
    for model in ("pocket", "base"):
        clear = {}
        for key, column in columns().items():
            line = counted(key)["recommended"][model] if "published" in column else None
            printed = column["published"][top(column["published"])] if line else None
            if line and printed and float(line["high"] or 1) < float(printed["value"]):
                clear[key[0], key[1], f"{key[2]}, pearson"] = (line, printed)
        told = text.partition(f"**Where the recommended metric of {model} clearly loses**")[2].partition("**Where")[0]
        losses = {(data, aspect, level): cells for data, aspect, level, *cells in LOSS.findall(told)}
        assert losses.keys() == clear.keys()
        for key, (ours, metric, theirs, row) in losses.items():
            line, printed = clear[key]
            assert (number(ours), metric) == (value(line), line["metric"]), key
            assert (number(theirs), row) == (value(printed), printed["metric"]), key


def test_labelled_sets_choose_the_detector() -> None:
    choices = pytest.importorskip("nlgauge_lab.reproduce.choices")
    parts = {"probability": "Faithfulness"}  # its first sub-score, which has the name of the metric
    areas: dict[str, list[float]] = defaultdict(list)
    sets = [one for part in sections("detection.md").values() for one in tables(part)]
    sets = [
        one
        for one in sets
        if one[0][:1] == ["metric, sub-score"] and one[0][:3] == ["metric, sub-score", "model", "area"]
    ]
    assert len(sets) == 5
    for _, *rows in sets:
        for name, _, area, *_ in rows:
            metric, _, part = name.replace("`", "").partition(" ")
            if metric == "Faithfulness" or metric in ("Consistency", "Consistency(aligner='R')"):
                areas[parts.get(part, f"{metric} {part}".strip())].append(number(area.split(" ")[0]))
    means = {name: sum(some) / len(some) for name, some in areas.items() if len(some) == 2 * len(sets)}
    assert len(means) >= 5 and max(means, key=lambda name: means[name]) == choices.DETECTOR


def test_settings_that_other_data_choose_are_those_of_the_table() -> None:
    choices = pytest.importorskip("nlgauge_lab.reproduce.choices")
    [[_, *rows]] = tables(sections("agreement.md")["Settings that other data choose"])
    assert len(rows) >= 5
    for family, model, sets, count, default, chosen, best, changed in rows:
        names = choices.FAMILIES[family]
        asked = {key: {**one.get("no model", {}), **one.get(model, {})} for key, one in columns().items()}
        asked = {key: one for key, one in asked.items() if key[:2] in choices.CHOICES and key[0][:4] != "QAGS"}
        asked = {key: one for key, one in asked.items() if set(names) <= one.keys()}
        data = dict.fromkeys(key[0] for key in asked)
        mean = {
            (one, name): statistics.fmean(value(line[name]) for key, line in asked.items() if key[0] == one)
            for one in data
            for name in names
        }
        rest = {one: [other for other in data if other != one] for one in data}
        picked = {
            one: max(names, key=lambda name, one=one: round(sum(mean[other, name] for other in rest[one]), 12))
            for one in data
        }
        assert (int(sets), int(count)) == (len(data), len(asked))
        assert number(default) == pytest.approx(statistics.fmean(mean[one, names[0]] for one in data), abs=6e-4)
        assert number(chosen) == pytest.approx(statistics.fmean(mean[one, picked[one]] for one in data), abs=6e-4)
        top_of = [max(mean[one, name] for name in names) for one in data]
        assert number(best) == pytest.approx(statistics.fmean(top_of), abs=6e-4)
        assert changed == f"{sum(name != names[0] for name in picked.values())} of {len(data)}"


def test_the_pages_are_what_the_command_makes_of_the_records(tmp_path: Path) -> None:
    pytest.importorskip("nlgauge_lab")
    pytest.importorskip("nlgauge_base")
    docs = DATA.parent
    pages = (docs / "agreement.md", docs / "which-metric.md", docs.parent / "README.md")
    (tmp_path / "data").mkdir()
    shutil.copy(DATA / "agreement.csv", tmp_path / "data")
    for page in pages:
        (tmp_path / page.name).write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    readmes = [item for page in pages[1:] for item in ("--readme", tmp_path / page.name)]
    made = nlgauge("reproduce", "results", "--cached", "--page", tmp_path / "agreement.md", *readmes)
    assert made.exit_code == 0, made.output
    for page in pages:
        assert (tmp_path / page.name).read_text(encoding="utf-8") == page.read_text(encoding="utf-8"), page
    for name in ("agreement.csv", "agreement.html", "agreement-choices.csv"):
        assert (tmp_path / "data" / name).read_text(encoding="utf-8") == (DATA / name).read_text(encoding="utf-8"), name


def test_the_page_with_the_table_holds_every_number_and_asks_for_no_other_file() -> None:
    text = (DATA / "agreement.html").read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(|https?://""", text)
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    rows = json.loads(data)["rows"]
    names = json.loads(data)["names"]
    known = [list(line.values()) for line in lines() if line["kind"] not in ("lacking", "data")]
    told = [[_cell(name, cell) for name, cell in zip(names, row, strict=True) if name != "whole"] for row in rows]
    assert told == known


def _cell(name: str, cell: object) -> str:
    if not isinstance(cell, int | float):
        return str(cell or "")
    return f"{cell:.0f}" if name in ("n", "missing") else f"{cell:.3f}"


def test_the_table_is_filtered_and_sorted_in_a_browser() -> None:
    with chromium() as browser:
        opened = Watched(browser, DATA / "agreement.html")
        page = opened.page
        page.get_by_label("only the best of each column").uncheck()
        page.locator("[name=data]").select_option("WebNLG 2020")
        page.locator("[name=aspect]").select_option("correctness")
        page.locator("[name=coefficient]").select_option("pearson")
        page.get_by_label("metric contains").fill("BaryScore")
        wanted = [
            line
            for line in lines()
            if line["data"] == "WebNLG 2020" and line["aspect"] == "correctness" and "BaryScore" in line["metric"]
        ]
        wanted = [line for line in wanted if line["coefficient"] == "pearson"]
        assert page.locator("#body tr").count() == len(wanted) > 3
        page.get_by_role("button", name="agreement", exact=True).click()
        shown = [number(cell) for cell in page.locator("#body td:nth-child(6)").all_inner_texts()]
        assert shown == sorted((float(line["value"]) for line in wanted), reverse=True)
        assert opened.errors == []
        assert len(opened.requests) == 1
