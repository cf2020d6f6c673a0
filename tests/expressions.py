"""GitHub's expression language, as much of it as the workflow speaks.

Comparisons ignore case, what is missing is null, and null, false and '' count as 0.

Source: GitHub's documentation, "Evaluate expressions in workflows and actions".
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import nan
from typing import Any

Context = Mapping[str, Any]
Functions = Mapping[str, Callable[..., Any]]
Expression = Callable[[Context, Functions], Any]

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*|&&|\|\||==|!=|[!(),])")
STATUS = re.compile(r"\b(always|cancelled|failure|success)\s*\(")
LITERALS = {"true": True, "false": False, "null": None}


def evaluate(text: str, context: Context, functions: Functions | None = None) -> Any:
    """The value of an expression; functions are those beside format()."""
    return parse(text)(context, {"format": fill_in, **(functions or {})})


def starts(condition: str, context: Context, cancelled: bool) -> bool:
    """Whether a job starts: success() is meant where no status function is named."""
    results = [need["result"] for need in context.get("needs", {}).values()]
    functions = {
        "always": lambda: True,
        "cancelled": lambda: cancelled,
        "failure": lambda: not cancelled and "failure" in results,
        "success": lambda: not cancelled and set(results) <= {"success"},
    }
    if not STATUS.search(condition):
        condition = f"success() && ({condition})"
    return truthy(evaluate(condition, context, functions))


def render(template: str, context: Context) -> str:
    """A value of the workflow with each ${{ }} in it evaluated."""
    return re.sub(
        r"\$\{\{(.*?)\}\}", lambda m: words(evaluate(m[1], context)), template
    )


@cache
def parse(text: str) -> Expression:
    """Read an expression once, to evaluate it often."""
    parser = Parser(tokens(text))
    expression = parser.either()
    if parser.tokens:
        raise ValueError(f"an expression must end here, got {parser.tokens[0]!r}")
    return expression


def tokens(text: str) -> list[str]:
    """Cut an expression into names, strings and signs."""
    found: list[str] = []
    place = 0
    while rest := text[place:].strip():
        match = TOKEN.match(text, place)
        if not match:
            raise ValueError(f"no such sign is known here: {rest!r}")
        found.append(match[1])
        place = match.end()
    return found


class Parser:
    """Takes || of && of comparisons of ! of single values off a list of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def take(self, *wanted: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def must_take(self, wanted: str) -> None:
        if not self.take(wanted):
            raise ValueError(f"{wanted!r} must follow, got {self.tokens[:1]}")

    def either(self) -> Expression:
        expression = self.both()
        while self.take("||"):
            expression = either_of(expression, self.both())
        return expression

    def both(self) -> Expression:
        expression = self.comparison()
        while self.take("&&"):
            expression = both_of(expression, self.comparison())
        return expression

    def comparison(self) -> Expression:
        expression = self.negation()
        while sign := self.take("==", "!="):
            expression = comparison_of(expression, self.negation(), sign == "==")
        return expression

    def negation(self) -> Expression:
        if not self.take("!"):
            return self.single()
        inner = self.negation()
        return lambda context, functions: not truthy(inner(context, functions))

    def single(self) -> Expression:
        if self.take("("):
            expression = self.either()
            self.must_take(")")
            return expression
        token = self.tokens.pop(0) if self.tokens else ""
        if token.startswith("'"):
            return lambda *_: token[1:-1].replace("''", "'")
        if not re.match(r"[A-Za-z_]", token):
            raise ValueError(f"a value must stand here, got {token!r}")
        if self.take("("):
            return call_of(token, self.arguments())
        return lambda context, _: look_up(token, context)

    def arguments(self) -> list[Expression]:
        found: list[Expression] = []
        while not self.take(")"):
            if found:
                self.must_take(",")
            found.append(self.either())
        return found


def either_of(left: Expression, right: Expression) -> Expression:
    """The first value if it counts as true, else the second."""
    return lambda *at: value if truthy(value := left(*at)) else right(*at)


def both_of(left: Expression, right: Expression) -> Expression:
    """The second value if the first counts as true, else the first."""
    return lambda *at: right(*at) if truthy(value := left(*at)) else value


def comparison_of(left: Expression, right: Expression, same: bool) -> Expression:
    """Whether two values are equal, or are not."""
    return lambda *at: equal(left(*at), right(*at)) == same


def call_of(name: str, arguments: list[Expression]) -> Expression:
    """What a function makes of its arguments."""

    def call(context: Context, functions: Functions) -> Any:
        if name not in functions:
            raise ValueError(f"a function must be one of {[*functions]}, got {name!r}")
        return functions[name](*(value(context, functions) for value in arguments))

    return call


def look_up(name: str, context: Any) -> Any:
    """The value of a dotted name; null where a part of it is missing."""
    if name in LITERALS:
        return LITERALS[name]
    for part in name.lower().split("."):
        if not isinstance(context, Mapping):
            return None
        context = next((context[key] for key in context if key.lower() == part), None)
    return context


def truthy(value: Any) -> bool:
    """Whether a value counts as true; of the strings only the empty one does not."""
    return value not in (None, False, 0, "")


def equal(left: Any, right: Any) -> bool:
    """Compare two strings without their case, and anything else as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    return number(left) == number(right)


def number(value: Any) -> float:
    """A value as a number; a string that is none equals nothing, itself included."""
    try:
        return float(value or 0)
    except ValueError:
        return nan


def words(value: Any) -> str:
    """A value as it appears in text."""
    return {None: "", True: "true", False: "false"}.get(value, value)


def fill_in(template: str, *values: Any) -> str:
    """format(): {0} stands for the first value."""
    return re.sub(r"\{(\d+)\}", lambda m: words(values[int(m[1])]), template)
