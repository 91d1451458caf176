"""Rated data from clones of public repositories."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from nlgauge import InputError
from nlgauge_lab.reproduce.converting import converted
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import Data
from tests.command import nlgauge, refused


def qags(*sentences: tuple[str, str]) -> dict[str, Any]:
    """A record as it was released: sentences with the answers of three people, y or n."""
    told = {"y": "yes", "n": "no"}
    return {
        "article": "The article.",
        "summary_sentences": [
            {"sentence": text, "responses": [{"worker_id": n, "response": told[one]} for n, one in enumerate(votes)]}
            for text, votes in sentences
        ],
    }


def cloned(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    lines = [qags(("It rains.", "yyn"), ("It snows.", "nyn")), qags(("It is dry.", "yyy"))]
    text = "\n".join(map(json.dumps, lines)) + "\n"
    (folder / "data" / "mturk_xsum.jsonl").write_text(text, encoding="utf-8")
    (folder / "raw_score").mkdir()
    for pair in ("cs-en", "de-en", "fi-en", "ru-en"):
        one = {"generated_sentence": f"{pair}\n", "scores": {"human": -0.5, "bleu": 7.0}}
        record = {"0": {"system": {"wmt15": one}, "references_sentences": "A line.\n"}}
        (folder / "raw_score" / f"15_{pair}_formated.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def test_what_a_clone_has_is_written_for_the_tables(tmp_path: Path) -> None:
    out = tmp_path / "rated"
    result = nlgauge("reproduce", "data", "--from", cloned(tmp_path / "clone"), "--data", out)
    assert result.stdout.split() == [str(out / "qags_xsum.jsonl"), str(out / "wmt15.jsonl")]
    rows = Data(out).corpus([Source("qags_xsum")])
    assert [(row.candidate, row.scores, row.source) for row in rows] == [
        ("It rains. It snows.", {"consistency": 0.5}, "The article."),
        ("It is dry.", {"consistency": 1.0}, "The article."),
    ]
    [row] = Data(out).corpus([Source("wmt15", items="de-en:")])
    assert (row.candidate, row.references, row.scores) == ("de-en", ("A line.",), {"da_z": -0.5})


def test_other_folders_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds none of data/mturk_cnndm.jsonl"):
        converted(tmp_path, tmp_path / "out")
    clone = cloned(tmp_path / "clone")
    (clone / "data" / "mturk_xsum.jsonl").write_text('{"article": "x"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"is not as it was released: KeyError: 'summary_sentences'"):
        converted(clone, tmp_path / "out")
    refused("reproduce", "data", "--data", tmp_path, say="data and --from FOLDER go together")
    refused("reproduce", "data", "--from", clone, say="--data says into which folder")


@pytest.mark.parametrize(("name", "released"), [("qags_cnn", "mturk_cnndm"), ("qags_xsum", "mturk_xsum")])
def test_ratings_are_those_of_the_data_at_hand(name: str, released: str, tmp_path: Path) -> None:
    """Their single answers, written as they were released, give their ratings."""
    file = Path(os.environ.get("NLGAUGE_DATA", "")) / f"{name}.jsonl.gz"
    if not file.is_file():
        pytest.skip(f"no {name}")
    records = [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()]
    lines = []
    for record in records:
        votes = ["".join("ny"[vote] for vote in of_sentence) for of_sentence in record["raw"]["sentence_yes"]]
        one = qags(*zip(record["raw"]["sentences"], votes, strict=True))
        lines.append(json.dumps({**one, "article": record["source"]}))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / f"{released}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    converted(tmp_path, tmp_path)
    for row, record in zip(Data(tmp_path).corpus([Source(name)]), records, strict=True):
        assert (row.candidate, row.source, row.system) == (record["candidate"], record["source"], record["system"])
        assert row.scores["consistency"] == pytest.approx(record["scores"]["consistency"])
