"""What the page of agreement says of its own table is what the table has."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from pathlib import Path

from tests.contracts.browser import Watched, chromium
from tests.docs.test_figures import sections, tables

DATA = Path(__file__).parents[2] / "docs" / "data"
LOSS = re.compile(r"^- (.+), ([^,]+) \((\w+, \w+)\): (\S+) \(`(.+)`\) against (\S+) \((.+)\)$", re.MULTILINE)

Key = tuple[str, str, str]
"""(data, aspect, level and coefficient)"""


def lines() -> list[dict[str, str]]:
    with (DATA / "agreement.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def best(kind: str, model: str = "") -> dict[Key, dict[str, str]]:
    """The largest line of each column."""
    found: dict[Key, dict[str, str]] = {}
    for line in lines():
        key = line["data"], line["aspect"], f"{line['level']}, {line['coefficient']}"
        if line["kind"] == kind and line["model"].startswith(model):
            found[key] = max(found.get(key, line), line, key=lambda one: float(one["value"]))
    return found


def number(shown: str) -> float:
    return float(shown.strip("*").replace("−", "-"))


def test_who_wins_counts_the_columns_of_the_table() -> None:
    (head, *rows), *_ = tables(sections("agreement.md")["Who wins"])
    published, floors = best("published"), best("no model")
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for key, line in published.items():
        beside = [best("ours", model).get(key) for model in ("pocket", "base")] + [floors.get(key)]
        if not any(beside[:2]):
            continue
        counted[key[0]][0] += 1
        for n, one in enumerate(beside, 1):
            # Both have three digits: ahead is ahead by more than the last one.
            counted[key[0]][n] += one is not None and round(1000 * (float(one["value"]) - float(line["value"]))) > 1
    shown = {row[0]: [0 if cell == "-" else int(cell) for cell in row[1:]] for row in rows if row[0] in counted}
    assert head[1:] == ["published columns", "pocket ahead", "base ahead", "no model ahead"]
    assert shown == counted
    total = next(row for row in rows if row[0] == "**all in print**")
    printed = [counts for data, counts in counted.items() if not data.startswith("REALSumm")]
    assert [int(cell.strip("*")) for cell in total[1:]] == [sum(column) for column in zip(*printed, strict=True)]


def test_what_is_clearly_lost_is_in_the_table() -> None:
    published = best("published")
    text = sections("agreement.md")["Who wins"]
    for model in ("pocket", "base"):
        ours = best("ours", model)
        clear = {
            key: line
            for key, line in ours.items()
            if key in published and float(line["high"] or 1) < float(published[key]["value"])
        }
        told = text.partition(f"**Where {model} clearly loses**")[2].partition("**Where")[0]
        losses = {(data, aspect, level): cells for data, aspect, level, *cells in LOSS.findall(told)}
        assert losses.keys() == clear.keys()
        for key, (value, metric, theirs, row) in losses.items():
            assert (number(value), metric) == (float(clear[key]["value"]), clear[key]["metric"]), key
            assert (number(theirs), row) == (float(published[key]["value"]), published[key]["metric"]), key


def test_the_page_with_the_table_holds_every_number_and_asks_for_no_other_file() -> None:
    text = (DATA / "agreement.html").read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(|https?://""", text)
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    rows = json.loads(data)["rows"]
    known = [[cell for name, cell in line.items()] for line in lines() if line["kind"] not in ("lacking", "data")]
    shown = [
        ["" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else cell for cell in row] for row in rows
    ]
    assert shown == known


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
