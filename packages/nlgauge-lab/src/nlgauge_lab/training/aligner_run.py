"""Training of an aligner by a recipe, from the files to the finished folder.

A recipe names labelled sets by a pattern of their files, with how often each is read in an epoch, and sets that are
held out to evaluate on. It also says what is constructed from texts without labels: examples (`weak_labels`), and rows
in which support and copying differ (`support`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from nlgauge.engine.models.adaptation import write_delta
from nlgauge.engine.models.aligner_net import AlignerNet
from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.engine.models.card import (
    ALIGNER_EVIDENCE,
    ALIGNER_FILE,
    ALIGNER_QUESTION,
    ALIGNER_TEMPERATURE,
    ALIGNER_THRESHOLD,
    write_facts,
)
from nlgauge.engine.models.folder import WEIGHTS_FILE, copy_folder, read_weights
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.models.loading import folder_of, is_ours, load
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.sentence_search import rarity
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.reproduce.markdown import table
from nlgauge_lab.training.aligner import AlignerConfig, AlignerTrainer, prepared, stored_name
from nlgauge_lab.training.aligner_rows import Encoded, Shape, encode
from nlgauge_lab.training.body import read_body
from nlgauge_lab.training.calibration import reliability_lines, temperature
from nlgauge_lab.training.compared import Compared, twins
from nlgauge_lab.training.encoder_aligner import EncoderAlignerTrainer, EncoderBody
from nlgauge_lab.training.export import write_graph
from nlgauge_lab.training.labelled import Labelled, labelled_files, read_labelled
from nlgauge_lab.training.low_rank import learned, load_learned
from nlgauge_lab.training.recipe import read_recipe
from nlgauge_lab.training.run import torch_threads
from nlgauge_lab.training.support.make import Among, Mixture, made, read_texts
from nlgauge_lab.training.weak_labels.attempts import Settings
from nlgauge_lab.training.weak_labels.production import Files, Order, produce
from nlgauge_lab.training.written import Written, written_rows
from nlgauge_lab.written import HELD_OUT, answers

_OWN_HELD_OUT = 0.1
"""Share of the sources that is held out of a user's own file"""
_HELD_ROWS = 400
_SHARES = ("among", "edited", "together", "alone")
"""Keys of a labelled set in a recipe that `Among` takes"""


class Reading:
    """Labelled texts encoded as rows: training rows, and held-out rows by the name of their set.

    counts: for each set, the number of labelled texts, the number of rows made of them, and how often they are read in
    an epoch.
    """

    def __init__(self, model: Model, shape: Shape, seed: int, body: EncoderBody | None = None) -> None:
        frequencies = general_frequencies(model)
        self._rarity = rarity(frequencies.counts, frequencies.documents)
        self._tokenizer, self._shape, self._seed = model[TOKENIZER], shape, seed
        self._pairing = None if body is None else body.pairing
        self._stopwords = body is None or body.stopwords
        self._apart: set[str] = set()
        self._sets = 0
        self.train: list[Encoded] = []
        self.held: dict[str, list[Encoded]] = {}
        self.counts: dict[str, tuple[int, int, int]] = {}

    def add(
        self,
        name: str,
        rows: Sequence[Labelled],
        times: int,
        most: int,
        held_out: float,
        among: Among | None = None,
        compared: bool = False,
    ) -> None:
        """Add the rows of one set, of which a share of the sources is held out.

        Rows about a source that was held out before are left out, because two sets may share sources.

        Args:
            name: name of the set.
            rows: all its rows.
            times: how often the rows are read in an epoch.
            most: the largest number of rows; 0 for all.
            held_out: share of the sources that is held out.
            among: what is made of the rows in addition; None for nothing.
            compared: whether texts about one source are compared with each other.
        """
        rows = [row for row in rows if row.source not in self._apart]
        order = np.random.default_rng([self._seed, 3]).permutation(len(rows))[: most or None]
        chosen = [rows[i] for i in order]
        apart = [row for row in chosen if _share(row.source) < held_out]
        kept = [row for row in chosen if _share(row.source) >= held_out]
        if compared:
            for reading in self._compared(kept, among or Among([row.source for row in kept]), times):
                self.train += (encoded := reading)
        elif among is None:
            encoded = self._rows(kept)
            self.train += encoded * times
        else:
            for time in range(times):
                encoded = self._rows(list(among.rows(kept, self._seed + time)))
                self.train += encoded
        self.counts[name] = (len(kept), len(encoded), times)
        if apart:
            self.hold(name, apart)

    def add_written(self, wanted: Written) -> None:
        """Add the written answers, also those about edited sources: training rows, and the held-out writers' rows.

        Args:
            wanted: how the answers are read.
        """
        rows, held = written_rows(wanted, self._tokenizer, rarity=self._rarity, shape=self._shape, seed=self._seed)
        self.train += rows
        self.held |= held
        texts = sum(one.writer not in HELD_OUT.values() for one in answers())
        self.counts["written"] = (texts, len(rows), 1)

    def hold(self, name: str, rows: Sequence[Labelled]) -> None:
        """Add a held-out set. Rows about its sources are left out of sets that are added later."""
        self._apart.update(row.source for row in rows)
        order = np.random.default_rng([self._seed, 4]).permutation(len(rows))[:_HELD_ROWS]
        self.held[name] = self._rows([rows[i] for i in order])

    def _compared(self, rows: Sequence[Labelled], among: Among, times: int) -> Iterator[list[Encoded]]:
        """Yield the encoded rows of a set, once for each time that the set is read in an epoch.

        The rows have the numbers that tell which of them are compared (`Twins`).

        Args:
            rows: the labelled texts of the set.
            among: the additional rows, and the passages that sources are put among.
            times: how often the set is read.
        """
        ordered = Compared.of(rows, self._tokenizer)
        for time in range(times):
            self._sets += 1
            placed, bias, groups = ordered.placed(among, self._seed + time)
            yield twins(self._encoded(placed), bias, groups, -self._sets << 40)

    def _rows(self, rows: Sequence[Labelled]) -> list[Encoded]:
        return [row for some in self._encoded(rows) for row in some]

    def _encoded(self, rows: Sequence[Labelled]) -> list[list[Encoded]]:
        return encode(
            rows, self._tokenizer, self._rarity, self._shape, pairing=self._pairing, stopwords=self._stopwords
        )


def _share(source: str) -> float:
    """Return a number in [0, 1) that depends on the source alone, so that all texts about it get the same number."""
    return int.from_bytes(hashlib.sha256(source.encode()).digest()[:4], "big") / 2**32


def train(
    out: Path,
    *,
    labelled: Path | None = None,
    pairs: Sequence[Path] = (),
    tasks: Sequence[str] = (),
    config: Path | None = None,
    body: str | None = None,
    attempts: int | None = None,
    steps: int | None = None,
    seed: int | None = None,
    examples_only: bool = False,
    aligner: str | None = None,
    begin: str | None = None,
    snapshots: tuple[Path, int] | None = None,
) -> Path:
    """Train an aligner. A run that was stopped in `out` is resumed.

    Args:
        out: folder of the run.
        labelled: a file of labelled rows, or a folder with the files that the recipe names.
        pairs: texts that examples are constructed from: a file or folder for each task, or one folder with the files of
            the recipe's patterns.
        tasks: a task for each of `pairs`, or none.
        config: the recipe; by default the one of the body.
        body: the model to start from, in place of the recipe's.
        attempts, steps, seed: in place of the recipe's values.
        examples_only: whether to stop once the examples are made.
        aligner, begin: in place of the recipe's `aligner` and `start`.
        snapshots: labelled rows whose words are evaluated, and every how many steps. The aligner at each of these steps
            is written as `at-STEP` in `out`.

    Returns:
        The folder of the finished model, or of the examples with `examples_only`.

    Raises:
        InputError: files or a recipe cannot be read.
        SpecError: the tasks do not fit the files, or there is nothing to learn from.
    """
    tree = read_recipe(config or _recipe_of(body))
    if labelled is None and not pairs and "written" not in tree:
        raise SpecError("nothing to learn from: give labelled rows, or texts to construct examples from")
    number = int(tree["seed"] if seed is None else seed)
    name = body or tree["body"]
    model, folder = load(name), folder_of(name)
    shape = Shape(**tree.get("shape", {}))
    settings = {**tree.get("training", {}), **({"steps": steps} if steps else {})}
    recipe = AlignerConfig(seed=number, **{**settings, **({"aligner": aligner} if aligner else {})})
    begin = begin or tree.get("start", "body")
    other = None if is_ours(folder) else EncoderBody(model=model, source=name, shape=shape, config=recipe, start=begin)
    if other is not None and (own := [name for name in ("written", "teacher", "mean") if name in tree]):
        raise SpecError(f"the recipe's {own[0]} is for pocket and base: leave it out")
    if aligner and other is None:
        raise SpecError(f"model {name!r} learns D and R together: leave --aligner out")
    reading = Reading(model, shape, number, other)
    every = int(tree.get("evaluate_every", 500))
    if snapshots is not None:
        reading.hold("words", list(read_labelled(snapshots[0])))
        every = snapshots[1]
    if pairs and "examples" in tree:
        maker = load(tree["examples"].get("model", "pocket"))
        examples, held = produce(
            _order(pairs, tasks, tree=tree, attempts=attempts, seed=number), maker, out / "examples", progress=True
        )
        if examples_only:
            return examples.parent
        reading.add(
            "constructed",
            list(read_labelled(examples)),
            times=int(tree["examples"].get("times", 1)),
            most=0,
            held_out=0.0,
        )
        reading.hold("constructed", list(read_labelled(held)))
    passages: Sequence[str] = ()
    if "support" in tree and pairs:
        passages = _construct(pairs, tree["support"], number, reading)
    if labelled is not None:
        _read_labelled(labelled, tree, reading, passages)
    if "written" in tree:
        reading.add_written(Written(**tree["written"]))
    with torch_threads(threads()):
        taught = start(folder_of(tree["teacher"]), AlignerConfig(), "aligner") if "teacher" in tree else None
        read = reading.train, reading.held, model[TOKENIZER].pad_id, out
        if other is None:
            trainer = AlignerTrainer(recipe, start(folder, recipe, begin), *read, taught)
        else:
            trainer = EncoderAlignerTrainer(recipe, other.network(), *read)
        if snapshots is not None:
            trainer.at_point = lambda: finish(
                trainer, other or folder, evidence=shape.evidence, folder=out / f"at-{trainer.step}"
            )
        trainer.run(evaluate_every=every)
        if mean := tree.get("mean"):
            _mix(trainer, folder_of(mean["of"]), float(mean["share"]))
        finished = finish(trainer, other or folder, mean is None or bool(mean["question"]), shape.evidence)
    (finished / "ALIGNER.md").write_text(_card(trainer, reading.counts, out), encoding="utf-8")
    return finished


def _recipe_of(body: str | None) -> Path:
    """Return the default recipe of a body: its own for our bodies, and CTC's for a checkpoint of transformers."""
    ours = body is None or is_ours(folder_of(body))
    return Path(__file__).with_name("aligner_base.toml" if body == "base" else "aligner.toml" if ours else "ctc.toml")


def _construct(pairs: Sequence[Path], recipe: Mapping[str, Any], seed: int, reading: Reading) -> Sequence[str]:
    """Add to `reading` the rows that the recipe's table [support] describes: rows to train on, and held-out rows.

    Args:
        pairs: one folder, with the files that the table names.
        recipe: the table [support].
        seed: draws the texts and the rows.
        reading: gets the rows.

    Returns:
        The passages of which the rows to train on were made.

    Raises:
        SpecError: `pairs` is not one folder.
    """
    if len(pairs) != 1 or not pairs[0].is_dir():
        raise SpecError("the recipe's [support] reads one folder of --pairs, and no --task")
    (own, held), mixture = read_texts(pairs[0], recipe, seed), Mixture(**recipe.get("mixture", {}))
    reading.add("support", list(made(own, int(recipe["rows"]), seed, mixture)), times=1, most=0, held_out=0.0)
    reading.hold("support", list(made(held, int(recipe.get("held_rows", _HELD_ROWS)), seed + 1, mixture)))
    return own.passages


def _read_labelled(place: Path, tree: Mapping[str, Any], reading: Reading, passages: Sequence[str] = ()) -> None:
    if place.is_file():
        reading.add(place.name.partition(".")[0], list(read_labelled(place)), times=1, most=0, held_out=_OWN_HELD_OUT)
        return
    for entry in tree.get("held", ()):
        for file in labelled_files(place, entry["files"]):
            reading.hold(file.name.partition(".jsonl")[0], list(read_labelled(file)))
    for entry in tree.get("labelled", ()):
        for file in labelled_files(place, entry["files"]):
            rows = list(read_labelled(file))
            name = file.name.partition(".jsonl")[0]
            held_out = float(entry.get("held_out", 0.0))
            among = None
            if any(key in entry for key in _SHARES):
                shares = {key: float(entry.get(key, 0.0)) for key in _SHARES}
                among = Among(passages or [row.source for row in rows], **shares)
            reading.add(
                name,
                rows,
                times=int(entry.get("times", 1)),
                most=int(entry.get("rows", 0)),
                held_out=held_out,
                among=among,
                compared=bool(entry.get("compared", False)),
            )


def start(folder: Path, config: AlignerConfig, begin: str = "body") -> AlignerNet:
    """Return an aligner on the body in a folder. With begin='aligner' it has the weights of the folder's aligner.

    Heads that the folder's aligner lacks are random.

    Raises:
        InputError: `begin` is neither 'body' nor 'aligner', or the folder has no aligner.
    """
    if begin not in ("body", "aligner"):
        raise InputError(f"the recipe's start {begin!r} is none", remedy="give body or aligner")
    torch.manual_seed(config.seed)
    model = prepared(AlignerNet(read_body(folder, adapted=True)), config)
    if begin == "aligner":
        if not (folder / ALIGNER_FILE).is_file():
            raise InputError(f"{folder} has no aligner", remedy="give start = 'body' in the recipe")
        load_learned(model, folder / ALIGNER_FILE, read_weights(folder / WEIGHTS_FILE), stored_name)
    return model


def _mix(trainer: AlignerTrainer, folder: Path, share: float) -> None:
    """Average the trained aligner with the one in a folder. Heads that the folder's aligner lacks are not averaged.

    Differences of low rank are averaged factor by factor. This makes sense only if one run began with the other's
    weights.

    Args:
        trainer: the run with the trained aligner.
        folder: the folder of the other aligner.
        share: weight of the other aligner in the mean, from 0 to 1.
    """
    other = start(folder, trainer.config, "aligner")
    stored = read_weights(folder / ALIGNER_FILE).keys()
    heads = {name for name, _ in other.named_parameters() if not name.startswith("body.")}
    lacking = {name for name in heads if stored_name(name) not in stored}
    trainer.mix(other, share, {name for name, _ in other.named_parameters()} - lacking)


def finish(
    trainer: AlignerTrainer,
    body: Path | EncoderBody,
    question: bool = True,
    evidence: int = 0,
    folder: Path | None = None,
) -> Path:
    """Write the finished model (the body's folder with the aligner in it), and return its folder.

    Args:
        trainer: the run.
        body: the folder of the body, or an encoder of transformers.
        question, evidence: as in `write_aligner`.
        folder: where to write; by default `model` in the folder of the run.
    """
    folder = folder or trainer.out / "model"
    # Nothing to choose by without held-out rows, or with words of one kind alone.
    found = trainer.curve[-1]["threshold"] if trainer.curve else np.nan
    threshold, divisor = 0.5 if np.isnan(found) else found, temperature(*_held_texts(trainer))
    if isinstance(body, EncoderBody):
        body.write(folder, trainer.model, threshold, divisor)
        return folder
    copy_folder(body, folder)
    write_aligner(folder, trainer.model, threshold=threshold, divisor=divisor, question=question, evidence=evidence)
    return folder


def write_aligner(
    folder: Path, model: nn.Module, threshold: float, divisor: float, question: bool = True, evidence: int = 0
) -> None:
    """Write an aligner into a model's folder: its heads, its graph, and how its body differs from the folder's body.

    Args:
        folder: the model's folder.
        model: the aligner.
        threshold: a word whose alignment is lower is taken to be unsupported.
        divisor: the temperature that divides the log-odds of a whole text.
        question: whether the aligner reads a row's question.
        evidence: the limit on how much of a source it reads, as in training (`SearchShape.evidence`); 0 for none.
    """
    whole, low_rank = learned(model, stored_name)
    whole[ALIGNER_THRESHOLD] = np.array([threshold], np.float32)
    whole[ALIGNER_TEMPERATURE] = np.array([divisor], np.float32)
    if question:
        whole[ALIGNER_QUESTION] = np.ones(1, np.float32)
    if evidence:
        whole[ALIGNER_EVIDENCE] = np.array([evidence], np.float32)
    # In 8 bits where the layers learn differences of low rank: those are of large models, whose wheels are nearly full.
    write_delta(folder / ALIGNER_FILE, read_weights(folder / WEIGHTS_FILE), whole, low_rank, in_8_bits=bool(low_rank))
    write_graph(folder, "aligner.onnx")
    write_facts(folder, grounded=None)  # these thresholds were measured with another aligner


def _held_texts(trainer: AlignerTrainer) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return log-odds and labels of the held-out stretches of all sets; empty arrays if nothing is held out."""
    found = [one.texts for one in trainer.judged().values()] or [(np.empty(0), np.empty(0, np.int64))]
    texts, truths = zip(*found, strict=True)
    return np.concatenate(texts), np.concatenate(truths)


def _card(trainer: AlignerTrainer, counts: Mapping[str, tuple[int, int, int]], out: Path) -> str:
    """Return the training card: which sets were read, and how well the aligner separates held-out texts.

    Args:
        trainer: the run.
        counts: for each set, the numbers of `Reading.counts`.
        out: the folder of the run. The card of the examples in it is appended.
    """
    last, judged = trainer.curve[-1] if trainer.curve else {}, trainer.judged()
    read = [[name, texts, rows, f"{times} times"] for name, (texts, rows, times) in counts.items()]
    measured = []
    for name, found in last.items():
        if isinstance(found, dict):
            words, texts = found["words"], found["texts"]
            own = temperature(*judged[name].texts)
            cells = [words["auc"], words["f1"], words["best_f1"], texts["auc"], texts["best_f1"], own]
            measured.append([name, *(f"{cell:.3f}" for cell in cells)])
    heads = ["words: area under ROC", "F1 at 0.5", "best F1", "texts: area under ROC", "best F1", "own temperature"]
    lines = [
        *("# Aligner", "", f"Trained by `nlgauge train aligner`, {trainer.step} steps.", ""),
        *table(["set", "texts", "rows", "read in an epoch"], "llll", read),
        "",
        "Held-out texts: unsupported words found, and texts that hold one. No source of theirs was trained on.",
        "",
        *table(["set", *heads], "lllllll", measured),
    ]
    if not np.isnan(threshold := last.get("threshold", np.nan)):
        lines += ["", f"Words under {threshold:.2f} are called unsupported."]
    if len((held := _held_texts(trainer))[0]):
        lines += ["", *reliability_lines(*held, temperature(*held))]
    lines += ["", f"Settings: {json.dumps(vars(trainer.config))}", ""]
    card = out / "examples" / "README.md"
    return "\n".join([*lines, card.read_text(encoding="utf-8") if card.is_file() else ""])


def _order(
    pairs: Sequence[Path], tasks: Sequence[str], tree: Mapping[str, Any], attempts: int | None, seed: int
) -> Order:
    """Return the settings by which examples are constructed, from a recipe.

    Args:
        pairs: texts that examples are constructed from, as in `train`.
        tasks: a task for each of `pairs`, or none.
        tree: the tables of the recipe.
        attempts: number of attempts; None for the recipe's.
        seed: decides all that is random.
    """
    wanted = tree["examples"]
    return Order(
        files=_files(pairs, tasks, tree.get("source", ())),
        attempts=attempts or int(wanted["attempts"]),
        held_out_attempts=round((attempts or wanted["attempts"]) * wanted["held_out_attempts"] / wanted["attempts"]),
        held_out=float(wanted["held_out"]),
        held_out_origins=tuple(wanted.get("held_out_origins", ())),
        seed=seed,
        settings=Settings(**tree.get("settings", {})),
    )


def _files(pairs: Sequence[Path], tasks: Sequence[str], sources: Sequence[Mapping[str, Any]]) -> tuple[Files, ...]:
    if tasks:
        if len(tasks) != len(pairs):
            raise SpecError(f"{len(pairs)} --pairs and {len(tasks)} --task: give a task for each")
        return tuple(Files((path,), task) for path, task in zip(pairs, tasks, strict=True))
    if not sources or len(pairs) != 1 or not pairs[0].is_dir():
        raise SpecError("give a --task for each --pairs, or one folder with the recipe's files")
    found = []
    for source in sources:
        paths = tuple(sorted(pairs[0].glob(source["files"])))
        if not paths:
            raise InputError(f"no file {source['files']}", file=pairs[0], remedy="give a --task for each --pairs")
        found.append(Files(paths, source["task"], source["share"], tuple(source.get("leave_out", ()))))
    return tuple(found)
