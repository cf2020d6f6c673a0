"""A learner's file: read, run, and the class in it that is to be judged.

Whatever keeps a file from being judged is said in a sentence: the rule, then what came.
"""

import io
import sys
import tokenize
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeGuard

from torch import nn

from mha.checker.records import Form
from mha.checker.subject import is_out_of_memory

MODULE = "learner"  # not "__main__", whose block must not run; not the name of a file
CHAPTER: dict[Form | None, str] = {
    None: "MultiHeadAttention",
    "fused": "MultiHeadAttention",
    "grouped": "GroupedQueryAttention",
    "stacked": "MultiHeadAttentionWrapper",
    "causal": "CausalAttention",
}


class CannotJudge(Exception):
    """Something keeps the file from being judged; the message says what."""


class TimeIsUp(BaseException):
    """The time for one file is over; no `except Exception` of a learner catches it."""


@dataclass(frozen=True)
class Target:
    """What is to be judged.

    Attributes:
        file: The file, as it was named.
        layer: The class in it; None takes the chapter's name, or the only one there is.
    """

    file: str
    layer: str | None = None


def parse_target(text: str) -> Target:
    r"""Read `FILE` or `FILE:CLASS`; the colon in `C:\my.py` belongs to the file."""
    file, colon, layer = text.rpartition(":")
    if colon and (layer.isidentifier() or file.lower().endswith(".py")):
        return Target(file, layer)
    return Target(text)


def printable(text: str) -> str:
    """The text with all that would steer a terminal made visible."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def one_line(text: str, most: int = 200) -> str:
    """Text of any size and kind as one line that can be printed."""
    line = printable(" ".join(text[: 10 * most].split()))
    return line if len(line) <= most else line[:most] + "…"


# A file is read.


def check_kind(path: Path) -> None:
    """Turn away what is no Python file.

    Raises:
        CannotJudge: If it does not exist, is no file, or is named like another kind.
    """
    if path.is_dir():
        raise CannotJudge("It must be a file, got a folder: name the files in it.")
    if not path.exists():
        raise CannotJudge("The file must exist, got a name that no file has.")
    if not path.is_file():
        raise CannotJudge("It must be a file, got something that only looks like one.")
    if path.suffix.lower() == ".ipynb":
        raise CannotJudge("It must be a Python file, got a notebook: export it as .py.")
    if path.suffix.lower() != ".py":
        raise CannotJudge(
            "The name of a Python file must end in .py, "
            f"got {one_line(path.suffix) or 'no ending'}."
        )


def decode(data: bytes) -> str:
    """The text of a file, in UTF-8 or in what its first lines declare.

    Raises:
        CannotJudge: If it is another encoding or no text at all.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CannotJudge("The file must be saved as UTF-8, got UTF-16.")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise CannotJudge(
            f"A Python file must be text, got a NUL byte in line {line}: "
            "it may be a compiled or damaged file."
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:  # the reason is said below, or by compile
        encoding = "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CannotJudge(
            f"The file must be saved as UTF-8, got the byte {data[error.start]:#04x} "
            f"in line {line}."
        ) from error


def read(path: Path) -> bytes:
    """The bytes of a Python file.

    Raises:
        CannotJudge: If it cannot be read, is empty or is not Python's kind of text.
    """
    try:
        check_kind(path)
        data = path.read_bytes()
    except OSError as error:
        raise CannotJudge(
            f"The file must be readable, got: {one_line(error.strerror or str(error))}."
        ) from error
    text = decode(data).lstrip("\ufeff").strip()
    if not text:
        raise CannotJudge("The file must define a layer, got an empty file.")
    if text.startswith("{") and '"nbformat"' in text:
        raise CannotJudge("It must be a Python file, got a notebook: export it as .py.")
    return data


# Its code is run.


def compiled_code(data: bytes, path: Path) -> CodeType:
    """The file's code, ready to run.

    Raises:
        CannotJudge: If it is not valid Python; the message has line and column.
    """
    try:
        return compile(data, str(path), "exec")
    except SyntaxError as error:
        where = f"line {error.lineno}, column {error.offset}: " if error.lineno else ""
        raise CannotJudge(
            f"The file must be valid Python, got {where}{one_line(error.msg)}."
        ) from error
    except (RecursionError, ValueError) as error:
        raise CannotJudge(
            f"The file must be valid Python, got {one_line(str(error))}."
        ) from error


def load(path: Path) -> ModuleType:
    """Run the file as a module that is not the main one.

    Args:
        path: The file, as an absolute path.

    Raises:
        CannotJudge: If it cannot be read or is not valid Python.
        BaseException: Whatever the file raises; `explain` finds the words.
    """
    code = compiled_code(read(path), path)
    module = ModuleType(MODULE)
    module.__file__, module.__package__ = str(path), ""
    sys.modules[MODULE] = module  # pickle and dataclasses look there
    sys.path.insert(0, str(path.parent))  # its neighbours come first while it runs
    try:
        exec(code, module.__dict__)
    finally:
        sys.path.append(sys.path.pop(0))  # and last when torch looks for its own parts
    return module


def line_of(error: BaseException, path: Path) -> str:
    """Where in the learner's own files it happened, with a blank; or nothing."""
    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file == path:
            where = f"line {line} "
        elif file.parent == path.parent:  # a neighbour that it imports
            where = f"{one_line(file.name)}, line {line} "
    return where


def last_line(error: BaseException) -> str:
    """The last line of the traceback, even of an exception that cannot say itself."""
    try:
        message = one_line(str(error))
    except Exception:
        message = "(it has no message that can be printed)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def explain(error: BaseException, path: Path) -> str:
    """Say in a sentence what a learner's code raised.

    Args:
        error: What was raised.
        path: The learner's file; only lines in its folder are named.

    Returns:
        The rule, then what came.
    """
    where = line_of(error, path)
    if isinstance(error, TimeIsUp):
        return f"It must end within {error}, got {where or 'code '}still running."
    if isinstance(error, SystemExit):
        return f"It must not end Python, got {where}with sys.exit({error.code!r})."
    if isinstance(error, EOFError):
        return f"It must not wait for input, got {where}with nobody there to type."
    if is_out_of_memory(error):
        return f"It must do with little memory, got {where or 'code '}asking for more."
    if isinstance(error, ModuleNotFoundError) and error.name:
        return (
            f"What the file imports must be installed, got {where}without "
            f"{one_line(error.name)}."
        )
    if isinstance(error, ImportError) and "relative import" in str(error):
        return (
            f"The file must be one that runs alone, got {where}with a relative import: "
            "leave out the dot; its folder is searched."
        )
    if not where:
        return f"The checker must not fail, got {last_line(error)}: please report it."
    return f"It must run to its end, got {where.rstrip()}: {last_line(error)}."


# The class is found.


def is_layer(thing: object) -> TypeGuard[type[nn.Module]]:
    """Whether it is a subclass of torch.nn.Module."""
    return isinstance(thing, type) and issubclass(thing, nn.Module)


def is_own(thing: object) -> bool:
    """Whether it is a class that the file defines, not one that it imports."""
    return isinstance(thing, type) and thing.__module__ == MODULE


def own_layers(module: ModuleType) -> list[type[nn.Module]]:
    """The layers that a file defines, each once, in the order of the file."""
    things = dict.fromkeys(t for t in vars(module).values() if isinstance(t, type))
    return [thing for thing in things if is_own(thing) and is_layer(thing)]


def in_words(layers: list[type[nn.Module]]) -> str:
    """Their names: none, `A`, `A and B`, `A, B and C`."""
    names = [layer.__name__ for layer in layers]
    if not names:
        return "none"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def named_layer(module: ModuleType, name: str) -> type[nn.Module]:
    """The class of that name.

    Raises:
        CannotJudge: If there is none, or it is no subclass of torch.nn.Module.
    """
    if name not in vars(module):
        there = in_words(own_layers(module))
        raise CannotJudge(
            f"The file must define {one_line(name) or 'the class'}, got {there}."
        )
    thing = vars(module)[name]
    if not is_layer(thing):
        kind = "another class" if isinstance(thing, type) else type(thing).__name__
        raise CannotJudge(f"{name} must be a subclass of torch.nn.Module, got {kind}.")
    return thing


def find_layer(module: ModuleType, name: str | None, form: Form | None) -> type:
    """Choose the class to judge.

    Args:
        module: The learner's file, after it ran.
        name: The class that was asked for, or None.
        form: The form that was asked for, or None; decides which of the chapter's names
            is looked for where no class was asked for.

    Raises:
        CannotJudge: If there is no such class, none at all, or several to choose from.
    """
    chapter = CHAPTER[form]
    if name is None and is_own(vars(module).get(chapter)):
        name = chapter
    if name is not None:
        return named_layer(module, name)
    layers = own_layers(module)
    if len(layers) > 1:
        raise CannotJudge(
            f"One class must be named, got {in_words(layers)}: "
            f"write FILE:{layers[-1].__name__}, say."
        )
    if not layers:
        raise CannotJudge(
            "The file must define a subclass of torch.nn.Module, got none."
        )
    return layers[0]
