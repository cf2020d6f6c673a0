"""Results and models as JSON files, read with care."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch

from mha import measured
from mha.experiment.grammar import (
    LONGEST,
    QUESTIONS,
    ROLES,
    Sentences,
    answers,
    vocabulary,
    written,
)
from mha.experiment.model import Reader, weights, with_weights
from mha.experiment.runs import CENTRE, SEEDS, Run, parts
from mha.experiment.summary import setting_of

RESULTS = "mha experiment: results"
MODEL = "mha experiment: model"
SHOWN = 16  # sentences in a model's file


@dataclass(frozen=True)
class Results:
    """What has been measured, and where it comes from."""

    provenance: dict[str, Any]
    runs: list[Run]
    sentences: list[list[str]]  # the test of the middle setting, each with its answers


def save_results(path: Path, results: Results) -> None:
    """Write what has been measured so far."""
    head = {"kind": RESULTS, "roles": [*ROLES, "other"], "questions": list(QUESTIONS)}
    runs = [asdict(run) for run in results.runs]
    measured.write(path, head | {**vars(results), "runs": runs})


def save_model(path: Path, model: Reader, run: Run, provenance: dict[str, Any]) -> None:
    """Write a trained model, and all that is needed to ask it without this package."""
    test = parts(run.words)[1]
    data = {
        "kind": MODEL,
        "provenance": provenance,
        "context_length": LONGEST,
        "head_dim": run.width // run.num_heads,
        "run": asdict(run),
        "vocabulary": vocabulary(run.words),
        "answers": answers(run.words),
        "examples": told(test, run.words)[:SHOWN],
        "weights": weights(model),
    }
    measured.write(path, data)


def keep(folder: Path, results: Results, model: Reader) -> None:
    """Write all runs so far; and the newest model, if it is one for the pages.

    For the pages is the first seed of each head count in the middle setting.
    """
    save_results(folder / "experiment.json", results)
    newest = results.runs[-1]
    if setting_of(newest) == CENTRE and newest.seed == SEEDS[0]:
        name = f"experiment_heads_{newest.num_heads}.json"
        save_model(folder / name, model, newest, results.provenance)


def examination() -> list[list[str]]:
    """The sentences of the middle setting's test, each with its answers."""
    return told(parts(CENTRE.words)[1], CENTRE.words)


def told(sentences: Sentences, words: int) -> list[list[str]]:
    """Each sentence as people write it, and its answers in words."""
    choices = list(answers(words).values())
    return [
        [
            written(tokens, words),
            *(choice[number] for choice, number in zip(choices, right)),
        ]
        for tokens, right in zip(sentences.tokens.tolist(), sentences.answers.tolist())
    ]


def read_results(path: Path) -> Results:
    """Read what `save_results` wrote.

    Raises:
        ValueError: If the file holds something else, or belongs to other questions.
    """
    data = measured.read(path, RESULTS)
    if data.get("questions") != list(QUESTIONS):
        raise ValueError(
            f"{path.name} must answer the questions {list(QUESTIONS)}, "
            f"got {data.get('questions')}"
        )
    try:
        runs = [run_of(entry) for entry in data["runs"]]
        return Results(dict(data["provenance"]), runs, list(data["sentences"]))
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path.name} must hold results, got: {error!r}") from None


def run_of(entry: dict[str, Any]) -> Run:
    """A run from a file.

    Raises:
        KeyError: If something is missing.
        TypeError, RuntimeError: If something is no number or no list.
        ValueError: If a table has another size.
    """
    run = Run(*(entry[field.name] for field in fields(Run)))
    shapes = {
        "all_right": (),
        "accuracy": (len(QUESTIONS),),
        "lost": (run.num_heads, len(QUESTIONS)),
        "looks": (run.num_heads, len(ROLES) + 1),
    }
    for name, shape in shapes.items():
        got = tuple(torch.tensor(getattr(run, name)).shape)
        if got != shape:
            raise ValueError(f"{name} must be {shape}, got {got}")
    return run


def read_model(path: Path) -> tuple[Reader, Run]:
    """Read what `save_model` wrote: the model, and what was measured of it.

    Raises:
        ValueError: If the file holds something else, or belongs to other words.
    """
    data = measured.read(path, MODEL)
    try:
        run = run_of(data["run"])
        if data["vocabulary"] != vocabulary(run.words):
            raise ValueError("the words are not those of the grammar")
        model = Reader(run.words, run.width, run.num_heads)
        return with_weights(model, data["weights"]), run
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path.name} must hold a model, got: {error!r}") from None
