"""The signatures that the reference page shows, read from the package's syntax."""

import ast
from collections.abc import Iterator
from pathlib import Path


class Short(ast.NodeTransformer):
    """Write nn.Linear as Linear, as the reference page does."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        """Keep the last name of a dotted one."""
        return ast.Name(node.attr, ast.Load())


def short(node: ast.AST | None) -> str:
    """Write a piece of syntax in one form, however its lines are broken."""
    return "" if node is None else ast.unparse(Short().visit(node))


def call(name: str, function: ast.FunctionDef, bound: bool = False) -> str:
    """Write a function's signature in one form; a bound one without its first name."""
    if bound:
        spare = function.args.args or function.args.posonlyargs
        del spare[:1]
    return f"{name}({short(function.args)}) -> {short(function.returns)}"


def signatures_in(body: list[ast.stmt], in_class: bool = False) -> Iterator[str]:
    """The signatures of functions, classes and names in a module or a class."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            for init in node.body:
                if isinstance(init, ast.FunctionDef) and init.name == "__init__":
                    init.returns = None
                    yield call(node.name, init, bound=True)
            yield from signatures_in(node.body, in_class=True)
        elif isinstance(node, ast.FunctionDef) and node.name != "__init__":
            static = "staticmethod" in map(ast.unparse, node.decorator_list)
            yield call(node.name, node, bound=in_class and not static)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield short(node)


def signatures(root: Path) -> set[str]:
    """Every signature in the package, in one form."""
    files = sorted(root.glob("mha/**/*.py"))
    bodies = [ast.parse(path.read_text("utf-8")).body for path in files]
    return {found for body in bodies for found in signatures_in(body)}


def signature(text: str) -> str:
    """Bring a shown signature into the form of `signatures`; "" if it is none."""
    for code in (f"def {text}: ...", text):
        try:
            (node,) = ast.parse(code).body
        except (SyntaxError, ValueError):
            continue
        is_call = isinstance(node, ast.FunctionDef)
        return call(node.name, node) if is_call else short(node)
    return ""
