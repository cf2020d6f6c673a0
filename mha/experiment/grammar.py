"""Sentences about people, doings, things and places, and what is asked of each.

"Anna sold Ben the oar at the bank." Who, did what, what, to whom, where, and which
bank? Any person may give or be given to; who does is said by the order of the words.
A bank is the river's if the thing belongs on a river, and the robbed one if not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

PEOPLE = (
    *("Anna", "Ben", "Carla", "David", "Emma", "Felix", "Greta", "Hugo"),
    *("Ida", "Jonas", "Klara", "Leo", "Mia", "Noah", "Olga", "Paul"),
)
DOINGS = (  # the same word in "Anna sold" and in "was sold"
    *("sold", "sent", "lent", "brought", "handed", "offered", "promised", "passed"),
    *("tossed", "mailed", "loaned", "left", "slipped", "posted", "flung", "granted"),
)
THINGS = (  # in turn one for a river, one for a robbery
    *("oar", "mask", "net", "loot", "raft", "drill", "rod", "gold"),
    *("paddle", "safe", "canoe", "alarm", "bait", "key", "reed", "cash"),
)
PLACES = (  # the first is the word with two meanings
    *("bank", "market", "harbour", "school", "station", "castle", "bridge", "mill"),
    *("church", "farm", "garden", "inn", "library", "theatre", "museum", "bakery"),
)
KINDS = (PEOPLE, DOINGS, THINGS, PEOPLE, PLACES)  # of each role's words
ROLES = ("who", "did what", "what", "to whom", "where")
QUESTIONS = (*ROLES, "which bank")
BANKS = ("the river's", "the robbed one", "no bank")
FIXED = ("the", "at", "to", "was", "by", ".")
ORDERS = tuple(
    tuple(order.split())
    for order in (
        "WHO DID WHOM the WHAT at the WHERE .",
        "at the WHERE WHO DID WHOM the WHAT .",
        "WHO DID the WHAT to WHOM at the WHERE .",
        "at the WHERE WHO DID the WHAT to WHOM .",
        "WHOM was DID the WHAT by WHO at the WHERE .",
        "at the WHERE WHOM was DID the WHAT by WHO .",
        "the WHAT was DID to WHOM by WHO at the WHERE .",
        "at the WHERE the WHAT was DID to WHOM by WHO .",
    )
)
SLOTS = ("WHO", "DID", "WHAT", "WHOM", "WHERE")  # the roles, as orders write them
OTHER = len(ROLES)  # the role of a word that has none
LONGEST = max(len(order) for order in ORDERS)


@dataclass(frozen=True)
class Sentences:
    """Sentences as numbers, filled up with full stops behind their ends."""

    tokens: Tensor  # (b, LONGEST), numbers of words
    ends: Tensor  # (b,), where the first full stop stands
    roles: Tensor  # (b, LONGEST), the role of each word, or OTHER
    answers: Tensor  # (b, questions)


def vocabulary(words: int) -> list[str]:
    """Every token, where there are so many words of each kind."""
    kinds = (PEOPLE, DOINGS, THINGS, PLACES)
    return [*FIXED, *(word for kind in kinds for word in kind[:words])]


def answers(words: int) -> dict[str, list[str]]:
    """The answers from which each question chooses."""
    of_roles = {role: list(kind[:words]) for role, kind in zip(ROLES, KINDS)}
    return {**of_roles, QUESTIONS[-1]: list(BANKS)}


def first_tokens(words: int) -> list[int]:
    """The number of the first word of each role's kind."""
    known = vocabulary(words)
    return [known.index(kind[0]) for kind in KINDS]


def meanings(words: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """All that can be said, for training and, the last quarter, for the test.

    A meaning is five words by their numbers, (count, roles). It is held out in every
    order of words, so that no sentence of the test says what training has said.
    """
    numbers = [torch.arange(words)] * len(ROLES)
    every = torch.cartesian_prod(*numbers)
    every = every[every[:, ROLES.index("who")] != every[:, ROLES.index("to whom")]]
    every = every[torch.randperm(len(every), generator=generator)]
    held_out = len(every) // 4
    return every[held_out:], every[:held_out]


def draw(known: Tensor, words: int, count: int, generator: Generator) -> Sentences:
    """Say some of the known meanings, in any order of words, half at the bank."""
    at_bank = known[:, ROLES.index("where")] == 0
    weights = torch.where(at_bank, words - 1, 1).double()
    meant = known[torch.multinomial(weights, count, True, generator=generator)]
    order = torch.randint(len(ORDERS), (count,), generator=generator)
    return say(meant, order, words)


def say(meant: Tensor, order: Tensor, words: int) -> Sentences:
    """Write meanings in the given orders of words."""
    known, first = vocabulary(words), first_tokens(words)
    tokens = torch.full((len(meant), LONGEST), known.index("."))
    roles = torch.full((len(meant), LONGEST), OTHER)
    for number, slots in enumerate(ORDERS):
        rows = (order == number).nonzero()[:, 0]
        for place, slot in enumerate(slots):
            if slot in SLOTS:
                role = SLOTS.index(slot)
                tokens[rows, place] = meant[rows, role] + first[role]
                roles[rows, place] = role
            else:
                tokens[rows, place] = known.index(slot)
    ends = torch.tensor([len(slots) - 1 for slots in ORDERS])[order]
    at_bank = meant[:, ROLES.index("where")] == 0
    which = torch.where(
        at_bank, meant[:, ROLES.index("what")] % 2, BANKS.index("no bank")
    )
    return Sentences(tokens, ends, roles, torch.cat([meant, which[:, None]], dim=1))


def written(tokens: Sequence[int], words: int) -> str:
    """A sentence as people write it."""
    known = vocabulary(words)
    said = [known[token] for token in tokens]
    text = " ".join(said[: said.index(".")]) + "."
    return text[0].upper() + text[1:]


def read(texts: Sequence[str], words: int) -> tuple[Tensor, Tensor]:
    """Sentences as `written` writes them, as tokens and ends.

    Raises:
        ValueError: If one has a word that is not known, or too many.
    """
    known = vocabulary(words)
    tokens = torch.full((len(texts), LONGEST), known.index("."))
    ends: list[int] = []
    for row, text in enumerate(texts):
        said = [*text.removesuffix(".").split(), "."]
        said[0] = said[0] if said[0] in known else said[0].lower()
        if len(said) > LONGEST or not set(said) <= set(known):
            raise ValueError(
                f"a sentence must have at most {LONGEST - 1} words, each of them "
                f"known, got {text!r}"
            )
        tokens[row, : len(said)] = torch.tensor([known.index(word) for word in said])
        ends.append(len(said) - 1)
    return tokens, torch.tensor(ends)
