from hypothesis import given
from hypothesis import strategies as st

from nlgauge.engine.batching import batches, blocks


def test_little_of_a_group_is_padding_unless_it_is_small():
    lengths = [*range(40, 400, 3), 9, 8, 7]
    groups = [[lengths[i] for i in group] for group in batches(lengths, 4096)]
    assert all(min(group) >= 0.8 * max(group) or max(group) * len(group) <= 256 for group in groups)
    assert sum(max(group) * len(group) for group in groups) < 1.1 * sum(lengths)
    assert groups[-1] == [8, 7]


texts = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3), max_size=40)


@given(rows=texts, most=st.integers(1, 30), most_rows=st.integers(1, 10))
def test_blocks_hold_every_row_once_within_their_limits_and_repeat(rows, most, most_rows):
    def weigh(numbers):
        return len({text for number in numbers for text in rows[number]})

    texts_of = dict(enumerate(rows))
    cut = list(blocks(texts_of, weigh, most, most_rows))
    assert sorted(number for block in cut for number in block) == list(range(len(rows)))
    for block in cut:
        assert len(block) <= most_rows
        assert len(block) == 1 or weigh(block) <= most
    assert list(blocks(texts_of, weigh, most, most_rows)) == cut


def test_a_group_that_does_not_fit_is_halved_and_shares_its_text_in_each_half():
    rows = {number: [f"own {number}", "shared"] for number in range(14)}

    def weigh(numbers):
        return len({text for number in numbers for text in rows[number]})

    assert list(blocks(rows, weigh, 8, 100)) == [[*range(7)], [*range(7, 14)]]
    assert list(blocks(rows, weigh, 15, 10)) == [[*range(7)], [*range(7, 14)]]
    assert list(blocks(rows, weigh, 1, 100)) == [[number] for number in rows]
