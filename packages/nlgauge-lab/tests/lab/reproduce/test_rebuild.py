"""Tables made again: ours beside published, what they share, and the published protocols where the data are."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.reproduce import pieces
from lab.reproduce.pieces import UNRATED, rebuilt
from nlgauge import InputError
from nlgauge_lab.reproduce.kinds import Cell
from nlgauge_lab.reproduce.published import Table, find, table, tables
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.rebuild import Rebuilder, states
from nlgauge_lab.reproduce.scoring import Scores

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_an_absent_file_and_an_absent_aspect_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"there is no huge.jsonl in .*docs/reproduce.md says what they hold"):
        rebuilt(folder, table(pieces.table(data={"tiny": [{"file": "huge"}]})))
    with pytest.raises(InputError, match=r"tiny: no row is rated for 'style' \(rated is quality\)"):
        rebuilt(folder, table(pieces.table(columns=[["tiny", "style", "pooled", "pearson"]], rows=[UNRATED])))


def test_word_length_on_the_dialogue_sets_comes_out_to_the_last_digit(data: Path, tmp_path: Path) -> None:
    """CTC, tables F.1 to F.4 and F.6: 32 numbers, which fix what 'sample level' means there."""
    names = [f"ctc-table-f{n}" for n in (1, 2, 3, 4, 6)]
    found = []
    rebuilder = Rebuilder(Data(data), Scores(tmp_path), metrics=["Length"])
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
    pytest.importorskip("sacrebleu", reason="needs nlgauge[strings]")
    pytest.importorskip("rouge_score_rs", reason="needs nlgauge[strings]")
    wanted = {**PROTOCOLS, **NEAR}
    rebuilder = Rebuilder(Data(data), Scores(tmp_path), metrics=["BLEU", "ROUGE", "ChrF"])
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
    """InfoLM, table 3: within .006, with the columns r and rho of correctness each under its own head."""
    (made,) = find(["infolm-table-3"])
    people = [row for row in made.rows if row.rating]
    again = Rebuilder(Data(data), Scores(tmp_path)).rebuild(Table(**{**vars(made), "rows": tuple(people)}))
    off = [
        (block.title, name, cell.published, round(cell.ours, 1))
        for block in again.blocks
        for name, cells in block.rows.items()
        for head, cell in zip(block.heads, cells, strict=True)
        if head == "pearson" and abs(cell.difference) > 0.6
    ]
    assert off == []


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


def test_a_run_that_was_broken_off_is_shown_in_part(folder: Path) -> None:
    """A point a word: a system of a table may take hours."""
    row = {"row": "Words", "spec": "MarkEvaluate(unit='token')", "part": "m"}
    made = table(pieces.table(rows=[row], columns=[["tiny", "quality", "system", "pearson"]]))

    def run(cached: bool = False) -> Cell:
        rebuilder = Rebuilder(Data(folder), Scores(folder / "scores"))
        rebuilder.score([made], cached=cached)
        ((cell,),) = rebuilder.rebuild(made).blocks[0].rows.values()
        return cell

    for systems in (("long",), ("long", "middle")):
        pieces.write(folder, systems=systems)
        run()
        pieces.write(folder)
        assert run(cached=True).reason == f"{len(systems)} of 3 systems are scored"
    whole = run()
    assert whole.ours == pytest.approx(pieces.SYSTEM) and run(cached=True) == whole
