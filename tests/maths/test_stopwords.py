import pytest

from nlgauge.maths.text import STOPWORDS, is_stopword


@pytest.mark.parametrize("word", ["the", "The", " the", "not", "t", "don", "I"])
def test_words_of_grammar_are_stopwords(word):
    assert is_stopword(word)


@pytest.mark.parametrize("word", ["", "library", "May", "the,", "##the", "图书", "two"])
def test_words_that_say_something_are_not(word):
    assert not is_stopword(word)


def test_the_list_is_of_lower_case_words():
    assert len(STOPWORDS) > 150
    assert all(word == word.strip().lower() and word.isalpha() for word in STOPWORDS)
