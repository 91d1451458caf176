"""What the shipped float32 graphs compute."""

import numpy as np

from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import open_onnx


def test_padding_and_company_change_no_logits():
    model = open_onnx(pocket_folder(), "pocket")
    ids = np.array([[101, 2009, 103, 2012, 102, 0, 0], [101, 2009, 2001, 103, 2012, 2305, 102]])
    attend = (ids != 0).astype(np.int64)
    together = model[MASKED_LM].masked_logits(ids, attend, np.array([2, 10]))
    alone = model[MASKED_LM].masked_logits(ids[:1, :5], attend[:1, :5], np.array([2]))
    np.testing.assert_allclose(together[:1], alone, atol=1e-4)
    hidden = model[ENCODER].hidden(ids, attend, [0, 6])
    np.testing.assert_allclose(hidden[:, :1, :5], model[ENCODER].hidden(ids[:1, :5], attend[:1, :5], [0, 6]), atol=1e-4)


def test_several_masks_in_a_row_are_answered_row_after_row():
    model = open_onnx(pocket_folder(), "pocket")[MASKED_LM]
    ids = np.array([[101, 103, 2001, 103, 102], [101, 2009, 103, 103, 102]])
    attend = np.ones_like(ids)
    both = model.masked_logits(ids, attend, np.array([1, 3, 7, 8]))
    for row, (at, part) in enumerate((([1, 3], both[:2]), ([2, 3], both[2:]))):
        np.testing.assert_allclose(part, model.masked_logits(ids[[row]], attend[[row]], np.array(at)), atol=1e-4)
