"""The audit sees a question that its text gives away, and sees none where only the pictures differ."""

from __future__ import annotations

from question_kinds import a_question

from suites.questions.audit import audit, spread
from suites.questions.question import Question

WORDS = ("apple", "pear", "plum", "bowl", "lamp")


def pair(number: int, leaks: bool) -> list[Question]:
    """Two questions of one world with both answers: of the same words, or not."""
    word = WORDS[number % len(WORDS)]
    return [
        a_question(
            id=f"{number}-{answer}",
            kind="yes_no",
            truth=answer,
            source=f"world-{number}",
            text=f"Is the {word} {'really ' if leaks and answer == 'yes' else ''}there?",
        )
        for answer in ("yes", "no")
    ]


def test_a_word_that_gives_the_answer_away_is_found() -> None:
    leaking = [question for number in range(40) for question in pair(number, leaks=True)]
    assert audit(leaking)["all"].text == 1.0


def test_the_same_words_with_other_pictures_give_nothing_away() -> None:
    sound = [question for number in range(40) for question in pair(number, leaks=False)]
    blind = audit(sound)["all"]
    assert (blind.chance, blind.constant, blind.text) == (0.5, 0.5, 0.5)
    assert spread(sound) == {"d/": {"yes": 40, "no": 40}}


def test_a_choice_that_is_right_more_often_than_others_is_found() -> None:
    questions = [
        a_question(
            id=str(number),
            kind="choice",
            choices=("pear", "apple") if number % 2 else ("apple", "pear"),
            truth="B" if number % 2 else "A",
            source=f"world-{number}",
        )
        for number in range(40)
    ]
    blind = audit(questions)["all"]
    assert (blind.constant, blind.text) == (0.5, 1.0)
