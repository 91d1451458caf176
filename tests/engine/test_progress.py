"""How far work is, in rows."""

from __future__ import annotations

from nlgauge.engine.progress import Progress, so_far


def test_work_that_is_done_is_told_in_rows_while_it_is_under_way() -> None:
    quiet, shown = Progress(False), Progress(True)
    assert so_far() is None
    for one in (quiet, shown):
        one.expect(300, 30)
        one.expect(700, 970)
        one.reach(250)
    assert so_far() == str(shown) == "about 250 of 1,000 rows"
    shown.reach(2000)
    assert so_far() == "about 1,000 of 1,000 rows", "what is kept may count twice"
    shown.close()
    assert so_far() is None
