"""Examples from records: the whole construction on one page.

    record -> context, target -> paraphrase -> masks -> fillings -> words and labels

Deng et al. 2021, appendix A, with kinds of corruption added (see `Settings`). Attempt i follows from (seed, i) alone: a
construction taken up again goes on with the same examples. An attempt that fails is counted under its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError
from nlgauge.training.weak_labels.examples import Example, word_spans
from nlgauge.training.weak_labels.infilling import Infiller, MaskedLMInfiller
from nlgauge.training.weak_labels.inflection import article
from nlgauge.training.weak_labels.labels import Filled, absent, assembled
from nlgauge.training.weak_labels.lexicon import Lexicon
from nlgauge.training.weak_labels.masking import Masker, Span
from nlgauge.training.weak_labels.mining import mined
from nlgauge.training.weak_labels.paraphrase import Paraphraser, Rewriter
from nlgauge.training.weak_labels.pseudo_targets import TASKS, Choice, Targets, content_stems, sentence_list, stem
from nlgauge.training.weak_labels.reading import Template, fits
from nlgauge.training.weak_labels.sources import Record
from nlgauge.training.weak_labels.spans import SpanBank, entities, kind
from nlgauge.training.weak_labels.syntax import Parser, Sentence, SpacyParser, template

BLOCK = 64
_BANK_RECORDS = 400
_BANK_WORDS = 120
_MINED_PAIRS = 6000
_CHOICE_TEMPERATURE = 1.5
_TRIES = 12
_LEFT = 20  # words of a context that lacks something
_STRIDE = 1_000_003  # far from the records of other attempts


@dataclass(frozen=True)
class Source:
    """Records of one task, and their share of the attempts beside other sources'."""

    records: Sequence[Record]
    task: str
    share: float = 1.0


@dataclass(frozen=True)
class Settings:
    """Shares of the kinds of examples. What is left of 1 is corrupted as published: masked and filled.

    clean: nothing is corrupted. foreign: the context is another record's. withheld: the context lacks some of the
    sentences that the text was taken from (tasks that choose sentences). exchanged: names, numbers and phrases are
    exchanged for others of their kind, from the same context or from other records.
    verbatim: of the texts that should be paraphrased, how many are left as they are (0 as published).
    spared: how often a sentence beside other corrupted ones stays whole (0 as published).
    near: how often a span that is exchanged comes from the same context.
    added: how often a sentence to infill only gets a word put in before a noun (0 as published).
    """

    clean: float = 0.08
    foreign: float = 0.05
    withheld: float = 0.12
    exchanged: float = 0.30
    verbatim: float = 0.2
    spared: float = 0.3
    near: float = 0.35
    added: float = 0.15

    def __post_init__(self) -> None:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        for name, value in values.items():
            if not 0 <= value <= 1:
                raise SpecError(f"{name}={value} is no share: give a number from 0 to 1")
        if self.clean + self.foreign + self.withheld + self.exchanged > 1:
            raise SpecError("clean, foreign, withheld and exchanged together are more than 1")

    def draw(self, rng: np.random.Generator) -> str:
        """How an example is corrupted."""
        shares = {name: getattr(self, name) for name in ("clean", "foreign", "withheld", "exchanged")}
        draw = rng.random()
        for name, share in shares.items():
            if draw < share:
                return name
            draw -= share
        return "infilled"


DEFAULTS = Settings()


@dataclass(frozen=True)
class Parts:
    """What does each step. `bank` and `lexicon` serve our own steps; a checkpoint may take the place of the others."""

    parser: Parser
    targets: Targets
    paraphraser: Paraphraser
    masker: Masker
    infiller: Infiller
    bank: SpanBank
    lexicon: Lexicon
    judge: Model | None
    """A masked LM that tells which span fits a place; None draws any"""
    tokenizer: SubwordTokenizer
    """Whose sub-words make the words that are labelled"""

    @classmethod
    def usual(
        cls, sources: Sequence[Source], model: Model, seed: int, *, parser: Parser | None = None,
        targets: Targets | None = None, paraphraser: Paraphraser | None = None, masker: Masker | None = None,
        infiller: Infiller | None = None,
    ) -> Parts:  # fmt: skip
        """The parts that are given, and ours for the others: they need spaCy with its model, and no checkpoint.

        Pairs for the task style are also mined for substitutes.
        """
        parser = parser or SpacyParser()
        lexicon = Lexicon.read().with_others(mined(_parallel(sources, seed)))
        bank = collect_bank(sources, parser, seed)
        return cls(
            parser,
            targets or Targets(),
            paraphraser or Rewriter(lexicon, model),
            masker or Masker(),
            infiller or MaskedLMInfiller(model, spellings=bank.spellings),
            bank,
            lexicon,
            model,
            model.tokenizer,
        )

    def described(self) -> dict[str, str]:
        """Part to its name, for the data card."""
        named = {one: getattr(self, one) for one in ("parser", "targets", "paraphraser", "infiller")}
        return {**{one: part.name for one, part in named.items()}, "masker": str(self.masker)}


@dataclass
class Tally:
    """What became of the attempts."""

    attempts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Why attempts came to nothing"""
    passed: Counter[str] = field(default_factory=Counter)
    """Why records were passed over for another one"""


@dataclass
class _Draft:
    """An attempt on its way."""

    number: int
    task: str
    record: Record
    choice: Choice
    how: str
    rng: np.random.Generator
    made: list[str] = field(default_factory=list)
    paraphrased: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    """Of each paraphrased sentence: which chosen one it comes from"""
    sentences: list[Sentence] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    originals: list[str] = field(default_factory=list)
    fillings: list[str] = field(default_factory=list)
    problem: str | None = None


def construct(
    sources: Sequence[Source], parts: Parts, *, seed: int, settings: Settings = DEFAULTS, start: int = 0,
    stop: int | None = None, tally: Tally | None = None,
) -> Iterator[Example]:  # fmt: skip
    """Examples from attempts `start` up to `stop` (without end where None), in order of attempt.

    `tally` counts them and why some were dropped. Attempts are worked on in blocks with fixed borders, so that what is
    read by a model together is the same whatever the start.
    Raises InputError where there are no records, SpecError for a task that is none.
    """
    _check(sources)
    tally = Tally() if tally is None else tally
    block = start // BLOCK
    while stop is None or block * BLOCK < stop:
        numbers = range(block * BLOCK, (block + 1) * BLOCK)
        made, passed = _block(sources, parts, seed, settings, numbers)
        for number in numbers[max(0, start - numbers[0]) : None if stop is None else max(0, stop - numbers[0])]:
            tally.attempts += 1
            tally.passed.update(passed[number])
            one = made[number]
            if isinstance(one, str):
                tally.dropped[one] += 1
            else:
                yield one
        block += 1


def _check(sources: Sequence[Source]) -> None:
    for source in sources:
        if source.task not in TASKS:
            raise SpecError(f"no task {source.task!r}; there are {', '.join(TASKS)}")
        if not source.records:
            raise InputError(f"no records for {source.task}", remedy="give files with documents or pairs")
        if source.share <= 0:
            raise SpecError(f"share={source.share} of {source.task} is not above 0")
    if not sources:
        raise InputError("no records", remedy="give files with documents or pairs")


def _block(
    sources: Sequence[Source], parts: Parts, seed: int, settings: Settings, numbers: Sequence[int]
) -> tuple[dict[int, Example | str], dict[int, list[str]]]:
    """Of each attempt: the example, or why there is none; and why records were passed over."""
    passed: dict[int, list[str]] = {number: [] for number in numbers}
    made: dict[int, Example | str] = {}
    drafts: list[_Draft] = []
    for number in numbers:
        draft = _draft(sources, parts.targets, settings, seed, number, passed[number])
        if isinstance(draft, str):
            made[number] = draft
        else:
            drafts.append(draft)
    _paraphrase(drafts, parts, settings)
    _corrupt([draft for draft in drafts if draft.problem is None], parts, settings)
    made |= {draft.number: draft.problem or _finish(draft, parts, sources, seed) for draft in drafts}
    return made, passed


def pick(sources: Sequence[Source], seed: int, number: int, again: int = 0) -> tuple[Source, Record]:
    """The source and record of an attempt, or another record of the same source where it is tried `again`."""
    shares = np.array([source.share for source in sources])
    source = sources[int(np.random.default_rng([seed, number, 0]).choice(len(sources), p=shares / shares.sum()))]
    # Which turn of its source an attempt is, is not known without the attempts before it: every source counts all.
    epoch, at = divmod(number + again * _STRIDE, len(source.records))
    order = _order(len(source.records), seed, epoch)
    return source, source.records[order[at]]


def _order(size: int, seed: int, epoch: int) -> np.ndarray:
    key = (size, seed, epoch)
    if key not in _ORDERS:
        if len(_ORDERS) > 64:
            _ORDERS.clear()
        _ORDERS[key] = np.random.default_rng([seed, 1, size, epoch]).permutation(size)
    return _ORDERS[key]


_ORDERS: dict[tuple[int, int, int], np.ndarray] = {}


def _draft(
    sources: Sequence[Source], targets: Targets, settings: Settings, seed: int, number: int, passed: list[str]
) -> _Draft | str:
    rng = np.random.default_rng([seed, number, 2])
    how = settings.draw(rng)
    for again in range(_TRIES):
        source, record = pick(sources, seed, number, again)
        choice = targets.choose(record, source.task, rng)
        if not isinstance(choice, str):
            break
        passed.append(choice)
    else:
        return f"no fitting record in {_TRIES}"
    if how == "withheld" and (source.task not in ("summarization", "knowledge") or not _can_lack(choice)):
        how = "infilled"
    return _Draft(number, source.task, record, choice, how, rng)


def _paraphrase(drafts: list[_Draft], parts: Parts, settings: Settings) -> None:
    """Other words for the chosen sentences, and the parse of what came of it."""
    wanted: list[_Draft] = []
    for draft in drafts:
        if draft.choice.parallel is not None:
            draft.paraphrased, made = sentence_list(draft.choice.parallel), "parallel"
        elif draft.task == "dialogue" or draft.rng.random() < settings.verbatim:
            draft.paraphrased, made = [" ".join(one.split()) for one in draft.choice.sentences], "verbatim"
            draft.origins = list(range(len(draft.paraphrased)))
        else:
            wanted.append(draft)
            made = "paraphrased"
        draft.made.append(made)
    parsed = parts.parser.parse([sentence for draft in wanted for sentence in draft.choice.sentences])
    owners = [(draft, index) for draft in wanted for index in range(len(draft.choice.sentences))]
    flat = [(*owner, one) for owner, some in zip(owners, parsed, strict=True) for one in some]
    rngs = [draft.rng.spawn(1)[0] for draft, _, _ in flat]
    texts = parts.paraphraser.paraphrase([one for _, _, one in flat], rngs)
    for (draft, index, _), text in zip(flat, texts, strict=True):
        draft.paraphrased.append(text)
        draft.origins.append(index)
    for draft in wanted:
        before = " ".join(" ".join(draft.choice.sentences).split())
        draft.paraphrased = [" ".join(text.split()) for text in draft.paraphrased]
        if " ".join(draft.paraphrased) == before:
            draft.problem = "nothing to paraphrase"
    for draft, some in zip(drafts, parts.parser.parse([" ".join(draft.paraphrased) for draft in drafts]), strict=True):
        draft.sentences = some
        if not some:
            draft.problem = "no text"


def _corrupt(drafts: list[_Draft], parts: Parts, settings: Settings) -> None:
    """Masks, and what stands in their place."""
    holed: dict[str, list[tuple[_Draft, Template]]] = {"infilled": [], "exchanged": []}
    choices: list[list[list[str]]] = []
    for draft in drafts:
        spans = _spans(draft, parts, settings)
        if spans is None:
            draft.problem = "no masks that are allowed"
            continue
        draft.pieces = [""]
        for number, (sentence, some) in enumerate(zip(draft.sentences, spans, strict=True)):
            made = template(sentence, some)
            draft.pieces[-1] += (" " if number else "") + made.pieces[0]
            draft.pieces += made.pieces[1:]
            draft.originals += made.originals
            if some:
                holed[draft.how].append((draft, made))
                if draft.how == "exchanged":
                    choices.append([_others(draft, sentence, span, parts, settings) for span in some])
    templates = [made for _, made in holed["infilled"]]
    rngs = [draft.rng.spawn(1)[0] for draft, _ in holed["infilled"]]
    for (draft, made), fillings in zip(holed["infilled"], parts.infiller.fill(templates, rngs), strict=True):
        if fillings is None:
            draft.problem = "the infilling does not fit its template"
        draft.fillings += fillings or made.originals
    scores = _scores(parts.judge, [made for _, made in holed["exchanged"]], choices)
    for (draft, made), wordings, fit in zip(holed["exchanged"], choices, scores, strict=True):
        for original, words, how_well in zip(made.originals, wordings, fit, strict=True):
            # Gumbel's way of drawing by softmax: the better it fits the place, the likelier.
            drawn = how_well / _CHOICE_TEMPERATURE + draft.rng.gumbel(size=len(words))
            draft.fillings.append(words[int(drawn.argmax())] if words else original)


def _scores(
    judge: Model | None, templates: Sequence[Template], choices: Sequence[Sequence[Sequence[str]]]
) -> list[list[np.ndarray]]:
    if judge is None:
        return [[np.zeros(len(words)) for words in some] for some in choices]
    return [[np.nan_to_num(one, neginf=0.0) for one in some] for some in fits(judge, templates, choices)]


def _spans(draft: _Draft, parts: Parts, settings: Settings) -> list[list[Span]] | None:
    """What is corrupted in each sentence; None where it could not be drawn."""
    if draft.how not in ("infilled", "exchanged"):
        return [[] for _ in draft.sentences]
    spared = draft.rng.random(len(draft.sentences)) < settings.spared
    spared[int(draft.rng.integers(len(spared)))] = False
    spans: list[list[Span]] = []
    for sentence, whole in zip(draft.sentences, spared, strict=True):
        if whole:
            spans.append([])
            continue
        if draft.how == "exchanged":
            some = _exchangeable(sentence, draft.rng)
        elif (added := _additions(sentence)) and draft.rng.random() < settings.added:
            some = [added[int(draft.rng.integers(len(added)))]]
        else:
            some = parts.masker.masks(sentence, draft.rng)
        if some is None:
            return None
        spans.append(some)
    return spans


def _additions(sentence: Sentence) -> list[Span]:
    """Holes without words, before nouns right after an article: where an adjective could be put in."""
    return [
        (index, index)
        for index, word in enumerate(sentence.words)
        if index and word.tag in ("NN", "NNS") and sentence.words[index - 1].tag == "DT" and not word.entity
    ]


def _exchangeable(sentence: Sentence, rng: np.random.Generator) -> list[Span] | None:
    """One to three places where a name, a number or a phrase can be exchanged; names and numbers twice as likely."""
    named = [span for span in entities(sentence) if kind(sentence, *span)]
    phrases = [(node.first, node.last) for node in sentence.nodes if node.last - node.first < len(sentence.words) // 2]
    pool = sorted({*named, *(span for span in phrases if kind(sentence, *span))})
    if not pool:
        return None
    weights = np.array([4.0 if span in named else 1.0 for span in pool])
    chosen: list[Span] = []
    wanted = int(rng.integers(1, 4))
    for index in rng.choice(len(pool), len(pool), replace=False, p=weights / weights.sum()):
        first, last = pool[index]
        if all(last < begin or end < first for begin, end in chosen):
            chosen.append((first, last))
        if len(chosen) == wanted:
            break
    return sorted(chosen)


def _others(draft: _Draft, sentence: Sentence, span: Span, parts: Parts, settings: Settings) -> list[str]:
    """What a span could be exchanged for."""
    near: list[str] = []
    if draft.rng.random() < settings.near:
        here = " ".join(draft.choice.sentences)
        known = parts.bank.spans.get(kind(sentence, *span) or "", ())
        near = [one for one in known if one not in here and f" {one} " in draft.choice.context]
    return parts.bank.others(sentence, span, draft.rng, near)


def _finish(draft: _Draft, parts: Parts, sources: Sequence[Source], seed: int) -> Example | str:
    """The example, or why there is none after all."""
    context = draft.choice.context
    fills = [
        Filled(original, _kept(original, filling))
        for original, filling in zip(draft.originals, draft.fillings, strict=True)
    ]

    def same(one: str, other: str) -> bool:
        return stem(one) == stem(other) or parts.lexicon.related(one, other)

    text, bad = assembled(_agreeing(draft.pieces, fills), fills, same)
    if draft.how in ("infilled", "exchanged") and not bad:
        return "nothing was corrupted"
    words = word_spans(text, parts.tokenizer.encode([text])[0].offsets)
    if not words:
        return "no words"
    supported = [not any(begin < last and first < end for first, last in bad) for begin, end in words]
    if draft.how == "foreign":
        context = _foreign(draft, parts, sources, seed)
        supported = absent(text, words, context)
    elif draft.how == "withheld":
        context, gone = _withheld(draft)
        supported = _without(draft, text, words, context, gone)
    made = "+".join([*draft.made, draft.how])
    return Example(context, text, words, tuple(supported), draft.task, draft.record.origin, made, draft.number)


def _agreeing(pieces: Sequence[str], fills: Sequence[Filled]) -> list[str]:
    """The pieces with 'a' and 'an' as the fillings after them ask."""
    fixed = list(pieces)
    for index, fill in enumerate(fills):
        found = re.search(r"\b([Aa])n? $", pieces[index])
        if found and fill.filling:
            fixed[index] = f"{pieces[index][: found.start()]}{found[1]}{article(fill.filling)[1:]} "
    return fixed


def _kept(original: str, filling: str) -> str:
    """The filling, or the original where nobody could say that the filling is wrong."""
    stems = content_stems(filling)
    if not stems and content_stems(original):
        return original  # a pronoun for a name may well be right
    if stems and set(stems) <= set(content_stems(original)):
        return original
    return filling


def _foreign(draft: _Draft, parts: Parts, sources: Sequence[Source], seed: int) -> str:
    """The context that another record of the task has."""
    same = [source for source in sources if source.task == draft.task]
    for _ in range(8):
        source = same[int(draft.rng.integers(len(same)))]
        record = source.records[int(draft.rng.integers(len(source.records)))]
        if record is not draft.record and not set(record.groups) & set(draft.record.groups):
            choice = parts.targets.choose(record, draft.task, draft.rng)
            if not isinstance(choice, str):
                return choice.context
    return draft.choice.context


def _withheld(draft: _Draft) -> tuple[str, list[int]]:
    """The context without some or all of the chosen sentences, and which; some words are left of it."""
    sentences = draft.choice.sentences
    number = int(draft.rng.integers(1, len(sentences) + 1))
    gone: list[int] = []
    for index in (int(i) for i in draft.rng.permutation(len(sentences))[:number]):
        if len(_lacking(draft.choice, [*gone, index]).split()) >= _LEFT:
            gone.append(index)
    gone = gone or [min(range(len(sentences)), key=lambda index: len(sentences[index].split()))]
    return _lacking(draft.choice, gone), gone


def _lacking(choice: Choice, gone: Sequence[int]) -> str:
    """The context of a choice without these of its sentences."""
    context = choice.context
    for index in gone:
        context = context.replace(choice.sentences[index], "")
    return "\n".join(" ".join(line.split()) for line in context.split("\n") if line.strip())


def _can_lack(choice: Choice) -> bool:
    """Whether enough of the context is left without one of the sentences."""
    return any(len(_lacking(choice, [index]).split()) >= _LEFT for index in range(len(choice.sentences)))


def _without(draft: _Draft, text: str, words: Sequence[Span], context: str, gone: list[int]) -> list[bool]:
    """Labels of a text some of whose sentences the context lacks."""
    lost = absent(text, words, context)
    ends = np.cumsum([len(sentence) + 1 for sentence in draft.paraphrased])
    places = np.searchsorted(ends, [begin for begin, _ in words], side="right")
    return [kept or draft.origins[place] not in gone for kept, place in zip(lost, places, strict=True)]


def _parallel(sources: Sequence[Source], seed: int) -> Iterator[tuple[str, str]]:
    """Pairs of texts that say the same, some thousands drawn by the seed."""
    records = [
        one for source in sources if source.task == "style" for one in source.records if one.document and one.text
    ]
    for index in np.random.default_rng([seed, 4]).permutation(len(records))[:_MINED_PAIRS]:
        yield records[index].document, records[index].text


def collect_bank(sources: Sequence[Source], parser: Parser, seed: int) -> SpanBank:
    """Spans of a few hundred records drawn by the seed."""
    rng = np.random.default_rng([seed, 3])
    texts: list[str] = []
    for source in sources:
        number = max(20, round(_BANK_RECORDS * source.share / sum(one.share for one in sources)))
        for index in rng.choice(len(source.records), min(number, len(source.records)), replace=False):
            record = source.records[index]
            sentences = sentence_list(record.document or record.knowledge or record.text)
            begin = int(rng.integers(max(1, len(sentences) - 4)))
            size, end = 0, begin
            while end < len(sentences) and size < _BANK_WORDS:
                size, end = size + sentences[end].count(" ") + 1, end + 1
            texts.append(" ".join(sentences[begin:end]))
    return SpanBank.collect(sentence for some in parser.parse(texts) for sentence in some)
