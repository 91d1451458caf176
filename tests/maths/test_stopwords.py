from nlgauge.maths.stopwords import STOPWORDS


def test_the_list_is_of_lower_case_words():
    assert len(STOPWORDS) > 150
    assert all(word == word.strip().lower() and word.isalpha() for word in STOPWORDS)
