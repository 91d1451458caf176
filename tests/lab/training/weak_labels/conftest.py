"""The parts of a construction, all but a real parser."""

from __future__ import annotations

import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.lab.training.weak_labels import construct as construction
from nlgauge.lab.training.weak_labels.infilling import MaskedLMInfiller
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.masking import Masker
from nlgauge.lab.training.weak_labels.paraphrase import Rewriter
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.pseudo_targets import Contexts, Targets
from nlgauge.lab.training.weak_labels.spans import SpanBank
from tests.lab.training.weak_labels.grammar import PlainParser
from tests.lab.training.weak_labels.pieces import RECORDS


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a few attempts cost a few."""
    monkeypatch.setattr(construction, "BLOCK", 8)


@pytest.fixture
def parts(one_model: None, small_blocks: None) -> Parts:
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
        tokenizer=model[TOKENIZER],
    )
