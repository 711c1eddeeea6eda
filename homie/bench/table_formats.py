"""Tables of results, written as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from homie.bench.intervals_and_tests import Estimate, Interval
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json

Cell: TypeAlias = str | int | float | Estimate | None
Kind: TypeAlias = Literal["text", "count", "percent", "number", "p"]
NOT_THERE = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """Column: its heading and the kind of its cells. Percentages are stored as shares, 0..1."""

    head: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title and notes below it.

    Raises:
        ValueError: A row does not have one cell per column.

    Example:
        >>> table = Table("Results", (Column("run"), Column("SR", "percent")), (("rule", 0.25),))
        >>> print(to_markdown([table]))
        **Results**
        <BLANKLINE>
        | run  |    SR |
        | ---- | ----: |
        | rule | 25.00 |
        <BLANKLINE>
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {self.title!r} has {len(row)} cells for {len(self.columns)} columns")


def to_markdown(tables: Sequence[Table]) -> str:
    """Format tables in GitHub-flavoured Markdown."""
    return "\n".join(_markdown(table) for table in tables)


def to_latex(tables: Sequence[Table]) -> str:
    """Format tables in LaTeX with intervals below their values; the packages booktabs and graphicx are needed."""
    return "\n".join(_latex(table) for table in tables)


def to_csv(tables: Sequence[Table]) -> str:
    """Format tables as CSV (RFC 4180), one after another, with the title in the first column.

    Shares are written with all digits; an estimate has three columns (its value, `low` and `high`).
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for table in tables:
        widest = [
            max((_parts(row[index]) for row in table.rows), key=len, default={"": None})
            for index in range(len(table.columns))
        ]
        heads = [
            f"{column.head} {name}".rstrip()
            for column, parts in zip(table.columns, widest, strict=True)
            for name in parts
        ]
        writer.writerow(["table", *heads])
        for row in table.rows:
            cells = [_parts(cell).get(name) for cell, parts in zip(row, widest, strict=True) for name in parts]
            writer.writerow([table.title, *("" if cell is None else cell for cell in cells)])
    return buffer.getvalue()


def to_json_text(tables: Sequence[Table]) -> str:
    """Format tables as one JSON object: rows are mappings from heading to value; an estimate has value, low and
    high."""
    return to_json({"tables": [as_mapping(table) for table in tables]}).decode()


def as_mapping(table: Table) -> dict[str, object]:
    """Return a table, JSON-ready."""
    heads = [column.head for column in table.columns]
    return {
        "title": table.title,
        "columns": heads,
        "rows": [dict(zip(heads, map(_value, row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


WRITERS: Mapping[str, Callable[[Sequence[Table]], str]] = {
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "json": to_json_text,
}


def write(tables: Sequence[Table], form: str) -> str:
    """Format tables in one of the forms of `WRITERS`. Raises BadInput for an unknown form."""
    if form not in WRITERS:
        raise BadInput(f"There is no table format '{form}': choose {', '.join(WRITERS)}.")
    return WRITERS[form](tables)


def format_cell(cell: Cell, kind: Kind) -> str:
    """Format a cell: percentages with two decimals as in the paper, an interval in brackets, `-` for None.

    Example:
        >>> format_cell(Estimate(0.5, Interval(0.25, 0.75)), "percent")
        '50.00 [25.0, 75.0]'
    """
    if cell is None:
        return NOT_THERE
    if isinstance(cell, Estimate):
        if cell.value is None:
            return NOT_THERE
        value = format_cell(cell.value, kind)
        if cell.interval is None:
            return value
        return f"{value} {_interval_text(cell.interval, kind)}"
    if isinstance(cell, str):
        return cell
    match kind:
        case "text" | "count":
            return str(cell)
        case "percent":
            return f"{100 * cell:.2f}"
        case "number":
            return _three_digits(cell)
        case "p":
            return "<0.0001" if cell < 0.0001 else f"{cell:.4f}"


def _three_digits(value: float) -> str:
    """Format a number with three significant digits, at most four decimals, and none from 100 on: `4.56`, `0.0012`."""
    if 0 < value < 0.0001:
        return "<0.0001"
    if value == 0:
        return "0"
    _, digits, _ = sorted((0, 2 - math.floor(math.log10(abs(value))), 4))
    return f"{value:.{digits}f}"


def _interval_text(interval: Interval, kind: Kind) -> str:
    return f"[{_number(interval.low, kind)}, {_number(interval.high, kind)}]"


def _number(value: float, kind: Kind) -> str:
    return f"{100 * value:.1f}" if kind == "percent" else f"{value:g}"


def _markdown(table: Table) -> str:
    rows = [[column.head for column in table.columns], *_texts(table)]
    cells = [[_one_line(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *(len(row[index]) for row in cells)) for index in range(len(table.columns))]
    rules = [
        "-" * width if column.kind == "text" else "-" * (width - 1) + ":"
        for width, column in zip(widths, table.columns, strict=True)
    ]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [cells[0], rules, *cells[1:]]
    ]
    notes = [f"\n{_one_line(note)}" for note in table.notes]
    return "\n".join([f"**{_one_line(table.title)}**\n", *lines, *notes]) + "\n"


def _latex(table: Table) -> str:
    spec = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    heads = [_latex_text(column.head) for column in table.columns]
    lines = [_latex_line(heads), *(line for row in table.rows for line in _latex_row(row, table.columns))]
    notes = [rf"\par\smallskip\footnotesize {_latex_text(note)}" for note in table.notes]
    parts = [r"\begin{table}[t]", r"\centering", rf"\caption{{{_latex_text(table.title)}}}", r"\smallskip"]
    # A table that is wider than the page is scaled down; others keep their size.
    parts += [r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%", rf"\begin{{tabular}}{{{spec}}}"]
    parts += [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([*parts, r"\end{tabular}}", *notes, r"\end{table}"]) + "\n"


def _latex_row(row: Sequence[Cell], columns: Sequence[Column]) -> Iterator[str]:
    """Return a row, followed by a row with its intervals in small type, if it has any: they would not fit beside the
    values."""
    values, intervals = [], []
    for cell, column in zip(row, columns, strict=True):
        interval = cell.interval if isinstance(cell, Estimate) and cell.value is not None else None
        value = _latex_text(format_cell(Estimate(cell.value) if isinstance(cell, Estimate) else cell, column.kind))
        values.append(value if column.kind == "text" else _minus(value))
        interval_text = _minus(_latex_text(_interval_text(interval, column.kind))) if interval else ""
        intervals.append(rf"\scriptsize {interval_text}" if interval_text else "")
    yield _latex_line(values)
    if any(intervals):
        yield _latex_line(intervals)


def _minus(number: str) -> str:
    """Replace a hyphen before digits by a minus sign."""
    return re.sub(r"-(?=\d)", "$-$", number)


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


_LATEX = {character: "\\" + character for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after \\ a bare bracket would be an optional argument
}


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in _one_line(text))


def _texts(table: Table) -> list[list[str]]:
    return [
        [format_cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _value(cell: Cell) -> object:
    parts = _parts(cell)
    return {name or "value": part for name, part in parts.items()} if isinstance(cell, Estimate) else cell


def _parts(cell: Cell) -> dict[str, str | int | float | None]:
    """Return the parts of a cell by the suffix of their column heading."""
    if isinstance(cell, Estimate):
        low, high = cell.interval if cell.interval else (None, None)
        return {"": cell.value, "low": low, "high": high}
    return {"": cell}
