"""Sentences, stretches, search and rows, on texts of any kind; the tokens of the tiny tokenizer are words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.sentence_search import Pairing, Search, SearchShape, nearest, rarity, sentences, stretches
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from tests.engine.fake import WORDS, tiny_tokenizer

TINY = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
FLAT = np.ones(TINY.vocabulary)
SMALL = SearchShape(row=24, stretch=8, sentence=6)

words = st.sampled_from([*WORDS[5:15], "w1.", "w2!", "w3。", "?", '."', "(w4)"])
texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n", "\n\n", "  "])), max_size=60).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)
odd = st.text(max_size=200)


def split(text: str) -> Tokens:
    return TINY.encode([text])[0]


def search(text: str, most: int = 6) -> Search:
    tokens = split(text)
    return Search(tokens, sentences(text, tokens, most), FLAT)


def chosen(source: str, asked: str, room: int) -> list[str]:
    ready = search(source)
    return [source[slice(*ready.place(i))] for i in ready.choose(split(asked).ids, room)]


# ---- Sentences and stretches


@given(st.one_of(texts, odd), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_sentences_hold_every_token_once_in_order_and_are_not_too_long(text: str, most: int) -> None:
    tokens = split(text)
    spans = sentences(text, tokens, most)
    assert [at for begin, end in spans for at in range(begin, end)] == list(range(len(tokens)))
    assert all(0 < end - begin <= most for begin, end in spans)


@given(st.one_of(texts, odd), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_stretches_hold_every_sentence_once_in_order_and_are_not_too_long(text: str, most: int) -> None:
    spans = sentences(text, split(text), most)
    groups = stretches(spans, most)
    assert [span for group in groups for span in group] == spans
    assert all(group[-1][1] - group[0][0] <= most for group in groups)


def test_what_fits_is_one_stretch_and_others_are_even() -> None:
    assert stretches([(0, 95), (95, 99)], 100) == [[(0, 95), (95, 99)]]
    assert stretches([(0, 60), (60, 70), (70, 100), (100, 130)], 100) == [[(0, 60)], [(60, 70), (70, 100), (100, 130)]]
    assert stretches([], 100) == []


def test_sentences_end_where_a_reader_sees_it() -> None:
    def cut(text: str) -> list[str]:
        tokens = split(text)
        return [text[tokens.offsets[a, 0] : tokens.offsets[b - 1, 1]] for a, b in sentences(text, tokens, 9)]

    assert cut("w1 w2. w3 w4! w5") == ["w1 w2.", "w3 w4!", "w5"]
    assert cut('w1 "w2." w3 (w4.) w5\nw6') == ['w1 "w2."', "w3 (w4.)", "w5", "w6"]
    assert cut("w1 3.5 w2 U.S.A w3") == ["w1 3.5 w2 U.S.A w3"]
    assert cut("") == cut(" \n ") == []
    assert cut(" ".join(["w1"] * 20)) == [" ".join(["w1"] * n) for n in (7, 6, 7)]


# ---- Search


@given(texts, texts, st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_what_is_chosen_fits_is_in_order_and_shares_something(source: str, asked: str, room: int) -> None:
    ready, wanted = search(source), split(asked).ids
    found = ready.choose(wanted, room)
    assert found == sorted(set(found)) == ready.choose(wanted, room)
    assert len(found) <= 1 or sum(len(ready.ids(i)) for i in found) <= room
    assert all(np.isin(wanted, ready.ids(i)).any() for i in found)
    assert bool(found) == bool(np.isin(wanted, ready.tokens.ids).any())
    spans = [ready.spans[i] for i in found]
    assert 0 <= ready.covered(wanted, spans) <= 1
    assert (ready.covered(wanted, spans) > 0) == bool(found)


def test_rare_words_that_no_chosen_sentence_holds_come_first() -> None:
    filler = "w9 w10\n" * 5
    source = f"{filler}w9 w1\n{filler}w9 w2\n{filler}w1 w9"
    assert chosen(source, "w1 w2 w9", 4) == ["w9 w1", "w9 w2"]
    assert chosen(source, "w7", 10) == []
    assert chosen("", "w1", 10) == []
    assert chosen("w1 w2 w3", "w2", 1) == ["w1 w2 w3"]  # the best is read whatever its size


def test_a_rare_word_is_worth_more() -> None:
    counts = np.array([0, 1, 50, 1000])
    worth = rarity(counts, 1000)
    assert worth.tolist() == sorted(worth, reverse=True)
    assert (worth[0], worth[3]) == (worth[1], 0)


def test_sentences_are_found_by_their_tokens() -> None:
    ready = search("w1 w2. w3. w4 w5 w6")
    assert ready.spans == [(0, 2), (2, 3), (3, 6)]
    assert [list(ready.within(span)) for span in [(0, 6), (1, 3), (2, 3), (5, 6)]] == [[0, 1, 2], [0, 1], [1], [2]]


@pytest.mark.parametrize(
    "text",
    [
        "图书馆五月重新开放。雪下了一夜。",
        "المكتبة تفتح في مايو. غدا",
        "🙂👩‍👩‍👧🇨🇭",
        "x" * 300,
        "a\0b",
        "?!",
        "ไม่มีช่องว่าง",
    ],
)
def test_odd_scripts_are_searched(text: str) -> None:
    tokenizer = loading.load("pocket")[TOKENIZER]
    pairing = Pairing(tokenizer, SearchShape(), np.ones(tokenizer.vocabulary))
    filler = "The bridge was closed on Monday. " * 80
    source = f"{filler}{text} {filler}"
    ready, asked = (tokenizer.encode([one])[0] for one in (source, text))
    found = pairing.search(source, ready)
    spans = pairing.evidence(found, asked.ids)
    assert found.covered(asked.ids, spans) == 1.0


def test_a_source_of_100_000_words_is_searched_in_a_moment() -> None:
    rng = np.random.default_rng(3)
    ids = rng.integers(5, 45, 100_000).astype(np.int32)
    tokens = Tokens(ids, np.stack([np.arange(len(ids)) * 2, np.arange(len(ids)) * 2 + 1], axis=1).astype(np.int32))
    for text in ("a " * len(ids), "a " * 9 + "\n" + "a " * (len(ids) - 10)):  # no sentence ends at all
        spans = sentences(text, tokens, 60)
        assert max(end - begin for begin, end in spans) <= 60
        ready = Search(tokens, spans, FLAT)
        assert sum(len(ready.ids(i)) for i in ready.choose(ids[:100], 200)) <= 200


# ---- Which sentence a word is from


def test_a_word_is_from_the_sentence_that_is_most_like_its_own() -> None:
    own = split("w1 w2 w3. w4 w5").ids
    quotes = [split(text).ids for text in ("w2 w9", "w1 w2 w8", "w5", "w9")]
    worth = np.ones(TINY.vocabulary)
    got = nearest(own, [0, 3], np.arange(5), quotes, worth)
    assert got.tolist() == [1, 1, 1, 2, 2]
    # Two tokens of one word: a sentence has to hold both.
    assert nearest(own[:2], [0], np.array([7, 7]), [quotes[0], quotes[1]], worth).tolist() == [1, 1]
    # One that holds the word goes before one that shares more.
    assert nearest(own[:3], [0], np.arange(3), [split("w1 w2").ids, split("w3.").ids], worth).tolist()[:2] == [0, 0]
    assert nearest(own, [0, 3], np.arange(5), [quotes[3]], worth).tolist() == [-1] * 5
    assert nearest(own, [0, 3], np.arange(5), [], worth).tolist() == [-1] * 5


# ---- Rows


@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_rows_hold_a_stretch_and_what_fits_of_the_evidence(text: str, source: str) -> None:
    pairing = Pairing(TINY, SMALL, FLAT)
    tokens, ready = split(text), pairing.search(source, split(source))
    for group in pairing.stretches(pairing.sentences(text, tokens)):
        own = tokens.ids[group[0][0] : group[-1][1]]
        spans = pairing.evidence(ready, own)
        ids, side = pairing.row(own, ready, spans)
        assert len(ids) == len(side) <= SMALL.row
        assert ids[: 1 + len(own)].tolist() == [*TINY.prefix, *own]
        read = [token for begin, end in spans for token in ready.tokens.ids[begin:end]]
        assert ids[side == 1].tolist() == read
        if len(own) + len(ready.tokens) <= pairing.room:
            assert read == ready.tokens.ids.tolist()


def test_a_window_that_is_small_has_small_stretches_and_sentences() -> None:
    pairing = Pairing(TINY, SearchShape(row=6), FLAT)
    text = " ".join(WORDS[5:15])
    assert pairing.room == 3
    assert pairing.sentences(text, split(text)) == [(at, at + 1) for at in range(10)]
    assert max(end - begin for begin, end in pairing.search(text, split(text)).spans) == 2


def test_as_much_is_read_of_a_source_whatever_its_length() -> None:
    pairing = Pairing(TINY, SMALL, FLAT)
    asked = split("w1 w2").ids
    for times in (1, 30):
        source = "w1 w3. w2 w4. " + "w5 w6. " * 30 * times
        ids, _ = pairing.row(asked, ready := pairing.search(source, split(source)), pairing.evidence(ready, asked))
        assert len(ids) == len(TINY.prefix) + 2 * len(TINY.suffix) + 2 + 4


@pytest.mark.parametrize(("own", "times", "most"), [(3, 4, 64), (20, 4, 80), (20, 3, 64), (20, 0, 177), (30, 9, 167)])
def test_evidence_is_limited_by_the_length_of_the_text(own: int, times: int, most: int) -> None:
    pairing = Pairing(TINY, SearchShape(row=200, stretch=64, evidence=times), FLAT)
    text = " ".join(f"w{n}" for n in range(1, own + 1))
    source = "\n".join(["w1 w2 w3 w4", *["w1 w2 w30 w31"] * 60])
    tokens, ready = split(text), pairing.search(source, split(source))
    assert pairing.room_beside(tokens.ids) == most
    _, side = pairing.row(tokens.ids, ready, pairing.evidence(ready, tokens.ids))
    assert most - 4 < (side == 1).sum() <= most
