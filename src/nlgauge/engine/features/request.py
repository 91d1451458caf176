"""What every feature's request is: a small frozen value. Equal requests share one computation.

To add a feature: one file in this folder with a subclass of Request and its reader. Nothing names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Capability, Model
    from nlgauge.engine.text_block import TextBlock

F = TypeVar("F")
"""A feature: what comes back for a request"""


class Reader(Protocol):
    """Makes the features of many requests at once, all of them or one after the other, as (request, feature).

    What a reader gave before it raises an error is kept, where it is worth that.
    """

    def __call__(
        self, requests: Sequence[Any], block: TextBlock, /
    ) -> Mapping[Any, Any] | Iterable[tuple[Any, Any]]: ...


class Request(ABC, Generic[F]):
    """What is asked of one text or several; a subclass is a frozen dataclass.

    `features[request]` is the feature, or None where a text that it needs has no tokens.
    """

    capability: ClassVar[Capability[Any]]
    """What the model has to be able to do"""
    reader: ClassVar[Reader]
    """Answers many requests at once, padded rows through the model. Requests with the same reader, also of several
    classes, are answered together, so that they may share passes"""

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """The texts that are read; the first is the one that the feature is of."""

    @abstractmethod
    def size(self, model: Model) -> int:
        """Bytes of the feature, about: so many are held at a time."""

    @property
    def work(self) -> int:
        """Characters that go through the model, about; what a progress bar counts."""
        return sum(map(len, self.texts))

    def check(self, block: TextBlock) -> None:
        """Ask for the windows that the texts are read in. Raises InputError where the policy refuses a text."""
        from nlgauge.engine.models.capabilities import TOKENIZER

        if TOKENIZER in block.model:
            for text in self.texts:
                block.windows(text)

    @property
    def key(self) -> str | None:
        """All that determines the feature beside the model, for the store; None for one that is not worth keeping."""
        return None

    def pack(self, feature: F) -> bytes | None:
        """A feature as the store keeps it, None for one that it should not keep; of requests with a key."""
        raise NotImplementedError

    def unpack(self, content: bytes, model: Model) -> F:
        """What `pack` wrote of a feature by a model. Raises ValueError for anything else."""
        raise NotImplementedError


def tokens_about(text: str) -> int:
    """How many sub-words a text has, about, without splitting it: a run's blocks must not cost a pass of their own."""
    return len(text) // 4 + 2


@dataclass(frozen=True)
class TextRequest(Request[F]):
    """What is asked of one text."""

    text: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


@dataclass(frozen=True)
class PairRequest(Request[F]):
    """What is asked of a text that is read with another one."""

    text: str
    against: str
    first: bool = True
    """Whether the text stands before the other one, for a model that reads the two in one row"""
    segmentation: str = "plain"
    """What a word is: see engine.segmentation"""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, self.against)


@dataclass(frozen=True)
class ByModel(Request[F]):
    """A request to another model than the one that a metric names in its field `model`."""

    model: str
    """Its name, which the metric's `other_models` lists"""
    request: Request[F]

    @property
    def texts(self) -> tuple[str, ...]:
        return self.request.texts

    @property
    def work(self) -> int:
        return self.request.work

    def size(self, model: Model) -> int:
        return self.request.size(model)


AnyRequest: TypeAlias = "Request[Any]"
"""A request whose feature nobody looks at here"""


class Features:
    """Features by request. Immutable to those who read it."""

    def __init__(self, found: Mapping[AnyRequest, Any], longer: frozenset[str] = frozenset()) -> None:
        self._found = found
        self.longer = longer
        """The texts that do not fit the model's window"""

    def __getitem__(self, request: Request[F]) -> F | None:
        feature: F | None = self._found[request]
        return feature

    def __contains__(self, request: AnyRequest) -> bool:
        return request in self._found

    def joined(self, others: Features) -> Features:
        """These and others."""
        return Features({**self._found, **others._found}, self.longer | others.longer)
