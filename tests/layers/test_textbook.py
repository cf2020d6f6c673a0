"""Weights of the textbook's classes load here, and ours load there, strictly."""

import pytest
import torch
from cases import make, texts
from torch import nn
from torch.testing import assert_close

from mha import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SDPAMultiHeadAttention,
)


class Head(nn.Module):
    """One head with the textbook's names and buffer."""

    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(4, 7, bias=False)
        self.W_key = nn.Linear(4, 7, bias=False)
        self.W_value = nn.Linear(4, 7, bias=False)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("mask", torch.triu(torch.ones(11, 11), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        scores = self.W_query(x) @ self.W_key(x).transpose(1, 2)
        scores = scores + torch.zeros_like(scores).masked_fill(
            self.mask[:n, :n] == 1, float("-inf")
        )
        return self.dropout((scores / 7**0.5).softmax(2)) @ self.W_value(x)


class Heads(nn.Module):
    """Several heads with the textbook's name for their list."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(), Head(), Head()])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=2)


class Fused(nn.Module):
    """All heads in one layer with the textbook's names and buffer."""

    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(4, 21, bias=False)
        self.W_key = nn.Linear(4, 21, bias=False)
        self.W_value = nn.Linear(4, 21, bias=False)
        self.out_proj = nn.Linear(21, 21)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("mask", torch.triu(torch.ones(11, 11), diagonal=1))

    def heads_of(self, linear, x):
        return linear(x).unflatten(2, (3, 7)).movedim(2, 1)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (
            self.heads_of(W, x) for W in (self.W_query, self.W_key, self.W_value)
        )
        scores = torch.where(self.mask[:n, :n] == 0, q @ k.mT, float("-inf"))
        context_vec = self.dropout((scores / 7**0.5).softmax(3)) @ v
        return self.out_proj(context_vec.movedim(1, 2).flatten(2))


PAIRS = [
    (Head, CausalAttention),
    (Heads, MultiHeadAttentionWrapper),
    (Fused, MultiHeadAttention),
]
TEXTBOOK_TO_OURS = [*PAIRS, (Fused, SDPAMultiHeadAttention)]


@pytest.mark.parametrize(("textbook_class", "our_class"), TEXTBOOK_TO_OURS)
def test_textbook_weights_load_here(textbook_class, our_class, device):
    textbook = textbook_class().double().to(device)
    ours, x = make(our_class, device), texts(device)

    ours.load_state_dict(textbook.state_dict(), strict=True)

    assert_close(ours(x), textbook(x))


@pytest.mark.parametrize(("textbook_class", "our_class"), PAIRS)
def test_our_weights_load_there(textbook_class, our_class, device):
    textbook = textbook_class().double().to(device)
    ours, x = make(our_class, device), texts(device)

    textbook.load_state_dict(ours.state_dict(), strict=True)

    assert_close(textbook(x), ours(x))


@pytest.mark.parametrize(("textbook_class", "our_class"), PAIRS)
def test_names_and_buffers_are_in_the_same_order(textbook_class, our_class):
    assert list(make(our_class).state_dict()) == list(textbook_class().state_dict())


@pytest.mark.parametrize(("textbook_class", "our_class"), TEXTBOOK_TO_OURS)
def test_textbook_weights_load_inside_a_larger_model(textbook_class, our_class):
    textbook = nn.Sequential(nn.Identity(), nn.Sequential(textbook_class())).double()
    ours = nn.Sequential(nn.Identity(), nn.Sequential(make(our_class)))
    x = texts()

    ours.load_state_dict(textbook.state_dict(), strict=True)

    assert_close(ours(x), textbook(x))


def test_only_the_mask_of_the_layer_itself_is_forgotten():
    ours = nn.ModuleDict(
        {"sdpa": make(SDPAMultiHeadAttention), "fused": make(MultiHeadAttention)}
    )
    textbook = nn.ModuleDict({"sdpa": Fused(), "fused": Fused()}).double()
    textbook["fused"].mask.zero_()

    ours.load_state_dict(textbook.state_dict(), strict=True)

    assert ours["fused"].mask.count_nonzero() == 0


@pytest.mark.parametrize("our_class", [CausalAttention, MultiHeadAttention])
def test_the_mask_that_is_loaded_is_the_one_that_hides(our_class):
    layer, x = make(our_class), texts()
    before = layer(x)
    weights = layer.state_dict()
    weights["mask"] = torch.zeros_like(weights["mask"])

    layer.load_state_dict(weights, strict=True)

    assert not torch.equal(layer(x)[:, 0], before[:, 0])
