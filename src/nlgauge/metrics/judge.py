"""Judge: the answer of a model to a question about each row, by HTTP. Nothing is sent to any other address."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import ClassVar

from nlgauge.contract.base import AMOUNT, QUESTION, SHARE, Cost, Interrupted, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.numbers import labels_of
from nlgauge.data.evidence import Evidence
from nlgauge.data.source_digest import readable, source_digest
from nlgauge.engine.features.request import Features
from nlgauge.errors import SpecError
from nlgauge.metrics.answers import (
    APIS,
    TOKENS,
    TOKENS_OF_JSON,
    TOKENS_WITH_REASON,
    Chat,
    endpoint,
    model_names,
)
from nlgauge.metrics.cached_answers import CachedAnswers, Job
from nlgauge.metrics.criteria import TOKENS_EACH, ChatOfCriteria, criteria_of
from nlgauge.metrics.decisions import MOST_LEVELS, Decisions, SystemOne
from nlgauge.metrics.prompts import Asked, Prompt, prompt_of
from nlgauge.metrics.reading import YES_NO, Answer, Failure, Read, dated, evidence_of, mixed, tally
from nlgauge.metrics.replies import Numbers
from nlgauge.metrics.server import Reply, Server, address_of, deployment_of, key_of

_PROBE = Asked("A source:\nWater is wet.\n\nAn answer:\nWater is wet.", "Is the answer supported by the source?")
_SCALE = re.compile(r"(\d{1,3})-(\d{1,3})")
_ROW = ("prompt", "repeat", "lower_is_better", "model")
"""Parameters on which a cached answer depends only by its prompt and by the name of the model that answered"""
_STOPPED = Failure("the run was stopped before the judge had answered", temporary=True)
_CHANGED = "the server answered as the model {now!r}, and at the beginning of the run as {first!r}"


@dataclass(frozen=True, kw_only=True)
class JudgePrepared(Prepared):
    """A judge that is ready: its server has answered a first question."""

    server: Server
    form: Chat | Decisions | SystemOne
    url: str
    served: str
    """The name of the model in the server's replies"""
    cached: CachedAnswers
    answers: dict[Job, Answer] = field(default_factory=dict)
    """The answers of this run, those from the cache included"""


@dataclass(frozen=True)
class Judge(RowMetric):
    """The answer of a language model, or of a decision model, to a question about each row; it is asked over HTTP.

    The number is the probability of yes if the server gives probabilities, else 1 for the word yes and 0 for no. A row
    whose answer cannot be read has no number, and has the reason. Nothing is sent to any other address, answers are
    cached, and a key comes from the environment alone. The numbers are not repeatable: a server may answer otherwise
    the next time. `correlate`, `estimate` and `calibrate` measure how far a judge can be trusted.
    """

    subject: ClassVar[str] = "url"
    example: ClassVar[str] = "http://127.0.0.1:8080/v1"
    remote: ClassVar[bool] = True
    conduct: ClassVar[tuple[str, ...]] = ("at_once", "retries", "wait", "timeout", "most_requests", "key")
    cost: ClassVar[Cost] = "asking"

    url: str = param(
        help="the address, as in http://127.0.0.1:8080/v1, or the whole address of the interface",
    )
    prompt: str = param(
        "supported",
        help="'supported', 'answers', 'contradicts' or 'better' (than the first reference), or a file with a prompt",
    )
    api: str | None = param(
        None,
        choices=(None, *APIS),
        help="'chat' (/chat/completions), 'decisions' or 'systemone'; by default what the address ends in, else chat",
    )
    values: Mapping[str, float] | str | None = param(
        None,
        hash=False,
        help="numbers by label, as in {'good': 1, 'bad': 0}, or a scale such as '1-5', for a prompt of your own",
    )
    criteria: Mapping[str, str] | None = param(
        None,
        hash=False,
        help="several questions in one request instead of the prompt's, by the names of their sub-scores, as in "
        "{'supported': 'Is every statement supported?', 'complete': 'Is nothing left out?'}",
    )
    lower_is_better: bool = param(False, help="whether a lower number is better; of the named prompts that is known")
    repeat: int = param(
        1,
        minimum=1,
        help="how often each question is asked; more than once adds how far the answers lie apart and how many flip",
    )
    json: bool = param(False, help="whether to ask for JSON, by a schema where the server takes one")
    temperature: float = param(0.0, minimum=0, help="of a chat; 0 gives the most probable answer")
    reason: bool = param(False, help="whether a chat is asked for its reason, before the label; --evidence shows it")
    system_role: bool = param(
        False, help="whether a chat gets the question as the system's message, apart from the texts"
    )
    most_tokens: int | None = param(
        None,
        minimum=1,
        help=f"the longest answer of a chat, in tokens; by default {TOKENS}, and {TOKENS_WITH_REASON} with a reason, "
        "and more for JSON",
    )
    at_once: int = param(8, minimum=1, help="requests at a time")
    retries: int = param(4, minimum=0, help="how often a failed request is sent again")
    wait: float = param(0.5, minimum=0, help="seconds before a failed request is sent again; they double each time")
    timeout: float = param(60.0, minimum=0.001, help="seconds for one answer")
    most_requests: int | None = param(None, minimum=1, help="the budget of a run, in requests")
    key: str = param("NLGAUGE_JUDGE_KEY", help="the variable of the environment that holds the key")
    model: str | None = param(None, help="the model's name for the server; may be left out where it serves one")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "url", address_of(self.url, self.name))
        if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", self.key):
            # Not repeated: it may be the key itself.
            raise SpecError(f"{self.name}: key= is the name of a variable of the environment, in capitals")
        if self.reason and self._api != "chat":
            raise SpecError(f"{self.name}: reason=True is for a chat; a decision model gives a probability alone")
        if self.system_role and self._api != "chat":
            raise SpecError(f"{self.name}: system_role=True is for a chat; a decision model has no roles")
        if self.criteria is not None:
            object.__setattr__(self, "criteria", criteria_of(self.name, self.criteria))
            if self.repeat > 1 or self.prompt == "better":
                raise SpecError(
                    f"{self.name}: criteria= are asked once each, and not of pairs: leave out repeat and better"
                )
        if self.values is None:
            return
        if isinstance(self.values, str):
            scale = _SCALE.fullmatch(self.values)
            if scale is None or not int(scale[1]) < int(scale[2]):
                raise SpecError(f"{self.name}: values={self.values!r} is no scale; write '1-5', for one")
            if self._api != "chat" and int(scale[2]) - int(scale[1]) >= MOST_LEVELS:
                raise SpecError(
                    f"{self.name}: values={self.values!r}: a decision model takes {MOST_LEVELS} levels at most"
                )
        else:
            labels = labels_of(self.name, self.values)
            if len(labels) < 2 or None in labels.values():
                raise SpecError(f"{self.name}: values={self.values!r} are no two labels with a number each")
            object.__setattr__(self, "values", labels)

    @property
    def _api(self) -> str:
        return endpoint(self.url, self.api)[0]

    @cached_property
    def template(self) -> Prompt:
        """The prompt before it is filled in. Raises SpecError for a file that cannot be read, or that does not fit."""
        prompt = prompt_of(self.prompt, self.name)
        if self.criteria is not None:
            return replace(prompt, question="") if prompt.ours else prompt
        if not prompt.question and (self._api != "chat" or self.system_role):
            remedy = "a line --- in the file, and the question below it"
            who = "system_role=True" if self._api == "chat" else self._api
            raise SpecError(f"{self.name}: {who} needs a question apart from the texts: write {remedy}")
        if prompt.ours and self.values is not None:
            raise SpecError(f"{self.name}: values= is for a prompt of your own; {self.prompt!r} asks for yes or no")
        return prompt

    @property
    def _fences(self) -> bool:
        return self.template.ours and self._api == "chat"

    def filled(self, row: Row) -> list[Asked] | str:
        """Return the filled prompts for a row, or the reason why there are none.

        Args:
            row: the row. In nlgauge's own prompts, marks are put around each of its texts.

        Returns:
            One or two filled prompts, or the reason.
        """
        return self.template.filled(row, self._fences)

    @property
    def labels(self) -> Numbers:
        """The number of each label."""
        if isinstance(self.values, str):
            low, high = map(int, self.values.split("-"))
            return {str(number): float(number) for number in range(low, high + 1)}
        return YES_NO if self.values is None else self.values

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]  # which a class may have as a whole
        if self.criteria is not None:
            return tuple(self.criteria)
        orders = ("turns",) if self.template.both_orders else ()
        return ("score", *(("spread", "flips") if self.repeat > 1 else ()), *orders)

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.criteria is not None else self.parts[1:]

    @property
    def limits(self) -> Mapping[str, Limits]:
        of_score = min(self.labels.values()), max(self.labels.values())
        if self.criteria is not None:
            return dict.fromkeys(self.parts, of_score)
        limits = {"score": of_score, "spread": AMOUNT, "flips": (0.0, 0.5), "turns": SHARE}
        return {part: limits[part] for part in self.parts}

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        return not (self.lower_is_better or self.template.lower_is_better)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.template.columns

    def prepare(self, setup: Setup) -> JudgePrepared:
        """Ask one short question, to learn the name of the model and the parameters that the server accepts.

        Args:
            setup: the corpus and the options of the run.

        Returns:
            The judge that is ready, with the facts about model and server for the signature.

        Raises:
            SpecError: nobody answers at the address, it refuses the key, or it serves several models.
        """
        key_of(self.key)
        server = Server(
            url=self.url,
            key=self.key,
            retries=self.retries,
            timeout=self.timeout,
            wait=self.wait,
            most_requests=self.most_requests,
        )
        api, url, listed = endpoint(self.url, self.api)
        model = self.model or deployment_of(url) or self._only_model(server, listed)
        form = self._form(api, model)
        reply = self._first_reply(server, url, form)
        if reply.failure is not None:
            raise SpecError(f"{self.name}: no judge answers at {url}: {reply.failure}")
        served = reply.content.get("model")
        served = served if isinstance(served, str) and served else model
        (read, *_) = form.each(reply.content)
        by_words = api == "chat" and not (isinstance(read, Read) and read.by_probability)
        facts: dict[str, object] = {
            "judge": served,
            "prompt": {"name": self.template.name, "digest": self.template.digest},
            "answers": "words" if by_words else "probabilities",
            "numbers": "not repeatable",
        }
        facts |= {"texts": "between marks"} if self._fences else {}
        if isinstance(form, Chat):
            facts |= {"prompts": "computed anew"} if form.anew and "cache_prompt" not in form.without else {}
            facts |= {"without": ",".join(sorted(form.without))} if form.without else {}
        facts |= {QUESTION: "shown"} if self.template.may_show_question else {}
        code = source_digest(self.scored_by)
        settings = {
            setting.name: getattr(self, setting.name)
            for setting in fields(self)
            if setting.name not in (*self.conduct, *_ROW)
        }
        identity = [url, served, settings, self.template.ours, self.repeat > 1, form.body(_PROBE, None), code]
        cache = setup.cache if readable(code) else None
        cached = CachedAnswers(cache, repr(identity), count=len(self.criteria or (None,)))
        return JudgePrepared(facts=facts, server=server, form=form, url=url, served=served, cached=cached)

    def _form(self, api: str, model: str) -> Chat | Decisions | SystemOne:
        """Return the object that makes the requests of an interface and reads its replies."""
        if api != "chat":
            kind = Decisions if api == "decisions" else SystemOne
            return kind(model, self.labels, scale=isinstance(self.values, str), criteria=self.criteria or {})
        labels_tokens = TOKENS if self.criteria is None else TOKENS_EACH * len(self.criteria)
        object_tokens = TOKENS_OF_JSON if self.json or self.criteria is not None else 0
        reason_tokens = TOKENS_WITH_REASON - TOKENS if self.reason else 0
        chat = Chat if self.criteria is None else partial(ChatOfCriteria, criteria=self.criteria)
        return chat(
            labels=self.labels,
            model=model,
            most_tokens=self.most_tokens or labels_tokens + object_tokens + reason_tokens,
            temperature=self.temperature,
            json=self.json,
            ours=self.template.ours,
            reason=self.reason,
            system_role=self.system_role,
        )

    def _first_reply(self, server: Server, url: str, form: Chat | Decisions | SystemOne) -> Reply:
        """Return the reply to one short question. It is sent again without each parameter that the server refuses."""
        while True:
            reply = server.ask(url, form.body(_PROBE, 0 if self.repeat > 1 else None), unless=form.refused)
            if reply.failure is None:
                if not form.learn(reply.content):
                    return reply
            elif name := form.refused(reply.failure):
                form.without.add(name)
            else:
                return reply

    def _only_model(self, server: Server, listed: str) -> str:
        reply = server.ask(listed)
        names = model_names(reply.content)
        if len(names) == 1:
            return names[0]
        told = reply.failure or (f"there are {', '.join(names[:10])}" if names else "it lists none")
        raise SpecError(f"{self.name}: which model is to be asked at {self.url}? {told}: name it, model='...'")

    def score_rows(self, rows: Sequence[Row], prepared: JudgePrepared, features: Features) -> list[Value]:
        filled = [self.filled(row) for row in rows]
        jobs = {
            (asked.digest, turn): asked
            for asked_of_row in filled
            if not isinstance(asked_of_row, str)
            for asked in asked_of_row
            for turn in self._turns
        }
        try:
            self._ask({job: asked for job, asked in jobs.items() if job not in prepared.answers}, prepared)
        except KeyboardInterrupt:
            raise Interrupted([self._value(asked_or_reason, prepared.answers) for asked_or_reason in filled]) from None
        return [self._value(asked_or_reason, prepared.answers) for asked_or_reason in filled]

    @property
    def _turns(self) -> range:
        return range(self.repeat)

    def _ask(self, jobs: Mapping[tuple[bytes, int], Asked], prepared: JudgePrepared) -> None:
        """Get the answers of jobs, from the cache or the server, and add them to `prepared.answers`.

        Several requests run at a time. After an interruption no further request is sent, also none that waits to be
        repeated.

        Args:
            jobs: the filled prompt of each job.
            prepared: the judge, with its cache and its server.
        """
        from concurrent.futures import ThreadPoolExecutor, as_completed

        count = prepared.cached.count
        for (digest, turn), answers in prepared.cached.look_up(jobs).items():
            prepared.answers.update({(digest, turn + number): outcome for number, outcome in enumerate(answers)})
        jobs = {job: asked for job, asked in jobs.items() if job not in prepared.answers}

        def answer(job: tuple[bytes, int]) -> Sequence[Answer]:
            body = prepared.form.body(jobs[job], job[1] if self.repeat > 1 else None)
            reply = prepared.server.ask(prepared.url, body)
            if reply.failure is not None:
                return [Failure(f"the judge did not answer: {reply.failure}", reply.temporary)] * count
            now = reply.content.get("model", prepared.served)
            if now != prepared.served:
                return [Failure(_CHANGED.format(now=now, first=prepared.served), temporary=True)] * count
            return dated(prepared.form.each(reply.content), reply.content, prepared.served)

        pool = ThreadPoolExecutor(self.at_once, "nlgauge-judge")
        asked = {pool.submit(answer, job): job for job in jobs}
        try:
            for future in as_completed(asked):
                prepared.cached.add(asked[future], future.result())
        except BaseException:
            prepared.server.stopped.set()
            raise
        finally:
            try:
                pool.shutdown(cancel_futures=True)  # what was asked is waited for, because it is paid
            finally:
                for future, (digest, turn) in asked.items():
                    answered = future.done() and not future.cancelled()
                    answers = future.result() if answered else [_STOPPED] * count
                    prepared.cached.add((digest, turn), answers)
                    for number, outcome in enumerate(answers):
                        prepared.answers[digest, turn + number] = outcome
                        prepared.server.counts.update(tally(outcome))
                prepared.cached.commit()

    def _value(self, filled: Sequence[Asked] | str, answers: Mapping[tuple[bytes, int], Answer]) -> Value:
        if isinstance(filled, str):
            return self._none(filled, temporary=False)
        if self.criteria is not None:
            (only,) = filled
            return _of_criteria([answers[only.digest, number] for number in range(len(self.criteria))])
        turns: list[float] = []
        turned = 0
        for turn in self._turns:
            numbers: list[float] = []
            for order, asked in enumerate(filled):
                answer = answers[asked.digest, turn]
                if isinstance(answer, Failure):
                    return self._none(answer.reason, answer.temporary)
                # Asked in the other order, yes speaks for the other answer.
                numbers.append(answer.number if order == 0 else 1 - answer.number)
            turns.append(math.fsum(numbers) / len(numbers))
            turned += min(numbers) < 0.5 < max(numbers)
        mean = math.fsum(turns) / len(turns)
        orders = (turned / len(turns),) if self.template.both_orders else ()
        if self.repeat == 1:
            return Value((mean, *orders))
        spread = math.sqrt(math.fsum((turn - mean) ** 2 for turn in turns) / (len(turns) - 1))
        middle = (min(self.labels.values()) + max(self.labels.values())) / 2
        above = sum(turn > middle for turn in turns)
        return Value((mean, spread, min(above, len(turns) - above) / len(turns), *orders))

    def evidence(self, row: Row, prepared: JudgePrepared, features: Features) -> Evidence:
        """Return the reasons that the judge gave for a row; empty if it gave none."""
        filled = self.filled(row)
        asked = [] if isinstance(filled, str) else filled
        turns = self._turns if self.criteria is None else range(1)  # one reason is for all criteria
        return evidence_of(prepared.answers[each.digest, turn] for turn in turns for each in asked)

    def _none(self, reason: str, temporary: bool) -> Value:
        return Value((math.nan,) * len(self.parts), reason, temporary=temporary)

    def spent(self, prepared: JudgePrepared) -> Mapping[str, int]:
        """Return the cost of the run, by name: requests, repeated requests, failures, tokens.

        If the answers of the run, those from the cache included, come from several days or fingerprints of the model,
        the number of answers of each is added.
        """
        return {**prepared.server.counts, **mixed(prepared.answers.values())}

    def is_cheap(self, row: Row) -> bool:
        """Return True, because a row's number is computed at once from its cached answers, which have their dates."""
        return True


def _of_criteria(answers: Sequence[Answer]) -> Value:
    """Return the numbers of all criteria as one value. A failure is NaN, and the first failure gives the reason."""
    failed = [answer for answer in answers if isinstance(answer, Failure)]
    numbers = tuple(math.nan if isinstance(answer, Failure) else answer.number for answer in answers)
    temporary = any(answer.temporary for answer in failed)
    return Value(numbers, failed[0].reason if failed else None, temporary=temporary)
