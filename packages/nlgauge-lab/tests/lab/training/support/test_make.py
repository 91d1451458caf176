"""Constructed rows: what they hold, and that each follows from its number alone."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from lab.training.support.places import CONTEXT, ELSEWHERE, PARALLEL, PASSAGES, TEXT
from nlgauge.errors import InputError
from nlgauge_lab.training.labelled import Labelled
from nlgauge_lab.training.support.edits import Place
from nlgauge_lab.training.support.make import KINDS, Among, Mixture, Texts, made, read_texts

TEXTS = Texts(PASSAGES, PARALLEL)


def test_rows_follow_from_their_numbers_and_are_of_every_kind():
    rows = list(made(TEXTS, 400, 7, Mixture()))
    assert rows[:20] == list(islice(made(TEXTS, 400, 7, Mixture()), 20)) != list(made(TEXTS, 20, 8, Mixture()))
    assert 0.4 < sum(row.supported for row in rows) / len(rows) < 0.6
    assert 0.3 < sum("\n" in row.source for row in rows) / len(rows) < 0.7
    assert any(row.question for row in rows) and any(row.candidate in ("Yes.", "No.") for row in rows)
    assert {row.contradicted for row in rows} == {True, False, None}
    for row in rows:
        assert row.supported == (row.spans == ())
        assert all(0 <= begin < end <= len(row.candidate) for begin, end in row.spans)
        if row.supported:
            assert row.contradicted is None


def test_of_a_labelled_set_supported_rows_come_again_with_an_edit():
    rows = [Labelled(f"{n} birds came to Leeds.", f"Leeds had {n} birds.", None, n % 2 == 0) for n in range(2, 42)]
    again = list(Among(PASSAGES, among=0.5, edited=1.0, together=0.5).rows(rows, 3))
    assert again == list(Among(PASSAGES, among=0.5, edited=1.0, together=0.5).rows(rows, 3))
    changed = [one for one in again if one.spans]
    assert changed and all(not one.supported and one.contradicted is not None for one in changed)
    both = [one for one in again if one.candidate.count("birds") == 2 and one.spans is None]
    assert both and {one.supported for one in both} == {True, False}
    assert list(Among(PASSAGES).rows(rows, 3)) == rows


def edits_of(kind, text=TEXT, tries=40):
    found = [KINDS[kind](Place(text, CONTEXT, ELSEWHERE), random.Random(seed)) for seed in range(tries)]
    return [edit for edit in found if edit is not None]


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_marks_what_it_changed(kind):
    edits = edits_of(kind)
    assert edits
    for edit in edits:
        assert edit.text != TEXT
        assert all(edit.text[begin:end].strip() for begin, end in edit.spans)
        assert all(first[1] <= second[0] for first, second in zip(edit.spans, edit.spans[1:], strict=False))
        outside = edit.text[: edit.spans[0][0]], edit.text[edit.spans[-1][1] :]
        assert TEXT.startswith(outside[0].rstrip(" ,"))
        assert outside[1].strip(" .") in TEXT


def test_texts_are_read_by_the_recipe_and_some_are_kept_apart(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join([*PASSAGES, "too short"]), encoding="utf-8")
    lines = "\n".join(f'{{"source": "{a}", "target": "{b}"}}' for a, b in PARALLEL)
    long = '{"source": "It was all over.", "target": "It was all over when the last of the big trains had left us."}'
    (tmp_path / "b.jsonl").write_text(f"{lines}\n{long}\n", encoding="utf-8")
    recipe = {"held_out": 0.1, "passages": [{"files": "a*", "most": 20}], "parallel": [{"files": "b*"}]}
    own, held = read_texts(tmp_path, recipe, 1)
    assert len(own.passages) == 18 and len(held.passages) == 2
    assert len(own.parallel) == 27 and len(held.parallel) == 3  # the pair that tells more is left out
    assert not set(own.passages) & set(held.passages)
    assert read_texts(tmp_path, recipe, 1) == (own, held) != read_texts(tmp_path, recipe, 2)
    with pytest.raises(InputError, match="no file c"):
        read_texts(tmp_path, {"passages": [{"files": "c*"}]}, 1)
    with pytest.raises(InputError, match="no passages"):
        read_texts(tmp_path, {}, 1)
