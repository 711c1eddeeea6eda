"""Be the planner yourself: call one subtask after the other and read the feedback.

    python examples/be_the_planner.py

The executor checks each call like that of a planner. The feedback explains an error by a code and a sentence that says
what to do.
"""

from __future__ import annotations

import homie

CALLS = (
    ("Pick", "apple"),  # too far away
    ("Go to", "apple"),
    ("Pick", "apple"),
    ("Go to", "unicorn"),  # there is none
    ("Go to", "bowl"),
    ("Put", "apple", "bowl"),
)


def main() -> None:
    with homie.open(seed=7, skills="ideal", picture_size=128) as session:
        for call in CALLS:
            feedback = session.call(*call).feedback
            print(f"{', '.join(call)}: {'ok' if feedback.ok else f'{feedback.code}, {feedback.message}'}")
            print(f"    in the hand: {', '.join(session.inventory) or 'nothing'}")
        print("the view ahead is in", homie.save_picture(session.views()["front"], "runs/be_the_planner.png"))


if __name__ == "__main__":
    main()
