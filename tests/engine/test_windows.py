from hypothesis import given
from hypothesis import strategies as st

from nlgauge.engine.windows import windows


@given(tokens=st.integers(0, 3000), room=st.integers(1, 510))
def test_slide_uses_every_token_once_in_full_windows(tokens, room):
    found = windows(tokens, room, "slide")
    used = [place for window in found for place in range(window.used_from, window.used_to)]
    assert used == list(range(tokens))
    assert all(window.begin <= window.used_from <= window.used_to <= window.end for window in found)
    assert all(window.end - window.begin == min(room, tokens) for window in found)


@given(tokens=st.integers(600, 3000), room=st.integers(100, 510))
def test_slide_gives_every_token_text_on_both_sides(tokens, room):
    for window in windows(tokens, room, "slide"):
        for place in (window.used_from, window.used_to - 1):
            before, after = place - window.begin, window.end - 1 - place
            assert before >= min(place, room // 4 - 1)
            assert after >= min(tokens - 1 - place, room // 4 - 1)
