"""Requests for features. A request is a small frozen value, and equal requests are computed once.

To add a feature, add a file to this folder with a subclass of Request and its reader. There is no list of features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Capability, Model
    from nlgauge.engine.text_block import TextBlock

F = TypeVar("F")
"""A feature, the result of a request"""


class RequestError(InputError):
    """An error for a request whose texts the model cannot read. The code that catches it adds the row."""

    def __init__(self, request: object, problem: str, remedy: str | None) -> None:
        super().__init__(problem, remedy=remedy)
        self.request = request


class ModelPasses(NamedTuple):
    """Passes of texts through the model."""

    name: object
    """The name of the passes. Requests whose passes have equal names share them"""
    work: int
    """The approximate number of characters that go through the model, for the progress bar and the size of blocks"""


class Reader(Protocol):
    """A function that computes the features of many requests, as a mapping or as pairs (request, feature).

    If it raises an error, the features that it gave before and that have a key are cached.
    """

    def __call__(
        self, requests: Sequence[Any], block: TextBlock, /
    ) -> Mapping[Any, Any] | Iterable[tuple[Any, Any]]: ...


class Request(ABC, Generic[F]):
    """A request for a feature of one or several texts. A subclass is a frozen dataclass.

    `features[request]` is the feature, or None if a text that it needs has no tokens.
    """

    capability: ClassVar[Capability[Any]]
    """The capability that the model needs"""
    reader: ClassVar[Reader]
    """The function that computes many requests at once. Requests with the same reader, also of several classes, are
    given to it together, so that they can share passes through the model"""

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """The texts that are read. The feature belongs to the first of them."""

    @abstractmethod
    def size(self, model: Model) -> int:
        """Return the approximate size of the feature in bytes, which bounds the size of blocks."""

    @property
    def passes(self) -> ModelPasses:
        """The passes through the model that the request needs. Other requests may share them."""
        return ModelPasses(self, sum(map(len, self.texts)))

    def check(self, block: TextBlock) -> None:
        """Raise InputError if the window policy refuses a text."""
        from nlgauge.engine.models.capabilities import TOKENIZER

        if TOKENIZER in block.model:
            for text in self.texts:
                block.windows(text)

    @property
    def key(self) -> str | None:
        """A text with all that determines the feature besides the model; None for a feature that is not cached."""
        return None

    def pack(self, feature: F) -> bytes | None:
        """Return the feature as bytes for the cache; None if it should not be cached. Only for requests with a key."""
        raise NotImplementedError

    def unpack(self, content: bytes, model: Model) -> F:
        """Return the feature from the bytes that `pack` made. Raises ValueError for any other bytes."""
        raise NotImplementedError


def tokens_about(text: str) -> int:
    """Return about how many sub-words a text has. The text is not split for this, so that making blocks is cheap."""
    return len(text) // 4 + 2


@dataclass(frozen=True)
class TextRequest(Request[F]):
    """A request for a feature of one text."""

    text: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


@dataclass(frozen=True)
class PairRequest(Request[F]):
    """A request for a feature of a text that is read together with another text."""

    text: str
    against: str
    first: bool = True
    """Whether the text comes first, for a model that reads the two in one row"""
    segmentation: str = "plain"
    """How the text is split into words: see `engine.segmentation`"""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, self.against)


@dataclass(frozen=True)
class ByModel(Request[F]):
    """A request to a model other than the metric's `model`."""

    model: str
    """The name of that model, as in the metric's `other_models`"""
    request: Request[F]

    @property
    def texts(self) -> tuple[str, ...]:
        return self.request.texts

    @property
    def passes(self) -> ModelPasses:
        name, work = self.request.passes
        return ModelPasses((self.model, name), work)

    def size(self, model: Model) -> int:
        return self.request.size(model)


AnyRequest: TypeAlias = "Request[Any]"
"""A request for a feature of any type"""


def work_of(requests: Iterable[AnyRequest]) -> int:
    """Return the work of some requests together. Passes that several of them share are counted once."""
    return sum(dict([request.passes for request in requests]).values())


@dataclass(frozen=True, eq=False)
class Features:
    """Features by request. They cannot be changed."""

    by_request: Mapping[AnyRequest, Any]
    longer: frozenset[str] = frozenset()
    """The texts that do not fit the model's window"""
    unknown: Mapping[str, float] = field(default_factory=dict)
    """The share of sub-words that the model's tokenizer does not know, from 0 to 1, by text; only texts that have
    some"""

    def __getitem__(self, request: Request[F]) -> F | None:
        feature: F | None = self.by_request[request]
        return feature

    def __contains__(self, request: AnyRequest) -> bool:
        return request in self.by_request

    def joined(self, others: Features) -> Features:
        """Return the union of these features and others."""
        shares = {text: max(share, self.unknown.get(text, 0.0)) for text, share in others.unknown.items()}
        unknown = {**self.unknown, **shares}
        return Features({**self.by_request, **others.by_request}, self.longer | others.longer, unknown)
