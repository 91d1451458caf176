"""The whole construction on texts of our own: determinism, resumption, labels, and every kind of corruption."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError, SpecError
from nlgauge.training.weak_labels import construct as construction
from nlgauge.training.weak_labels.construct import Parts, Settings, Source, Tally, construct, pick
from nlgauge.training.weak_labels.infilling import MaskedLMInfiller
from nlgauge.training.weak_labels.lexicon import Lexicon
from nlgauge.training.weak_labels.masking import Masker
from nlgauge.training.weak_labels.paraphrase import Rewriter
from nlgauge.training.weak_labels.pseudo_targets import Contexts, Targets, content_stems
from nlgauge.training.weak_labels.sources import Record
from nlgauge.training.weak_labels.spans import SpanBank
from tests.training.weak_labels.grammar import PlainParser, real_parser

pytestmark = pytest.mark.usefixtures("one_model")

TOPICS = ["bridge", "museum", "harbour", "library", "stadium", "orchard", "tunnel", "theatre"]
RECORDS = [
    Record(
        document=(
            f"The {topic} in the valley was closed after cracks had been found in it. A firm from the coast built "
            f"another {topic} in {1950 + n}. It cost {n + 3} million pounds, and {20 + n} people worked there. "
            f"Visitors liked the old {topic} because of its quiet garden. The mayor will open the new one soon."
        ),
        text=f"A new {topic} replaces the old one, which had cracks. Many visitors liked its garden.",
        origin=f"set{n % 2}",
        groups=(f"town {n}",),
    )
    for n, topic in enumerate(TOPICS)
]
SOURCES = [
    Source(RECORDS, "summarization", 2.0),
    Source(RECORDS, "reference"),
    Source(RECORDS, "style"),
    Source([replace(one, knowledge=one.document, document="") for one in RECORDS], "knowledge"),
    Source([Record(knowledge=one.document, text=one.document.split(". ")[0] + ".") for one in RECORDS], "dialogue"),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a few attempts cost a few."""
    monkeypatch.setattr(construction, "BLOCK", 8)


@pytest.fixture
def parts(one_model) -> Parts:
    """All but a real parser."""
    model, parser = load("pocket"), PlainParser()
    lexicon = Lexicon.read()
    bank = SpanBank.collect(one for some in parser.parse([r.document for r in RECORDS]) for one in some)
    return Parts(
        parser=parser,
        targets=Targets(contexts=Contexts(shortest=20, longest=60)),
        paraphraser=Rewriter(Lexicon({("R", "because of"): ("owing to",)}), share=1.0),
        masker=Masker(attempts=20),
        infiller=MaskedLMInfiller(model),
        bank=bank,
        lexicon=lexicon,
        judge=model,
        tokenizer=model.tokenizer,
    )


def only(kind: str, **others: float) -> Settings:
    shares = dict.fromkeys(("clean", "foreign", "withheld", "exchanged"), 0.0)
    return Settings(**{**shares, **({kind: 1.0} if kind in shares else {}), "verbatim": 1.0, **others})


def words_of(example, supported: bool) -> list[str]:
    pairs = zip(example.words, example.supported, strict=True)
    return [example.text[begin:end] for (begin, end), kept in pairs if kept is supported]


def test_the_same_seed_gives_the_same_examples_wherever_it_is_taken_up(parts, monkeypatch):
    whole = list(construct(SOURCES, parts, seed=4, stop=40))
    assert {one.task for one in whole} == {source.task for source in SOURCES}
    later = list(construct(SOURCES, parts, seed=4, start=28, stop=38))
    assert later == [one for one in whole if 28 <= one.number < 38]
    assert list(construct(SOURCES, parts, seed=5, stop=8)) != whole[: len(later)]
    monkeypatch.setattr(construction, "BLOCK", 1)
    assert list(construct(SOURCES, parts, seed=4, start=28, stop=38)) == later


def test_examples_have_words_labels_and_a_context(parts):
    tally = Tally()
    made = list(construct(SOURCES, parts, seed=1, stop=40, tally=tally))
    assert tally.attempts == 40 == len(made) + sum(tally.dropped.values())
    for one in made:
        assert one.context and one.text == " ".join(one.text.split())
        assert len(one.words) == len(one.supported) > 0
        assert all(one.text[begin:end].strip() == one.text[begin:end] for begin, end in one.words)
        if one.made.endswith(("infilled", "exchanged")):
            assert not all(one.supported)


def test_what_is_clean_is_supported_and_said_by_the_context(parts):
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("clean"), stop=16):
        assert all(one.supported) and one.made == "verbatim+clean"
        assert set(content_stems(one.text)) <= set(content_stems(one.context))


def test_what_is_filled_is_not_supported_and_the_rest_is_as_it_was(parts):
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("infilled", added=0.0), stop=16):
        assert set(content_stems(" ".join(words_of(one, True)))) <= set(content_stems(one.context))
        assert 0 < len(words_of(one, False)) < len(one.words)


def test_a_word_put_in_is_the_only_one_that_is_not_supported():
    text = "The firm opened the bridge in the valley. The mayor liked the garden and the museum."
    source = [Source([Record(document=text)], "reference")]
    parts = Parts.usual(source, load("pocket"), 1, parser=real_parser())
    made = list(construct(source, parts, seed=2, settings=only("infilled", added=1.0, spared=1.0), stop=8))
    assert len(made) > 4
    for one in made:
        ((begin, end),) = (span for span, kept in zip(one.words, one.supported, strict=True) if not kept)
        assert one.text[:begin] + one.text[end + 1 :] == text


def test_what_is_exchanged_comes_from_elsewhere(parts):
    known = {stem for one in RECORDS for stem in content_stems(one.document)}
    for one in construct(SOURCES[:1], parts, seed=3, settings=only("exchanged", near=0.0), stop=16):
        assert words_of(one, False)
        assert set(content_stems(one.text)) <= known


def test_another_context_supports_what_it_has(parts):
    for one in construct(SOURCES[:1], parts, seed=3, settings=only("foreign"), stop=16):
        known = set(content_stems(one.context))
        assert all(set(content_stems(word)) <= known for word in words_of(one, True) if content_stems(word))
        assert all(set(content_stems(word)).isdisjoint(known) for word in words_of(one, False))


def test_what_is_withheld_is_missing_from_the_context(parts):
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("withheld"), stop=24))
    withheld = [one for one in made if one.made.endswith("withheld")]
    assert len(withheld) > 12
    assert np.mean([not all(one.supported) for one in withheld]) > 0.9
    for one in withheld:
        assert one.text not in one.context
        assert set(content_stems(" ".join(words_of(one, False)))).isdisjoint(content_stems(one.context))


def test_a_paraphrase_that_changes_nothing_is_no_example(parts):
    tally = Tally()
    unchanged = replace(parts, paraphraser=Rewriter(Lexicon({}), rewritten=0.0, shortened=0.0))
    assert (
        list(construct(SOURCES[:1], unchanged, seed=3, settings=only("clean", verbatim=0.0), stop=10, tally=tally))
        == []
    )
    assert tally.dropped == {"nothing to paraphrase": 10}


def test_parallel_texts_stand_for_paraphrases(parts):
    always = replace(parts, targets=Targets(parallel=1.0))
    made = list(construct([SOURCES[2]], always, seed=3, settings=only("clean"), stop=8))
    assert {(one.made, one.text) for one in made} <= {("parallel+clean", record.text) for record in RECORDS}


def test_records_that_do_not_fit_are_passed_over_and_counted(parts):
    tally = Tally()
    mixed = [Source([Record(document="No end"), *RECORDS], "summarization")]  # each comes twice in 18
    assert len(list(construct(mixed, parts, seed=1, settings=only("clean"), stop=18, tally=tally))) == 18
    assert tally.passed.keys() == {"no sentence worth choosing"} and 2 <= tally.passed.total() <= 4
    nothing = [Source([Record(document="No end")], "summarization")]
    assert list(construct(nothing, parts, seed=1, stop=3, tally=(empty := Tally()))) == []
    assert sum(empty.dropped.values()) == 3


def test_all_records_are_seen_before_one_comes_again():
    source = [Source(RECORDS, "style")]
    for epoch in range(3):
        seen = [pick(source, 7, 8 * epoch + i)[1].groups for i in range(8)]
        assert len(set(seen)) == 8


def test_the_shares_of_sources_are_kept():
    sources = [Source(RECORDS, "style", 3.0), Source(RECORDS, "reference", 1.0)]
    drawn = [pick(sources, 1, i)[0].task for i in range(2000)]
    assert np.mean([task == "style" for task in drawn]) == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(
    ("sources", "error", "problem"),
    [
        ([], InputError, "no records"),
        ([Source([], "style")], InputError, "no records for style"),
        ([Source(RECORDS, "poetry")], SpecError, "no task 'poetry'; there are summarization"),
        ([Source(RECORDS, "style", 0.0)], SpecError, "not above 0"),
    ],
)
def test_what_nothing_can_be_made_of(parts, sources, error, problem: str):
    with pytest.raises(error, match=problem):
        next(construct(sources, parts, seed=1, stop=1))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"clean": 1.5}, "clean=1.5 is no share"), ({"clean": 0.9, "exchanged": 0.9}, "more than 1")],
)
def test_settings_that_are_none(settings, problem: str):
    with pytest.raises(SpecError, match=problem):
        Settings(**settings)
