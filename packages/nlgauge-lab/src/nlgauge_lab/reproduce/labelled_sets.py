"""The labelled sets of the detection page, and what others published on them."""

from __future__ import annotations

from typing import NamedTuple


class Others(NamedTuple):
    """A published F1 of texts."""

    name: str
    f1: float
    trained: str
    """The data that the detector was trained on"""
    from_memory: bool = False
    """Whether the number was written down without the paper at hand, so that it is approximate"""


class LabelledSet(NamedTuple):
    """A set of rows in which people marked what the source does not support."""

    name: str
    """Name of the file, without suffix"""
    title: str
    about: str
    of: str = ""
    """The part of the data that the published numbers are about"""
    published: tuple[Others, ...] = ()


_ALL = "all of RAGTruth's training part"
_UNKNOWN = "not noted"

LABELLED_SETS = (
    LabelledSet(
        name="ragtruth_qa.test",
        title="RAGTruth, answers to questions",
        about="Answers of language models to questions, from retrieved passages. People marked the unsupported words. "
        "The official test part, rows of good quality alone. The question is a field of its own: an aligner that "
        "learned with questions reads it beside the passages, the others do not read it.",
        of="question answering alone",
        published=(
            Others("Luna", 0.51, _UNKNOWN, True),
            Others("LettuceDetect base (149 M)", 0.655, _ALL, True),
            Others("LettuceDetect large", 0.70, _ALL, True),
        ),
    ),
    LabelledSet(
        "summedits.test",
        "SummEdits",
        "Summaries in eight domains that a language model edited, judged by people. Which words are unsupported was "
        "computed from the edits. Split by document here, so that nothing published is of these rows.",
    ),
    LabelledSet(
        "quintd_human.test",
        "Quintd",
        "What language models told of records of data. One annotator a text marked the unsupported words, those that "
        "cannot be checked included.",
    ),
    LabelledSet(
        "fever_symmetric.test",
        "FEVER, symmetric",
        "Claims and sentences of an encyclopaedia, each claim once with evidence for it and once against it, so that "
        "the claim alone tells nothing. Whole texts are labelled. Nothing published is by these measures. The "
        "evidence of 215 rows, but not their claims, also stands in FEVER's dev part, which our aligners have read.",
    ),
    LabelledSet(
        "written.test",
        "Written answers",
        "Everyday answers of our own, right and wrong ones in free and in copied words, about invented sources and "
        "about edited twins of them. No aligner has read a row of this writer (`nlgauge_lab.written`), but rows of "
        "other writers taught the shipped ones what such answers look like.",
    ),
)

WHOLE_TEST_PART = (
    Others("GPT-4", 0.634, _UNKNOWN),
    Others("Luna", 0.654, _UNKNOWN),
    Others("TinyLettuce (17 M)", 0.685, f"{_ALL}, and more"),
    Others("LettuceDetect base (149 M)", 0.761, _ALL),
    Others("Llama-2-13B, fine-tuned", 0.787, _ALL),
    Others("LettuceDetect large", 0.792, _ALL),
    Others("RAG-HAT (8 B)", 0.839, _UNKNOWN),
)
"""Numbers reported on the whole test part of RAGTruth: questions, data to text, and summaries. These are easier than
questions alone
"""
