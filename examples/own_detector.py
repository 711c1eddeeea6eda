"""Write a detector: named boxes in pictures. Here everything red is an apple.

    python examples/own_detector.py

Planners get the names that it reports. With `targets="sensors"` the robot itself uses nothing else: positions are
computed from the boxes and the depth of the pictures.
"""

from __future__ import annotations

from pathlib import Path

import homie
from homie import Detection, Detector, Observation
from homie.testing import check_detector

SCENE = Path(__file__).parent / "scenes/studio.json"


class Red(Detector):
    """One box around the red pixels of each picture."""

    name = "red"

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        detections = []
        for view, frame in observation.frames.items():
            rgb = frame.rgb.astype(int)
            red = (rgb[..., 0] > 150) & (rgb[..., 1:].max(axis=2) < 90)
            if red.sum() >= 20:
                rows, columns = red.nonzero()
                box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
                detections.append(Detection("apple", view, box, mask=red))
        return tuple(detections)


def main() -> None:
    check_detector(Red())
    with homie.open(scene=SCENE, detector=Red(), targets="sensors") as session:
        for detection in session.detections():
            print(f"{detection.name} in the {detection.view} view")
        for target in ("apple", "orange"):
            feedback = session.call("Go to", target).feedback
            print(f"Go to {target}: {feedback.status} {feedback.message}")


if __name__ == "__main__":
    main()
