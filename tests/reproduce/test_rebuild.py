"""Tables made again: ours beside published, views, sums, ratings, and what cannot be had."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, SpecError, correlate, evaluate, registry
from nlgauge.meta.significance import williams
from nlgauge.reproduce import scores
from nlgauge.reproduce.published import Source, Table, find, table, tables
from nlgauge.reproduce.rated import Data
from nlgauge.reproduce.rebuild import Cell, Rebuilder, Rebuilt, states
from nlgauge.reproduce.scores import Store
from tests.reproduce import pieces
from tests.reproduce.pieces import POOLED, SYSTEM

pytestmark = pytest.mark.usefixtures("one_model", "counting")
UNRATED = {"row": "Length", "spec": "Words"}


def rebuilt(folder: Path, made: Table, limit: int | None = None, **options: Any) -> Rebuilt:
    """One table, rebuilt in a fresh store beside the data."""
    rebuilder = Rebuilder(Data(folder, limit), Store(folder / "scores"), **options)
    rebuilder.score([made])
    return rebuilder.rebuild(made)


def one(folder: Path, row: dict[str, Any], **changes: Any) -> list[Cell]:
    """The cells of one row of the made-up table."""
    found = rebuilt(folder, table(pieces.table(rows=[{"row": "Row", **row}], **changes)))
    return [cell for block in found.blocks for cell in block.rows["Row"]]


def test_published_ours_and_their_difference(folder: Path) -> None:
    found = rebuilt(folder, table(pieces.table()))
    pooled, system = found.blocks
    assert (pooled.title, pooled.heads, list(pooled.rows)) == (
        "tiny, pearson, pooled",
        ("quality",),
        ["Length", "Foreign"],
    )
    assert pooled.rows["Length"][0].ours == pytest.approx(POOLED)
    assert pooled.rows["Length"][0].difference == pytest.approx(POOLED - 0.7151)
    assert system.rows["Length"][0].ours == pytest.approx(SYSTEM)
    assert math.isnan(pooled.rows["Foreign"][0].ours)
    assert pooled.rows["Foreign"][0].reason == "not a metric of nlgauge"
    assert found.specs == {"Length": "Words"}
    assert found.facts[0] == "tiny: 9 rows of tiny, 3 items, 3 systems"
    assert (
        found.summary
        == "2 of 3 published numbers rebuilt, 2 of them to the last digit in print; mean difference 0.0000"
    )


def test_coefficients_of_an_aspect_stand_together(folder: Path) -> None:
    columns = [["tiny", "quality", "pooled", name] for name in ("pearson", "kendall")]
    found = rebuilt(folder, table(pieces.table(columns=columns, rows=[UNRATED])))
    (block,) = found.blocks
    assert (block.title, block.heads) == ("tiny, quality, pooled", ("pearson", "kendall"))
    # Of 36 pairs 2 tie in words and 5 in ratings; 25 agree and 5 do not.
    assert block.rows["Length"][1].ours == pytest.approx((25 - 5) / math.sqrt((36 - 2) * (36 - 5)))
    assert found.summary == "2 numbers; none is published"


def test_numbers_are_in_the_unit_in_print(folder: Path) -> None:
    cells = one(folder, {"spec": "Words", "published": [71.5, None]}, scale=100, digits=1)
    assert cells[0].ours == pytest.approx(100 * POOLED)
    assert cells[0].difference == pytest.approx(100 * POOLED - 71.5)
    assert math.isnan(cells[1].difference)


def test_a_system_is_left_out_of_a_row_and_of_the_data(folder: Path) -> None:
    # long and middle: words 6 5 9 4 3 5, ratings 5 3 4 4 4 3
    expected = float(np.corrcoef([6, 5, 9, 4, 3, 5], [5, 3, 4, 4, 4, 3])[0, 1])
    assert one(folder, {"spec": "Words", "without": ["short"]})[0].ours == pytest.approx(expected)
    data = {"tiny": [{"file": "tiny", "without": ["short"]}]}
    assert one(folder, {"spec": "Words"}, data=data)[0].ours == pytest.approx(expected)


def test_a_part_of_a_metric(folder: Path) -> None:
    assert one(folder, {"spec": "Words", "part": "half"})[0].ours == pytest.approx(POOLED)
    assert one(folder, {"spec": "Words", "part": "third"})[0].reason == "Words has no part 'third'"


def test_ratings_stand_as_a_metric(folder: Path) -> None:
    assert [cell.ours for cell in one(folder, {"rating": "quality"})] == pytest.approx([1, 1])


def test_values_are_averaged_over_references(folder: Path) -> None:
    spec = "Words(of='difference')"
    (cell, _) = one(folder, {"spec": spec, "view": "mean over references"})
    assert cell.ours == pytest.approx(POOLED)  # words - (2 + 3) / 2
    assert len(list((folder / "scores").rglob("*.jsonl"))) == 2  # one corpus a reference


def test_correlations_are_averaged_over_references(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    # The second reference of one row is ten words: 6 - 10 there, words - 3 elsewhere.
    text[0] = text[0].replace("these three words", " ".join("ten" for _ in range(10)))
    (folder / "tiny.jsonl").write_text("\n".join(text) + "\n", encoding="utf-8")
    ratings = [5, 3, 4, 4, 4, 3, 1, 2, 1]
    second = float(np.corrcoef([-4, 2, 6, 1, 0, 2, -2, -1, -1], ratings)[0, 1])
    (cell, _) = one(folder, {"spec": "Words(of='difference')", "view": "mean of correlations"})
    assert cell.ours == pytest.approx((POOLED + second) / 2)


def test_a_number_stands_for_what_is_undefined_where_the_published_scores_have_one(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    text[-1] = text[-1].replace('"candidate": "word word"', '"candidate": ""')
    (folder / "tiny.jsonl").write_text("\n".join(text) + "\n", encoding="utf-8")
    row = {"spec": "TokenF1"}
    shared = [0.0] * 8
    nothing = one(folder, row)
    assert nothing[0].reason == "the metric is constant"  # no word is shared: 0 but for the empty text
    (cell, _) = one(folder, {**row, "undefined": 1})
    ratings = [5, 3, 4, 4, 4, 3, 1, 2, 1]
    assert cell.ours == pytest.approx(float(np.corrcoef([*shared, 1], ratings)[0, 1]))


def test_two_rows_are_summed(folder: Path) -> None:
    rows = [
        {"row": "words", "spec": "Words"},
        {"row": "people", "rating": "quality"},
        {"row": "both", "sum": ["words", "people"]},
    ]
    found = rebuilt(folder, table(pieces.table(rows=rows)))
    total = np.add([6, 5, 9, 4, 3, 5, 1, 2, 2], [5, 3, 4, 4, 4, 3, 1, 2, 1])
    expected = float(np.corrcoef(total, [5, 3, 4, 4, 4, 3, 1, 2, 1])[0, 1])
    assert found.blocks[0].rows["both"][0].ours == pytest.approx(expected)


def test_a_neural_metric_on_exchanged_texts(folder: Path) -> None:
    corpus = Data(folder).corpus([Source("tiny")])
    turned = [
        {"candidate": row.source, "source": row.candidate, "system": row.system, "item": row.item} for row in corpus
    ]
    scored = evaluate(turned, metrics=["Consistency"])
    expected = correlate(scored, corpus, level="pooled", replicates=0).get("Consistency", "quality").value
    (cell, _) = one(folder, {"spec": "Consistency", "view": "source and candidate exchanged"})
    assert cell.ours == pytest.approx(expected)


def test_what_is_unknown_or_not_installed_is_said_and_not_failed(folder: Path) -> None:
    rows = [
        {"row": "Length", "spec": "Words", "published": [0.7151, 0.9017]},
        {"row": "Tomorrow", "spec": "Tomorrow(order=1)"},
        {"row": "Extra", "spec": "Words(extra='absent')"},
        {"row": "Sum", "sum": ["Length", "Extra"]},
    ]
    found = rebuilt(folder, table(pieces.table(rows=rows)))
    reasons = {name: cells[0].reason for name, cells in found.blocks[0].rows.items()}
    extra = "counting words needs an optional library: pip install 'nlgauge[words]'"
    assert reasons == {"Length": None, "Tomorrow": "no metric 'Tomorrow'", "Extra": extra, "Sum": extra}
    assert found.blocks[0].rows["Length"][0].ours == pytest.approx(POOLED)


def test_an_absent_file_and_an_absent_aspect_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no huge.jsonl in .*docs/reproduce.md says what they hold"):
        rebuilt(folder, table(pieces.table(data={"tiny": [{"file": "huge"}]})))
    with pytest.raises(InputError, match=r"tiny: no row is rated for 'style' \(rated is quality\)"):
        rebuilt(folder, table(pieces.table(columns=[["tiny", "style", "pooled", "pearson"]], rows=[UNRATED])))


def test_metrics_can_be_chosen(folder: Path) -> None:
    rows = [UNRATED, {"row": "Other", "spec": "EmbeddingAverage"}]
    made = table(pieces.table(rows=rows))
    found = rebuilt(folder, made, metrics=["Words"])
    assert found.blocks[0].rows["Other"][0].reason == "left out by --metrics"
    with pytest.raises(
        SpecError, match=r"--metrics BLEU: no row that is asked for has it; there are EmbeddingAverage, Words"
    ):
        rebuilt(folder, made, metrics=["BLEU"])


def test_tables_that_share_data_share_a_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    monkeypatch.setattr(scores, "evaluate", lambda rows, **options: runs.append(1) or evaluate(rows, **options))
    first = table(pieces.table(rows=[UNRATED]))
    second = table(pieces.table(name="other", rows=[UNRATED, {"row": "Other", "spec": "EmbeddingAverage"}]))
    rebuilder = Rebuilder(Data(folder), Store(folder / "scores"))
    rebuilder.score([first, second])
    assert len(runs) == 1
    assert rebuilder.rebuild(first).cells[0].ours == pytest.approx(POOLED)


def test_the_model_is_that_of_all_rows_and_the_papers_own_has_its_settings(folder: Path) -> None:
    rows = [
        {"row": "E", "spec": "Consistency", "own": {"other": "Consistency(layer=3)"}},
        {"row": "named", "spec": "Consistency(model='pocket')"},
    ]
    made = table(pieces.table(rows=rows))
    place = str(registry.pocket_folder())
    found = rebuilt(folder, made, model=place)
    assert found.blocks[0].rows["E"][0].ours == pytest.approx(found.blocks[0].rows["named"][0].ours)
    assert len(found.facts[-1].split(",")) == 2  # the folder and 'pocket'
    rows[0]["own"] = {place: "Consistency(layer=3)"}
    own = rebuilt(folder, table(pieces.table(rows=rows)), model=place)
    assert own.specs["E"] == "Consistency(layer=3)"
    assert own.blocks[0].rows["E"][0].ours != pytest.approx(own.blocks[0].rows["named"][0].ours)


def test_metrics_against_each_other(folder: Path) -> None:
    rows = [UNRATED, {"row": "People", "rating": "quality"}, {"row": "Foreign", "why": "not ours"}]
    found = rebuilt(
        folder, table(pieces.table(kind="between", rows=rows, columns=[["tiny", "quality", "system", "pearson"]]))
    )
    (block,) = found.blocks
    assert block.heads == ("Length", "People")
    assert [cell.ours for cell in block.rows["Length"]] == pytest.approx([1, SYSTEM])
    assert block.rows["Foreign"][0].reason == "not ours"


def test_williams_test_between_metrics(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8")
    fourth = "".join(
        line.replace('"middle"', '"fourth"').replace("word word", "word", 1) + "\n" for line in text.splitlines()[3:6]
    )
    (folder / "tiny.jsonl").write_text(text + fourth, encoding="utf-8")
    rows = [UNRATED, {"row": "Difference", "spec": "Words(of='difference')"}, {"row": "Vectors", "spec": "BERTScore"}]
    columns = [["tiny", "quality", "system", "pearson"]]
    (block,) = rebuilt(folder, table(pieces.table(kind="williams", rows=rows, columns=columns))).blocks
    p = {name: [cell.ours for cell in cells] for name, cells in block.rows.items()}
    assert math.isnan(p["Length"][0])
    assert p["Length"][1] == pytest.approx(0.5)  # the same but for a constant
    assert p["Length"][2] == pytest.approx(1 - p["Vectors"][0])
    corpus = Data(folder).corpus([Source("tiny")])
    scored = evaluate(corpus, metrics=["Words", "BERTScore"])
    r = [
        found.value
        for found in correlate(scored, corpus, level="system", replicates=0)
        if found.part in ("score", "f1")
    ]
    means = [scored.values(name).reshape(4, 3).mean(axis=1) for name in ("Words", "BERTScore")]
    assert p["Length"][2] == pytest.approx(williams(*r, float(np.corrcoef(means)[0, 1]), 4).p)


def test_distributions_are_scaled_from_least_to_most(folder: Path) -> None:
    rows = [UNRATED, {"row": "Foreign", "why": "not ours"}]
    found = rebuilt(folder, table(pieces.table(kind="distributions", rows=rows)))
    (block,) = found.blocks
    # 1 2 2 3 4 5 5 6 9: a value v is (v - 1) / 8
    assert [cell.ours for cell in block.rows["Length"]] == pytest.approx([0, 0.8 / 8, 1 / 8, 3 / 8, 4 / 8, 5.6 / 8, 1])
    assert sorted(found.samples["tiny"]["Length"] * 8 + 1) == pytest.approx([1, 2, 2, 3, 4, 5, 5, 6, 9])


def test_states_say_what_can_be_rebuilt(folder: Path) -> None:
    rows = [UNRATED, {"row": "Tomorrow", "spec": "Tomorrow"}, {"row": "People", "rating": "quality"}]
    made = table(pieces.table(rows=rows))
    absent = table(pieces.table(data={"tiny": [{"file": "huge"}]}))
    never = next(one for one in tables().values() if one.name == "mark-evaluate-table-3")
    given = list(states([made, absent, never], Data(folder)))
    assert [state for _, state in given] == [
        "yes, 2 of 3 rows",
        f"needs in {folder}: huge",
        "no: licence: NIST gives the data to signatories only",
    ]
    assert [state for _, state in states([made], None)] == ["needs --data with tiny"]


# ---- The published protocols, where the data are


def test_word_length_on_the_dialogue_sets_comes_out_to_the_last_digit(data: Path, tmp_path: Path) -> None:
    """CTC, tables F.1 to F.4 and F.6: 32 numbers, which fix what 'sample level' means there."""
    names = [f"ctc-table-f{n}" for n in (1, 2, 3, 4, 6)]
    found = []
    rebuilder = Rebuilder(Data(data), Store(tmp_path), metrics=["Length"])
    rebuilder.score(find(names))
    for made in find(names):
        again = rebuilder.rebuild(made)
        found += [
            cell for block in again.blocks for name, cells in block.rows.items() if "Length" in name for cell in cells
        ]
    assert len(found) == 32
    for cell in found:
        assert cell.published is not None
        assert cell.ours == pytest.approx(cell.published, abs=5.1e-5)


PROTOCOLS = {
    # Pooled over all rows; output against input; Porter's stems; a number for what is undefined.
    ("ctc-table-e1", "ROUGE-1", "pooled", "pearson"): 0.4808,
    ("ctc-table-e1", "ROUGE-2", "pooled", "pearson"): 0.4664,
    ("ctc-table-e1", "ROUGE-L", "pooled", "pearson"): 0.4833,
    ("ctc-table-e1", "ChrF", "pooled", "pearson"): 0.5048,
    ("ctc-table-e1", "ROUGE-2", "system", "pearson"): 0.8444,
    # Without the ground truth; BLEU without smoothing.
    ("ctc-table-f1", "BLEU-1", "pooled", "pearson"): -0.1081,
    ("ctc-table-f1", "BLEU-2", "pooled", "pearson"): -0.1048,
    ("ctc-table-f1", "BLEU-3", "pooled", "pearson"): -0.1247,
    ("ctc-table-f1", "BLEU-4", "pooled", "pearson"): -0.1359,
    ("ctc-table-f3", "BLEU-4", "pooled", "pearson"): 0.2322,
    ("ctc-table-f3", "BLEU-3", "system", "pearson"): 0.9047,
    # The mean over references, then over items.
    ("infolm-table-3", "BLEU", "data_coverage", "pearson"): 55.7,
}
NEAR = {
    # What the protocol gives where print is some thousandths off: one reference, and ROUGE-1.5.5's sum over eleven.
    ("ctc-table-d2", "ROUGE-1", "pooled", "pearson"): 0.3365,
    ("ctc-table-d2", "ROUGE-2", "pooled", "pearson"): 0.2467,
    ("ctc-table-d2", "ROUGE-L", "pooled", "pearson"): 0.3139,
    ("ctc-table-d2", "BLEU", "pooled", "pearson"): 0.2142,
    ("ctc-table-d2", "ChrF", "pooled", "pearson"): 0.3335,
    ("infolm-table-3", "BLEU", "fluency", "pearson"): 89.3,
    ("infolm-table-3", "ROUGE-1", "text_structure", "pearson"): 75.4,
}


def test_protocols_come_out_to_the_digits_in_print(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    pytest.importorskip("rouge_score_rs")
    wanted = {**PROTOCOLS, **NEAR}
    rebuilder = Rebuilder(Data(data), Store(tmp_path), metrics=["BLEU", "ROUGE", "ChrF"])
    made = find(list(dict.fromkeys(name for name, *_ in wanted)))
    rebuilder.score(made)
    found = {one.name: rebuilder.rebuild(one) for one in made}
    for key, number in wanted.items():
        name, row, which, coefficient = key
        cell = next(
            cell
            for block in found[name].blocks
            if which.replace("_", " ") in block.title
            for head, cell in zip(block.heads, block.rows[row], strict=True)
            if head == coefficient
        )
        assert cell.ours == pytest.approx(number, abs=0.51 * 10 ** -found[name].table.digits), key
        if key in PROTOCOLS:
            assert cell.published == number


def test_ratings_of_webnlg_agree_with_each_other_as_published(data: Path, tmp_path: Path) -> None:
    """InfoLM, table 3: within .005, and columns r and rho of one block exchanged in print."""
    (made,) = find(["infolm-table-3"])
    people = [row for row in made.rows if row.rating]
    again = Rebuilder(Data(data), Store(tmp_path)).rebuild(Table(**{**vars(made), "rows": tuple(people)}))
    off = [
        (block.title, name, cell.published, round(cell.ours, 1))
        for block in again.blocks
        for name, cells in block.rows.items()
        for head, cell in zip(block.heads, cells, strict=True)
        if head == "pearson" and abs(cell.difference) > 0.6
    ]
    exchanged = [
        ("webnlg, correctness, system", name) for name in ("Data coverage", "Fluency", "Relevance", "Text structure")
    ]
    assert [(title, name.partition(" (")[0]) for title, name, _, _ in off] == exchanged
