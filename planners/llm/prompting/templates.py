"""Prompt templates: files with a name, a version and the format of the answer, rendered by Jinja in its sandbox.

A template is a front matter between two lines of `---` and three blocks: `system` (sent once), `user` (sent every
round) and optionally `view` (before each picture). docs/prompts.md lists their variables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import jinja2
import jinja2.meta
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import bounded_bytes, parse_yaml
from homie.kernel.support.files import reading
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.validation_sentences import first_problem
from planners.llm.answer_formats import AnswerFormat

BLOCKS = ("system", "user", "view")
NAMES = (
    *("task", "round", "inventory", "history", "feedback", "actions", "models", "abilities", "setting"),
    *("explanations", "brief_memory", "brief_history"),
    *("views", "names", "rooms", "memory", "tells_rooms", "tells_memory", "listing", "choices", "reports"),
    *("images", "boxes", "hand", "crops", "past_images", "examples", "view", "ago"),
)
"""Variables of templates; docs/prompts.md says in which blocks."""
_REQUIRED_BLOCKS = ("system", "user")
_RENDER_ERRORS = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, RecursionError, MemoryError)
"""Exceptions that expressions of a template can raise."""
_DELIMITER = "---"
ADVICE = "A template is a text file with a front matter and blocks in Jinja (docs/prompts.md)."
_SUFFIX = ".md"
_BUILT_IN = files("planners.llm").joinpath("prompt_templates")


class FrontMatter(PlainNumbers, BaseModel):
    """The front matter of a template.

    Attributes:
        answer: Format of the answer.
        analysis: Whether the answer has an analysis before the decision.
        examples: A file of in-context examples, by the name of a built-in one or relative to the template.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: StrictStr = Field(min_length=1)
    version: StrictInt
    answer: AnswerFormat
    analysis: StrictBool = True
    examples: StrictStr = ""


@dataclass(frozen=True)
class Template:
    """A parsed template. `folder`, if any, is searched for its examples before the built-in ones."""

    head: FrontMatter
    text: str
    sha256: str
    compiled: jinja2.Template
    folder: Path | None

    @property
    def name(self) -> str:
        return self.head.name

    @property
    def answer(self) -> AnswerFormat:
        return self.head.answer

    def render(self, block: str, variables: Mapping[str, object]) -> str:
        """Render a block, "" if the template does not have it. Raises BadInput for a variable without a value."""
        if block not in self.compiled.blocks:
            return ""
        try:
            return "".join(self.compiled.blocks[block](self.compiled.new_context(dict(variables)))).strip()
        except jinja2.TemplateError as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise BadInput(f"The block '{block}' of the template '{self.name}' cannot be filled: {reason}.") from error
        except _RENDER_ERRORS as error:
            reason = str(error).rstrip(".") or "out of memory"
            raise BadInput(f"The block '{block}' of the template '{self.name}' fails: {reason}.") from error


def built_in() -> list[str]:
    """Return the names of the templates that ship with Homie."""
    names = (file.name for file in _BUILT_IN.iterdir())
    return sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))


def load_template(name: str) -> Template:
    """Load a template by its built-in name or from a file. Raises BadInput with a sentence that says what to change."""
    if name in built_in():
        return parse_template(_BUILT_IN.joinpath(name + _SUFFIX).read_bytes(), name, None)
    path = Path(name).expanduser()
    if not path.is_file() and "/" not in name and not path.suffix:
        hint = suggestion(name, built_in(), f"write the path of a file or one of: {', '.join(built_in())}.")
        raise BadInput(f"There is no template '{name}': {hint}")
    with reading(path, "the template", advice=ADVICE):
        return parse_template(bounded_bytes(path), str(path), path.parent)


def parse_template(data: bytes, source: str, folder: Path | None) -> Template:
    """Parse the bytes of a template file; `source` names it in errors. Raises BadInput."""
    with reading(source, "the template", advice=ADVICE):
        text = data.decode()
    head, body = _split_front_matter(text, source)
    environment = SandboxedEnvironment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    try:
        variables = jinja2.meta.find_undeclared_variables(environment.parse(body))
        compiled = environment.from_string(body)
    except jinja2.TemplateSyntaxError as error:
        line = text.count("\n") - body.count("\n") + error.lineno
        raise BadInput(f"The template {source}, line {line}: {(error.message or '').rstrip('.')}.") from error
    for name in sorted(variables.difference(NAMES, environment.globals)):
        hint = suggestion(name, NAMES, f"it may use: {', '.join(NAMES)}.")
        raise BadInput(f"The template {source} uses '{name}', which has no value here: {hint}")
    for block in _REQUIRED_BLOCKS:
        if block not in compiled.blocks:
            raise BadInput(
                f"The template {source} has no block '{block}': write {{% block {block} %}}...{{% endblock %}}."
            )
    for block in compiled.blocks:
        if block not in BLOCKS:
            hint = suggestion(block, BLOCKS, f"it may have {', '.join(BLOCKS)}.")
            raise BadInput(f"The template {source} has an unknown block '{block}': {hint}")
    return Template(head, text, hashlib.sha256(data).hexdigest(), compiled, folder)


def _split_front_matter(text: str, source: str) -> tuple[FrontMatter, str]:
    """Split a template into its front matter and the rest."""
    start, _, template_body = text.replace("\r\n", "\n").partition(f"{_DELIMITER}\n")
    head, end, body = template_body.partition(f"\n{_DELIMITER}\n")
    if start.strip() or not end:
        raise BadInput(
            f"The template {source} must begin with a front matter between two lines of {_DELIMITER}. {ADVICE}"
        )
    with reading(source, "the front matter of the template"):
        loaded = parse_yaml(head)
    if not isinstance(loaded, dict):
        raise BadInput(f"The front matter of the template {source} must be lines of `key: value`.")
    try:
        return FrontMatter.model_validate(loaded), body
    except ValidationError as error:
        problem, key_names = first_problem(error, "it"), ", ".join(FrontMatter.model_fields)
        raise BadInput(f"The front matter of the template {source}: {problem}; its keys are {key_names}.") from error
