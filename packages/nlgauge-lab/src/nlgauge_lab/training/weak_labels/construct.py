"""Construction of examples from records, in four steps:

    record -> context, target -> paraphrase -> corruption -> labels

Deng et al. 2021, appendix A, with more kinds of corruption (see `Settings`). Attempt i follows from (seed, i) alone. An
attempt that fails is counted under its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nlgauge.errors import InputError, SpecError
from nlgauge_lab.training.weak_labels.attempts import TRIES, Draft, Parts, Settings, Source, drafted
from nlgauge_lab.training.weak_labels.corruption import corrupt
from nlgauge_lab.training.weak_labels.targets import TASKS, sentence_list

BLOCK = 64


@dataclass
class Tally:
    """Counts by reason: failed attempts (`dropped`), and records that were skipped (`passed`)."""

    dropped: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)


def construct(
    sources: Sequence[Source],
    parts: Parts,
    *,
    seed: int,
    attempts: int,
    settings: Settings | None = None,
    tally: Tally | None = None,
) -> Iterator[Draft]:
    """Yield the attempts that became examples, in order.

    The models read the attempts in blocks.

    Args:
        sources: records by task.
        parts: the tools.
        seed: with the number of an attempt, it decides all that is random.
        attempts: number of attempts.
        settings: shares of the kinds of examples.
        tally: counts failed attempts and skipped records.

    Raises:
        InputError: there are no records.
        SpecError: a task is unknown.
    """
    _check(sources)
    tally, settings = tally or Tally(), settings or Settings()
    for start in range(0, attempts, BLOCK):
        drafts = []
        for number in range(start, min(start + BLOCK, attempts)):
            draft = drafted(sources, parts.targets, settings=settings, seed=seed, number=number, passed=tally.passed)
            if draft is None:
                tally.dropped[f"no fitting record in {TRIES}"] += 1
            else:
                drafts.append(draft)
        _paraphrase(drafts, parts, settings)
        corrupt([draft for draft in drafts if draft.problem is None], parts, sources, settings)
        for draft in drafts:
            if draft.problem is None:
                yield draft
            else:
                tally.dropped[draft.problem] += 1


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


def _paraphrase(drafts: list[Draft], parts: Parts, settings: Settings) -> None:
    """Set the texts of drafts: the chosen sentences in other words, or as they are."""
    wanted: list[Draft] = []
    for draft in drafts:
        chosen = draft.choice.sentences
        if draft.choice.parallel is not None:
            draft.texts, draft.wording = sentence_list(draft.choice.parallel), "parallel"
        elif draft.task == "dialogue" or draft.rng.random() < settings.verbatim:
            draft.texts, draft.wording = [" ".join(one.split()) for one in chosen], "verbatim"
            draft.origins = list(range(len(chosen)))
        else:
            draft.wording = "paraphrased"
            wanted.append(draft)
    owners = [(draft, index) for draft in wanted for index in range(len(draft.choice.sentences))]
    parsed = parts.parser.parse([draft.choice.sentences[index] for draft, index in owners])
    flat = [(*owner, one) for owner, some in zip(owners, parsed, strict=True) for one in some]
    rngs = [draft.rng.spawn(1)[0] for draft, _, _ in flat]
    for (draft, index, _), text in zip(
        flat, parts.paraphraser.paraphrase([one for *_, one in flat], rngs), strict=True
    ):
        draft.texts.append(" ".join(text.split()))
        draft.origins.append(index)
    for draft in wanted:
        if " ".join(draft.texts) == " ".join(" ".join(draft.choice.sentences).split()):
            draft.problem = "nothing to paraphrase"
    for draft in drafts:
        draft.text = " ".join(draft.texts)
