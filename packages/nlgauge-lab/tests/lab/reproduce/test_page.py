"""The results page, on a suite of our own."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.reproduce.pieces import SUITE, written
from nlgauge import InputError
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import Column, ScoreTable
from nlgauge_lab.reproduce import choices
from nlgauge_lab.reproduce.choices import Choice, Rated
from nlgauge_lab.reproduce.lines import LACKING, OURS, PUBLISHED, UNFINISHED, Line, as_csv, merged, ordered, read
from nlgauge_lab.reproduce.measuring import unscored
from nlgauge_lab.reproduce.page import Verdict, chosen, counts, html, losses, page, standing
from nlgauge_lab.reproduce.suites import Group

pytestmark = pytest.mark.usefixtures("one_model", "counting")


@pytest.mark.usefixtures("published")
def test_what_reads_no_model_is_a_baseline_and_no_winner(folder: Path) -> None:
    text = written(folder, (replace(SUITE, groups=(Group(("Words(of='difference')", "Length")),)),))
    assert "| Tiny | 2 | 0 | 0 | 0 | 1 | 1 |" in text  # of pooled .900 and system .500; nothing chooses for it
    assert "Tiny,quality,pooled,pearson,Length,,,0.715," in text
    assert re.search(r"pearson,Words\(of='difference'\),pocket@\w+,,0.715,.*,9,0,ours,$", text, re.MULTILINE)
    only = written(folder, (replace(SUITE, groups=(Group(("Length",)),)),))
    assert "Who wins" not in only
    assert "Length,,,0.715," in only


@pytest.mark.usefixtures("published")
def test_the_page_of_a_run_that_was_broken_off_counts_rows_and_names_no_winner(folder: Path) -> None:
    suite = replace(SUITE, groups=(Group(("Words", "EmbeddingAverage", "FrechetDistance")),))
    written(folder, (suite,), limit=2, metrics=["Words"])  # items a and b; two rows of c have the texts of others
    text = written(folder, (suite,), cached=True)
    says = "`Words` 8 of 9 rows, `EmbeddingAverage` not scored, `FrechetDistance` not scored"
    assert re.search(rf"\*\*Not finished\*\*, and not counted in who wins:\n\n- Tiny, pocket: {says}\n", text)
    assert "Who wins" not in text
    some = written(folder, (suite,), metrics=["Words"])
    assert "Not finished" not in some
    assert "| Tiny | 2 |" in some
    again = written(folder, (suite,), cached=True)
    assert "Who wins" not in again
    whole = written(folder, (suite,))
    assert "Not finished" not in whole
    assert "| Tiny | 2 |" in whole


def test_nothing_published_is_no_verdict(folder: Path, published: dict[str, float]) -> None:
    published.clear()
    text = written(folder)
    assert "Who wins" not in text
    assert ",published," not in text


def line(metric: str, value: float, kind: str = OURS, level: str = "pooled", model: str = "pocket@1") -> Line:
    low, high = (math.nan, math.nan) if kind == PUBLISHED else (value - 0.05, value + 0.05)
    return Line(
        data="Tiny",
        aspect="quality",
        level=level,
        coefficient="pearson",
        metric=metric,
        model=model if kind == OURS else "",
        aligner="",
        value=value,
        low=low,
        high=high,
        n=9,
        missing=0,
        kind=kind,
        note="",
    )


THEIRS = line("Other", 0.9, PUBLISHED)


def test_ahead_is_ahead_by_more_than_the_last_digit_in_print() -> None:
    assert [Verdict(line("Words", value), THEIRS).ahead for value in (0.9, 0.901, 0.902)] == [False, False, True]
    kinds = [Verdict(line("Words", value), THEIRS).kind for value in (0.96, 0.91, 0.86, 0.84)]
    assert kinds == ["clearly ahead", "ahead", "not ahead", "clearly behind"]


def test_each_model_is_counted_by_its_best_metric() -> None:
    base = line("Words", 0.8, model="base@2")
    found = [THEIRS, line("Words", 0.95), line("Length", 0.85), base]
    assert "| Tiny | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 0 |" in standing(found, [SUITE])
    assert counts(found, [SUITE])[-2:] == [
        "| best, picked here | pocket | 1 | 0 | 1 | 0 | 0 | 0 |",
        "| best, picked here | base | 1 | 0 | 0 | 0 | 1 | 0 |",
    ]
    assert losses(found) == {}  # nothing is recommended for these data
    waiting = line("Late", math.nan, model="base@2")._replace(aspect="", level="", kind=LACKING, note="not scored")
    assert "| Tiny | 1 | 0 | - | 0 | 0 | - | 1 | - | 0 |" in standing([*found, waiting], [SUITE])
    broken = line("Length", 0.99)._replace(kind=UNFINISHED, note="3 of 9 rows")
    assert standing([THEIRS, line("Words", 0.95), broken], [SUITE]) == []


def test_the_recommended_metric_is_shown_with_its_losses_and_with_the_aligner_that_measured_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(choices.CHOICES, Rated("Tiny", "quality"), Choice("tests", given="Words", why="definition"))
    words = line("Words", 0.6)._replace(aligner="aaaa", missing=math.nan)
    found = [THEIRS, words, line("Length", 0.95), line("Words", 0.91, model="base@2")._replace(aligner="bbbb")]
    assert "| Tiny | 1 | 0 | 1 | 0 | 0 | 0 | 1 | 1 | 0 |" in standing(found, [SUITE])
    assert losses(found) == {"pocket": ["Tiny, quality (pooled, pearson): .600 (`Words`) against .900 (Other)"]}
    [told] = chosen(found, {"pocket": "cccc", "base": "bbbb"}, "tests")[2:]
    start = "| Tiny | quality, pooled | `Words` | definition | 9 | - |"
    assert told == f"{start} .600 † | .910 | - | - | .950 | .910 | - | .900 |"
    assert chosen(found, {}, "summaries") == chosen(found, {}, "tests", only=True) == []
    assert "†" not in chosen(found, {"pocket": "aaaa"}, "tests")[2]
    text = page(found, [SUITE], absent=[], limit=None, replicates=9, shipped={"pocket": "cccc", "base": "bbbb"})
    assert "- aligner aaaa of pocket@1, the aligner before: 1 numbers (Tiny)" in text
    assert "- aligner bbbb of base@2, the shipped one: 1 numbers (Tiny)" in text
    assert "1 numbers were measured before missing values were counted" in " ".join(text.split())


def test_what_a_run_did_not_score_takes_the_place_of_nothing() -> None:
    lacking = line("Words", math.nan)._replace(aspect="", level="", coefficient="", kind=LACKING, note="not scored")
    other = lacking._replace(metric="Late")
    assert merged([line("Words", 0.3)], [lacking, other]) == [line("Words", 0.3), other]
    refused = lacking._replace(note="it needs another library")
    assert merged([line("Words", 0.3)], [refused]) == [refused]


def test_a_run_of_some_metrics_replaces_their_lines_alone(tmp_path: Path) -> None:
    old = [line("Words", 0.3), line("Words half", 0.2), line("Words(of='difference')", 0.1), line("Length", 0.4)]
    old += [line("Words", 0.5, model="base@2"), THEIRS]
    new = [line("Words", 0.7, model="pocket@9"), line("Words", 0.6, level="system", model="pocket@9")]
    found = ordered([*merged(old, new), THEIRS], [SUITE])
    told = [(one.metric, one.model, one.level, one.value) for one in found]
    assert told == [
        ("Other", "", "pooled", 0.9),
        ("Words(of='difference')", "pocket@1", "pooled", 0.1),
        ("Length", "pocket@1", "pooled", 0.4),
        ("Words", "base@2", "pooled", 0.5),
        ("Words", "pocket@9", "pooled", 0.7),
        ("Words", "pocket@9", "system", 0.6),
    ]
    place = tmp_path / "lines.csv"
    place.write_text(as_csv(found), encoding="utf-8")
    assert as_csv(read(place)) == as_csv(found)
    for content in ("", "a,b\n1,2\n"):
        place.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="is no file of results"):
            read(place)


def test_the_table_ends_no_script(tmp_path: Path) -> None:
    text = html([line("</script><b>", 0.3)], None)
    [data] = re.findall(r'id="data">(.*?)</script>', text)
    assert json.loads(data)["rows"][0][4] == "</script><b>"


def test_missing_counts_the_rated_rows_that_have_a_text_and_no_number() -> None:
    texts = {"a": "one two", "b": " ", "c": "three", "d": "four"}
    rows = tuple(Row(candidate=text, item=item, system="s", scores={"quality": 1.0}) for item, text in texts.items())
    unrated = Row(candidate="five", item="e", system="s", scores={"other": 1.0})
    corpus = Corpus((*rows, unrated))
    keys = [("s", item) for item in "abcde"]
    values = np.array([[1.0], [math.nan], [math.nan], [2.0], [math.nan]])
    table = ScoreTable(keys, {"Words": Column(("score",), values, dict.fromkeys((1, 2, 4), "no words"))}, {})
    # b has no text and e no rating: c alone is missing.
    assert unscored(table, corpus, corpus, "quality") == 1
    assert unscored(table, corpus, corpus, "other") == 1
    systems = replace(table, columns={"Set": Column(("score",), np.array([[math.nan]]), {0: "few"}, level="system")})
    assert unscored(systems, corpus, corpus, "quality") == 1
