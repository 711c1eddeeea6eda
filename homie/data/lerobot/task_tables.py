"""Tables of tasks and episodes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from homie.data.lerobot.info import INFO, TASKS
from homie.data.lerobot.statistics import NAMES, Statistics
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of, write_atomically

_PANDAS = {
    "index_columns": ["task"],
    "column_indexes": [
        {
            "name": None,
            "field_name": None,
            "pandas_type": "unicode",
            "numpy_type": "object",
            "metadata": {"encoding": "UTF-8"},
        }
    ],
    "columns": [
        {
            "name": "task_index",
            "field_name": "task_index",
            "pandas_type": "int64",
            "numpy_type": "int64",
            "metadata": None,
        },
        {"name": "task", "field_name": "task", "pandas_type": "unicode", "numpy_type": "object", "metadata": None},
    ],
    "pandas_version": "2.2.0",
}
"""Metadata that makes pandas use the column `task` as the index; without it a task is read as the number 0."""


def write_tasks(root: Path, tasks: Sequence[str]) -> None:
    """Write the table of instructions; row i has task index i. Raises OSError."""
    schema = pa.schema([("task_index", pa.int64()), ("task", pa.string())], {"pandas": json.dumps(_PANDAS)})
    table = pa.table([list(range(len(tasks))), list(tasks)], schema=schema)
    data = pa.BufferOutputStream()
    pq.write_table(table, data)
    write_atomically(root / TASKS, data.getvalue().to_pybytes())


def read_tasks(root: Path) -> list[str]:
    """Return the instructions in the order of their task index. Raises BadInput."""
    table = read_table(root / TASKS)
    others = [name for name in table.column_names if name != "task_index"]  # pandas may rename the index column
    name = "task" if "task" in others else next(iter(others), "")
    if not name or "task_index" not in table.column_names:
        raise BadInput(f"{root / TASKS} has not the columns 'task_index' and 'task'.")
    texts = dict(zip(table.column("task_index").to_pylist(), table.column(name).to_pylist(), strict=True))
    if set(texts) != set(range(len(table))):
        raise BadInput(f"{root / TASKS} is damaged: its task_index does not count from 0 to {len(table) - 1}.")
    return [str(texts[index] or "") for index in range(len(table))]


def statistics_columns(statistics: Mapping[str, Statistics]) -> dict[str, Any]:
    """Return the statistics of an episode as columns of its row."""
    return {
        f"stats/{feature}/{name}": values[name].tolist() for feature, values in statistics.items() for name in NAMES
    }


def statistics_of(row: Mapping[str, Any]) -> dict[str, Statistics]:
    """Return the statistics in the row of an episode, by feature."""
    by_feature: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        if column.startswith("stats/") and value is not None:
            feature, _, name = column.removeprefix("stats/").rpartition("/")
            by_feature.setdefault(feature, {})[name] = np.asarray(value)
    return dict(by_feature)


def read_table(path: Path, columns: Sequence[str] | None = None, *, episode: int | None = None) -> pa.Table:
    """Read a parquet file or some of its columns, optionally the rows of one episode. Raises BadInput."""
    try:
        rows = None if episode is None else [("episode_index", "=", episode)]
        file = pq.ParquetFile(path)
        missing = sorted(set(columns or ()) - set(file.schema_arrow.names))
        if missing:
            raise BadInput(f"{path}, a table of a LeRobot data set, has no column '{missing[0]}'.")
        names = None if columns is None else list(columns)
        return file.read(columns=names) if rows is None else pq.read_table(path, columns=names, filters=rows)
    except (OSError, pa.ArrowException, pa.ArrowKeyError) as error:
        raise BadInput(f"Cannot read {path}, a table of a LeRobot data set: {reason_of(error)}.") from error


def read_numbers(table: pa.Table, name: str, width: int, where: str) -> NDArray[np.float32]:
    """Return a numeric column as an array (n, width), where n is the number of rows.

    Raises BadInput if a row does not have `width` numbers, or a value is missing.

    Args:
        where: Beginning of the error message.
    """
    rows = table.column(name).to_pylist()
    if not rows:
        return np.zeros((0, width), np.float32)
    try:
        values = np.array([np.ravel(np.asarray(row, np.float64)) for row in rows], np.float64).reshape(len(rows), -1)
    except (ValueError, TypeError):
        raise BadInput(f"{where} has rows of '{name}' that are not numbers, or not equally many.") from None
    if values.shape[1] != width:
        raise BadInput(f"{where} has {values.shape[1]} numbers in a row of '{name}', and {INFO} says {width}.")
    with np.errstate(over="ignore"):  # values too large for float32 become infinite, which the writer rejects
        return values.astype(np.float32)
