"""The share of unknown sub-words: what is noted, what has no number, and what stays as it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.tokens import SubwordTokenizer, unknown_share
from nlgauge.run.results import UNKNOWN
from tests.command import nlgauge as command

FEW, MANY, ALL = "The bridge over the old river was closed ⴰⴱ today.", "Fine ⴰⴱ ⴳⴷ.", "ⴰⴱ ⴳⴷ."


@pytest.mark.parametrize(
    ("text", "share"), [("The bridge.", 0), (FEW, 0.1), (MANY, 2 / 3), (ALL, 1), ("...", 0), ("", 0)]
)
def test_the_share_is_of_words_and_not_of_punctuation(text: str, share: float) -> None:
    tokenizer = SubwordTokenizer.read(str(pocket_folder() / "tokenizer.json"))
    assert tokenizer.unknown_id is not None
    (tokens,) = tokenizer.encode([text])
    assert unknown_share(text, tokens, tokenizer.unknown_id) == pytest.approx(share)


def rows(*candidates: str) -> Corpus:
    return Corpus.from_records(
        {"candidate": text, "references": "The bridge was closed.", "source": "A bridge."} for text in candidates
    )


@pytest.mark.parametrize("metric", ["BERTScore", "InfoLM", "Consistency", "SentenceMovers", "MaskEval"])
def test_unknown_words_are_told_and_a_text_of_them_alone_has_no_number(metric: str) -> None:
    table = nlgauge.evaluate(rows("The bridge.", FEW, MANY, ALL), metrics=metric, cache=False)
    column = table.column(metric)
    assert np.isfinite(column.values[:3, 0]).all() and np.isnan(column.values[3]).all()
    assert column.reasons == {3: "the model's tokenizer knows no word of the candidate"}
    (spec,) = table.metrics
    assert table.run["notes"][spec][UNKNOWN] == 1 and table.run["noted"][spec][UNKNOWN] == [3]


def test_a_run_in_blocks_and_rows_without_a_candidate_name_the_same_rows(tmp_path: Path) -> None:
    texts = [None, "A bridge.", MANY, "A bridge."]
    records = [{"candidate": text, "references": "A bridge."} for text in texts]
    table = nlgauge.evaluate(records, metrics="BERTScore", cache=False, on_missing="skip")
    assert table.run["noted"] == {"BERTScore": {UNKNOWN: [3]}}
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    table = nlgauge.evaluate(records[1:], metrics="BERTScore", cache=False, output=tmp_path / "s", rows_per_block=2)
    assert table.run["noted"] == {"BERTScore": {UNKNOWN: [2]}}
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl").run == table.run


def test_sets_leave_out_a_text_of_unknown_words_and_say_so() -> None:
    texts = [f"The bridge over river {n} was closed." for n in range(8)]
    some = [{"candidate": text, "references": text[::-1]} for text in texts]
    with_unknown = [*some, {"candidate": ALL, "references": "A bridge."}]
    table = nlgauge.evaluate(with_unknown, metrics="FrechetDistance", cache=False)
    assert UNKNOWN in table.run["notes"]["FrechetDistance"]
    lost = nlgauge.evaluate([{"candidate": ALL, "references": "A b."}], metrics="FrechetDistance", cache=False)
    assert lost.column("FrechetDistance").reasons == {0: "no output has words that the model's tokenizer knows"}


def test_a_broken_tokenizer_gives_no_number_and_no_star(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(pocket_folder(), folder)
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    # Every word has another name, as where a vocabulary belongs to another tokenizer.
    content["model"]["vocab"] = {
        name if name.startswith("[") or not name.isalnum() else f"_{name}": number
        for name, number in content["model"]["vocab"].items()
    }
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    outputs = tmp_path / "rows.jsonl"
    texts = {"A": ["The bridge.", "It rained."], "B": ["Snow fell.", "A dog."]}
    lines = [{"candidate": text, "references": "A bridge.", "system": name} for name in texts for text in texts[name]]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = command("score", outputs, "-m", "BERTScore", "--model", folder, "--no-cache")
    assert done.exit_code == 0, done.output
    assert "0.9" not in done.stdout and "*" not in done.stdout
    assert "no value for 4 of 4 rows (1, 2, 3, 4): the model's tokenizer knows no word of the candidate" in done.stderr


def test_many_unknown_words_are_told_by_their_rows_on_stderr(tmp_path: Path) -> None:
    outputs = tmp_path / "rows.jsonl"
    lines = [{"candidate": text, "references": "A bridge."} for text in ["A bridge.", *[MANY] * 7]]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = command("score", outputs, "-m", "BERTScore", "--no-cache")
    assert f"BERTScore: 7 of 8 rows (2, 3, 4, 5, 6, ...): {UNKNOWN}" in done.stderr
