"""The engine: requests to features, each computed once a block, by one model. It knows no feature by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.source_digest import readable, source_digest
from nlgauge.engine.ahead import Ahead
from nlgauge.engine.features.request import AnyRequest, Derived, Features, Reader
from nlgauge.engine.models.capabilities import CAPABILITIES, Model, capability
from nlgauge.engine.progress import Progress
from nlgauge.engine.view import Ledger, View
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import InputError

_AT_ONCE = 1024


class Kept(Protocol):
    """Where features are kept from one run to the next."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """What is kept under some keys; those that are not there are left out."""
        ...

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Keep more."""
        ...


class Engine:
    """Computes features of texts with one model.

    window: what is done with texts longer than the model's window ('slide', 'cut' or 'error').
    batch_tokens: how many tokens a batch holds; the model's or the engine's choice by default. kept: where features
    that are worth it are looked up and put.
    """

    def __init__(
        self,
        model: Model,
        window: WindowPolicy = "slide",
        progress: bool = False,
        *,
        batch_tokens: int | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.model, self.window = model, window
        self.ledger = Ledger()
        self._batch_tokens, self._kept = batch_tokens, kept
        self._ahead = Ahead(model.tokenizer, beside=model.apart)
        self._progress = Progress(progress)

    @property
    def facts(self) -> dict[str, object]:
        """What a number that this engine's features are made into depends on, beside the feature."""
        model = self.model
        return {
            "model": {"name": model.name, "digest": model.digest},
            **({"files": model.files[:12]} if model.files else {}),
            "tokenizer": {"name": f"tokenizers-{version('tokenizers')}", "digest": model.tokenizer.digest},
            "backend": model.backend,
            "precision": model.precision,
            "window": f"{self.window}@{model.window}",
        }

    @cached_property
    def scored_by(self) -> tuple[type, ...]:
        """The classes whose source code computes features: its own, and those of the model's parts."""
        parts = (getattr(self.model, name) for name in CAPABILITIES)
        return (type(self), type(self.model.tokenizer), *(type(part) for part in parts if part is not None))

    def view(self, done: Callable[[float], object] = lambda share: None) -> View:
        """A new view, that knows no text yet."""
        return View(self.model, self.window, self.ledger, self._batch_tokens, done, self._ahead.encode)

    def token_ids(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Ids of the sub-words of each text [tokens], in order; nothing of them is kept."""
        some: list[str] = []
        for text in texts:
            some.append(text)
            if len(some) == _AT_ONCE:
                yield from (tokens.ids for tokens in self.model.tokenizer.encode(some))
                some = []
        yield from (tokens.ids for tokens in self.model.tokenizer.encode(some))

    def expect(self, work: int, rows: int) -> None:
        """Tell the progress bar of work that is to come, in characters (`Request.work`), of some rows."""
        self._progress.expect(work, rows)

    def prepare(self, requests: Iterable[AnyRequest]) -> None:
        """Tell what will be asked for after the next call of `features`, so that a device need not wait for it."""
        self._ahead.expect(text for request in requests for text in request.texts)

    def close(self) -> None:
        """Take the progress bar away, and end what was begun ahead."""
        self._progress.close()
        self._ahead.close()

    def check(self, requests: Iterable[AnyRequest], row: int) -> None:
        """Refuse a text that the window policy refuses, and name its row. Raises InputError."""
        view = self.view()
        for request in requests:
            try:
                request.check(view)
            except InputError as error:
                raise InputError(error.problem, row=row, remedy=error.remedy) from None

    def features(self, requests: Iterable[AnyRequest], fresh: bool = False) -> Features:
        """The features of some requests, each distinct one computed once, those of a kind together.

        fresh: look nothing up that is kept. Raises SpecError for a model that cannot do what is asked.
        """
        wanted = dict.fromkeys(requests)
        view = self.view()
        view.read([text for request in wanted for text in request.texts])
        return Features(self._answers(wanted, view, fresh), frozenset(filter(view.longer, view.texts)))

    def _answers(self, wanted: Iterable[AnyRequest], view: View, fresh: bool) -> dict[AnyRequest, Any]:
        answers = {} if fresh else self._looked_up(wanted)
        missing = [request for request in wanted if request not in answers]
        derived = [request for request in missing if isinstance(request, Derived)]
        plain = dict.fromkeys(request for request in missing if not isinstance(request, Derived))
        plain.update(dict.fromkeys(source for request in derived for source in request.sources))
        computed = self._computed([request for request in plain if request not in answers], view)
        known = Features({**answers, **computed})
        computed.update((request, request.derive(known)) for request in derived)
        self._keep(computed)
        return {**answers, **computed}

    def _computed(self, requests: Sequence[AnyRequest], view: View) -> dict[AnyRequest, Any]:
        by_reader: dict[Reader, list[AnyRequest]] = {}
        for request in requests:
            capability(self.model, getattr(self.model, request.capability), request.capability)
            by_reader.setdefault(request.reader, []).append(request)
            kind = type(request).__name__
            self.ledger.features[kind] = self.ledger.features.get(kind, 0) + 1
        computed: dict[AnyRequest, Any] = {}
        for some in by_reader.values():
            view.done = self._told(sum(request.work for request in some))
            computed.update(some[0].reader(some, view))
            view.done(1.0)
        return computed

    def _told(self, work: int) -> Callable[[float], None]:
        """What moves the bar on as a share of some work is done."""
        begin = self._progress.done

        def done(share: float) -> None:
            self._progress.reach(begin + share * work)

        return done

    def _key(self, request: AnyRequest) -> str | None:
        """Under which key a feature is kept: all that determines it; None for one that is not."""
        if request.key is None or not readable(source := source_digest([type(request), *self.scored_by])):
            return None
        facts = self._facts_but_names
        return "|".join(["feature", source, *facts, request.key])

    @cached_property
    def _facts_but_names(self) -> list[str]:
        """What the engine's features depend on; a thing that has a digest goes by it, however it is called."""
        facts = self.facts.values()
        return [str(fact["digest"]) if isinstance(fact, dict) else str(fact) for fact in facts]

    def _looked_up(self, requests: Iterable[AnyRequest]) -> dict[AnyRequest, Any]:
        if self._kept is None:
            return {}
        keys = {key: request for request in requests if (key := self._key(request)) is not None}
        kept: dict[AnyRequest, Any] = {}
        for key, content in (self._kept.get(list(keys)) if keys else {}).items():
            with suppress(ValueError):  # what is no such feature is computed, and kept in its place
                kept[keys[key]] = keys[key].unpack(content, self.model)
        self.ledger.stored += len(kept)
        self._progress.reach(self._progress.done + sum(request.work for request in kept))
        return kept

    def _keep(self, computed: Mapping[AnyRequest, Any]) -> None:
        if self._kept is None:
            return
        worth = [(request, self._key(request)) for request, feature in computed.items() if feature is not None]
        self._kept.put({key: request.pack(computed[request]) for request, key in worth if key is not None})
