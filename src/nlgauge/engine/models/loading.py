"""Loading of models by name.

pocket          the embedded model
base            the larger model, from the distribution nlgauge-base
a folder        written by `nlgauge train`, or any checkpoint in Hugging Face format
package/Name    a model that an installed package offers under the entry point group ``nlgauge.models``: a callable
                ``(precision) -> Model``, which may also take ``device``
package/Name:X  the same for a callable that also takes ``of``, here X: for instance a folder or an address
nli:X           a published detector of this family (`packing.py`), where X is a folder or a Hugging Face name
anything else   a Hugging Face name
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import cast
from weakref import WeakValueDictionary

from nlgauge._plugins import load_offered, offered
from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.card import ALIGNER_FILE
from nlgauge.engine.models.detector import family_of, open_detector
from nlgauge.engine.models.device import has_gpu
from nlgauge.engine.models.folder import MASKED_FILE, PAIRS_FILE
from nlgauge.engine.models.onnx import graph_path, open_onnx
from nlgauge.engine.models.openvino import has_bfloat16, open_openvino
from nlgauge.engine.models.packing import PREFIXES, refused_head
from nlgauge.errors import NlgaugeError, SpecError, installing

PRECISIONS = ("float32", "bfloat16", "int8")
BACKENDS = ("auto", "onnxruntime", "openvino", "torch")
_GROUP = "nlgauge.models"
COMPANIONS = {"base": "nlgauge-base"}
"""The distribution that contains the folder of a model, by its name"""
_held: WeakValueDictionary[tuple[str, str, str, str | None], Model] = WeakValueDictionary()
"""Models from `hold` that are still in use, by name, precision, backend and device"""
_last: list[Model] = []
"""The last model that `shared` leaves loaded: the embedded model or a companion"""


def pocket_folder() -> Path:
    """Return the folder of the embedded model."""
    return Path(str(files("nlgauge.engine") / "models" / "pocket"))


def companion_folder(name: str) -> Path | None:
    """Return the folder of a model in its companion distribution; None if the distribution is not installed."""
    spec = find_spec(COMPANIONS[name].replace("-", "_"))
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "model"


def companions() -> list[str]:
    """Return the names of the models whose companion distributions are installed."""
    return [name for name in COMPANIONS if companion_folder(name) is not None]


def folder_of(name: str) -> Path:
    """Return the folder of a model.

    Args:
        name: 'pocket', a companion's name, or a path, with or without the prefix of a detector.

    Returns:
        The folder.

    Raises:
        SpecError: the companion is not installed.
    """
    prefix, _, of = name.partition(":")
    if prefix in PREFIXES:
        return Path(of)
    if name in COMPANIONS:
        folder = companion_folder(name)
        if folder is None:
            raise SpecError(f"model {name!r} is not installed: {installing(COMPANIONS[name])}")
        return folder
    return pocket_folder() if name == "pocket" else Path(name)


def load(
    name: str,
    precision: str = "float32",
    backend: str = "auto",
    device: str | None = None,
) -> Model:
    """Return a model by name. A model that is in use through `hold` is returned as it is.

    Args:
        name: 'pocket', a companion's name, a folder, or a Hugging Face name.
        precision: 'float32', 'bfloat16' (OpenVINO or torch) or 'int8' (without torch).
        backend: 'onnxruntime', 'openvino' or 'torch'. 'auto' chooses onnxruntime if the folder has its graphs and
            precision and device allow it. For bfloat16 it chooses OpenVINO if that is installed, the processor supports
            bfloat16 and there is no GPU, else torch.
        device: 'cpu', 'cuda', 'cuda:1' or 'mps'; by default torch uses a GPU if there is one.

    Returns:
        The model.

    Raises:
        SpecError: options are unknown or do not go together, or the model cannot be loaded.
        MissingExtraError: torch is needed and not installed.
    """
    if (held := _held.get((name, precision, backend, device))) is not None:
        return held
    if precision == "auto":
        problem = "precision 'auto' compares the first rows of a run in several precisions, and there is no run here"
        raise SpecError(f"{problem}; choose {', '.join(PRECISIONS)}")
    if precision not in PRECISIONS:
        raise SpecError(f"precision {precision!r} is not one of {', '.join(PRECISIONS)}")
    if backend not in BACKENDS:
        raise SpecError(f"backend {backend!r} is not one of {', '.join(BACKENDS)}")
    points = dict(offered(_GROUP))
    prefix, _, of = name.partition(":")
    if prefix in points:
        if backend != "auto":
            raise SpecError(f"model {name!r} chooses its backend itself; leave it out")
        return _made(name, load_offered(prefix, points[prefix]), precision, device=device, of=of or None)
    if prefix in PREFIXES:
        _refuse_unreadable(Path(of), name)
        return open_detector(prefix, of, name=name, precision=precision, backend=backend, device=device)
    folder = folder_of(name)
    _refuse_unreadable(folder, name)
    if (family := family_of(folder)) is not None:
        return open_detector(family, str(folder), name=name, precision=precision, backend=backend, device=device)
    chosen = _backend(folder, precision, backend, device)
    if chosen == "onnxruntime":
        return open_onnx(folder, name, precision)
    if chosen == "openvino":
        return open_openvino(folder, name, precision)
    if is_ours(folder):
        from nlgauge.engine.models.bert_model import open_bert

        return open_bert(folder, name, precision, device)
    if not folder.is_dir() and _is_path(name):
        raise SpecError(f"model {name!r}: there is no such folder")
    from nlgauge.engine.models.torch_model import Checkpoint

    if not folder.is_dir() and name.isalpha():
        names = ", ".join(["pocket", *COMPANIONS, *points])
        raise SpecError(
            f"{name!r} is not a model of nlgauge; choose {names}, a Hugging Face name such as ORG/NAME, or a folder"
        )
    checkpoint = Checkpoint(str(folder) if folder.is_dir() else name, name, precision, device)
    with checkpoint.reading():
        if checkpoint.is_kind("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING"):
            if (said := refused_head(checkpoint.config.to_dict())) is not None:
                raise SpecError(f"model {name!r} {said}")
            from nlgauge.engine.models.transformers import open_seq2seq

            return open_seq2seq(checkpoint)
        from nlgauge.engine.models.transformers import open_stack

        return open_stack(checkpoint)


def chooses_backend(name: str) -> bool:
    """Return whether a model comes from an installed package, which chooses the backend itself."""
    return name.partition(":")[0] in dict(offered(_GROUP))


def is_detector(name: str) -> bool:
    """Return whether a name is that of a published detector, by its prefix or by the configuration of its folder."""
    prefix, _, _ = name.partition(":")
    return prefix in PREFIXES or (name not in COMPANIONS and family_of(folder_of(name)) is not None)


def hold(name: str, precision: str = "float32", backend: str = "auto", device: str | None = None) -> Model:
    """Return a model as `load` does. While a caller has a reference to it, further calls return the same object.

    It is for scoring a few rows at a time, many times. A folder that changes in the meantime is not read again.

    Args:
        name: as `load` takes it.
        precision: as `load` takes it.
        backend: as `load` takes it.
        device: as `load` takes it.

    Returns:
        The model.

    Raises:
        SpecError: as `load`.
        MissingExtraError: as `load`.
    """
    model = load(name, precision, backend, device)
    _held[name, precision, backend, device] = model
    return model


def shared(name: str, precision: str = "float32", backend: str = "auto", device: str | None = None) -> Model:
    """Return a model as `load` does. The last embedded model or companion stays loaded for the next call."""
    model = load(name, precision, backend, device)
    if name == "pocket" or name in COMPANIONS:
        _held[name, precision, backend, device] = model
        _last[:] = [model]
    return model


def _refuse_unreadable(folder: Path, name: str) -> None:
    """Raise SpecError if a path is a file, or a folder that cannot be read."""
    try:
        if folder.is_dir():
            next(folder.iterdir(), None)
        elif folder.exists():
            raise SpecError(f"model {name!r} is a file: name its folder")
    except (OSError, ValueError) as error:
        if isinstance(error, SpecError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise SpecError(f"model {name[:100]!r} cannot be read: {reason}") from None


def _backend(folder: Path, precision: str, backend: str, device: str | None) -> str:
    """Return the backend that was requested, or that 'auto' chooses. Raises SpecError if the options do not fit it."""
    if backend == "torch" and precision == "int8":
        raise SpecError("int8 is for the backends without torch; for backend='torch' choose float32 or bfloat16")
    if backend == "onnxruntime" and precision == "bfloat16":
        raise SpecError("onnxruntime computes in float32 or int8; for bfloat16 choose backend='openvino' or 'torch'")
    on_cpu = device in (None, "cpu")
    if not on_cpu and (backend in ("onnxruntime", "openvino") or precision == "int8"):
        raise SpecError(f"only torch computes elsewhere than on the CPU; for device {device!r} choose backend='torch'")
    if backend != "auto":
        return backend
    if precision == "int8" or (precision == "float32" and on_cpu and _has_graphs(folder)):
        return "onnxruntime"
    pays = on_cpu and _has_graphs(folder) and precision == "bfloat16" and has_bfloat16()
    return "openvino" if pays and (device == "cpu" or not has_gpu()) else "torch"


def _has_graphs(folder: Path) -> bool:
    return any(graph_path(folder, part, "float32").exists() for part in ("encoder", "masked"))


def is_ours(folder: Path) -> bool:
    """Return whether `nlgauge_lab.training.export` wrote the folder, so that its network is the BERT of `bert.py`."""
    return _has_graphs(folder) or any((folder / file).is_file() for file in (MASKED_FILE, PAIRS_FILE, ALIGNER_FILE))


def _is_path(name: str) -> bool:
    """Return whether a name can only be a folder's, since a Hugging Face name is NAME or ORG/NAME."""
    return name.startswith(("/", ".", "~")) or "\\" in name or (name.count("/") > 1 and ":" not in name)


def _made(name: str, maker: object, precision: str, **more: str | None) -> Model:
    """Return the model that a package makes. more: its arguments; None is left out. Raises SpecError if it fails."""
    if not callable(maker):
        raise SpecError(f"{name}: the package offers {maker!r}, which is not a function that makes a model")
    arguments = {key: value for key, value in more.items() if value is not None}
    if refused := arguments.keys() - signature(maker).parameters.keys():
        wrong = " and ".join(f"{key} {arguments[key]!r}" for key in sorted(refused))
        raise SpecError(f"model {name!r} does not accept {wrong}; leave it out")
    try:
        model = cast(Callable[..., object], maker)(precision, **arguments)
    except NlgaugeError:
        raise
    except Exception as error:  # another package's code may raise anything, and the user has to know which package
        raise SpecError(f"{name} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(model, Model):
        raise SpecError(f"{name}: the package made {model!r}, which is not a Model")
    return model
