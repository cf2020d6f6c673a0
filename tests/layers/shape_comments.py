"""Run a source file's shape comments: every one a promise that a tensor keeps.

A comment promises a shape when it holds axes that the sizes name, such as
`# (b, num_tokens, num_heads * d_out): side by side`. Behind a statement it speaks of
what the statement assigns or returns; on a line of its own, of the statements below it,
down to a blank line. Of two shapes with an arrow between them the second counts.
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import NamedTuple

SHAPE = re.compile(r"\(((?:[^()]|\([^()]*\))*,(?:[^()]|\([^()]*\))*)\)")
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)


class Promise(NamedTuple):
    """That some names, or what is returned, have a shape after some lines have run."""

    first: int
    last: int
    names: tuple[str, ...]
    shape: tuple[int, ...]


def shape_in(comment, sizes):
    """The shape that a comment promises; None where it has none."""
    shapes = [
        axes
        for axes in SHAPE.findall(comment)
        if comment.startswith(f"# ({axes})") or {*re.findall(r"\w+", axes)} & {*sizes}
    ]
    if len(shapes) > 1 and not re.search("->|→", comment):
        raise ValueError(f"a comment must promise one shape, got {comment!r}")
    if not shapes:
        return None
    axes = [axis for axis in shapes[-1].split(",") if axis.strip()]
    try:
        return tuple(eval(axis.strip(), {"__builtins__": {}}, sizes) for axis in axes)
    except (NameError, SyntaxError) as error:
        raise ValueError(f"axes must be known, got {comment!r}: {error}") from None


def names_in(statement):
    """The names that a statement assigns; "return" for what it returns."""
    if isinstance(statement, ast.Return):
        return ("return",)
    targets = getattr(statement, "targets", None) or [statement.target]
    leaves = [
        target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for target in targets
    ]
    return tuple(ast.unparse(leaf) for group in leaves for leaf in group)


def statements_of(comment, alone, statements, lines):
    """The statements that a comment at a line speaks of."""
    if not alone:
        return [each for each in statements if each.end_lineno == comment]
    below = []
    line = comment + 1
    while found := [each for each in statements if each.lineno == line]:
        below += found
        line = found[-1].end_lineno + 1
        while line <= len(lines) and lines[line - 1].lstrip().startswith("#"):
            line += 1
    return below


def promises(source, sizes):
    """All promises of a source text, in its order."""
    statements = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, STATEMENTS)
    ]
    lines, made = source.splitlines(), {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        shape = shape_in(token.string, sizes)
        line, alone = token.start[0], token.line.lstrip().startswith("#")
        if shape is None:
            continue
        spoken_of = statements_of(line, alone, statements, lines)
        if not spoken_of:
            raise ValueError(
                "a shape comment must follow what is assigned or returned, "
                f"got line {line}: {token.string}"
            )
        for each in spoken_of:
            if not alone or each.lineno not in made:  # a comment of its own counts more
                made[each.lineno] = Promise(
                    each.lineno, each.end_lineno, names_in(each), shape
                )
    return [made[line] for line in sorted(made)]


def broken_promises(source_file, run, sizes):
    """Call run() and tell which promises of the file were broken, or never seen."""
    source = Path(source_file).read_text(encoding="utf-8")
    at_line = {
        line: promise
        for promise in promises(source, sizes)
        for line in range(promise.first, promise.last + 1)
    }
    seen, broken = set(), []

    def look(promise, frame, returned):
        seen.add(promise)
        for name in promise.names:
            value = (
                returned
                if name == "return"
                else eval(name, frame.f_globals, frame.f_locals)
            )
            came = tuple(value.shape) if hasattr(value, "shape") else type(value)
            if came != promise.shape:
                broken.append(
                    f"{Path(source_file).name}:{promise.last}: {name} must be "
                    f"{promise.shape}, as its comment says, got {came}"
                )

    def trace_frame():
        last = None

        def trace(frame, event, arg):
            nonlocal last
            here = at_line.get(frame.f_lineno)
            if event == "line":
                if last and last != here and last.names != ("return",):
                    look(last, frame, None)
                last = here
            elif event == "return" and last:
                look(last, frame, arg)
                last = None
            elif event == "exception":
                last = None
            return trace

        return trace

    def trace_call(frame, _event, _arg):
        code = frame.f_code
        inner = code.co_name.startswith("<") and code.co_name != "<module>"
        if inner or Path(code.co_filename) != Path(source_file):
            return None
        return trace_frame()

    before = sys.gettrace()  # coverage's, on Python 3.11
    sys.settrace(trace_call)
    try:
        run()
    finally:
        sys.settrace(before)
    unseen = sorted({*at_line.values()} - seen)
    return broken + [
        f"{Path(source_file).name}:{promise.last}: the line of a shape comment must "
        "run, but never did"
        for promise in unseen
    ]
