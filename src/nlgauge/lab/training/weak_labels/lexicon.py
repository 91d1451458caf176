"""Words and phrases that can stand for each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.inflection import inflected
from nlgauge.lab.training.weak_labels.syntax import Sentence
from nlgauge.lab.training.weak_labels.targets import stem

_CLASSES = {"VB": "V", "NN": "N", "JJ": "J"}
_LONGEST = 4
_PARTICLES = {"off", "out", "up", "down", "away", "back", "over", "on", "along", "around", "forth"}


class Substitution(NamedTuple):
    """Words [first, last) of a sentence, and what can stand in their place in the same form."""

    first: int
    last: int
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Substitutes by class and lemma or phrase.

    V verb, N noun, J adjective: lemmas, that take the form of what they replace. R: what is never inflected.
    """

    entries: Mapping[tuple[str, str], tuple[str, ...]]

    @classmethod
    def read(cls, path: Path | None = None) -> Lexicon:
        """Read a list like `lexicon.txt` here, which is the default; its head tells the format.

        Raises InputError for a line that is none.
        """
        path = path or Path(__file__).with_name("lexicon.txt")
        found: dict[tuple[str, str], dict[str, None]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file=path, remedy="give a text file in UTF-8") from None
        for row, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            for key, substitute in _pairs(line, path, row):
                found.setdefault(key, {})[substitute] = None
        return cls({key: tuple(substitutes) for key, substitutes in found.items()})

    def substitutions(self, sentence: Sentence) -> list[Substitution]:
        """Where words of a sentence can be replaced; the places may overlap, longer phrases come first at a place."""
        surface = [sentence.text[word.begin : word.end] for word in sentence.words]
        found: list[Substitution] = []
        for first in range(len(surface)):
            for last in range(min(len(surface), first + _LONGEST), first, -1):
                if choices := self._choices(sentence, surface, first, last):
                    found.append(Substitution(first, last, choices))
        return found

    def _choices(self, sentence: Sentence, surface: list[str], first: int, last: int) -> tuple[str, ...]:
        words = sentence.words[first:last]
        head = words[0]
        # Names are what they are.
        named = any(word.tag in ("NNP", "NNPS") or word.entity in ("PERSON", "WORK_OF_ART") for word in words)
        if named or (first > 0 and surface[first][0].isupper()):
            written = " ".join(surface[first:last])
            return self.entries.get(("R", written), ()) if written[0].isupper() else ()
        # "died out" is not "died", nor "high-ranking" what "ranking" is.
        beyond = sentence.words[last].tag if last < len(surface) else ""
        verb = words[0].tag.startswith("VB")
        if verb and (words[0].relation == "amod" or (last < len(surface) and surface[last] in _PARTICLES)):
            return ()
        if beyond in ("RP", "HYPH", "POS") or (first and sentence.words[first - 1].tag == "HYPH"):
            return ()
        plain = " ".join(surface[first:last]).lower()
        choices = self.entries.get(("R", plain), ()) if last - first > 1 or head.tag[:2] in ("RB", "IN") else ()
        kind = _CLASSES.get(head.tag[:2])
        if kind is not None and head.relation not in ("aux", "auxpass"):
            rest = [text.lower() for text in surface[first + 1 : last]]
            lemma = " ".join([head.lemma, *rest])
            forms = (inflected(one, head.tag) for one in self.entries.get((kind, lemma), ()))
            choices += tuple(form for form in forms if form is not None and form.lower() != plain)
        return choices

    def alike(self, word: str, other: str) -> bool:
        """Whether two words are forms of one, or the list has one for the other, whatever the class."""
        pairs = ((word, other), (other, word))
        listed = any(b in self.entries.get((kind, a), ()) for kind in "VNJR" for a, b in pairs)
        return listed or stem(word) == stem(other)


def _pairs(line: str, path: Path, row: int) -> Iterable[tuple[tuple[str, str], str]]:
    kind, _, rest = line.strip().partition(" ")
    mutual = "=" in rest
    left, _, right = rest.partition("=" if mutual else ">")
    ours, theirs = left.strip(), [one.strip() for one in right.split(",")]
    if kind not in ("V", "N", "J", "R") or not ours or not all(theirs):
        remedy = "write V, N, J or R, then 'word = word' or 'word > word, word'"
        raise InputError(f"not an entry: {line.strip()!r}", file=path, row=row, remedy=remedy)
    for other in theirs:
        yield (kind, ours), other
        if mutual:
            yield (kind, other), ours
