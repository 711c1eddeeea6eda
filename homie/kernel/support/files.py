"""Files that survive a kill at any instant: atomic writes, synced folders, JSON that every parser accepts.

A file that a user gives is read inside `reading` and written inside `writing`: whatever is wrong with it becomes one
sentence of one form, `Cannot read the suite home.yaml: No such file or directory.`
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
"""Errors of a disk that hit every file on it, not only this one."""
GO_ON = "Make room there and give the same command again: it goes on where it stopped."
"""What to do where a disk fails while a command fills a folder."""
DEVICES = ("/dev", "/dev/fd")
"""Folders of names such as `stdout`, which may lead to a file; `/dev/shm` is a folder of files like any other."""
UNREADABLE = (OSError, ValueError, RecursionError, yaml.YAMLError)
"""What opening, decoding, parsing and validating raise. The errors of UTF-8, JSON and pydantic are ValueErrors; a plain
ValueError is what `json` says of a number of 5000 digits and `yaml` of the date 2026-13-01."""


@contextmanager
def reading(path: Path | str, label: str = "", *, advice: str = "") -> Iterator[None]:
    """Read, parse and validate a file that a user gave; what is wrong with it is raised as one sentence.

    Args:
        path: The file, as the sentence names it.
        label: What the file is, before its path: `the suite`. Empty for the path alone.
        advice: A sentence that says what the file should be or what to do, behind the reason; left out where one field
            of a file is wrong that is of the right kind.

    Raises:
        BadInput: The file cannot be opened, is not UTF-8 text, not the YAML or JSON that it should be, or not valid.

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
    """Write a file or a folder; an OSError is raised as one sentence.

    Args:
        path: The file or folder, as the sentence names it.
        label: What it is, before its path: `the log file`, `into the run folder`.
        advice: A sentence that says what to do where a disk fails, behind the reason.
        raises: BadInput where the user chose the path, InfrastructureError where a disk failed later.

    Raises:
        HomieError: An OSError was raised inside; of the class `raises`, and BadInput for what may not be written.
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
    """The file that may not be written, or the folder in which none may be made; None where the error names none."""
    if not isinstance(error.filename, str):
        return None
    path = Path(error.filename)
    return path if os.path.exists(path) else path.parent


def check_folder(path: Path) -> None:
    """Raise BadInput for a folder that may not be read, or in which no file can be made."""
    with reading(path):
        entries_of(path)
    with writing(path, "into"):
        TemporaryFile(dir=path).close()


def reason_of(error: BaseException) -> str:
    """Why a file could not be read or written, without a period at the end.

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
    """Whether a file is of the right kind and has a wrong field: none of those that it needs at the top is missing."""
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
    """Where a path leads to, as `Path.resolve` says; of a loop of links, which raises nothing here, the path itself."""
    with contextlib.suppress(ValueError):  # a zero in its name
        return Path(os.path.realpath(path))
    return path.absolute()


def check_regular(path: Path) -> None:
    """Raise OSError for a pipe or a device where a program has left a file: to read one may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def entries_of(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where there is none. Raises OSError for one that cannot be read, which
    `Path.glob` takes for an empty one."""
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def user_cache(name: str) -> Path:
    """The folder of something that can be made again: `$XDG_CACHE_HOME/homie/NAME`, by default in `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "homie" / name


def write_atomically(path: Path, data: bytes) -> None:
    """Write a whole file or nothing: temporary file, fsync, rename, fsync of the folder. Raises OSError.

    A write that fails leaves no temporary file behind; one that is killed does, and the next write replaces it. Devices
    and pipes, such as `/dev/stdout`, are written into, since a rename would put a file in their place. As where a file
    is opened, a link is followed and stays one, a file that may not be written is refused, and its mode stays.
    """
    if path.is_dir():  # before the temporary name is made: `.` and `/` have none
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
        temporary.unlink(missing_ok=True)  # left by a kill, with the mode of that time
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
    """Make new names in a folder durable."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def to_json(value: object, indent: int | None = 2) -> bytes:
    """UTF-8 JSON with a newline at the end. NaN and infinities, which JSON has not, become null.

    A lone surrogate, which a model's raw text may hold and UTF-8 may not, is written as its JSON escape.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except (TypeError, ValueError):  # not finite, or none of the types that `json` knows
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def _finite(value: object) -> object:
    if isinstance(value, float):
        # A number in disguise (numpy's float64 is a float) becomes a plain one.
        return float(value) if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def slug(text: str, length: int = 48) -> str:
    """A text as a file name: lower-case letters and digits of any script, joined by `-`."""
    words = re.findall(r"\w+", text.lower().replace("_", " "))
    name = ""
    for word in words:
        if len(name) + len(word) + 1 > length:
            break
        name = f"{name}-{word}" if name else word
    return name or "".join(words)[:length] or "task"
