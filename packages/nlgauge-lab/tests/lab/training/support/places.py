"""A text, what supports it, and a passage that has nothing to do with it."""

TEXT = (
    "On 3 May 1987 Anna Berg sold 340 boats to Hull Harbour because the old ones had rusted, and sales of 12 kinds "
    "rose in two weeks, but most of them were not insured."
)
CONTEXT = f"{TEXT} Peter Lund, of Leeds, planned to open a yard in 1991 because the river was deep."
ELSEWHERE = (
    "The comet was seen by Karla Weiss over Lisbon, long before the war. It returns every 76 years. The sky had been "
    "clear since the rain of early spring had gone."
)
PASSAGES = [
    f"In {1900 + n}, the mill of Port Anna was sold to Karl Weiss for {n} thousand dollars. The new owner was poor "
    f"before the war. He opened {n} shops in Leeds because the old road had been closed. Most of them were not large."
    for n in range(3, 40)
]
PARALLEL = [(f"The {n} birds that came were counted by Ana.", f"Ana counted {n} birds.") for n in range(30)]
