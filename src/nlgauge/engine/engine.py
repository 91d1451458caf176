"""The engine: it computes the requested features with one model, each feature once per block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

from nlgauge._plugins import installed_version
from nlgauge.data.source_digest import readable, source_digest
from nlgauge.engine.features.request import AnyRequest, ByModel, Features, Reader, work_of
from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.engine.progress import Progress
from nlgauge.engine.text_block import Ledger, TextBlock
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import InputError, SpecError


class FeatureCache(Protocol):
    """The interface of a cache that stores features from one run to the next."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return the entries under some keys; keys without an entry are left out."""

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Add entries."""


class Engine:
    """An engine that computes features of texts with one model.

    Args:
        model: the model.
        window: what to do with texts longer than the model's window, 'slide', 'cut' or 'error'.
        progress: whether a progress bar is shown.
        batch_tokens: the largest number of tokens in a batch; by default the model or the engine chooses it.
        cache: the cache of features; None for none.
        load: returns another model by its name, for metrics that use several models; None to refuse other models.
    """

    def __init__(
        self,
        model: Model,
        window: WindowPolicy = "slide",
        progress: bool = False,
        *,
        batch_tokens: int | None = None,
        cache: FeatureCache | None = None,
        load: Callable[[str], Model] | None = None,
    ) -> None:
        self.model, self.window = model, window
        self.ledger = Ledger()
        self._batch_tokens, self._cache, self._load = batch_tokens, cache, load
        self._others: dict[str, Engine] = {}
        self.progress = Progress(progress)
        # On the CPU a thread that splits texts would take the time from the model.
        ahead = model.apart and TOKENIZER in model
        self._prefetcher = TokenPrefetcher(model[TOKENIZER]) if ahead else None

    @property
    def facts(self) -> dict[str, object]:
        """The facts that a score depends on besides the request: model, tokenizer, backend, precision and window."""
        model = self.model
        tokenizer = {}
        if TOKENIZER in model:
            tokenizer = {"name": f"tokenizers-{installed_version('tokenizers')}", "digest": model[TOKENIZER].digest}
        return {
            "model": {"name": model.name, "digest": model.digest},
            **({"files": model.files[:12]} if model.files else {}),
            **({"tokenizer": tokenizer} if tokenizer else {}),
            "backend": model.backend,
            "precision": model.precision,
            **({"window": f"{self.window}@{model.window}"} if tokenizer else {}),
        }

    def facts_with(self, others: Sequence[str]) -> dict[str, object]:
        """Return the facts for a metric that also uses other models. Each adds its name and a digest of its facts."""
        digests = {name: sha256(repr(self.other(name)._facts_but_names).encode()).hexdigest() for name in others}
        return {**self.facts, **{f"model {name}": {"name": name, "digest": digests[name]} for name in others}}

    @cached_property
    def scored_by(self) -> tuple[type, ...]:
        """The classes whose source code computes features: the engine's class, and those of the capabilities."""
        return (type(self), *(type(part) for part in self.model.abilities.values() if part is not None))

    def other(self, name: str) -> Engine:
        """Return an engine with another model and the same settings. Raises SpecError if it cannot be loaded."""
        if name not in self._others:
            if self._load is None:
                raise SpecError(f"model {name!r}: a second model cannot be loaded here")
            other = Engine(self._load(name), self.window, batch_tokens=self._batch_tokens, cache=self._cache)
            other.ledger = self.ledger
            self._others[name] = other
        return self._others[name]

    def size(self, request: AnyRequest) -> int:
        """Return the approximate size of a request's feature in bytes."""
        model = self.other(request.model).model if isinstance(request, ByModel) else self.model
        return request.size(model)

    def block(self) -> TextBlock:
        """Return a new block without texts."""
        encode = self._prefetcher.encode if self._prefetcher is not None else None
        return TextBlock(
            model=self.model, window=self.window, ledger=self.ledger, batch_tokens=self._batch_tokens, encode=encode
        )

    def prepare(self, requests: Iterable[AnyRequest]) -> None:
        """Announce the requests of a later call of `features`. Their texts are split while a device computes."""
        mine, others = _by_model(requests)
        if self._prefetcher is not None:
            self._prefetcher.expect(text for request in mine for text in request.texts)
        for name, parts in others.items():
            self.other(name).prepare(part.request for part in parts)

    def close(self) -> None:
        """Remove the progress bar, and stop the thread that splits texts in advance."""
        self.progress.close()
        if self._prefetcher is not None:
            self._prefetcher.close()
        for other in self._others.values():
            other.close()

    def check(self, requests: Iterable[AnyRequest], row: int) -> None:
        """Raise InputError for a text that the window policy refuses. row: the number that the error names."""
        block = self.block()
        for request in requests:
            try:
                if isinstance(request, ByModel):
                    request.request.check(self.other(request.model).block())
                else:
                    request.check(block)
            except InputError as error:
                raise InputError(error.problem, row=row, remedy=error.remedy) from None

    def features(self, requests: Iterable[AnyRequest], fresh: bool = False) -> Features:
        """Return the features of some requests.

        Each distinct request is computed once, together with others of its kind.

        Args:
            requests: the requests, also to other models.
            fresh: whether to ignore the cache.

        Returns:
            The features by request.

        Raises:
            SpecError: the model lacks a capability that is needed.
        """
        wanted, others = _by_model(requests)
        block = self.block()
        if TOKENIZER in self.model:
            block.read([text for request in wanted for text in request.texts])
        answers = {} if fresh or self._cache is None else self._looked_up(wanted, self._cache)
        answers |= self._computed([request for request in wanted if request not in answers], block)
        features = block.features(answers)
        for name, work in others.items():
            theirs = self.other(name).features((part.request for part in work), fresh)
            features = features.joined(
                Features({part: theirs[part.request] for part in work}, theirs.longer, theirs.unknown)
            )
            self.progress.reach(self.progress.done + work_of(part.request for part in work))
        return features

    def _computed(self, requests: Sequence[AnyRequest], block: TextBlock) -> dict[AnyRequest, Any]:
        by_reader: dict[Reader, list[AnyRequest]] = {}
        for request in requests:
            _ = self.model[request.capability]
            by_reader.setdefault(request.reader, []).append(request)
            kind = type(request).__name__
            self.ledger.features[kind] = self.ledger.features.get(kind, 0) + 1
        computed: dict[AnyRequest, Any] = {}
        try:
            for group in by_reader.values():
                begin, work = self.progress.done, work_of(group)

                def reached(share: float, begin: float = begin, work: float = work) -> None:
                    self.progress.reach(begin + share * work)

                block.done = reached
                computed.update(group[0].reader(group, block))
                block.done(1.0)
        finally:
            if self._cache is not None:
                self._keep(computed, self._cache)
        return computed

    def _key(self, request: AnyRequest) -> str | None:
        """Return the key of a feature in the cache: all that determines it. None for a feature that is not cached."""
        if request.key is None or not readable(source := source_digest([type(request), *self.scored_by])):
            return None
        facts = self._facts_but_names
        return "|".join(["feature", source, *facts, request.key])

    @cached_property
    def _facts_but_names(self) -> list[str]:
        """The facts that the engine's features depend on, as texts. For a fact with a digest, it is the digest."""
        facts = self.facts.values()
        return [str(fact["digest"]) if isinstance(fact, dict) else str(fact) for fact in facts]

    def _looked_up(self, requests: Iterable[AnyRequest], cache: FeatureCache) -> dict[AnyRequest, Any]:
        keys = {key: request for request in requests if (key := self._key(request)) is not None}
        cached: dict[AnyRequest, Any] = {}
        for key, content in (cache.get(list(keys)) if keys else {}).items():
            with suppress(ValueError):  # an entry that cannot be read is computed again and replaced
                cached[keys[key]] = keys[key].unpack(content, self.model)
        self.ledger.stored += len(cached)
        self.progress.reach(self.progress.done + work_of(cached))
        return cached

    def _keep(self, computed: Mapping[AnyRequest, Any], cache: FeatureCache) -> None:
        entries: dict[str, bytes] = {}
        for request, feature in computed.items():
            key = self._key(request) if feature is not None else None
            if key is not None and (content := request.pack(feature)) is not None:
                entries[key] = content
        cache.put(entries)


def _by_model(requests: Iterable[AnyRequest]) -> tuple[dict[AnyRequest, None], dict[str, list[ByModel[Any]]]]:
    """Return the distinct requests to the engine's own model, and the requests to other models by the model's name."""
    mine: dict[AnyRequest, None] = {}
    others: dict[str, list[ByModel[Any]]] = {}
    for request in dict.fromkeys(requests):
        if isinstance(request, ByModel):
            others.setdefault(request.model, []).append(request)
        else:
            mine[request] = None
    return mine, others


class TokenPrefetcher:
    """A splitter of texts into sub-words: in advance, in a thread while a device computes earlier texts, or on demand.

    The tokenizer library releases Python's global lock during its work.

    Args:
        tokenizer: the model's tokenizer.
    """

    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self._tokenizer = tokenizer
        self._pool: ThreadPoolExecutor | None = None
        self._expected: Future[dict[str, Tokens]] | None = None
        self._known: dict[str, Tokens] = {}

    def expect(self, texts: Iterable[str]) -> None:
        """Begin to split texts in the thread, after waiting until the texts of the previous call have been split.

        From then on, `encode` returns the sub-words of the previous call's texts without splitting these texts again.
        """
        self._known = {} if self._expected is None else self._expected.result()
        self._expected = None
        if distinct := list(dict.fromkeys(texts)):
            self._pool = self._pool or ThreadPoolExecutor(1, "nlgauge-ahead")
            self._expected = self._pool.submit(self._split, distinct)

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the sub-words of each text. Raises InputError for a text without a UTF-8 form (a lone surrogate)."""
        missing = [text for text in texts if text not in self._known]
        new = dict(zip(missing, self._tokenizer.encode(missing), strict=True))
        return [new[text] if text in new else self._known[text] for text in texts]

    def close(self) -> None:
        """End the thread and discard its results."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = self._expected = None
        self._known = {}

    def _split(self, texts: Sequence[str]) -> dict[str, Tokens]:
        try:
            return dict(zip(texts, self._tokenizer.encode(texts), strict=True))
        except InputError:
            return {}  # raised again by `encode`, where the row is known
