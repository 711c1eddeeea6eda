"""Plain questions with pictures to the model of a planner."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from endpoint import Endpoint, says

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import PlainQuestion, Respondent
from homie.runtime.find_respondent import respondent_of

QUESTION = PlainQuestion("q", "Which?", (np.zeros((8, 8, 3), np.uint8), np.ones((8, 8, 3), np.uint8)), ("A", "B"))


@pytest.mark.parametrize(("images", "kinds"), [(True, ["image_url", "image_url", "text"]), (False, ["text"])])
def test_pictures_come_before_the_text_or_not_at_all(images: bool, kinds: list[str]) -> None:
    with Endpoint(says("B")) as endpoint:
        respondent = respondent_of("chat:m", {"base_url": endpoint.url, "images": images})
        answer = respondent.answer(QUESTION)
        assert (answer.text, answer.input_tokens, answer.output_tokens) == ("B", 100, 10)
        (message,) = endpoint.asked[0].body["messages"]
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert [part["type"] for part in parts] == kinds and parts[-1]["text"] == "Which?"
        assert "response_format" not in endpoint.asked[0].body


def test_replies_without_text_are_no_answers() -> None:
    """The first ends it; after one with text the model has answered badly, which is said once."""
    with Endpoint(says(""), says("B"), says(" "), says("")) as endpoint:
        respondent = respondent_of("chat:m", {"base_url": endpoint.url, "retries": 0})
        with pytest.raises(PlannerError, match="reply to the question 'q' has no text, and no other had any") as failed:
            respondent.answer(QUESTION)
        assert "see the server's log" in str(failed.value)
        assert respondent.answer(QUESTION).text == "B"
        with pytest.warns(UserWarning, match="counts as an answer that is wrong"):
            assert respondent.answer(QUESTION).text.strip() == ""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert respondent.answer(QUESTION).text == ""


def test_lots_are_the_same_for_a_question_every_time() -> None:
    respondent: Respondent = respondent_of("random:7", {})
    answers = {respondent.answer(PlainQuestion(str(n), "?", possible=("yes", "no"))).text for n in range(20)}
    assert answers == {"yes", "no"}
    assert respondent.answer(QUESTION) == respondent_of("random:7", {}).answer(QUESTION)
