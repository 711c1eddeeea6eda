"""The tables of tasks and episodes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from homie.data.lerobot.layout import TASKS
from homie.data.lerobot.statistics import QUANTILES, Statistics
from homie.kernel.errors import BadInput

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
"""What makes pandas take the column `task` as the index: without it a task is read as the number 0."""
NUMBERS = ("min", "max", "mean", "std", "count", *QUANTILES)


def write_tasks(root: Path, tasks: Sequence[str]) -> None:
    """The table of instructions; row i has the task index i. Raises OSError."""
    schema = pa.schema([("task_index", pa.int64()), ("task", pa.string())], {"pandas": json.dumps(_PANDAS)})
    table = pa.table([list(range(len(tasks))), list(tasks)], schema=schema)
    temporary = root / f"{TASKS}.tmp"
    pq.write_table(table, temporary)
    temporary.replace(root / TASKS)


def read_tasks(root: Path) -> list[str]:
    """The instructions by task index. Raises BadInput."""
    table = read_table(root / TASKS)
    name = "task" if "task" in table.column_names else table.column_names[-1]  # pandas may call an index otherwise
    order = np.argsort(table.column("task_index").to_numpy())
    texts = table.column(name).to_pylist()
    return [texts[row] for row in order]


def statistics_columns(statistics: Mapping[str, Statistics]) -> dict[str, Any]:
    """The statistics of an episode as columns of its row."""
    return {
        f"stats/{feature}/{name}": values[name].tolist() for feature, values in statistics.items() for name in NUMBERS
    }


def statistics_of(row: Mapping[str, Any]) -> dict[str, Statistics]:
    """The statistics in the row of an episode, by feature."""
    kept: dict[str, dict[str, Any]] = {}
    for column, value in row.items():
        if column.startswith("stats/") and value is not None:
            feature, _, name = column.removeprefix("stats/").rpartition("/")
            kept.setdefault(feature, {})[name] = np.asarray(value)
    return dict(kept)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """A parquet file. Raises BadInput."""
    try:
        return pq.ParquetFile(path).read(columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise BadInput(f"Cannot read {path}, a table of a LeRobot data set: {error}.") from error
