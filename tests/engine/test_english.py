"""Languages that are plainly foreign."""

import pytest

from nlgauge.engine.english import foreign


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Die Brücke wurde am Montag geschlossen, nachdem die Prüfer Rost gefunden hatten.", "German"),
        ("Les musées de la ville sont fermés le lundi et le mardi.", "French"),
        ("Der Zug nach Berlin fährt um neun Uhr ab.", "German"),
        ("Unser Café öffnet nach Ostern um zehn.", "German"),
        ("Le café près du pont ferme tôt.", "French"),
        ("El puente fue cerrado el lunes porque los inspectores encontraron óxido en las vigas.", "Spanish"),
        ("Мост был закрыт в понедельник.", "Cyrillic"),
        ("桥梁周一关闭。", "Chinese characters"),
        ("Η γέφυρα έκλεισε τη Δευτέρα.", "Greek"),
        ("Žádná lávka přes řeku není dnes ještě otevřená, říká město.", "a Latin script, and no English word"),
    ],
)
def test_foreign_texts_are_told(text, found):
    assert foreign(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was closed on Monday.",
        "No.",
        "",
        "42",
        "München, Zürich, Łódź",
        "José Álvarez Núñez met Françoise Müller in São Paulo.",
        "for (int i = 0; i < n; i++) { de[i] = la + el; }",
        "3.5 km, 120 €",
        "Los Angeles de la Cruz High School, San Diego",
        "bridge closed monday rust",
        "He called it the Weltanschauung of the Bundestag.",
        "α, β and γ are the angles of a triangle.",
        "| set 1 | set 2 | na | na | ya |",
    ],
)
def test_what_may_be_english_is_not(text):
    assert foreign(text) is None
