"""Seals: every digit of every kind of result is changed, one at a time, and each change is found."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.answers.fitted_panel import FittedPanel
from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.data import history
from nlgauge.data.seal import BEFORE_IT, changed, digest_of, exact, has_seal, sealed
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.gate.verify import verify
from tests.command import nlgauge as command

ROWS = [
    {"candidate": f"The bridge opened in 19{n}0.", "references": [f"The bridge opened in 19{n}1."], "item": f"i{n}"}
    for n in range(3, 9)
]


def scores(place: Path) -> Path:
    corpus = Corpus.from_records(ROWS[:2])
    table = nlgauge.evaluate(corpus, metrics=["TokenF1", "Length"], evidence=True, cache=False)
    table.save(place / "scores.jsonl")
    return place / "scores.jsonl"


def threshold(place: Path) -> Path:
    path = place / "threshold.json"
    RatedThreshold(
        metric="TokenF1",
        part="f1",
        direction="at_least",
        threshold=0.1 + 0.2,
        by="risk",
        risk=0.1,
        confidence=0.9,
        n=40,
        passing=2 / 3,
        aspect="right",
        below=1.0,
        signature="TokenF1|nlgauge:0.2.0",
        facts={"nlgauge": "0.2.0"},
        scores=(0.25, 1 / 3),
    ).save(path)
    return path


def series(place: Path) -> Path:
    path = place / "history.jsonl"
    for look in (1, 2, 3):
        history.append(path, [analysis(look)])
    return path


def analysis(look: int) -> history.InterimAnalysis:
    return history.InterimAnalysis(
        time="2026-11-27T18:00:00Z",
        metric="TokenF1",
        part="f1",
        system="s",
        baseline="0123456789ab",
        look=look,
        n=20,
        now=0.5,
        before=0.5,
        difference=0.0,
        low=math.nan,
        high=0.25,
        p=0.75,
        significance=0.05,
        alarm=False,
        higher_is_better=True,
        signature="TokenF1|nlgauge:0.2.0",
    )


def verdict(place: Path) -> Path:
    return checked(place)[0]


def statement(place: Path) -> Path:
    return checked(place)[1]


def checked(place: Path) -> tuple[Path, Path]:
    rows, path, attested = place / "rows.jsonl", place / "verdict.json", place / "statement.json"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:2]), encoding="utf-8")
    done = command(
        "check",
        str(rows),
        "-m",
        "TokenF1",
        "--at-least",
        "0.5",
        "--no-cache",
        "--format",
        "json",
        "--attest",
        str(attested),
    )
    assert done.exit_code == 0, done.stderr
    path.write_text(done.stdout, encoding="utf-8")
    return path, attested


def panel(place: Path) -> Path:
    rng = np.random.default_rng(0)
    bad = rng.random(40) < 0.4
    rows = [
        {
            "candidate": f"answer {n}",
            "item": str(n),
            "scores": {"right": float(not wrong)},
            "a": float(rng.normal() - wrong),
            "b": float(rng.normal() - wrong),
        }
        for n, wrong in enumerate(bad)
    ]
    corpus = Corpus.from_records(rows)
    table = nlgauge.evaluate(corpus, metrics=["Column('a')", "Column('b')"], cache=False)
    made = nlgauge.trust(table, corpus, replicates=0).panel()
    replace(made, rows=dict(list(made.rows.items())[:2])).save(place / "panel.json")
    return place / "panel.json"


Maker = Callable[[Path], Path]
KINDS: dict[str, tuple[Maker, Callable[[Path], object] | None]] = {
    "scores": (scores, ScoreTable.load),
    "threshold": (threshold, RatedThreshold.load),
    "history": (series, history.read),
    "panel": (panel, FittedPanel.load),
    "verdict": (verdict, None),
    "statement": (statement, None),
}


def flips(text: str) -> Iterator[tuple[int, str]]:
    """The text with one digit changed, for each digit."""
    for at, sign in enumerate(text):
        if sign.isdecimal():
            yield at, text[:at] + str((int(sign) + 1) % 10) + text[at + 1 :]


@pytest.mark.parametrize("kind", KINDS)
def test_every_changed_digit_is_found(kind: str, tmp_path: Path) -> None:
    make, load = KINDS[kind]
    path = make(tmp_path)
    assert verify(path).ruling == "fits" and verify(path).kind == kind
    if load is not None:
        load(path)
    text, flipped = path.read_text(encoding="utf-8"), 0
    for at, other in flips(text):
        path.write_text(other, encoding="utf-8")
        where = text[max(0, at - 30) : at + 10]
        try:
            found = verify(path)
        except InputError:
            pass  # it is no result any more
        else:
            assert found.ruling == "changed", where
        if load is not None:
            with pytest.raises(InputError):
                load(path)
        flipped += 1
    assert flipped > 100
    path.write_text(text, encoding="utf-8")
    assert verify(path).ruling == "fits"


def test_a_changed_value_is_named_by_its_row(tmp_path: Path) -> None:
    path = scores(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace('"value": 0.', '"value": 0.9')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (change,) = verify(path).changes
    assert change.startswith("line 2 (system 'system', item 'i3', TokenF1 f1: 0.9")
    done = command("verify", str(path))
    assert done.exit_code == 1 and "CHANGED: line 2 (system" in done.stdout
    refused = command("compare", str(path), "a", "b")
    assert refused.exit_code == 2 and f"nlgauge verify {path} says what was changed" in refused.stderr
    del lines[1]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert any("the number of lines" in change for change in verify(path).changes)
    with pytest.raises(InputError):
        ScoreTable.load(path)


def test_changed_provenance_is_named_by_its_part(tmp_path: Path) -> None:
    path = scores(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("|nlgauge:0.2.0", "|nlgauge:0.3.0"), encoding="utf-8")
    assert verify(path).changes == ("signatures of the first line",)
    made = threshold(tmp_path)
    record = json.loads(made.read_text(encoding="utf-8"))
    made.write_text(json.dumps({**record, "risk": 0.01, "n": 41}), encoding="utf-8")
    assert verify(made).changes == ("the field 'risk'", "the field 'n'")
    with pytest.raises(
        InputError, match=r"a threshold that was changed after it was written.*\(risk, n\).*take out the field"
    ):
        RatedThreshold.load(made)


def test_other_outputs_are_named_by_their_rows(tmp_path: Path) -> None:
    path, corpus = scores(tmp_path), Corpus.from_records(ROWS[:2])
    assert verify(path, corpus).ruling == "fits"
    other = Corpus.from_records([ROWS[0], {**ROWS[1], "candidate": "The bridge fell."}])
    assert verify(path, other).changes == ("the outputs have other texts in row 2",)
    more = verify(path, Corpus.from_records(ROWS[:3])).changes
    assert more == ("the outputs have 3 rows, and 2 were scored",)
    renamed = Corpus.from_records([{**row, "item": f"j{n}"} for n, row in enumerate(ROWS[:2])])
    assert "something other than their texts" in verify(path, renamed).changes[0]
    with pytest.raises(InputError, match="compared with scores alone"):
        verify(threshold(tmp_path), corpus)


def test_files_without_a_seal_are_read_and_told_of(tmp_path: Path) -> None:
    path = scores(tmp_path)
    first, *others = path.read_text(encoding="utf-8").splitlines()
    record = json.loads(first)
    del record["seal"]
    path.write_text("\n".join([json.dumps(record), *others]) + "\n", encoding="utf-8")
    assert ScoreTable.load(path).seal == "" and verify(path).ruling == "no seal"
    told = command("report", str(path), "-o", str(tmp_path / "report.html"))
    assert told.exit_code == 0 and "has no seal" in told.stderr
    assert command("verify", str(path)).exit_code == 3
    sealed_again = ScoreTable.load(path)
    sealed_again.save(path)
    assert (
        ScoreTable.load(path).seal
        and "has no seal" not in command("report", str(path), "-o", str(tmp_path / "r.html")).stderr
    )
    made = threshold(tmp_path)
    record = json.loads(made.read_text(encoding="utf-8"))
    del record["seal"]
    made.write_text(json.dumps({**record, "threshold": 0.4}), encoding="utf-8")
    assert RatedThreshold.load(made).threshold == 0.4 and not has_seal(made) and verify(made).ruling == "no seal"


def test_what_does_not_count_does_not_count(tmp_path: Path) -> None:
    """Line ends of another system, blanks and the order of fields in a record, and gzip."""
    path = scores(tmp_path)
    table, content = ScoreTable.load(path), path.read_bytes()
    path.write_bytes(content.replace(b"\n", b"\r\n"))
    assert ScoreTable.load(path) == table and verify(path).ruling == "fits"
    packed = tmp_path / "scores.jsonl.gz"
    packed.write_bytes(gzip.compress(content))
    assert ScoreTable.load(packed) == table and verify(packed).ruling == "fits"
    made = threshold(tmp_path)
    text = made.read_text(encoding="utf-8")
    made.write_text(json.dumps(dict(reversed(json.loads(text).items()))), encoding="utf-8")
    assert RatedThreshold.load(made) and verify(made).ruling == "fits"


def test_no_line_of_a_history_is_taken_out_put_in_or_moved_unseen(tmp_path: Path) -> None:
    path = series(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [one.look for one in history.read(path)] == [1, 2, 3]
    for wrong in (lines[1:], [lines[0], lines[2]], [lines[1], lines[0], lines[2]], [lines[0], lines[0], *lines[1:]]):
        path.write_text("\n".join(wrong) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"line \d.*what stands before it"):
            history.read(path)
        assert verify(path).ruling == "changed"
    bare = json.loads(lines[1])
    del bare["seal"]
    path.write_text("\n".join([lines[0], json.dumps(bare)]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2 has no seal, as the lines before it have"):
        history.read(path)
    old = [json.loads(line) for line in lines[:2]]
    path.write_text(
        "".join(json.dumps({k: v for k, v in one.items() if k not in ("seal", "signature")}) + "\n" for one in old)
    )
    assert [one.look for one in history.read(path)] == [1, 2], "of an earlier version"
    history.append(path, [analysis(3)])
    text = path.read_text(encoding="utf-8")
    assert [one.look for one in history.read(path)] == [1, 2, 3]
    path.write_text(text.replace('"look": 1', '"look": 2'), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3.*what stands before it"):
        history.read(path)


def test_a_statement_names_its_inputs_and_holds_no_text(tmp_path: Path) -> None:
    _, attested = checked(tmp_path)
    record = json.loads(attested.read_text(encoding="utf-8"))
    assert list(record) == ["_type", "subject", "predicateType", "predicate"]
    assert record["_type"] == "https://in-toto.io/Statement/v1"
    (subject,) = record["subject"]
    import hashlib

    rows = tmp_path / "rows.jsonl"
    assert subject == {"name": f"outputs:{rows}", "digest": {"sha256": hashlib.sha256(rows.read_bytes()).hexdigest()}}
    predicate = record["predicate"]
    assert predicate["ruling"] == "passes" and predicate["at_least"] == 0.5 and predicate["states"] == {"passed": 2}
    assert "bridge" not in json.dumps(predicate) and "TokenF1" in predicate["signature"]
    rows.write_text(rows.read_text(encoding="utf-8").replace("1930", "1940"), encoding="utf-8")
    assert "which has another digest" in verify(attested).changes[0]
    rows.unlink()
    assert "which is not there" in verify(attested).changes[0]


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    for content in ('{"a": 1}', "[1]", "text", '{"candidate": "x"}\n{"candidate": "y"}'):
        path.write_text(content, encoding="utf-8")
        assert command("verify", str(path)).exit_code == 2
        with pytest.raises(InputError, match="is no result of nlgauge"):
            verify(path)


def test_a_seal_is_over_all_fields_and_its_own_parts() -> None:
    made = exact(json.dumps(sealed({"a": 0.5, "b": [1, "x"]})))
    assert changed(made) == [] and changed({"a": 1}) is None and changed(3) is None
    assert changed(exact(json.dumps(sealed({"a": 0.5}, "before"))), "before") == []
    assert changed(exact(json.dumps(sealed({"a": 0.5}, "before"))), "other") == [BEFORE_IT]
    for wrong, names in (
        ({**made, "c": 1}, ["c"]),
        ({name: value for name, value in made.items() if name != "a"}, ["a"]),
        ({**made, "a": ["number", "0.50"]}, ["a"]),
        ({**made, "seal": {**made["seal"], "parts": {}}}, ["the seal itself"]),
        ({**made, "seal": 3}, ["the seal itself"]),
        ({**made, "a": 1, "seal": {"digest": "x", "parts": 4}}, ["the seal itself"]),
    ):
        assert changed(wrong) == names
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 2, "b": 1})


def test_names_that_are_no_utf_8_are_refused_where_the_file_is_written(tmp_path: Path) -> None:
    table = ScoreTable(
        [("s", "\ud800")], {"M": Column(("score",), np.ones((1, 1)))}, {"M": Signature("M")}, {"rows": 1}
    )
    with pytest.raises((InputError, UnicodeEncodeError)):
        table.save(tmp_path / "scores.jsonl")
    assert not list(tmp_path.iterdir())
