from hypothesis import given
from hypothesis import strategies as st

from nlgauge.engine.batching import batches, padded


@given(lengths=st.lists(st.integers(0, 600), max_size=200), budget=st.integers(1, 4096), most=st.integers(1, 300))
def test_every_row_once_longest_first_within_the_budget(lengths, budget, most):
    found = [list(map(int, group)) for group in batches(lengths, budget, most)]
    assert sorted(i for group in found for i in group) == list(range(len(lengths)))
    order = [lengths[i] for group in found for i in group]
    assert order == sorted(lengths, reverse=True)
    for group in found:
        assert len(group) <= most
        assert len(group) == 1 or len(group) * max(lengths[i] for i in group) <= budget


def test_rows_are_filled_up_at_the_end():
    ids, attend = padded([[5, 0, 7], [9], []], 3)
    assert ids.tolist() == [[5, 0, 7], [9, 3, 3], [3, 3, 3]]
    assert attend.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert ids.dtype == attend.dtype == "int64"
