"""`homie detector`: how good detectors are on labelled pictures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from homie.cli.output import columns, print_json, say, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.cli.progress import bar
from homie.kernel.interfaces.training import DetectorMeasurement
from homie.train.detector_scores import DetectorScoreOptions, score_detector


@options_from(DetectorScoreOptions)
def score_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Measure a detector of any maker on labelled pictures: precision by class, confusions, time."""
    options = build(DetectorScoreOptions, config, values)
    with bar(None, "pictures") as advance:
        measurement = score_detector(options, lambda done, pictures: advance("", done=done, total=pictures))
    if not measurement.boxes:
        tell(f"The detector '{options.detector}' reported nothing in any picture.")
    if json:
        print_json({"detector": options.detector, "split": options.split, **asdict(measurement)})
    else:
        _show(measurement)


detector_command = {"score": score_command}


def _show(measurement: DetectorMeasurement) -> None:
    scores = measurement.scores
    rows = [
        ("pictures", str(measurement.pictures)),
        ("mAP50", f"{scores.large:.3f} of boxes from 16 x 16 pixels of 256 x 256, {scores.every:.3f} of all"),
        ("boxes", f"{measurement.boxes}, {measurement.others} of them of classes that the data set has not"),
        ("time", f"{measurement.milliseconds} ms a picture"),
    ]
    by_class = sorted(scores.by_class.items(), key=lambda item: -item[1])
    say(columns(rows))
    say("")
    say(columns([("class", "average precision"), *((name, f"{value:.3f}") for name, value in by_class)]))
    if scores.confusions:
        confusions = [(true_class or "nothing", name, str(count)) for true_class, name, count in scores.confusions]
        say("")
        say(columns([("it is", "taken for", "times"), *confusions]))
