"""Examples from records: the whole construction on one page.

    record -> context, target -> paraphrase -> masks -> fillings -> words and labels

Deng et al. 2021, appendix A, with kinds of corruption added (see `Settings`). Attempt i follows from (seed, i) alone: a
construction taken up again goes on with the same examples. An attempt that fails is counted under its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nlgauge.errors import InputError, SpecError
from nlgauge.lab.training.weak_labels.attempts import Draft, Source, drafted
from nlgauge.lab.training.weak_labels.corruption import corrupt
from nlgauge.lab.training.weak_labels.examples import Example
from nlgauge.lab.training.weak_labels.finishing import finished
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.pseudo_targets import TASKS, sentence_list
from nlgauge.lab.training.weak_labels.settings import DEFAULTS, Settings

BLOCK = 64


@dataclass
class Tally:
    """What became of the attempts."""

    attempts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Why attempts came to nothing"""
    passed: Counter[str] = field(default_factory=Counter)
    """Why records were passed over for another one"""


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
    """For each attempt: the example, or why there is none; and why records were passed over."""
    passed: dict[int, list[str]] = {number: [] for number in numbers}
    made: dict[int, Example | str] = {}
    drafts: list[Draft] = []
    for number in numbers:
        draft = drafted(sources, parts.targets, settings, seed, number, passed[number])
        if isinstance(draft, str):
            made[number] = draft
        else:
            drafts.append(draft)
    _paraphrase(drafts, parts, settings)
    corrupt([draft for draft in drafts if draft.problem is None], parts, settings)
    made |= {draft.number: draft.problem or finished(draft, parts, sources, seed) for draft in drafts}
    return made, passed


def _paraphrase(drafts: list[Draft], parts: Parts, settings: Settings) -> None:
    """Other words for the chosen sentences, and the parse of what came of it."""
    wanted: list[Draft] = []
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
