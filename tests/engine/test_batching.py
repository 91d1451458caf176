from hypothesis import given
from hypothesis import strategies as st

from nlgauge.engine.batching import batches, blocks, padded, spread


@given(lengths=st.lists(st.integers(0, 600), max_size=200), budget=st.integers(1, 4096), most=st.integers(1, 300))
def test_every_row_once_longest_first_within_the_budget(lengths, budget, most):
    found = [list(map(int, group)) for group in batches(lengths, budget, most)]
    assert sorted(i for group in found for i in group) == list(range(len(lengths)))
    order = [lengths[i] for group in found for i in group]
    assert order == sorted(lengths, reverse=True)
    for group in found:
        assert len(group) <= most
        assert len(group) == 1 or len(group) * max(lengths[i] for i in group) <= budget


def test_little_of_a_group_is_padding_unless_it_is_small():
    lengths = [*range(40, 400, 3), 9, 8, 7]
    groups = [[lengths[i] for i in group] for group in batches(lengths, 4096)]
    assert all(min(group) >= 0.8 * max(group) or max(group) * len(group) <= 256 for group in groups)
    assert sum(max(group) * len(group) for group in groups) < 1.1 * sum(lengths)
    assert groups[-1] == [8, 7]


def test_rows_are_filled_up_at_the_end():
    ids, attend = padded([[5, 0, 7], [9], []], 3)
    assert ids.tolist() == [[5, 0, 7], [9, 3, 3], [3, 3, 3]]
    assert attend.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert ids.dtype == attend.dtype == "int64"


@given(
    places=st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=6), min_size=1, max_size=8),
)
def test_places_are_spread_to_the_fullest_row_and_found_again(places):
    table, used = spread(places)
    assert table.shape == (len(places), max(map(len, places)))
    assert [table.ravel()[own].tolist() for own in used] == places


texts = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3), max_size=40)


@given(rows=texts, most=st.integers(1, 30), most_rows=st.integers(1, 10))
def test_blocks_hold_every_row_once_within_their_limits_and_repeat(rows, most, most_rows):
    def weigh(numbers):
        return len({text for number in numbers for text in rows[number]})

    cut = list(blocks(rows, weigh, most, most_rows))
    assert sorted(number for block in cut for number in block) == list(range(len(rows)))
    for block in cut:
        assert len(block) <= most_rows
        assert len(block) == 1 or weigh(block) <= most
    assert list(blocks(rows, weigh, most, most_rows)) == cut


def test_rows_that_share_a_text_stand_in_one_block():
    rows = [["a", "x"], ["b", "y"], ["c", "x"], ["d", "y"], ["e", "x"]]
    assert list(blocks(rows, len, 3, 10)) == [[0, 2, 4], [1, 3]]
