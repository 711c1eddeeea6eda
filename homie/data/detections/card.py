"""Card of a data set of labelled pictures."""

from __future__ import annotations

from homie.data.card_parts import UNKNOWN, front_matter, table
from homie.data.detections.recipe import SPLITS, DetectionData


def card(data: DetectionData) -> str:
    """Return the text of the card, with the class balance. Equal data sets have equal cards."""
    options = data.recipe.options
    front = {
        "pretty_name": "A home as a robot sees it",
        "license": options["license"] or UNKNOWN,
        "task_categories": ["object-detection"],
        "tags": ["robotics", "homie", "simulated"],
    }
    total = {split: sum(data.labels[split].values()) for split in SPLITS}
    splits = [(split, str(data.houses[split]), str(data.pictures[split]), str(total[split])) for split in SPLITS]
    balance = [(name, *(str(data.labels[split].get(name, 0)) for split in SPLITS)) for name in data.classes]
    looks = "light, colours, materials and camera noise are sampled" if options["randomise"] else "looks as built"
    description = (
        f"Pictures of {options['picture_size']} pixels of generated houses ({options['catalogue']} objects, "
        f"{options['furniture']} furniture, seed {options['seed']}): {looks}. Drawn by a simulator; boxes and "
        f"outlines are from its segmentation. No house is in two splits. SHA-256 of the annotations: "
        f"`{data.sha256}`.\n"
    )
    return "\n".join(
        [
            front_matter(front),
            "# A home as a robot sees it\n",
            table(("split", "houses", "pictures", "boxes"), splits),
            description,
            "## Classes\n",
            table(("class", *SPLITS), balance),
        ]
    )
