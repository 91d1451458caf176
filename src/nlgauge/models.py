"""Names for authors of models and of features: capabilities, texts in sub-words, and opened checkpoints."""

from __future__ import annotations

from nlgauge.engine.models.capabilities import (
    ALIGNER,
    CAUSAL_LM,
    ENCODER,
    GAP_FILLER,
    MASKED_LM,
    MASKED_PAIRS,
    SEQ2SEQ_LM,
    TOKENIZER,
    Aligner,
    Capability,
    CausalLM,
    Encoder,
    Floats,
    GapFiller,
    Ints,
    MaskedLM,
    MaskedPairs,
    Model,
    Seq2SeqLM,
)
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.models.torch_model import Checkpoint, Net
from nlgauge.engine.sentence_search import sentences
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import SubwordTokenizer, Tokens

__all__ = [
    "ALIGNER",
    "CAUSAL_LM",
    "ENCODER",
    "GAP_FILLER",
    "MASKED_LM",
    "MASKED_PAIRS",
    "SEQ2SEQ_LM",
    "TOKENIZER",
    "Aligner",
    "Capability",
    "CausalLM",
    "Checkpoint",
    "Encoder",
    "Floats",
    "GapFiller",
    "Ints",
    "MaskedLM",
    "MaskedPairs",
    "Model",
    "ModelCard",
    "Net",
    "Seq2SeqLM",
    "SubwordTokenizer",
    "TextBlock",
    "Tokens",
    "sentences",
]
