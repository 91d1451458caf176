"""The common part of models run by torch: opening a checkpoint, and the device and precision.

The interfaces of torch and transformers change often. In the engine, only this file, `device.py`, `transformers.py`,
`detector.py`, `convert.py` and the networks of nlgauge's folders (`bert.py`, `bert_model.py`, `heads.py`,
`aligner_net.py`) use them.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import TOKENIZER, Capability, Floats, Ints, Model
from nlgauge.engine.models.card import CARD_FILE, FREQUENCIES_FILE, read_card
from nlgauge.engine.models.device import choose_device, tokens_that_fit
from nlgauge.engine.models.folder import (
    CONFIG_FILE,
    LARGEST_SIZES,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    digest_of,
    named_digest,
)
from nlgauge.engine.models.published import published
from nlgauge.engine.models.stored import one_line, shown
from nlgauge.engine.tokenizer_check import checked
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import MissingExtraError, NlgaugeError, SpecError

if TYPE_CHECKING:
    from torch import Tensor, device
    from transformers import PretrainedConfig

Net: TypeAlias = Any
"""A network of transformers"""
_WINDOW = 512
_FILES = (
    CONFIG_FILE,
    CARD_FILE,
    FREQUENCIES_FILE,
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
)
"""The files, besides weights and tokenizer, that scores depend on. They are the same in a folder and from a hub"""
_SIZES = ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
"""The entries of a configuration by which a known checkpoint is recognised, besides its name and its weights"""
_SAFELY = {"trust_remote_code": False}
"""Arguments of every call that reads something. Without them, transformers asks in the terminal, and a "yes" runs
code"""


class Runtime:
    """A device and a precision ('float32' or 'bfloat16') of torch, and the ways to move arrays there and back."""

    def __init__(self, torch: ModuleType, device: device, precision: str) -> None:
        self.torch, self.device, self.precision = torch, device, precision

    @property
    def name(self) -> str:
        """The version of torch, and the device if it is not the CPU, as signatures write them."""
        version = f"torch-{self.torch.__version__}"
        return f"{version} on {self.device}" if self.apart else version

    @property
    def apart(self) -> bool:
        """Whether the device is not the CPU."""
        return self.device.type != "cpu"

    def tensor(self, values: NDArray[np.int64] | NDArray[np.bool_]) -> Tensor:
        """Return the numbers as a tensor on the device. A CUDA GPU copies them from pinned memory, without waiting."""
        tensor: Tensor = self.torch.from_numpy(values)
        if self.device.type == "cuda":
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)

    def inputs(self, ids: Ints, attend: Ints, types: Ints | None = None) -> dict[str, Tensor]:
        """Return the keyword arguments of a network, as tensors on the device."""
        typed = {} if types is None else {"token_type_ids": self.tensor(types)}
        return {"input_ids": self.tensor(ids), "attention_mask": self.tensor(attend), **typed}

    def numbers(self, tensor: Tensor) -> Floats:
        return np.asarray(tensor.float().cpu().numpy())

    def true_logs(self, logits: Tensor, ids: Tensor) -> Tensor:
        """Return the log-probability of each token [rows, length]. logits: [rows, length, vocabulary]."""
        logits = logits.float()
        return (logits.gather(-1, ids[..., None])[..., 0] - logits.logsumexp(-1)).double()

    def narrow(self, net: Net) -> None:
        """Convert the weights of linear layers to the precision, once; autocast would convert them for every batch.

        An output layer that shares the embedding table gets a copy, so that the embeddings stay unchanged.

        Args:
            net: the network, which is changed.
        """
        if self.precision == "bfloat16":
            for module in net.modules():
                if isinstance(module, self.torch.nn.Linear):
                    for name, weight in list(module.named_parameters(recurse=False)):
                        narrow = weight.detach().to(self.torch.bfloat16)
                        setattr(module, name, self.torch.nn.Parameter(narrow, requires_grad=False))

    def computing(self) -> ExitStack:
        stack = ExitStack()
        stack.enter_context(self.torch.inference_mode())
        if self.precision == "bfloat16":
            stack.enter_context(self.torch.autocast(self.device.type, dtype=self.torch.bfloat16))
        return stack


class Checkpoint:
    """A folder or Hugging Face name, with its configuration and tokenizer.

    splitter: the checkpoint's tokenizer in transformers, for networks that read two texts in their own format.

    Only safetensors weights are read. Code of the checkpoint is never run: a network that needs it is refused.

    Args:
        source: the folder or the Hugging Face name.
        name: the name of the model in signatures.
        precision: 'float32' or 'bfloat16'.
        device: 'cpu', 'cuda', 'cuda:1' or 'mps'; by default a GPU if there is one.

    Raises:
        SpecError: the checkpoint cannot be loaded.
        MissingExtraError: torch is not installed.
    """

    def __init__(self, source: str, name: str, precision: str = "float32", device: str | None = None) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(f"model {name!r}", "torch") from None
        if precision not in ("float32", "bfloat16"):
            raise SpecError(f"model {name!r}: torch computes in float32 or bfloat16 here, not in {precision}")
        self.source, self.name = source, name
        self.runtime = Runtime(torch, choose_device(torch, device), precision)
        self._transformers: ModuleType = transformers
        with self.reading():
            self.config: PretrainedConfig = transformers.AutoConfig.from_pretrained(source, **_SAFELY)
            self._check_config()
            if (file := self._at_hand(TOKENIZER_FILE)) is not None:
                # Before transformers uses it.
                checked(file.read_text(encoding="utf-8"), f"cannot load model {name!r}: {file.name}")
            self.splitter: Any = transformers.AutoTokenizer.from_pretrained(source, **_SAFELY)
            if not getattr(self.splitter, "is_fast", False):
                raise SpecError(f"model {name!r} has no fast tokenizer; convert it to a tokenizer.json")
            checked(self.splitter.backend_tokenizer.to_str(), f"cannot load model {name!r}: its tokenizer")
            self.tokenizer = SubwordTokenizer(
                self.splitter.backend_tokenizer, self.splitter.mask_token, self.splitter.pad_token
            )

    def window(self, net: Net) -> int:
        """Return the largest number of sub-words in a row, with special tokens."""
        return _window(net.base_model, self.config, self.splitter)

    def is_kind(self, mapping: str) -> bool:
        """Return whether transformers lists the model in a mapping, such as MODEL_FOR_CAUSAL_LM_MAPPING."""
        return type(self.config) in getattr(self._transformers, mapping)

    def network(self, auto: str, pooled: bool = False) -> Net:
        """Return the checkpoint's network as a class of transformers, on its device.

        Args:
            auto: the class of transformers, such as 'AutoModel'.
            pooled: whether the weights for a vector of a whole text (the pooler) are needed.

        Returns:
            The network.

        Raises:
            SpecError: weights are missing.
        """
        net, missing = self.read(auto)
        self.refuse_lacking(missing, pooled)
        return net

    def network_with_head(self, auto: str) -> Net | None:
        """Return a network as `network` does, or None if the checkpoint lacks the weights of the head."""
        net, missing = self.read(auto)
        body = net.base_model_prefix + "."
        self.refuse_lacking(key for key in missing if key.startswith(body))
        return net if all(key.startswith(body) for key in missing) else None

    def model(self, net: Net, abilities: Mapping[Capability[Any], object]) -> Model:
        """Return the model of a network with these capabilities. The network is converted to the precision."""
        digest, window = self._digest(net), self.window(net)
        published_as = published(self.source, digest, {name: getattr(self.config, name, None) for name in _SIZES})
        files = named_digest(path for name in _FILES if (path := self._at_hand(name)) is not None)
        if TOKENIZER not in abilities:  # else its digest is a fact of its own
            files = hashlib.sha256(f"{files} {self.tokenizer.digest}".encode()).hexdigest()
        self.tokenizer.fit(len(net.get_input_embeddings().weight))
        self.runtime.narrow(net)
        card = read_card(Path(self.source), self.runtime.precision)
        folder, device, batch_tokens = Path(self.source), self.runtime.device, None
        if device.type == "cuda":
            free, _ = self.runtime.torch.cuda.mem_get_info(device)
            batch_tokens = tokens_that_fit(free, self.config, window)
        return Model(
            name=self.name,
            digest=digest,
            files=files,
            backend=f"{self.runtime.name} transformers-{self._transformers.__version__}",
            precision=self.runtime.precision,
            abilities=abilities,
            window=window,
            second_type=self._second_type(net.base_model),
            card=card if published_as is None else published_as.completes(card),
            folder=folder if folder.is_dir() else None,
            batch_tokens=batch_tokens,
            apart=self.runtime.apart,
        )

    def _second_type(self, body: Net) -> int:
        """Return the tokenizer's type for a pair's second text; 0 if the network does not have this type."""
        types = int(getattr(self.config, "type_vocab_size", None) or 0)
        told = self.tokenizer.second_type
        return told if told < types and "token_type_ids" in signature(body.forward).parameters else 0

    def read(self, auto: str, **more: Any) -> tuple[Net, list[str]]:
        """Return a network, and the names of missing weights. more: arguments of `from_pretrained`."""
        torch = self.runtime.torch
        with self.reading():
            net, report = getattr(self._transformers, auto).from_pretrained(
                self.source, dtype=torch.float32, use_safetensors=True, output_loading_info=True, **_SAFELY, **more
            )
            for name, weight in net.named_parameters():
                if not torch.isfinite(weight).all():
                    raise SpecError(f"cannot load model {self.name!r}: {name} holds numbers that are not finite")
            net.to(self.runtime.device).eval()
        return net, sorted(report["missing_keys"])

    def refuse_lacking(self, missing: Iterable[str], pooled: bool = False) -> None:
        """Raise SpecError for missing weights, which transformers would fill with random numbers.

        Many checkpoints lack the pooler, which most metrics do not use.

        Args:
            missing: the names of the weights.
            pooled: whether the weights for a vector of a whole text (the pooler) are needed.

        Raises:
            SpecError: a weight that is used is missing.
        """
        if lacking := [key for key in missing if pooled or "pooler" not in key.split(".")]:
            raise SpecError(f"cannot load model {self.name!r}: it lacks {len(lacking)} weights, such as {lacking[0]}")

    def _check_config(self) -> None:
        """Raise SpecError for sizes that would fill the memory, and for code that would be downloaded."""
        for name in ("hidden_size", "num_hidden_layers", "vocab_size"):
            size = getattr(self.config, name, None)
            if isinstance(size, int) and not 1 <= size <= LARGEST_SIZES[name]:
                problem = f"{name} is {shown(size)}, not a whole number from 1 to {LARGEST_SIZES[name]}"
                raise SpecError(f"cannot load model {self.name!r}: {problem}")
        # A name with a slash is a kernel on a hub: compiled code.
        attention = getattr(self.config, "_attn_implementation", None)
        if "/" in str(attention):
            raise SpecError(
                f"cannot load model {self.name!r}: its attention is code from elsewhere, {shown(attention)}"
            )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn all errors inside this context into a SpecError of one line, since transformers raises many classes."""
        try:
            with _quiet(self._transformers.logging):
                yield
        except NlgaugeError:
            raise
        except Exception as error:
            raise SpecError(f"cannot load model {self.name!r}: {self._reason(error)}") from None

    def _reason(self, error: Exception) -> str:
        text = str(error)
        if "trust_remote_code" in text:
            return (
                "its network needs code of the checkpoint, which nlgauge never runs; choose a checkpoint that "
                "transformers knows; nlgauge export writes HHEM-2.1-Open without its code"
            )
        if "ignore_mismatched_sizes" in text:
            return "its weights have other shapes than its configuration says"
        folder = Path(self.source)
        if isinstance(error, OSError) and any(folder.glob("*.bin")) and not any(folder.glob("*.safetensors")):
            pickled = "its weights are pickled, which nlgauge never reads"
            return f"{pickled}: save them as safetensors, as save_pretrained of transformers does"
        reason = one_line(text.strip().splitlines()[0] if text.strip() else error)
        return reason if folder.is_dir() else f"there is no such folder here, and as a Hugging Face name: {reason}"

    def _digest(self, net: Net) -> str:
        """Return the SHA-256 of the weights file, else of the index and the shards, else of the tensors by name."""
        if (whole := self._at_hand(WEIGHTS_FILE)) is not None:
            return digest_of([whole])
        if (index := self._at_hand(f"{WEIGHTS_FILE}.index.json")) is not None:
            names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
            shards = [path for name in names if (path := self._at_hand(name)) is not None]
            if len(shards) == len(names):
                return digest_of([index, *shards])
        digest = hashlib.sha256()
        for key, tensor in sorted(net.state_dict().items()):
            digest.update(key.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def _at_hand(self, file: str) -> Path | None:
        """Return the path of a file in the folder or in the hub's cache; None if it does not exist."""
        missing = {"_raise_exceptions_for_missing_entries": False, "_raise_exceptions_for_connection_errors": False}
        path = self._transformers.utils.cached_file(self.source, file, local_files_only=True, **missing)
        return None if path is None else Path(path)


@contextmanager
def _quiet(logging: ModuleType) -> Iterator[None]:
    """Switch off the warnings and progress bars of transformers while the context lasts."""
    from huggingface_hub import utils

    hub: ModuleType = utils
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    no_downloads = hub.are_progress_bars_disabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the hub warns if the environment keeps its bars off
                logging.enable_progress_bar()
            if no_downloads:
                hub.disable_progress_bars()


def _window(body: Net, config: PretrainedConfig, tokenizer: Any) -> int:
    """Return the largest number of sub-words in a row, from tokenizer and table of positions.

    Positions that are reserved for padding (RoBERTa) are subtracted.
    """
    table: Any = getattr(getattr(body, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    reserved = 0 if padding is None else padding + 1
    told = [getattr(config, "max_position_embeddings", None), tokenizer.model_max_length + reserved]
    limit = min(limit for limit in told if limit)
    return int(limit) - reserved if limit < 1e9 else _WINDOW
