"""Card of a data set: README.md with the front matter that `datasets` and the Hugging Face Hub read."""

from __future__ import annotations

from homie.data.card_parts import front_matter, table
from homie.data.examples.data_json import DataFile

_TITLES = {
    "sft": "Decisions of a household robot",
    "dpo": "Preferences between decisions of a household robot",
}
_COUNTED_BY = {"sft": "action", "dpo": "kind of pair"}
_COLUMNS = {
    "sft": "`prompt` and `completion` (messages with parts), `images` (the pictures, in order)",
    "dpo": "`prompt`, `chosen` and `rejected` (messages with parts), `images` (the pictures, in order)",
}
_MAX_LISTED = 20
"""Maximum number of skipped episodes that a card lists; `data.json` lists all."""


def card(data: DataFile) -> str:
    """Return the text of the card. Equal data sets have equal cards."""
    recipe = data.recipe
    parts = [
        front_matter(_front(data)),
        f"# {_TITLES[recipe.purpose]}\n",
        _split_table(data),
        "## Made from\n",
        table(
            ("source", "what", "planner", "versions"),
            [
                (source["name"], source["kind"], source.get("planner", "expert"), source.get("versions", ""))
                for source in recipe.sources
            ],
        ),
        _recipe_text(data),
        _left_out(data),
        _usage(data),
    ]
    return "\n".join(part for part in parts if part)


def _front(data: DataFile) -> dict[str, object]:
    chat = data.recipe.form == "chat"
    files = [{"split": split, "path": f"{split}/**" if chat else f"{split}.json"} for split in data.splits]
    return {
        "pretty_name": _TITLES[data.recipe.purpose],
        "license": data.recipe.license,
        "task_categories": ["robotics"],
        "tags": ["robotics", "homie", data.recipe.purpose],
        "configs": [{"config_name": "default", "data_files": files}],
    }


def _split_table(data: DataFile) -> str:
    names = sorted({name for share in data.splits.values() for name in share.counts})
    rows = [
        (
            split,
            *map(str, (share.episodes, share.tasks, share.houses or "-", share.lines)),
            *(str(share.counts.get(name, 0)) for name in names),
        )
        for split, share in data.splits.items()
    ]
    shares = table(("split", "episodes", "tasks", "houses", "lines", *names), rows)
    by = _COUNTED_BY[data.recipe.purpose]
    return f"{shares}\nThe last columns count lines by {by}. SHA-256 of the data: `{data.sha256}`.\n"


def _recipe_text(data: DataFile) -> str:
    recipe = data.recipe
    lines = [f"Homie {recipe.homie}, seed {recipe.seed}, episodes kept: {recipe.keep}, split: {recipe.split['by']}."]
    if recipe.explain:
        lines.append("Steps without an analysis have one that is written from what happened.")
    if recipe.versions:
        lines.append(f"Up to {recipe.versions} further versions of instructions and analyses are by a language model.")
    if recipe.renamed:
        lines.append(f"Up to {recipe.renamed} further versions of each episode have made-up names for its things.")
    return " ".join(lines) + "\n"


def _left_out(data: DataFile) -> str:
    if not data.left_out:
        return ""
    listed = [f"- {name}: {reason}" for name, reason in list(data.left_out.items())[:_MAX_LISTED]]
    more = [f"- and {len(data.left_out) - _MAX_LISTED} more, in data.json"] if len(data.left_out) > _MAX_LISTED else []
    return "\n".join(["## Left out\n", *listed, *more, ""])


def _usage(data: DataFile) -> str:
    recipe = data.recipe
    if recipe.form == "emmoe":
        return "## Use\n\nThe form is that of EMMOE's own data (paper, appendix F).\n"
    settings = recipe.prompt["settings"]
    return (
        "## Use\n\n"
        f"Columns: {_COLUMNS[recipe.purpose]}. "
        '`datasets.load_dataset("THIS FOLDER")` loads them, TRL trains with them.\n\n'
        "A model that is trained with these data is to be asked with the same prompt:\n\n"
        f"    homie run TASK --planner transformers:MODEL --adapter ADAPTER {prompt_options(settings)}\n"
    )


def prompt_options(settings: dict[str, object]) -> str:
    """Return the prompt settings as command line options, without those that every planner has."""
    prompt_settings = {
        name: value for name, value in settings.items() if name not in ("template", "reasks", "reading", "leniencies")
    }
    pairs = [f"--set {name}={_value(value)}" for name, value in prompt_settings.items() if value is not None]
    return " ".join([f"--template {settings['template']}", *pairs])


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
