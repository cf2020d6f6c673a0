"""Names in French."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} n'est pas un multiple de {num_heads}")
        self.tetes, self.largeur = num_heads, d_out // num_heads
        self.requete = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.cle = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.valeur = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.sortie = nn.Linear(d_out, d_out)
        self.oubli = nn.Dropout(dropout)
        self.register_buffer(
            "futur", torch.ones(context_length, context_length).triu(1).bool()
        )

    def forward(self, x):
        lot, jetons, _ = x.shape
        forme = lot, jetons, self.tetes, self.largeur
        r = self.requete(x).view(forme).transpose(1, 2)
        c = self.cle(x).view(forme).transpose(1, 2)
        v = self.valeur(x).view(forme).transpose(1, 2)
        scores = r @ c.transpose(-1, -2) / self.largeur**0.5
        scores = scores.masked_fill(self.futur[:jetons, :jetons], float("-inf"))
        poids = self.oubli(scores.softmax(dim=-1))
        return self.sortie((poids @ v).transpose(1, 2).reshape(lot, jetons, -1))
