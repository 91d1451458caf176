"""Which kind of model a folder or Hugging Face name holds, of those that torch runs."""

from __future__ import annotations

from pathlib import Path

from nlgauge.engine.adapted import AdaptedModel
from nlgauge.engine.folder import ALIGNER_FILE, PAIRS_FILE
from nlgauge.engine.seq2seq import Seq2SeqModel
from nlgauge.engine.transformers import TransformersModel


def open_model(source: str, name: str, precision: str) -> TransformersModel | Seq2SeqModel:
    """The model, by what its files and its configuration say that it is.

    Raises SpecError for what cannot be loaded, MissingExtraError without torch.
    """
    if any((Path(source) / file).is_file() for file in (PAIRS_FILE, ALIGNER_FILE)):
        return AdaptedModel(source, name, precision)
    try:
        import transformers

        config = transformers.AutoConfig.from_pretrained(source)
    except (ImportError, OSError, ValueError):
        return TransformersModel(source, name, precision)  # which says what is wrong
    writes = type(config) in transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    return Seq2SeqModel(source, name, precision) if writes else TransformersModel(source, name, precision)
