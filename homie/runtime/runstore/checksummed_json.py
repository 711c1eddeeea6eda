"""Models as JSON files with a checksum, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import sealed, unsealed
from homie.kernel.support.files import check_regular, reading, write_atomically
from homie.kernel.support.validation_sentences import first_problem

Model = TypeVar("Model", bound=BaseModel)


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises BadInput."""
    with reading(path):
        check_regular(path)
        return path.read_bytes()


def read_model(path: Path, model: type[Model]) -> Model:
    """A sealed JSON file as the model that it was written from. Raises BadInput, also where it was damaged since."""
    try:
        return model.model_validate(unsealed(contents(path)))
    except ValidationError as error:
        raise BadInput(f"{path} is not a valid {model.__name__}: {first_problem(error)}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is damaged: {error}.") from error


def write_model(path: Path, model: BaseModel) -> None:
    """A model as a sealed JSON file (`homie.kernel.support.checksums`), whole or not at all. Raises OSError."""
    write_atomically(path, sealed(model.model_dump(mode="json")))


def kind_of(run: Path) -> str:
    """Whose run folder this is: `bench`, `run`, or "" where `run.json` does not tell."""
    try:
        return str(unsealed(contents(run / "run.json")).get("kind", "run"))
    except (BadInput, ValueError):
        return ""
