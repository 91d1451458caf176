"""What doctor looks at: on a sound model, and on one whose numbers depend on what is read together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nlgauge.cli.doctor import examine
from nlgauge.engine.models import loading
from tests.engine.fake import FakeModel


def test_a_sound_installation() -> None:
    findings = {finding.what: finding for finding in examine()}
    assert all(finding.good for finding in findings.values())
    assert {"nlgauge", "numpy", "onnxruntime", "pocket"} < findings.keys()
    assert "6 layers, window 512" in findings["pocket"].detail


def test_a_model_whose_numbers_depend_on_the_batch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Leaky(FakeModel):
        def masked_logits(self, ids: Any, attend: Any, at: Any) -> Any:
            logits = super().masked_logits(ids, attend, at)
            return (logits + np.arange(logits.shape[1]) * len(ids) / 10).astype(np.float32)

    monkeypatch.setattr(loading, "load", lambda name: Leaky(64))
    *_, last = examine()
    assert not last.good and last.what.startswith("one at a time = in a batch")
