"""METEOR: NLTK's numbers, a value by hand, and synonyms from a small WordNet of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import SpecError
from nlgauge.metrics.meteor import METEOR, WordNet
from tests.metrics.pieces import prepared, scored
from tests.metrics.strings import LINES, rows, value


class NoSynonyms:
    def synsets(self, word: str) -> list[object]:
        return []


@pytest.mark.parametrize(("variant", "weights"), [("2005", (0.9, 3, 0.5)), ("2007", (0.81, 0.83, 0.28))])
@pytest.mark.parametrize("stemmer", ["porter", "none"])
def test_numbers_are_nltks_on_the_same_words_and_stems(variant: str, weights: tuple[float, ...], stemmer: str) -> None:
    snowballstemmer = pytest.importorskip("snowballstemmer", reason="needs nlgauge[strings]")
    nltk = pytest.importorskip("nltk.translate.meteor_score", reason="needs the dependency group parity")

    class Stems:
        def stem(self, word: str) -> str:
            return word if stemmer == "none" else snowballstemmer.stemmer(stemmer).stemWord(word)

    found = scored(METEOR(variant=variant, stemmer=stemmer, tokenizer="spaces"), rows())
    for got, (text, references) in zip(found, LINES, strict=True):
        theirs = [
            nltk.single_meteor_score(reference.split(), text.split(), str.lower, Stems(), NoSynonyms(), *weights)
            for reference in references
        ]
        assert got.parts[0] == pytest.approx(max(theirs), rel=1e-12)


def test_the_variant_of_nltk_has_its_numbers_as_it_comes() -> None:
    nltk = pytest.importorskip("nltk.translate.meteor_score", reason="needs nlgauge[strings]")

    words = "He was dying of love; the skies were happily lying above tied ponies"  # NLTK stems these in its own way
    lines = [("He died, loved by happy skies and the lie of a tying pony", (words,)), *LINES]
    found = scored(METEOR(variant="nltk", tokenizer="spaces"), rows(lines))
    for got, (text, references) in zip(found, lines, strict=True):
        theirs = [nltk.single_meteor_score(one.split(), text.split(), wordnet=NoSynonyms()) for one in references]
        assert got.parts[0] == pytest.approx(max(theirs), rel=1e-12)
    (ours, *_) = scored(METEOR(tokenizer="spaces"), rows(lines))
    assert ours.parts != found[0].parts
    with pytest.raises(SpecError, match="leave stemmer out"):
        METEOR(variant="nltk", stemmer="none")


def test_worked_by_hand() -> None:
    # 4 of 5 words match, in two chunks (the cat | on it): precision 4/5, recall 4/6.
    metric = METEOR(tokenizer="spaces", stemmer="none")
    f = 0.8 * (4 / 6) / (0.9 * 0.8 + 0.1 * 4 / 6)
    assert value(metric, "the cat sat on it", "on it was the cat yesterday") == pytest.approx(
        (1 - 0.5 * (2 / 4) ** 3) * f
    )
    assert value(metric, "a b", "c d") == 0


def test_words_match_by_stem() -> None:
    pytest.importorskip("snowballstemmer", reason="needs nlgauge[strings]")
    assert value(METEOR(tokenizer="spaces"), "cats", "cat") == pytest.approx(0.5)
    assert value(METEOR(tokenizer="spaces", stemmer="german"), "Häuser", "haus") == pytest.approx(0.5)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """Three senses: car and auto; a boat; to sail. Beside them an exception, and a word of two."""
    licence = "  1 a licence stands here  \n"
    files = {
        "index.noun": [
            "auto n 1 0 1 0 00000100  ",
            "boat n 1 0 1 0 00000200  ",
            "car n 1 1 @ 1 0 00000100  ",
            "man n 1 0 1 0 00000300  ",
        ],
        "data.noun": [
            "00000100 06 n 03 car 0 auto 0 motor_car 0 000 | what rolls  ",
            "00000200 06 n 01 boat 0 000 | what floats  ",
            "00000300 18 n 02 man 0 bloke 0 000 | who walks  ",
        ],
        "index.verb": ["sail v 1 0 1 0 00000400  ", "navigate v 1 0 1 0 00000400  "],
        "data.verb": ["00000400 38 v 02 sail 0 navigate 0 000 00 | to go by boat  "],
        "index.adj": ["near a 1 0 1 0 00000500  "],
        "data.adj": ["00000500 00 a 02 near(a) 0 close(ip) 0 000 | not far  "],
        "noun.exc": ["men man"],
    }
    for kind in ("noun", "verb", "adj", "adv"):
        for name in (f"index.{kind}", f"data.{kind}", f"{kind}.exc"):
            text = "".join(f"{line}\n" for line in files.get(name, []))
            (tmp_path / name).write_text(text if name.endswith("exc") else licence + text, encoding="utf-8")
    return tmp_path


def test_words_match_by_synonym_after_all_others(net: Path) -> None:
    metric = METEOR(tokenizer="spaces", stemmer="none", wordnet=str(net))
    assert value(metric, "autos", "car") == pytest.approx(0.5)
    assert value(metric, "car auto", "auto car") == pytest.approx((1 - 0.5) * 1)
    assert value(METEOR(tokenizer="spaces", stemmer="none"), "autos", "car") == 0
    assert prepared(metric, rows()).facts["synonyms"] == {"name": "wordnet", "digest": WordNet.read(net).digest}


def test_a_stemmer_that_is_not_known_is_refused() -> None:
    pytest.importorskip("snowballstemmer", reason="needs nlgauge[strings]")
    with pytest.raises(SpecError, match="klingon"):
        scored(METEOR(tokenizer="spaces", stemmer="klingon"), rows())
