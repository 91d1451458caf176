"""The files of CTC's aligners, as its code writes them, converted to folders: numbers as the published code's."""

import re

import pytest

pytest.importorskip("torch", reason="needs nlgauge[torch]")
pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import torch
import transformers

import nlgauge
from nlgauge.engine.models.convert import convert
from nlgauge.errors import InputError, SpecError
from tests.engine.models.detectors import bert, roberta, scaled

SOURCE = "The bridge over the river was CLOSED on Monday after inspectors found “rust”."
TEXT = "The mayor’s BRIDGE was closed on Tuesday."
LOWERED = [one.lower().translate(str.maketrans("“”‘’", "\"\"''")) for one in (TEXT, SOURCE)]


def written(folder, splitter, net, head, classes):
    """The folder of an encoder, and the tensors of an aligner with a linear layer on it."""
    splitter.save_pretrained(folder)
    scaled(net).save_pretrained(folder)
    torch.manual_seed(1)
    layer = torch.nn.Linear(32, classes)
    return layer, {f"{head}.weight": layer.weight.detach(), f"{head}.bias": layer.bias.detach()}


def score(spec, folder, **row):
    row = {"candidate": TEXT, "source": SOURCE, "context": SOURCE, **row}
    table = nlgauge.evaluate([row], metrics=spec, model=str(folder), cache=False)
    return next(iter(table.columns.values())).values[0, 0]


def test_d_is_loaded_after_conversion(tmp_path):
    splitter, config = roberta()
    net = transformers.RobertaModel(config)
    layer, head = written(tmp_path / "roberta-large", splitter, net, "_classifier", 2)
    tensors = {f"_roberta.{name}": value for name, value in net.state_dict().items()} | head
    torch.save({"state_dict": tensors}, tmp_path / "doc_to_summ.ckpt")
    convert(tmp_path / "doc_to_summ.ckpt", tmp_path / "d", tmp_path / "roberta-large")
    text, source = LOWERED
    encoded = splitter(text, source, return_tensors="pt", return_offsets_mapping=True)
    offsets, of = encoded.pop("offset_mapping")[0].tolist(), encoded.sequence_ids(0)
    encoded.pop("token_type_ids", None)
    with torch.no_grad():
        states, found = net(**encoded).last_hidden_state[0], []
        for word in re.finditer(r"\w+", text):
            own = [
                at
                for at, (begin, end) in enumerate(offsets)
                if of[at] == 0 and max(begin, word.start()) < min(end, word.end())
            ]
            found.append(torch.softmax(layer(states[own].sum(0)), -1)[0].item())
    assert score("Consistency(aligner='D')", tmp_path / "d") == pytest.approx(sum(found) / len(found), abs=1e-6)
    assert score("Consistency(aligner='D')", tmp_path / "d", candidate=text, source=source) == pytest.approx(
        sum(found) / len(found), abs=1e-6
    )


@pytest.mark.parametrize("name", ["doc_to_summ", "summ_to_ref", "fact_to_response"])
def test_r_is_loaded_after_conversion(tmp_path, name):
    splitter, config = bert()
    net = transformers.BertModel(config)
    layer, head = written(tmp_path / "bert", splitter, net, "dense", 1)
    torch.save({f"bert.{key}": value for key, value in net.state_dict().items()} | head, tmp_path / f"{name}.ckpt")
    convert(tmp_path / f"{name}.ckpt", tmp_path / "r", tmp_path / "bert")
    texts = LOWERED if name == "summ_to_ref" else LOWERED[::-1]
    with torch.no_grad():
        wanted = layer(net(**splitter(*texts, return_tensors="pt")).pooler_output)[0, 0].item()
    spec = "Groundedness(aligner='R')" if name == "fact_to_response" else "Consistency(aligner='R')"
    assert score(spec, tmp_path / "r") == pytest.approx(wanted, abs=1e-6)


class Code:
    def __reduce__(self):
        return print, ("run",)


def test_a_file_with_code_or_of_another_kind_is_refused(tmp_path, capsys):
    splitter, config = bert()
    net = transformers.BertModel(config)
    written(tmp_path / "bert", splitter, net, "dense", 1)
    torch.save({"dense.weight": Code()}, tmp_path / "code.ckpt")
    with pytest.raises(SpecError, match="holds no weights that can be read without code") as raised:
        convert(tmp_path / "code.ckpt", tmp_path / "out", tmp_path / "bert")
    assert "\n" not in str(raised.value) and "run" not in capsys.readouterr().out
    torch.save({"other": torch.ones(1)}, tmp_path / "other.ckpt")
    with pytest.raises(SpecError, match="neither D on its encoder, nor R on BERT"):
        convert(tmp_path / "other.ckpt", tmp_path / "out", tmp_path / "bert")
    torch.save({"dense.weight": torch.ones(1, 32)}, tmp_path / "mine.ckpt")
    with pytest.raises(InputError, match="name it as published: doc_to_summ"):
        convert(tmp_path / "mine.ckpt", tmp_path / "out", tmp_path / "bert")
    with pytest.raises(InputError, match="name the folder of its encoder"):
        convert(tmp_path / "mine.ckpt", tmp_path / "out")
