"""A rating project: what it keeps, which sheets it takes, whose rows it refuses, and what it says of raters."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError
from nlgauge.ratings.project import RatingProject, text_digest
from nlgauge.ratings.sampling import DrawnRow
from tests.by_hand import by_hand
from tests.ratings.hidden import SPEC, outputs
from tests.ratings.projects import cells_of, fill, project, written
from tests.score_tables import same

TABLE, CORPUS, TRUTH = outputs(100, 0)
TEXTS = Corpus(tuple(replace(row, candidate=f"{row.item} of\n{row.system}, é") for row in CORPUS))


def truth(row: DrawnRow) -> int:
    return int(TRUTH[row.system, row.item])


def test_a_filled_sheet_is_estimated_as_its_ratings_are(tmp_path: Path) -> None:
    made = project(tmp_path / "p", TEXTS, 60, scores=TABLE)
    fill(tmp_path / "p", truth)
    ratings = RatingProject.load(tmp_path / "p").ratings()
    by_name = {("sheet", str(row.name)): float(truth(row)) for row in made.draw.sheet}
    expected = nlgauge.estimate(TABLE, {"good": by_name}, draw=made.draw)
    assert same(nlgauge.estimate(TABLE, ratings).records, expected.records)
    assert {row.stratum for row in made.draw.rows} == set(range(10))


def test_every_change_of_the_key_is_refused(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 40)
    place = tmp_path / "p" / "project.json"
    text = by_hand(place).read_text(encoding="utf-8")
    for before, after in (
        ('"probability": 0.2', '"probability": 0.3'),
        ('"name": "r01"', '"name": "r41"'),
        ('"high": 1', '"high": 5'),
        ('"rows"', '"no rows"'),
        ("{", "["),
    ):
        assert before in text
        place.write_text(text.replace(before, after, 1), encoding="utf-8")
        with pytest.raises(InputError, match="is not a rating project, or was changed"):
            RatingProject.load(tmp_path / "p")
    place.write_text(text.replace('"format": 1', '"format": 2'), encoding="utf-8")
    with pytest.raises(InputError, match="is of format 2, and this version reads 1"):
        RatingProject.load(tmp_path / "p")
    with pytest.raises(InputError, match="cannot be read"):
        RatingProject.load(tmp_path)


def test_the_sheet_of_another_draw_is_refused(tmp_path: Path) -> None:
    """Every draw names its rows r01, r02, ..., so that ids alone would join them."""
    one, other = project(tmp_path / "p", TEXTS, 60), project(tmp_path / "q", TEXTS, 60, seed=1)
    fill(tmp_path / "q", truth)
    sheet = (tmp_path / "q" / "sheet.csv").read_text(encoding="utf-8")
    (tmp_path / "p" / "sheet-q.csv").write_text(sheet, encoding="utf-8")
    with pytest.raises(InputError, match=f"row r01 was drawn for the project {other.id}, and this folder.* {one.id}"):
        RatingProject.load(tmp_path / "p").ratings()


def test_texts_and_rows_that_came_apart_are_refused(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 60)
    place, found = tmp_path / "p" / "sheet.csv", RatingProject.load(tmp_path / "p")
    lines = cells_of(place)
    for line in lines:
        line["scores.good"] = "1"

    def refused(say: str, **changes: str) -> None:
        place.write_text(written([lines[0], {**lines[1], **changes}, *lines[2:]]), encoding="utf-8")
        with pytest.raises(InputError, match=say):
            found.ratings()

    refused(r"sheet.csv: row r02 \(line 4\): its texts are not those that were drawn", candidate="another text")
    refused("row r02 .* its texts", candidate=lines[0]["candidate"])
    refused(r"row r02 \(line 4\) has the digest of row r01", digest=lines[0]["digest"])
    refused("row r02 .* has another digest than it was made with", digest=f"{found.id}-000000000000")
    refused("row r02 .* has another digest", digest="")
    refused("line 4 is of row 'r99', which was not drawn", item="r99")
    refused("line 4 is of row '', which was not drawn", item="")
    place.write_text(written([{k: v for k, v in line.items() if k != "candidate"} for line in lines]), encoding="utf-8")
    assert "without candidate its texts are not compared" in found.ratings().notes[0]


def test_what_a_spreadsheet_does_to_texts_is_no_change(tmp_path: Path) -> None:
    texts = ["=1+1", "a\r\n\r\nb  ", "e\u0301", "zero\u200bwidth", "'quoted'", "-", "\ta"]
    corpus = Corpus(tuple(replace(TEXTS[n], candidate=text) for n, text in enumerate(texts)))
    project(tmp_path / "p", corpus, len(texts))
    lines = cells_of(tmp_path / "p" / "sheet.csv")
    for line in lines:
        line["candidate"] = (
            line["candidate"].replace("\r\n", "\n").strip().replace("\u200b", "").replace("e\u0301", "é")
        )
        line["scores.good"] = "yes"
    (tmp_path / "p" / "sheet.csv").write_bytes(("sep=;\r\n" + written(lines, ";")).encode("utf-8-sig"))
    ratings = RatingProject.load(tmp_path / "p").ratings()
    assert [dict(row.scores) for row in ratings] == [{"good": 1.0}] * len(texts) and ratings.notes == ()
    assert text_digest({"candidate": "ab"}) != text_digest({"candidate": "ac"}) != text_digest({"source": "ac"})


def test_signs_that_cp1252_lacks_do_not_lose_ratings(tmp_path: Path) -> None:
    corpus = Corpus(tuple(replace(row, candidate="ĉirkaŭ é") for row in TEXTS[:6]))
    project(tmp_path / "p", corpus, 6)
    fill(tmp_path / "p", truth)
    place = tmp_path / "p" / "sheet.csv"
    place.write_bytes(place.read_text(encoding="utf-8").encode("cp1252", "replace"))
    ratings = RatingProject.load(tmp_path / "p").ratings()
    assert sum(bool(row.scores) for row in ratings) == 6 and "read as cp1252" in ratings.notes[0]


def test_raters_are_averaged_and_their_agreement_stands_beside(tmp_path: Path) -> None:
    made = project(tmp_path / "p", TEXTS, 40)
    folder = tmp_path / "p"
    fill(folder, truth, "sheet-anna.csv")
    fill(
        folder,
        lambda row: ["no", "yes"][truth(row) if row.name != "r01" else 1 - truth(row)],
        "sheet-ben.csv",
        count=30,
    )
    ratings = made.load(folder).ratings()
    means = {(row.system, row.item): row.scores["good"] for row in ratings if row.scores}
    first, *others = made.draw.sheet
    assert len(means) == 40 and means[first.system, first.item] == 0.5
    assert all(means[row.system, row.item] == truth(row) for row in others)
    (agreement,) = ratings.agreement
    assert (agreement.raters, agreement.rows, agreement.level) == (("anna", "ben"), 30, "nominal")
    assert 0.8 < agreement.kappa.value < 1 and 0.8 < agreement.alpha.value < 1
    assert agreement.kappa.low < 0.8 and agreement.alpha.low < 0.8
    (said,) = ratings.told()
    assert "Cohen's kappa 0." in said and said in nlgauge.estimate(TABLE, ratings).notes and not ratings.told(["other"])
    with pytest.raises(InputError, match="good is not rated by 0 and 1 alone"):
        nlgauge.calibrate(TABLE, ratings)


def test_raters_who_shared_the_rows_out_make_the_interval_wider(tmp_path: Path) -> None:
    """Ben is stricter than Anna; where both rate all rows, their spread is no part of the interval."""
    made, folder = project(tmp_path / "p", TEXTS, 100), tmp_path / "p"

    def strict(row: DrawnRow) -> int:
        return truth(row) * int(str(row.name)[-1] not in "0258")

    def half(row: DrawnRow) -> bool:
        return int(str(row.name)[1:]) % 2 == 0

    fill(folder, lambda row: truth(row) if half(row) else "", "sheet-anna.csv")
    fill(folder, lambda row: "" if half(row) else strict(row), "sheet-ben.csv")
    ratings = made.load(folder).ratings()
    found = nlgauge.estimate(TABLE, ratings)
    by_row = {(row.system, row.item): row.scores["good"] for row in ratings if row.scores}
    by_name = {("sheet", str(row.name)): by_row[row.system, row.item] for row in made.draw.sheet}
    alone = nlgauge.estimate(TABLE, {"good": by_name}, draw=made.draw)
    for one, other in zip(found, alone, strict=True):
        assert one.estimate == other.estimate and other.wider == 1
        assert one.wider == pytest.approx((one.high - one.low) / (other.high - other.low))
    assert found[0].wider > 1.3 and found[1].wider > 1.3 > found[2].wider
    (note,) = [note for note in found.notes if "their spread makes the intervals up to" in note]
    assert note.startswith("good: 2 raters with mean ratings from ") and "one more is assumed who is 0.1 of the" in note
    assert not [note for note in alone.notes if "spread" in note]
    assert found[2].p >= alone[2].p
    # More rows by the same raters do not make the interval shorter than their spread.
    assert nlgauge.estimate(TABLE, ratings, margin=0.12)[0].more == math.inf
    assert nlgauge.estimate(TABLE, {"good": by_name}, draw=made.draw, margin=0.12)[0].more < math.inf
    for name, rating in (("anna", truth), ("ben", strict)):
        fill(folder, rating, f"sheet-{name}.csv")
    assert {one.wider for one in nlgauge.estimate(TABLE, made.load(folder).ratings())} == {1.0}


def test_raters_in_columns_of_one_sheet(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 20)
    lines = cells_of(tmp_path / "p" / "sheet.csv")
    for line in lines:
        line |= {"scores.good": "1", "scores.good:ben": "0", "scores.good: cem": "1", "my note": "hm"}
    (tmp_path / "p" / "sheet.csv").write_text(written(lines), encoding="utf-8")
    ratings = RatingProject.load(tmp_path / "p").ratings()
    assert ratings.agreement[0].raters == ("sheet", "ben", "cem")
    assert {row.scores["good"] for row in ratings if row.scores} == {2 / 3}
    assert "not read, as no aspect is called so: my note" in ratings.notes[0]
    lines[0]["scores.god"] = ""
    for line in lines:
        line["scores.god"] = "1"
    (tmp_path / "p" / "sheet.csv").write_text(written(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"the column 'scores.god' is of no aspect .*the aspects are good"):
        RatingProject.load(tmp_path / "p").ratings()


def test_one_rater_twice_is_one_rater(tmp_path: Path) -> None:
    """A browser saves a later state as `ratings (1).jsonl`: two such files are no two raters who agree."""
    made = project(tmp_path / "p", TEXTS, 20)

    def save(name: str, count: int, **more: object) -> None:
        records = [
            {"item": row.name, "digest": made.digest(str(row.name)), "scores": {"good": truth(row)}, **more}
            for row in made.draw.sheet[:count]
        ]
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "p" / name).write_text(text, encoding="utf-8")

    save("ratings.jsonl", 10)
    save("ratings (1).jsonl", 20)
    ratings = RatingProject.load(tmp_path / "p").ratings()
    assert ratings.agreement == () and sum(bool(row.scores) for row in ratings) == 20
    save("ratings-anna.jsonl", 20, rater="anna")
    save("anna's.jsonl", 5, rater="anna")
    (agreement,) = RatingProject.load(tmp_path / "p").ratings().agreement
    assert agreement.raters == ("anna", "ratings")
    fill(tmp_path / "p", lambda row: 1 - truth(row), "sheet-anna.csv", count=1)
    with pytest.raises(InputError, match=r"row r01, good: anna rates it .* in .*jsonl \(line 1\) and sheet-anna.csv"):
        RatingProject.load(tmp_path / "p").ratings()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sheet-Anna.csv", "sheet-anna.csv"),
        ("sheet.csv", "sheet - Copy.csv"),
        ("sheet.csv", "sheet (1).csv"),
        ("sheet-anna b.csv", "Kopie von sheet-Anna_B.csv"),
    ],
)
def test_one_person_under_two_names_is_one_rater(tmp_path: Path, one: str, other: str) -> None:
    made, folder = project(tmp_path / "p", TEXTS, 40), tmp_path / "p"
    fill(folder, lambda row: truth(row) if str(row.name) <= "r20" else "", other)
    fill(folder, lambda row: truth(row) if str(row.name) >= "r15" else "", one)
    if one != "sheet.csv":
        (folder / "sheet.csv").unlink()
    ratings = made.load(folder).ratings()
    assert ratings.agreement == () and sum(bool(row.scores) for row in ratings) == 40
    (note,) = ratings.notes
    assert one in note and other in note and note.endswith(": read as one rater")
    text = (folder / other).read_text(encoding="utf-8")
    first = cells_of(folder / other)
    first[14]["scores.good"] = str(1 - int(first[14]["scores.good"]))
    assert written(first) != text
    (folder / other).write_text(written(first), encoding="utf-8")
    with pytest.raises(InputError, match=r"row r15, good: .* rates it [01] and [01], in .*delete one of the two"):
        made.load(folder).ratings()


def test_a_copy_under_another_name_is_no_second_rater(tmp_path: Path) -> None:
    made, folder = project(tmp_path / "p", TEXTS, 60), tmp_path / "p"
    fill(folder, truth, "sheet-anna.csv", count=50)
    fill(folder, lambda row: truth(row) if str(row.name) > "r15" else "", "sheet-ben.csv")
    ratings = made.load(folder).ratings()
    assert ratings.agreement == () and sum(bool(row.scores) for row in ratings) == 60
    (note,) = ratings.notes
    assert note.startswith("anna and ben: no difference in the 35 ratings that both gave")
    # One that differs in one row, and copies of few rows or of equal ratings, are left alone.
    fill(folder, lambda row: truth(row) if row.name != "r20" else 1 - truth(row), "sheet-ben.csv")
    found = made.load(folder).ratings()
    assert found.notes == () and found.agreement[0].raters == ("anna", "ben")
    for rating, count in ((truth, 29), (lambda row: 1, 60)):
        fill(folder, rating, "sheet-anna.csv", count=count)
        fill(folder, rating, "sheet-ben.csv", count=count)
        assert made.load(folder).ratings().agreement[0].raters == ("anna", "ben")


def test_a_column_that_was_sorted_alone_is_refused(tmp_path: Path) -> None:
    made, folder = project(tmp_path / "p", TEXTS, 80, seed=1), tmp_path / "p"
    fill(folder, truth)
    lines = cells_of(folder / "sheet.csv")
    # Whoever sorts whole rows parts no rating from its row.
    by_rating = sorted(lines, key=lambda line: line["scores.good"])
    (folder / "sheet.csv").write_text(written(by_rating), encoding="utf-8")
    assert made.load(folder).ratings().notes == ()
    column = [line["scores.good"] for line in by_rating]
    alone = [{**line, "scores.good": rating} for line, rating in zip(lines, column, strict=True)]
    (folder / "sheet.csv").write_text(written(alone), encoding="utf-8")
    with pytest.raises(InputError, match="p: good, sheet: the 80 ratings are sorted"):
        made.load(folder).ratings()
    by_name = {("sheet", line["item"]): float(line["scores.good"]) for line in alone}
    with pytest.raises(InputError, match="good: the 80 ratings are sorted"):
        nlgauge.estimate(TABLE, {"good": by_name}, draw=made.draw)


def test_a_rater_who_changes_is_told_with_the_estimate(tmp_path: Path) -> None:
    made, folder = project(tmp_path / "p", TEXTS, 120), tmp_path / "p"
    fill(folder, lambda row: truth(row) or int(str(row.name) < "r060"), "sheet-anna.csv")
    fill(folder, truth, "sheet-ben.csv")
    (note,) = made.load(folder).ratings().notes
    assert note.startswith("good, anna: the ratings change along the sheet")
    assert note in nlgauge.estimate(TABLE, made.load(folder).ratings()).notes


def test_other_files_of_the_folder(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 20)
    with pytest.raises(InputError, match="no row is rated yet"):
        RatingProject.load(tmp_path / "p").ratings()
    fill(tmp_path / "p", truth)
    for name in ("notes.md", ".~lock.sheet.csv#", "threshold.json", ".hidden.csv"):
        (tmp_path / "p" / name).write_text("a", encoding="utf-8")
    assert sum(bool(row.scores) for row in RatingProject.load(tmp_path / "p").ratings()) == 20
    (tmp_path / "p" / "old.csv").write_text("item,candidate,scores.good\nr01,x,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"old.csv: is not a sheet of a rating project.* drawn with a key"):
        RatingProject.load(tmp_path / "p").ratings()
    (tmp_path / "p" / "old.csv").rename(tmp_path / "p" / "sheet.xlsx")
    with pytest.raises(InputError, match=r"sheet.xlsx: is not read \(save it as CSV"):
        RatingProject.load(tmp_path / "p").ratings()


def test_rows_that_were_drawn_and_not_rated(tmp_path: Path) -> None:
    """The 30 lowest of 60 come back; an interval of these alone would leave out the truth."""
    made = project(tmp_path / "p", TEXTS, 120)
    scores = dict(zip(TABLE.rows, TABLE.values(SPEC).tolist(), strict=True))
    drawn = sorted(made.draw.sheet, key=lambda row: scores[row.system, row.item])
    lowest = {row.name for row in drawn[:60]}
    fill(tmp_path / "p", lambda row: truth(row) if row.name in lowest else "")
    chosen = RatingProject.load(tmp_path / "p").ratings()
    for asked in (nlgauge.estimate, nlgauge.calibrate):
        with pytest.raises(InputError, match="rows that were drawn are not rated, and their scores are not like those"):
            asked(TABLE, chosen)
    fill(tmp_path / "p", lambda row: truth(row) if int(str(row.name)[1:]) % 5 < 2 or row.name == "r120" else "")
    scattered = RatingProject.load(tmp_path / "p").ratings()
    for asked in (nlgauge.estimate, nlgauge.calibrate):
        with pytest.raises(InputError, match="rows up to the last rated one are left out, and at most 50% may be"):
            asked(TABLE, scattered)
    # Whoever has only begun has rated rows that were drawn at random.
    (tmp_path / "p" / "sheet.csv").write_text(
        written([{**line, "scores.good": ""} for line in cells_of(tmp_path / "p" / "sheet.csv")]), encoding="utf-8"
    )
    fill(tmp_path / "p", truth, count=50)
    begun = nlgauge.estimate(TABLE, RatingProject.load(tmp_path / "p").ratings())
    assert begun.notes[0].startswith("good: 70 of 120 rows that were drawn are not rated")
    assert begun[0].reason is None


def test_scores_of_other_texts_are_told(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 60)
    fill(tmp_path / "p", truth)
    ratings = RatingProject.load(tmp_path / "p").ratings()
    said = "the scores are not of the very outputs that were sampled"
    assert any(said in note for note in nlgauge.estimate(replace(TABLE, run={"corpus": "other"}), ratings).notes)
    same = nlgauge.estimate(replace(TABLE, run={"corpus": TEXTS.digest}), ratings)
    assert not any(said in note for note in same.notes)


def test_ratings_go_with_texts_and_other_names(tmp_path: Path) -> None:
    project(tmp_path / "p", TEXTS, 60, scores=TABLE)
    fill(tmp_path / "p", truth)
    ratings = RatingProject.load(tmp_path / "p").ratings()
    whole = ratings.of(TEXTS)
    assert [row.candidate for row in whole] == [row.candidate for row in TEXTS]
    assert [row.scores for row in whole] == [row.scores for row in ratings]
    renamed = ratings.renamed({"a": "ours"})
    found = nlgauge.estimate(TABLE.renamed({"a": "ours"}), renamed)
    assert [one.estimate for one in found] == [one.estimate for one in nlgauge.estimate(TABLE, ratings)]
