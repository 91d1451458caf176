"""The probes on the page of detection."""

from nlgauge.lab.reproduce.probe_section import section
from nlgauge.lab.studies.probes import Area, ProbeResult, Probes


def test_a_line_for_each_result_and_one_by_kind_of_error():
    nan = float("nan")
    alone = ProbeResult(
        "M", "score", "pocket", "source", Area(0.8, 0.7, 0.9), Area(0.25, nan, nan), {"number": 0.9}, 0.5, nan, 0
    )
    asked = ProbeResult(
        "M",
        "score",
        "pocket",
        "question",
        Area(0.7, 0.6, 0.8),
        Area(0.2, 0.1, 0.3),
        {"number": 0.5, "answer": 0.4},
        1,
        0.75,
        0,
    )
    lines = section(Probes((alone, asked), 60, 240, (), {}))
    assert "240 statements of our own about 60 sources" in "\n".join(lines)
    assert "| `M` | pocket | source | .80 [.70, .90] | .25 | 50 % | - |" in lines
    assert "| `M` | pocket | question | .70 [.60, .80] | .20 [.10, .30] | 100 % | 75 % |" in lines
    (by_kind,) = [line for line in lines if line.startswith("| `M` | pocket | .90")]
    assert by_kind.split(" | ")[2:] == [".90", *["-"] * 10, ".40 |"]
