"""The kernel gets copies made by repeat: head 2 reads those of group 2."""

from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class GroupedQueryAttention(nn.Module):
    def __init__(
        self,
        d_in,
        d_out,
        context_length,
        dropout,
        num_heads,
        num_kv_heads,
        qkv_bias=False,
    ):
        super().__init__()
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("heads must divide d_out, and groups the heads")
        self.head_dim = d_out // num_heads
        self.q_proj = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k_proj = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.v_proj = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.o_proj = nn.Linear(d_out, d_out)
        self.p = dropout

    def forward(self, x):
        q, k, v = (
            proj(x).unflatten(2, (-1, self.head_dim)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        copies = q.shape[1] // k.shape[1]
        k, v = k.repeat(1, copies, 1, 1), v.repeat(1, copies, 1, 1)
        p = self.p if self.training else 0.0
        y = scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.o_proj(y.transpose(1, 2).flatten(2))
