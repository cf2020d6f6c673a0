"""The text and the layers that several pictures share."""

import torch

WORDS = ["Your", "journey", "starts", "with", "one", "step"]


def seeded(layer, *sizes):
    """Make a layer with the weights that seed 123 gives, leaving torch's own seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        return layer(*sizes).eval()


def rounded(tensor):
    """Lists of numbers to four digits: the same on every machine, but for the last."""
    if isinstance(tensor, list):
        return [rounded(part) for part in tensor]
    if isinstance(tensor, torch.Tensor):
        return rounded(tensor.detach().tolist())
    return round(tensor, 4) + 0  # + 0 makes -0.0 a plain zero
