"""Published detectors: rows and numbers as the authors' code makes them, by literal calls of transformers."""

import json
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import nlgauge  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER  # noqa: E402
from nlgauge.engine.models.convert import convert  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.engine.models.packing import packer_of  # noqa: E402
from nlgauge.errors import InputError, SpecError  # noqa: E402
from tests.engine.models.detectors import KINDS, write, write_hhem  # noqa: E402

SOURCE = "The bridge over the river was closed on Monday after inspectors found rust."
CLAIMS = ["The bridge was closed on Tuesday.", "Nobody was hurt in the storm {question}."]
QUESTION = "What was closed?"
HHEM = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {0}\n\nHypothesis: {1}"
FACTCG = (
    '{0}\n\nChoose your answer: based on the paragraph above can we conclude that "{1}"?\n\nOPTIONS:\n- Yes\n- No\n'
    "I think the answer is "
)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """The name of each kind, whose folder is written when it is asked for."""
    base, made = tmp_path_factory.mktemp("detectors"), {}

    def name(kind):
        if kind == "hhem" and kind not in made:
            write_hhem(base / "original", base / "tokenizer")
            convert(base / "original", base / "hhem", base / "tokenizer")
            made[kind] = f"hhem:{base / 'hhem'}"
        elif kind not in made:
            made[kind] = write(base / kind, kind)
        return made[kind]

    return name


def probabilities(name, claims=CLAIMS, **more):
    rows = [{"candidate": claim, "source": SOURCE} for claim in claims]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", model=name, cache=False, **more)
    return next(iter(table.columns.values())).values[:, 0]


def published(kind, folder):
    """As the authors' code: one call of the tokenizer, one of the network, softmax."""
    splitter = transformers.AutoTokenizer.from_pretrained(folder)
    if kind.endswith("t5"):
        net = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    elif kind == "hhem":
        net = transformers.T5ForTokenClassification.from_pretrained(folder).eval()
    else:
        net = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    found = []
    for claim in CLAIMS:
        one = {
            "minicheck-roberta": (f"{SOURCE}</s>{claim}",),
            "minicheck-deberta": (f"{SOURCE}[SEP]{claim}",),
            "minicheck-t5": (f"predict: {SOURCE}</s>{claim}",),
            "factcg-deberta": (FACTCG.format(SOURCE, claim),),
            "true-t5": (f"premise: {SOURCE} hypothesis: {claim}",),
            "hhem": (HHEM.format(SOURCE, claim),),
        }.get(kind, (SOURCE, claim))
        inputs = splitter(*one, return_tensors="pt")
        more = {"decoder_input_ids": torch.zeros((1, 1), dtype=torch.long)} if kind.endswith("t5") else {}
        with torch.no_grad():
            logits = net(**inputs, **more).logits[0]
        if kind.endswith("t5"):
            logits = logits[0, [3, 209]]
        elif kind == "hhem":
            logits = logits[0]
        if kind == "nli-logit":
            found.append(torch.sigmoid(logits)[0].item())
        else:
            support = {"nli-bert": 0, "nli-roberta": 2, "nli-deberta": 0}.get(kind, 1)
            found.append(torch.softmax(logits, -1)[support].item())
    return found


@pytest.mark.parametrize("kind", [*(kind for kind in KINDS if kind != "lettuce"), "hhem"])
def test_probabilities_are_those_of_the_published_call(kind, named):
    name = named(kind)
    found = probabilities(name)
    assert found == pytest.approx(published(kind, name.partition(":")[2]), abs=1e-6)
    assert abs(found[0] - found[1]) > 1e-4, "rows that come out alike show nothing"


def test_lettuce_labels_the_words_of_the_answer(named):
    name = named("lettuce")
    folder = name.partition(":")[2]
    prompt = (
        f"Briefly answer the following question:\n{QUESTION}\nBear in mind that your response should be strictly based "
        f"on the following 1 passages:\npassage 1: {SOURCE}\nIn case the passages do not contain the necessary "
        'information to answer the question, please reply with: "Unable to answer based on given passages."\noutput:'
    )
    splitter = transformers.AutoTokenizer.from_pretrained(folder)
    net = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    answer = f"{CLAIMS[0]} Rain fell for a week."
    with torch.no_grad():
        logits = net(**splitter(prompt, answer, return_tensors="pt")).logits[0]
    own = len(splitter(answer, add_special_tokens=False)["input_ids"])
    supported = torch.softmax(logits, -1)[-own - 1 : -1, 0].numpy()
    rows = [{"candidate": answer, "source": SOURCE, "question": QUESTION}]
    one = nlgauge.explain(rows, "Faithfulness", model=name, cache=False)[0]
    assert one.values["probability"] == pytest.approx(supported.min(), abs=1e-6)
    assert 0 < one.values["score"] < 1 and one.reason is None
    other = nlgauge.evaluate([{**rows[0], "question": "Why?"}], metrics="Faithfulness", model=name, cache=False)
    assert next(iter(other.columns.values())).values[0, 0] != pytest.approx(one.values["probability"], abs=1e-7)


@pytest.mark.parametrize(("window", "size"), [("slide", 900), ("error", 900)])
def test_a_question_that_is_too_long_is_named_by_its_row(named, window, size):
    rows = [{"candidate": CLAIMS[0], "source": SOURCE, "question": "Why? " * times} for times in (1, 2, size)]
    with pytest.raises(InputError, match=r"row 3: .*question.*\(shorten the question\)"):
        nlgauge.evaluate(rows, metrics="Faithfulness", model=named("lettuce"), cache=False, window=window)


def test_each_sentence_is_judged_and_marked_as_a_whole(named):
    name = named("nli-bert")
    alone = probabilities(name, ["Rain fell for a week.", "The museum will open."])
    text = "Rain fell for a week. The museum will open."
    rows = [{"candidate": text, "source": SOURCE}]
    one = nlgauge.explain(rows, "Faithfulness", model=name, cache=False)[0]
    shown = one.evidence["texts"][0]
    assert [part["supported"] for part in shown["stretches"]] == pytest.approx(alone, abs=1e-6)
    odds = sum(1 / chance - 1 for chance in alone) / 2**0.5
    assert one.values["probability"] == pytest.approx(1 / (1 + odds), abs=1e-6)
    assert np.isnan(one.values["score"]) and one.reason == "this detector judges sentences, not words"
    weak = [[0, 21], [22, 43]]
    assert shown["unsupported"] == [place for place, value in zip(weak, alone, strict=True) if value < 0.5]
    assert all(0 <= part["contradicted"] <= 1 for part in shown["stretches"])


def test_a_long_source_is_searched_or_read_in_chunks(named):
    name = named("minicheck-roberta")
    rest = " ".join(f"Train {number} was late, and nobody was hurt in the storm of that week." for number in range(60))
    rows = [{"candidate": CLAIMS[0], "source": f"{rest} {SOURCE}"}]
    found = {}
    for reading in ("search", "windows"):
        metric = f"Faithfulness(reading='{reading}')"
        one = nlgauge.explain(rows, metric, model=name, cache=False)[0]
        found[reading] = one.values["probability"]
        assert any(quote["text"] == SOURCE for quote in one.evidence["texts"][0]["quotes"]) or reading == "windows"
    packer = packer_of(load(name))
    assert packer is not None and packer.longest == 512
    assert found["search"] != found["windows"]


def test_a_prefix_is_needed_only_where_the_head_does_not_tell(named):
    for kind in ("nli-roberta", "nli-bert"):
        name = named(kind)
        model = load(name.partition(":")[2])
        assert ENCODER in model and ALIGNER in model
        assert probabilities(name.partition(":")[2]) == pytest.approx(probabilities(name), abs=1e-7)
    with pytest.raises(
        SpecError, match=r"classifier of 2 classes .*--model nli:\.\.\., minicheck:\.\.\., factcg:\.\.\."
    ):
        probabilities(named("minicheck-roberta").partition(":")[2])
    with pytest.raises(SpecError, match=r"say which: --model minicheck:\.\.\. or --model true:\.\.\."):
        probabilities(named("true-t5").partition(":")[2])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nli:", "after the colon"),
        (
            "lettuce:{nli-bert}",
            r"is a BertForSequenceClassification, and lettuce: reads a \.\.\.ForTokenClassification",
        ),
        ("minicheck:{nli-bert}", r"minicheck: reads two classes, and it has 3 .*use --model nli:"),
        ("nli:{minicheck-roberta}", "none of its labels .* is the one of entailment"),
    ],
)
def test_what_does_not_fit_is_named(name, said, named):
    for kind in KINDS:
        if f"{{{kind}}}" in name:
            name = name.replace(f"{{{kind}}}", named(kind).partition(":")[2])
    with pytest.raises(SpecError, match=said):
        load(name)


def test_weights_that_lack_and_pickled_weights_are_refused(named, tmp_path):
    folder = tmp_path / "nli"
    shutil.copytree(named("nli-bert").partition(":")[2], folder)
    net = transformers.BertModel.from_pretrained(folder)
    config = (folder / "config.json").read_text(encoding="utf-8")
    net.save_pretrained(folder)
    (folder / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(SpecError, match="it lacks 2 weights, such as classifier"):
        load(f"nli:{folder}")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(SpecError, match="pickled, which nlgauge never reads: save them as safetensors"):
        load(f"nli:{folder}")


def test_convert_runs_no_code_and_asks_for_what_is_missing(tmp_path):
    write_hhem(tmp_path / "original", tmp_path / "tokenizer")
    with pytest.raises(SpecError, match=r"code of its own, which nlgauge never runs; .* nlgauge export"):
        load(f"hhem:{tmp_path / 'original'}")
    with pytest.raises(InputError, match="google/flan-t5-base: --tokenizer FOLDER"):
        convert(tmp_path / "original", tmp_path / "new")
    with pytest.raises(SpecError, match="is neither HHEM-2"):
        convert(tmp_path / "tokenizer", tmp_path / "new") if write(tmp_path / "tokenizer", "nli-bert") else None
    with pytest.raises(InputError, match="is not empty"):
        write_hhem(tmp_path / "original", tmp_path / "t5")
        convert(tmp_path / "original", tmp_path / "tokenizer", tmp_path / "t5")


def test_the_card_of_a_folder_has_thresholds_with_their_origin(named, tmp_path):
    folder = tmp_path / "measured"
    shutil.copytree(named("minicheck-roberta").partition(":")[2], folder)
    assert load(f"minicheck:{folder}").card.origins["grounded"] == "published"
    facts = {"grounded": {"fail_below": 0.1, "pass_from": 0.4, "chosen_on": ["our set"]}}
    (folder / "card.json").write_text(json.dumps(facts), encoding="utf-8")
    card = load(f"minicheck:{folder}").card
    assert card.grounded == (0.1, 0.4) and card.origins["grounded"] == "measured on our set"
    rows = [{"candidate": CLAIMS[0], "source": SOURCE}]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", model=f"minicheck:{folder}", cache=False, evidence=True)
    verdict = nlgauge.check(table, grounded=True)
    assert verdict.at_least == 0.1 and "measured on our set" in verdict.notes[0]
    facts["grounded"]["by_precision"] = {"bfloat16": {"fail_below": 0.2, "pass_from": 0.3, "mark_below": 0.6}}
    (folder / "card.json").write_text(json.dumps(facts), encoding="utf-8")
    card = load(f"minicheck:{folder}", precision="bfloat16").card
    assert (card.grounded, card.grounded_in, card.aligner_threshold) == ((0.2, 0.3), "bfloat16", 0.6)
    assert load(f"minicheck:{folder}").card.grounded == (0.1, 0.4)


@pytest.mark.parametrize("kind", ["nli-bert", "minicheck-t5", "lettuce", "hhem"])
def test_the_exported_graph_gives_the_same_numbers_without_torch(kind, named, tmp_path):
    pytest.importorskip("onnxscript", reason="needs onnxscript")
    from nlgauge.engine.models.detector import export_detector

    name = named(kind)
    export_detector(load(name, backend="torch", device="cpu"), tmp_path / "graph")
    model = load(str(tmp_path / "graph"))
    assert model.backend.startswith("onnxruntime")
    assert probabilities(str(tmp_path / "graph")) == pytest.approx(probabilities(name), abs=1e-5)
    with pytest.raises(InputError, match="is not empty"):
        export_detector(load(name, backend="torch", device="cpu"), tmp_path / "graph")
