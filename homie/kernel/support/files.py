"""File operations that survive a kill at any instant: atomic writes, synced folders, JSON that every parser accepts.

A file of the user is read inside `reading` and written inside `writing`, which convert all errors to messages of one
form: `Cannot read the suite home.yaml: No such file or directory.`
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import yaml
from pydantic import ValidationError

from homie.kernel.errors import BadInput, HomieError
from homie.kernel.support.validation_sentences import first_problem

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
"""Errors that concern the whole disk, not only one file."""
GO_ON = "Make room there and give the same command again: it goes on where it stopped."
"""Advice if a disk fails while a command fills a folder."""
DEVICES = ("/dev", "/dev/fd")
"""Folders with names such as `stdout`, which may refer to a file; `/dev/shm` is an ordinary folder."""
UNREADABLE = (OSError, ValueError, RecursionError, yaml.YAMLError)
"""Exceptions of opening, decoding, parsing and validating. The errors of UTF-8, JSON and pydantic are ValueErrors; a
plain ValueError is raised by `json` for a number of 5000 digits and by `yaml` for the date 2026-13-01."""


@contextmanager
def reading(path: Path | str, label: str = "", *, advice: str = "") -> Iterator[None]:
    """Context for reading, parsing and validating a file of the user; errors are raised with a one-sentence message.

    Args:
        path: The file, as named in the message.
        label: Role of the file, before its path: `the suite`. Empty for the path alone.
        advice: A sentence on the expected content or the remedy, after the reason; left out if the file is of the right
            kind and only one field is wrong.

    Raises:
        BadInput: The file cannot be opened, is not UTF-8 text, not YAML or JSON as expected, or not valid.

    Example:
        >>> from homie.kernel.support.files import reading
        >>> with reading("none.json", "the plan"):
        ...     data = Path("none.json").read_bytes()
        Traceback (most recent call last):
        homie.kernel.errors.BadInput: Cannot read the plan none.json: No such file or directory.
    """
    try:
        yield
    except UNREADABLE as error:
        raise BadInput(_sentence("read", label, path, error, "" if is_about_a_field(error) else advice)) from error


@contextmanager
def writing(
    path: Path | str, label: str = "", *, advice: str = "", raises: type[HomieError] = BadInput
) -> Iterator[None]:
    """Context for writing a file or a folder; an OSError is raised with a one-sentence message.

    Args:
        path: The file or folder, as named in the message.
        label: Its role, before the path: `the log file`, `into the run folder`.
        advice: A sentence on the remedy if a disk fails, after the reason.
        raises: BadInput if the user chose the path, InfrastructureError for a later failure of a disk.

    Raises:
        HomieError: An OSError was raised inside: of the class `raises`, or BadInput for missing permission.
    """
    try:
        yield
    except PermissionError as error:
        refused_path = _refused_path(error)
        if refused_path is not None and path != refused_path and refused_path.is_relative_to(path):
            label, path = "into" if refused_path.is_dir() else "", refused_path
        raise BadInput(_sentence("write", label, path, error, "")) from error
    except OSError as error:
        raise raises(_sentence("write", label, path, error, advice)) from error


def _refused_path(error: PermissionError) -> Path | None:
    """Return the file or folder without write permission; None if the error does not name it."""
    if not isinstance(error.filename, str):
        return None
    path = Path(error.filename)
    return path if os.path.exists(path) else path.parent


def check_folder(path: Path) -> None:
    """Raise BadInput for a folder that cannot be read, or in which no file can be created."""
    with reading(path):
        entries_of(path)
    with writing(path, "into"):
        TemporaryFile(dir=path).close()


def reason_of(error: BaseException) -> str:
    """Explain why a file could not be read or written, without a period at the end.

    Example:
        >>> from homie.kernel.support.files import reason_of
        >>> reason_of(FileNotFoundError(2, "No such file or directory"))
        'No such file or directory'
    """
    match error:
        case OSError(strerror=str() as reason) if reason:
            return reason
        case UnicodeDecodeError():
            return "it is not text in UTF-8"
        case json.JSONDecodeError():
            return f"it is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        case yaml.MarkedYAMLError(problem=str() as problem, problem_mark=yaml.Mark() as mark):
            return f"it is not valid YAML: {problem} in line {mark.line + 1}, column {mark.column + 1}"
        case yaml.YAMLError():
            return f"it is not valid YAML: {_one_line(error)}"
        case ValidationError():
            return first_problem(error, "the file").removeprefix("the file: ").rstrip(".")
        case RecursionError():
            return "it is nested too deeply"
    return _one_line(error)


def is_about_a_field(error: BaseException) -> bool:
    """Whether a file is of the right kind and has an invalid field: no required top-level field is missing."""
    if not isinstance(error, ValidationError):
        return False
    problems = error.errors()
    return bool(problems[0]["loc"]) and not any(
        problem["type"] == "missing" and len(problem["loc"]) == 1 for problem in problems
    )


def _sentence(verb: str, label: str, path: Path | str, error: BaseException, advice: str) -> str:
    target = f"{label} {path}" if label else str(path)
    return f"Cannot {verb} {target}: {reason_of(error)}.{' ' if advice else ''}{advice}"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def place_of(path: Path) -> Path:
    """Resolve a path like `Path.resolve`, but return the path itself instead of raising for a loop of links."""
    with contextlib.suppress(ValueError):  # a null character in its name
        return Path(os.path.realpath(path))
    return path.absolute()


def check_regular(path: Path) -> None:
    """Raise OSError for a pipe or a device in place of a file of Homie: reading it may block forever."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def entries_of(folder: Path) -> list[Path]:
    """List the entries of a folder, by name; none if it does not exist. Raises OSError for an unreadable folder, which
    `Path.glob` treats as empty."""
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def user_cache(name: str) -> Path:
    """Return a cache folder: `$XDG_CACHE_HOME/homie/NAME`, by default in `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "homie" / name


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file completely or not at all: temporary file, fsync, rename, fsync of the folder. Raises OSError.

    A write that fails leaves no temporary file behind; one that is killed does, and the next write replaces it. Devices
    and pipes, such as `/dev/stdout`, are written to directly, since a rename would replace them by a file. As with
    `open`, a link is followed and kept, a read-only file is refused, and the file mode is kept.
    """
    if path.is_dir():  # before the temporary name is made: `.` and `/` have no name
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and (not path.is_file() or str(path.absolute().parent) in DEVICES):
        with path.open("wb") as device:
            device.write(data)
        return
    path = place_of(path) if path.is_symlink() else path
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)  # left by a kill, perhaps with another mode
        with temporary.open("wb") as file:
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make new names in a folder durable by fsync."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def to_json(value: object, indent: int | None = 2) -> bytes:
    """Serialize to UTF-8 JSON with a newline at the end. NaN and infinities, which JSON does not have, become null.

    A lone surrogate, which may occur in a model's raw text but not in UTF-8, is written as a JSON escape.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except (TypeError, ValueError):  # not finite, or a type that `json` does not support
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def _finite(value: object) -> object:
    if isinstance(value, float):
        # Subclasses of float, such as numpy's float64, become plain floats.
        return float(value) if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def slug(text: str, length: int = 48) -> str:
    """Convert a text to a file name: lower-case letters and digits of any script, joined by `-`."""
    words = re.findall(r"\w+", text.lower().replace("_", " "))
    name = ""
    for word in words:
        if len(name) + len(word) + 1 > length:
            break
        name = f"{name}-{word}" if name else word
    return name or "".join(words)[:length] or "task"
