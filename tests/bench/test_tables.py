"""Tables in their four forms."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.bench.intervals_and_tests import Estimate, Interval
from homie.bench.table_formats import (
    Column,
    Kind,
    Table,
    format_cell,
    to_csv,
    to_json_text,
    to_latex,
    to_markdown,
    write,
)
from homie.kernel.errors import BadInput

TABLE = Table(
    "Metrics & more",
    (Column("run"), Column("episodes", "count"), Column("SR", "percent"), Column("p", "p")),
    (
        ("chat:a_b|c", 300, Estimate(0.303, Interval(0.25, 0.36)), 0.0213),
        ("rule", 297, Estimate(None), 0.00001),
    ),
    ("100 % made.",),
)
KINDS: tuple[Kind, ...] = ("text", "count", "percent", "number", "p")
LATEX = shutil.which("pdflatex") and not subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


def test_markdown() -> None:
    assert to_markdown([TABLE]) == (
        "**Metrics & more**\n"
        "\n"
        "| run         | episodes | SR                 | p       |\n"
        "| ----------- | -------: | -----------------: | ------: |\n"
        "| chat:a_b\\|c | 300      | 30.30 [25.0, 36.0] | 0.0213  |\n"
        "| rule        | 297      | -                  | <0.0001 |\n"
        "\n"
        "100 % made.\n"
    )


def test_markdown_keeps_bars_and_backslashes_in_their_cell() -> None:
    table = Table("a\n b", (Column("a|b"), Column("n", "count")), (("c\\d", 1),))
    assert to_markdown([table, Table("two", (Column("x"),), ())]) == (
        "**a b**\n\n| a\\|b | n   |\n| ---- | --: |\n| c\\\\d | 1   |\n\n**two**\n\n| x   |\n| --- |\n"
    )


def test_latex() -> None:
    assert to_latex([TABLE]) == (
        "\\begin{table}[t]\n"
        "\\centering\n"
        "\\caption{Metrics \\& more}\n"
        "\\smallskip\n"
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
        "\\begin{tabular}{lrrr}\n"
        "\\toprule\n"
        "run & episodes & SR & p \\\\\n"
        "\\midrule\n"
        "chat:a\\_b\\textbar{}c & 300 & 30.30 & 0.0213 \\\\\n"
        " &  & \\scriptsize {[}25.0, 36.0] &  \\\\\n"
        "rule & 297 & - & \\textless{}0.0001 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}}\n"
        "\\par\\smallskip\\footnotesize 100 \\% made.\n"
        "\\end{table}\n"
    )


@pytest.mark.parametrize(
    ("text", "set_as"),
    [
        ("no sign", "no sign"),
        ("a & b", r"a \& b"),
        ("5 %", r"5 \%"),
        ("$x_1#{}", r"\$x\_1\#\{\}"),
        ("\\", r"\textbackslash{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("a < b > c | d", r"a \textless{} b \textgreater{} c \textbar{} d"),
        ("[1]", "{[}1]"),
    ],
)
def test_latex_shows_what_it_would_else_obey(text: str, set_as: str) -> None:
    assert f"\n{set_as} \\\\\n" in to_latex([Table("t", (Column("a"),), ((text,),))])


def test_numbers_have_a_minus_and_words_a_hyphen() -> None:
    table = Table("t", (Column("run"), Column("SR", "percent")), (("gpt-5", Estimate(-0.1, Interval(-0.2, 0.0))),))
    text = to_latex([table])
    assert r"gpt-5 & $-$10.00 \\" in text and r" & \scriptsize {[}$-$20.0, 0.0] \\" in text


@pytest.mark.slow
@pytest.mark.skipif(not LATEX, reason="there is no pdflatex with booktabs and graphicx")
def test_latex_can_be_set_and_no_table_is_wider_than_the_page(tmp_path: Path) -> None:
    odd = Table("odd % & _", (Column("a_b"),), (("100% & {x}_y ~ ^ \\ # $ <é> ünï “q” [1]",),), ("[note] #1",))
    wide = Table(
        "wide", (Column("run"), *(Column(f"head {number}", "percent") for number in range(14))), (("a", *[0.5] * 14),)
    )
    (tmp_path / "tables.tex").write_text(to_latex([TABLE, odd, wide]))
    page = [r"\documentclass{article}", r"\usepackage{booktabs,graphicx}", r"\begin{document}", r"\input{tables}"]
    (tmp_path / "page.tex").write_text("\n".join([*page, r"\end{document}"]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    completed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert completed.returncode == 0 and "Overfull" not in completed.stdout, completed.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000


def test_csv_keeps_all_digits() -> None:
    first, second = csv.DictReader(io.StringIO(to_csv([TABLE])))
    assert first == {
        "table": "Metrics & more",
        "run": "chat:a_b|c",
        "episodes": "300",
        "SR": "0.303",
        "SR low": "0.25",
        "SR high": "0.36",
        "p": "0.0213",
    }
    assert (second["SR"], second["SR low"]) == ("", "")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (8e-6, "<0.0001"),
        (1e-4, "0.0001"),
        (0.001234, "0.0012"),
        (123.4, "123"),
        (4.5678, "4.57"),
        (-12.34, "-12.3"),
        (78901.2, "78901"),
    ],
)
def test_numbers_have_three_digits(number: float, text: str) -> None:
    assert format_cell(number, "number") == text
    assert format_cell(None, "number") == "-"


def test_json() -> None:
    (table,) = json.loads(to_json_text([TABLE]))["tables"]
    assert table["rows"][0] == {
        "run": "chat:a_b|c",
        "episodes": 300,
        "SR": {"value": 0.303, "low": 0.25, "high": 0.36},
        "p": 0.0213,
    }
    assert table["rows"][1]["SR"] == {"value": None, "low": None, "high": None}
    assert table["columns"] == ["run", "episodes", "SR", "p"]
    assert (table["title"], table["notes"]) == ("Metrics & more", ["100 % made."])


def test_csv_has_columns_for_an_interval_if_some_row_has_one() -> None:
    table = Table("t", (Column("SR", "percent"), Column("n", "count")), ((None, 1), (Estimate(0.5, Interval(0, 1)), 2)))
    empty = Table("none", (Column("a"),), ())
    assert to_csv([table, empty]).splitlines() == ["table,SR,SR low,SR high,n", "t,,,,1", "t,0.5,0,1,2", "table,a"]


@given(TEXTS, st.floats(0, 1))
def test_no_text_breaks_a_table(text: str, share: float) -> None:
    table = Table(text, (Column("a"), Column(text, "percent")), ((text, share), ("x", None)), (text,))
    rows = [line for line in to_markdown([table]).split("\n") if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in rows[:4]} == {3}
    body = to_latex([table]).split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body.strip().split("\n")] == [1, 1]
    (_, cells, _) = list(csv.reader(io.StringIO(to_csv([table]))))
    assert cells == [text, text, str(share)]
    assert json.loads(to_json_text([table]))["tables"][0]["title"] == text


@given(st.floats(0, 1))
def test_percentages_have_two_digits(share: float) -> None:
    assert abs(float(format_cell(share, "percent")) - 100 * share) <= 0.005000001
    assert format_cell(None, "percent") == "-"


def test_cells_of_every_kind() -> None:
    assert [format_cell(0.5, kind) for kind in KINDS] == ["0.5", "0.5", "50.00", "0.500", "0.5000"]
    assert [format_cell(Estimate(0.5, Interval(0.25, 1)), kind) for kind in ("percent", "number")] == [
        "50.00 [25.0, 100.0]",
        "0.500 [0.25, 1]",
    ]
    assert [format_cell(value, "p") for value in (0.0001, 0.00009999)] == ["0.0001", "<0.0001"]


def test_a_row_has_a_cell_per_column() -> None:
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        Table("t", (Column("a"),), ((1, 2),))


def test_each_form_has_its_writer() -> None:
    writers = {"markdown": to_markdown, "latex": to_latex, "csv": to_csv, "json": to_json_text}
    for form, writer in writers.items():
        assert write([TABLE], form) == writer([TABLE])


def test_an_unknown_form() -> None:
    with pytest.raises(BadInput, match="choose markdown, latex, csv, json"):
        write([TABLE], "word")
