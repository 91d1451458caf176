"""The parts of a construction: what parses, chooses, paraphrases, masks, infills and judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.infilling import Infiller, MaskedLMInfiller
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.masking import Masker
from nlgauge.lab.training.weak_labels.mining import mined
from nlgauge.lab.training.weak_labels.paraphrase import Paraphraser, Rewriter
from nlgauge.lab.training.weak_labels.pseudo_targets import Targets, sentence_list
from nlgauge.lab.training.weak_labels.spans import SpanBank
from nlgauge.lab.training.weak_labels.syntax import Parser, SpacyParser

_BANK_RECORDS = 400
_BANK_WORDS = 120
_MINED_PAIRS = 6000


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
            model[TOKENIZER],
        )

    def described(self) -> dict[str, str]:
        """Part to its name, for the data card."""
        named = {one: getattr(self, one) for one in ("parser", "targets", "paraphraser", "infiller")}
        return {**{one: part.name for one, part in named.items()}, "masker": str(self.masker)}


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
