"""The grammar of a sentence, as spaCy parses it: its words, its syntactic units, and the sentence with holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from nlgauge.errors import InputError, MissingExtraError

_NEEDED = ("tagger", "parser", "ner")


@dataclass(frozen=True)
class Word:
    """A word or punctuation mark of a sentence, as parsed."""

    begin: int
    end: int
    tag: str
    """Tag of the Penn Treebank: NN, NNS, NNP, VBD, ..."""
    head: int
    """Index of the word that this word depends on; of the root, its own index"""
    relation: str
    """Name of the dependency in ClearNLP's style, as in spaCy's English models: nsubj, dobj, prep, ..."""
    lemma: str
    entity: str = ""
    """Kind of the named entity or number that the word belongs to (PERSON, DATE, ...); empty for none"""


class Node(NamedTuple):
    """A syntactic unit: words [first, last) of a sentence. A single word has height 0."""

    first: int
    last: int
    height: int


@dataclass(frozen=True)
class Sentence:
    """One sentence and its words."""

    text: str
    words: tuple[Word, ...]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each word, the indices of the words that depend on it, in order."""
        found: list[list[int]] = [[] for _ in self.words]
        for index, word in enumerate(self.words):
            if word.head != index:
                found[word.head].append(index)
        return tuple(tuple(some) for some in found)

    def subtree(self, index: int) -> list[int]:
        """Return the indices of a word and of all words that depend on it, directly or not, in order."""
        found, queue = [], [index]
        while queue:
            at = queue.pop()
            found.append(at)
            queue += self.children[at]
        return sorted(found)

    def span(self, index: int) -> tuple[int, int] | None:
        """Return the words [first, last) of a word's subtree; None if other words are between them."""
        found = self.subtree(index)
        return (found[0], found[-1] + 1) if found[-1] - found[0] == len(found) - 1 else None

    def part(self, first: int, last: int) -> str:
        """Return the text of words [first, last)."""
        return self.text[self.words[first].begin : self.words[last - 1].end]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The syntactic units, small ones first.

        They are each word, each subtree, and each word with its dependents on one side. Units of the last kind are
        found in a constituency tree, but are no subtrees of a dependency tree. Examples are "the old bridge" in "the
        old bridge of stone", and the predicate of a clause.
        """
        nodes: dict[tuple[int, int], int] = {}
        heights: dict[int, int] = {}
        for index in sorted(range(len(self.words)), key=lambda index: len(self.subtree(index))):
            nodes[index, index + 1] = 0
            left = [child for child in self.children[index] if child < index]
            right = [child for child in self.children[index] if child > index]
            nominal = self.words[index].tag.startswith(("NN", "PRP", "CD", "JJ"))
            height = 0
            for side in (left, right) if nominal else (right, left):
                if side:
                    height = 1 + max(height, *(heights[child] for child in side))
                    within = sorted({index, *(at for child in side for at in self.subtree(child))})
                    if side is (left if nominal else right) and within[-1] - within[0] == len(within) - 1:
                        nodes.setdefault((within[0], within[-1] + 1), height)
            heights[index] = height
            if (whole := self.span(index)) is not None:
                nodes.setdefault(whole, height)
        units = [Node(first, last, height) for (first, last), height in nodes.items()]
        return tuple(sorted(units, key=lambda node: (node.height, node.last - node.first, node.first)))


class Template(NamedTuple):
    """A sentence with holes: pieces[0] hole pieces[1] hole ... pieces[-1]."""

    pieces: tuple[str, ...]
    originals: tuple[str, ...]
    """The original text of each hole"""


def template(sentence: Sentence, spans: Sequence[tuple[int, int]]) -> Template:
    """Return the sentence with holes in place of spans of words, which are disjoint and in order."""
    begins = [sentence.words[first].begin for first, _ in spans]
    ends = [sentence.words[last - 1].end for _, last in spans]
    pieces = [sentence.text[a:b] for a, b in zip([0, *ends], [*begins, len(sentence.text)], strict=True)]
    return Template(tuple(pieces), tuple(sentence.text[a:b] for a, b in zip(begins, ends, strict=True)))


class SpacyParser:
    """A parser with spaCy's dependencies, tags and named entities.

    It uses the first installed English pipeline that has all.

    Raises MissingExtraError without spaCy, InputError where there is no such pipeline.
    """

    def __init__(self) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingExtraError("parsing sentences", "train", "nlgauge-lab") from None
        name = _installed()
        self._pipeline = spacy.load(name)
        self.name = f"spacy-{version('spacy')}/{name}-{self._pipeline.meta['version']}"

    def parse(self, texts: Sequence[str]) -> list[list[Sentence]]:
        """Return the sentences of each text. Spaces between sentences are left out, but no word is."""
        documents = self._pipeline.pipe([" ".join(text.split()) for text in texts], batch_size=32)
        return [[one for span in document.sents if (one := _sentence(span)) is not None] for document in documents]


def _installed() -> str:
    """Return the name of the first installed English pipeline that is complete, by its own description."""
    import spacy

    names = sorted(name for name in spacy.util.get_installed_models() if name.startswith("en_"))
    for name in names:
        folder = Path(str(spacy.util.get_package_path(name)))
        described = [spacy.util.load_meta(path) for path in [folder / "meta.json"] if path.exists()]
        if any(set(_NEEDED) <= set(meta["pipeline"]) for meta in described):
            return name
    raise InputError(
        "there is no spaCy pipeline for English with tagger, parser and ner",
        remedy="install one that you trust: python -m spacy download en_core_web_sm",
    )


def _sentence(span: object) -> Sentence | None:
    tokens = [token for token in span if not token.is_space]  # type: ignore[attr-defined]
    if not tokens:
        return None
    at = {token.i: index for index, token in enumerate(tokens)}
    start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1])
    words = tuple(
        Word(
            begin=token.idx - start,
            end=token.idx - start + len(token),
            tag=token.tag_,
            head=at.get(token.head.i, index),
            relation=token.dep_,
            lemma=token.lemma_.lower(),
            entity=token.ent_type_,
        )
        for index, token in enumerate(tokens)
    )
    return Sentence(tokens[0].doc.text[start:end], words)
