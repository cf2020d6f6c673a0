"""Which of a layer's weights make queries, keys, values and the output.

A layer may call its weights what it likes and hold them in one matrix, three, or one
for each head. Here all readings of its shapes are listed; the output then tells which
is true.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mha.checker.forms import Sizes, is_matrix

Triple = tuple[Tensor, Tensor, Tensor]
NAMES = {
    "query": re.compile(r"(^|[._])(w_?)?q(ueries|uery|s|_proj|_linear|_lin)?($|[._#])"),
    "key": re.compile(r"(^|[._])(w_?)?k(eys|ey|s|_proj|_linear|_lin)?($|[._#])"),
    "value": re.compile(r"(^|[._])(w_?)?v(alues|alue|s|_proj|_linear|_lin)?($|[._#])"),
}


@dataclass(frozen=True)
class Roles:
    """Matrices as nn.Linear holds them: (width, d_in) three times, (width, width).

    Where heads share keys and values, those have fewer rows.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    out: Tensor | None


@dataclass
class Found:
    """Matrices of a layer that could be a projection, and what they are called."""

    single: dict[str, Tensor]
    pairs: list[Tensor]  # keys and values in one, (2, width, d_in)
    triple: list[Triple]
    out: dict[str, Tensor]


def grouped(layer: nn.Module, sizes: Sizes) -> dict[str, list[Tensor]]:
    """Matrices by name; those of a list of heads together under one name."""
    groups: dict[str, list[Tensor]] = {}
    for name, parameter in layer.named_parameters():
        if is_matrix(parameter, sizes):
            key = re.sub(r"\d+", "#", name.lower())
            groups.setdefault(key, []).append(parameter.detach())
    return groups


def as_rows(name: str, weight: Tensor, rows: int, d_in: int) -> Iterator[Tensor]:
    """All readings of a tensor as a matrix of so many rows, d_in wide."""
    if weight.numel() != rows * d_in:
        return
    if name.endswith(".weight") and weight.shape == (rows, d_in):
        yield weight  # as nn.Linear holds it
        return
    if weight.shape[-1] == d_in:
        yield weight.reshape(rows, d_in)
    if weight.dim() == 2 and weight.shape[0] == d_in:
        yield weight.T
    if weight.dim() >= 3 and weight.shape[-2] == d_in:
        yield weight.transpose(-1, -2).reshape(rows, d_in)
    if weight.dim() == 3 and weight.shape[0] == d_in:
        yield weight.reshape(d_in, rows).T
    if weight.dim() >= 3 and weight.shape[-1] == rows:  # (num_heads, head_dim, d_out)
        yield weight.reshape(d_in, rows).T
    if weight.dim() == 3 and weight.shape[1] == rows:  # (num_heads, d_out, head_dim)
        yield weight.transpose(0, 1).reshape(rows, d_in)


def triples(name: str, weight: Tensor, sizes: Sizes) -> Iterator[Triple]:
    """One matrix cut into three: in blocks, head by head, or row by row."""
    for rows in as_rows(
        name, weight, 3 * sizes.width, weight.numel() // sizes.width // 3
    ):
        blocks = rows.view(3, sizes.width, -1)
        yield blocks[0], blocks[1], blocks[2]
        heads = rows.view(sizes.num_heads, 3, sizes.head_dim, -1).transpose(0, 1)
        yield heads[0].flatten(0, 1), heads[1].flatten(0, 1), heads[2].flatten(0, 1)
        yield rows[0::3], rows[1::3], rows[2::3]


def find(layer: nn.Module, sizes: Sizes) -> Found:
    """Sort the matrices of a layer by what their shapes allow."""
    found = Found({}, [], [], {})
    width, d_in = sizes.width, sizes.d_in
    for name, parts in grouped(layer, sizes).items():
        if len(parts) == sizes.num_heads and len(parts) > 1:
            whole = torch.cat(parts) if parts[0].shape[-1] == d_in else parts[0]
            if parts[0].shape == (d_in, sizes.head_dim):
                whole = torch.cat([part.T for part in parts])
            if parts[0].shape == (width, sizes.head_dim):
                found.out[name] = torch.cat(parts, dim=1)
            if parts[0].shape == (3 * sizes.head_dim, d_in):
                found.triple += list(triples("", torch.cat(parts), sizes))
        elif len(parts) == 1:
            whole = parts[0]
        else:
            continue
        for i, reading in enumerate(as_rows(name, whole, width, d_in)):
            found.single[f"{name}{'' if i == 0 else '.T'}"] = reading
        for reading in as_rows(name, whole, 2 * width, d_in):
            found.pairs += [reading.view(2, width, d_in)]
            heads = reading.view(sizes.num_heads, 2, sizes.head_dim, d_in)
            found.pairs += [heads.transpose(0, 1).reshape(2, width, d_in)]
        if whole.numel() == 3 * width * d_in:
            found.triple += [
                t for t in triples(name, whole, sizes) if t[0].shape[1] == d_in
            ]
        if whole.numel() == width * width:
            for i, reading in enumerate(as_rows(name, whole, width, width)):
                found.out.setdefault(f"{name}{'' if i == 0 else '.T'}", reading)
    for pair in found.pairs:
        for single in found.single.values():
            found.triple.append((single, pair[0], pair[1]))
    for whole in itertools.chain.from_iterable(grouped(layer, sizes).values()):
        if whole.shape == (3 * width, width):  # behind a layer that maps d_in to d_out
            for entry in found.single.values():
                q, k, v = whole.split(width)
                found.triple.append((q @ entry, k @ entry, v @ entry))
    return found


def named(single: dict[str, Tensor], roles: Iterable[str] = NAMES) -> list[Tensor]:
    """Queries, keys and values by their names, if each has exactly one."""
    chosen: list[Tensor] = []
    for role in roles:
        hits = [weight for name, weight in single.items() if NAMES[role].search(name)]
        if len(hits) != 1:
            return []
        chosen += hits
    return chosen


def repeated(matrices: Sequence[Tensor]) -> Iterator[Triple]:
    """Three roles for fewer than three matrices."""
    for i, j, k in itertools.product(range(len(matrices)), repeat=3):
        if len({i, j, k}) < 3:
            yield matrices[i], matrices[j], matrices[k]


def shared(layer: nn.Module, sizes: Sizes) -> Iterator[Roles]:
    """All readings of a layer whose keys and values have fewer rows than queries."""
    queries: list[Tensor] = []
    narrow: dict[str, Tensor] = {}
    pairs: list[tuple[Tensor, Tensor]] = []
    outs: list[Tensor | None] = [None]
    split = sizes.width, sizes.kv_width, sizes.kv_width
    inputs: list[Triple] = []
    for name, parts in grouped(layer, sizes).items():
        whole, d_in = torch.cat(parts), sizes.d_in
        queries += as_rows(name, whole, sizes.width, d_in)
        for i, rows in enumerate(as_rows(name, whole, sizes.kv_width, d_in)):
            narrow[f"{name}{'' if i == 0 else '.T'}"] = rows
        for rows in as_rows(name, whole, 2 * sizes.kv_width, d_in):
            pairs.append((rows[: sizes.kv_width], rows[sizes.kv_width :]))
        for rows in as_rows(name, whole, sum(split), d_in):
            query, key, value = rows.split(split)
            inputs.append((query, key, value))
        outs += as_rows(name, whole, sizes.width, sizes.width)
    by_name = named(narrow, ("key", "value"))
    pairs += [(by_name[0], by_name[1])] if by_name else []
    pairs += itertools.permutations(narrow.values(), 2) if not by_name else []
    pairs += [(rows, rows) for rows in narrow.values()]
    inputs += [(query, key, value) for query in queries for key, value in pairs]
    for query, key, value in inputs:
        for out in reversed(outs):
            if out is not query:
                yield Roles(query, key, value, out)


def candidates(layer: nn.Module, sizes: Sizes) -> list[Roles]:
    """All ways to give the weights of a layer their roles, likely ones first."""
    if sizes.num_kv_heads is not None:
        return [*shared(layer, sizes)]
    found = find(layer, sizes)
    by_name = named(found.single)
    singles = list(found.single.values())
    inputs: list[Triple] = []
    if by_name:
        inputs += [(by_name[0], by_name[1], by_name[2]), *repeated(by_name)]
    else:
        for parts in found.triple:
            inputs += [(a, b, c) for a, b, c in itertools.permutations(parts)]
        for parts in found.triple:
            inputs += repeated(parts)
        inputs += [(a, b, c) for a, b, c in itertools.permutations(singles, 3)]
        if len(singles) <= 3:  # some matrix may serve twice
            inputs += repeated(singles)
    outs: list[Tensor | None] = [*found.out.values(), None]
    return [
        Roles(*parts, out)
        for parts in inputs
        for out in outs
        if all(out is not part for part in parts)
    ]
