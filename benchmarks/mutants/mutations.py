"""Generate the mutants of a source file: each is the text with one small change, located in the syntax tree.

Changed are comparisons, `and`/`or`/`not`, arithmetic, conditions, numbers, truth values, words (strings without a
blank), `min`/`max`, `any`/`all`, the first two arguments of a call, return values; calls, `raise`, `break`, `continue`
and assignments to attributes and items are removed. Unchanged are annotations, decorators, docstrings, sentences,
f-strings, `assert` and the `strict` of `zip`, which is an assertion too, the order of the arguments of `min`, `max` and
`np.clip`, `log` lines, `__all__`, code for the type checker.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
WORD_COMPARISONS = {"is not": "is", "not in": "in", "is": "is not", "in": "not in"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*", "|": "&", "&": "|", "@": "+"}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitOr: "|", ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
UNSWAPPED = ("min", "max", "np.minimum", "np.maximum", "np.clip", "cast", "isinstance", "getattr")
"""Functions whose first two arguments are not swapped: it would have no effect, or raise at once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: the bytes from `start` to `end` are replaced by `new`.

    Attributes:
        line: Line number, from 1.
        name: Identifier that is stable if surrounding lines move: file, line of code, change, number among equal ones.
        targets: Names defined by code that runs at import only; () inside functions.
    """

    file: str
    line: int
    start: int
    end: int
    new: str
    name: str
    targets: tuple[str, ...] = ()

    def apply(self, source: bytes) -> bytes:
        """Return the mutated file."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants(file: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a file, in the order of its lines."""
    return _Finder(file, source).all()


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self._file = file
        self._source = source
        self._lines = [0, *(match.end() for match in re.finditer(b"\n", source))]
        self._changes: list[tuple[int, int, int, str, tuple[str, ...]]] = []
        self._targets: tuple[str, ...] = ()

    def all(self) -> list[Mutant]:
        for statement in ast.parse(self._source).body:
            self._statement(statement, inside=False)
        seen: Counter[str] = Counter()
        result = []
        for line, start, end, new, targets in sorted(set(self._changes)):
            text = self._source[self._lines[line - 1] :].split(b"\n", 1)[0].decode().strip()
            old = " ".join(self._source[start:end].decode().split())
            name = f"{self._file} | {text} | {old} -> {new}"
            seen[name] += 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            result.append(Mutant(self._file, line, start, end, new, name + number, targets))
        return result

    # ------------------------------------------------------------ source positions

    def _span(self, node: ast.AST) -> tuple[int, int]:
        first = self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return first, self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _replace(self, node: ast.AST, new: str) -> None:
        start, end = self._span(node)
        self._changes.append((node.lineno, start, end, new, self._targets))  # type: ignore[attr-defined]

    def _between(self, left: ast.AST, right: ast.AST, old: str, new: str) -> None:
        """Replace an operator between two operands."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = self._source[start:end]
        word = re.escape(old.encode())
        place = re.search(rb"\b" + word.replace(rb"\ ", rb"\s+") + rb"\b" if old[0].isalpha() else word, gap)
        if place is not None:
            line = self._source.count(b"\n", 0, start + place.start()) + 1
            self._changes.append((line, start + place.start(), start + place.end(), new, self._targets))

    # ------------------------------------------------------------ statements

    def _statement(self, node: ast.stmt, *, inside: bool) -> None:
        """inside: whether the statement runs when a function is called, not at import."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node, inside)
            return
        if isinstance(node, ast.ClassDef):
            if any("Protocol" in self._text(base) for base in node.bases):
                return
            for part in node.body:
                self._statement(part, inside=inside)
            return
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.Global | ast.Nonlocal):
            return
        if isinstance(node, ast.Expr) and self._text(node).startswith("log."):
            return
        if isinstance(node, ast.Assign) and self._text(node.value).startswith("logging.getLogger("):
            return
        if not inside and isinstance(node, ast.If) and "TYPE_CHECKING" in self._text(node.test):
            return
        if not inside:
            self._targets = tuple(_assigned_names(node))
            if "__all__" in self._targets:
                return
        self._remove(node)
        self._parts(node, inside)
        self._targets = ()

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, inside: bool) -> None:
        if not inside:
            self._targets = (node.name, *(argument.arg for argument in node.args.kwonlyargs))
        for default in (*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)):
            self._expression(default)
        self._targets = ()
        for part in node.body:
            self._statement(part, inside=True)

    def _remove(self, node: ast.stmt) -> None:
        if (
            (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
            or isinstance(node, ast.Raise | ast.Break | ast.Continue | ast.Delete)
            or (
                isinstance(node, ast.Assign)
                and all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
            )
        ):
            self._replace(node, "pass")
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            self._replace(node, "return None")
        elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
            old = OPERATORS[type(node.op)]
            self._between(node.target, node.value, f"{old}=", f"{ARITHMETIC[old]}=")

    def _parts(self, node: ast.AST, inside: bool) -> None:
        """Mutate the expressions and statements directly below a statement."""
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "type_comment", "decorator_list", "returns"):
                continue
            if name == "value" and isinstance(node, ast.AnnAssign) and "TypeAlias" in self._text(node.annotation):
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    self._statement(part, inside=inside)
                elif isinstance(part, ast.expr):
                    self._expression(part, test=name == "test")
                elif isinstance(part, ast.AST):
                    self._parts(part, inside)

    # ------------------------------------------------------------ expressions

    def _expression(self, node: ast.expr, *, test: bool = False) -> None:
        """test: whether the expression is a condition that decides the control flow."""
        if test and not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            self._replace(node, f"not ({self._text(node)})")
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.Constant):
            self._constant(node)
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                self._comparison(left, operator, right)
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                self._between(left, right, old, new)
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            old = OPERATORS[type(node.op)]
            self._between(node.left, node.right, old, ARITHMETIC[old])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            self._replace(node, f"({self._text(node.operand)})")
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Lambda):
            for default in node.args.defaults:
                self._expression(default)
        for name, value in ast.iter_fields(node):
            if isinstance(node, ast.Lambda) and name == "args":
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.expr):
                    self._expression(part, test=name == "test")
                elif isinstance(part, ast.comprehension):
                    self._expression(part.iter)
                    for condition in part.ifs:
                        self._expression(condition, test=True)
                elif isinstance(part, ast.keyword) and not (
                    isinstance(node, ast.Call) and self._text(node.func) == "zip"
                ):
                    self._expression(part.value)

    def _comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> None:
        words = {ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
        signs = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
        if word := words.get(type(operator)):
            self._between(left, right, word, WORD_COMPARISONS[word])
        elif sign := signs.get(type(operator)):
            self._between(left, right, sign, COMPARISONS[sign])

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(node, str(not value))
        elif isinstance(value, int | float):
            self._replace(node, repr(value + 1))
        elif isinstance(value, str) and re.fullmatch(r"\S+", value) and self._text(node)[:1] in "\"'":
            self._replace(node, repr(f"XX{value}"))

    def _call(self, node: ast.Call) -> None:
        name = node.func
        if isinstance(name, ast.Name) and name.id in NAMES:
            self._replace(name, NAMES[name.id])
        if len(node.args) > 1 and not any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
            (start, middle), (after, end) = (self._span(argument) for argument in node.args[:2])
            first, second = self._source[start:middle], self._source[after:end]
            if first != second and self._text(name) not in UNSWAPPED:
                swapped = (second + self._source[middle:after] + first).decode()
                self._changes.append((node.args[0].lineno, start, end, swapped, self._targets))


def _assigned_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement at import defines."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
