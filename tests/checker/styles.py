"""Writes one fault into layers of many styles, as source text.

A style is a layer in steps; a fault replaces the text of a step. Steps work on scores
`s` and weights `w` whose last two axes are queries and keys, so that most faults are
one text for all styles.
"""

from string import Template

LAYER = Template("""
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False
    ):
        super().__init__()
        $check
        self.heads, self.total, self.width = num_heads, d_out, d_out // num_heads
        self.longest = context_length
        self.dropout = nn.Dropout(dropout)
        $init
        $more

    def attend(self, q, k, v, x):
        n, d_in = x.shape[1:]
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        $score
        $scale
        $hide
        $share
        $drop
        $mix
        return y

    def forward(self, x):
        b, n, d_in = x.shape
        $enter
        $project
        $attend
        $finish
        return out
""")

STEPS = {
    "check": """if d_out % num_heads:
            raise ValueError("uneven heads")""",
    "more": "pass",
    "enter": "pass",
    "score": "s = q @ k.transpose(-2, -1)",
    "scale": "s = s / self.width**0.5",
    "hide": "s = s.masked_fill(later, -torch.inf)",
    "share": "w = s.softmax(dim=-1)",
    "drop": "w = self.dropout(w)",
    "mix": "y = w @ v",
}
LINEARS = STEPS | {
    "init": """self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)""",
    "project": "q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)",
    "split": "t.view(b, n, self.heads, self.width).transpose(1, 2)",
    "merge": "y.transpose(1, 2).reshape(b, n, -1)",
    "attend": """q, k, v = ($split for t in (q, k, v))
        y = self.attend(q, k, v, x)
        y = $merge""",
    "finish": "out = self.out_proj(y)",
    "heads_axis": "1",
    "batch_axis": "0",
}
FUSED = LINEARS | {
    "init": """self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.c_proj = nn.Linear(d_out, d_out)""",
    "project": "q, k, v = self.c_attn(x).split(self.total, dim=2)",
    "split": "t.unflatten(-1, (self.heads, -1))",
    "score": 's = torch.einsum("bihd,bjhd->bhij", q, k)',
    "mix": 'y = torch.einsum("bhij,bjhd->bihd", w, v)',
    "merge": "y.flatten(2)",
    "finish": "out = self.c_proj(y)",
}
PER_HEAD = LINEARS | {
    "init": """def several():
            widths = d_in, d_out // num_heads
            return nn.ModuleList(
                nn.Linear(*widths, bias=qkv_bias) for _ in range(num_heads)
            )

        self.fragen, self.schluessel, self.werte = several(), several(), several()
        self.heraus = nn.Linear(d_out, d_out)""",
    "project": "maps = zip(self.fragen, self.schluessel, self.werte)",
    "merge": "torch.cat(outs, dim=-1)",
    "attend": """outs = [self.attend(q(x), k(x), v(x), x) for q, k, v in maps]
        y = $merge""",
    "finish": "out = self.heraus(y)",
}
HEADS_FIRST = LINEARS | {
    "init": """shape = 3, num_heads, d_in, d_out // num_heads
        self.w = nn.Parameter(torch.randn(shape) / d_in**0.5)
        self.b = 0
        if qkv_bias:
            del self.b
            self.b = nn.Parameter(torch.zeros(3, num_heads, 1, 1, shape[-1]))
        self.o = nn.Parameter(torch.randn(d_out, d_out) / d_out**0.5)""",
    "project": 'q, k, v = torch.einsum("bnc,shcd->shbnd", x, self.w) + self.b',
    "merge": "torch.cat(y.unbind(0), dim=-1)",
    "attend": """y = self.attend(q, k, v, x)
        y = $merge""",
    "finish": "out = y @ self.o",
    "heads_axis": "0",
    "batch_axis": "1",
}
KERNEL = LINEARS | {
    "score": "keep, scale = ~later, self.width**-0.5",
    "scale": "pass",
    "hide": "pass",
    "share": "p = self.dropout.p if self.training else 0.0",
    "drop": "pass",
    "mix": """y = F.scaled_dot_product_attention(
            q, k, v, attn_mask=keep, dropout_p=p, scale=scale
        )""",
}
STYLES = {
    "linears": LINEARS,
    "fused": FUSED,
    "per_head": PER_HEAD,
    "heads_first": HEADS_FIRST,
    "kernel": KERNEL,
}
SCORES = ("linears", "fused", "per_head", "heads_first")  # their scores can be seen

BY_SCORES = {
    "mask-missing": {"hide": "s.masked_fill(later, -torch.inf)"},
    "mask-inverted": {"hide": "s = s.masked_fill(later.T, -torch.inf)"},
    "mask-keeps-hidden": {"hide": "s = s.masked_fill(~later, -1e4)"},
    "mask-true-means-keep": {
        "hide": "s = s.masked_fill(~later, -torch.inf)",
        "share": "w = s.softmax(dim=-1).nan_to_num(0.0)",
    },
    "mask-hides-itself": {"hide": "s = s.masked_fill(~later.T, -1e4)"},
    "mask-one-too-late": {"hide": "s = s.masked_fill(later.triu(2), -torch.inf)"},
    "mask-fills-zero": {"hide": "s = s * ~later"},
    "mask-fills-too-little": {"hide": "s = s - 20 * later"},
    "mask-adds-ones": {"hide": "s = s + (~later).to(s.dtype)"},
    "mask-after-softmax": {"hide": "pass", "share": "w = s.softmax(dim=-1).tril()"},
    "mask-times-infinity": {"hide": "s = s + later.to(s.dtype) * -torch.inf"},
    "mask-fills-plus-infinity": {"hide": "s = s.masked_fill(later, torch.inf)"},
    "mask-only-in-training": {
        "hide": "s = s.masked_fill(later & self.training, -torch.inf)"
    },
    "mask-only-in-eval": {
        "hide": "s = s.masked_fill(later & (not self.training), -torch.inf)"
    },
    "mask-only-for-some-lengths": {
        "hide": "s = s.masked_fill(later & (n < self.longest), -torch.inf)"
    },
    "mask-not-cut": {
        "more": "self.later = nn.Buffer(torch.ones(2 * [context_length]).triu(1) > 0)",
        "hide": "s = s.masked_fill(self.later, -torch.inf)",
    },
    "mask-of-another-size": {
        "more": "self.later = nn.Buffer(torch.ones(d_in, d_in).triu(1).bool())",
        "hide": "s = s.masked_fill(self.later[:n, :n], -torch.inf)",
    },
    "mask-not-a-buffer": {
        "more": "self.later = torch.ones(2 * [context_length]).triu(1).bool()",
        "hide": "s = s.masked_fill(self.later[:n, :n], -torch.inf)",
    },
    "mask-changes-dtype": {
        "hide": "s = s + torch.full((n, n), -torch.inf, device=x.device).triu(1)"
    },
    "mask-overflows-half": {"hide": "s = s.masked_fill(later, -1e9)"},
    "mask-for-every-head": {
        "more": """size = num_heads, context_length, context_length
        self.later = nn.Buffer(torch.ones(size).triu(1).bool())""",
        "hide": "s = s.masked_fill(self.later[0, :n, :n], -torch.inf)",
    },
    "softmax-over-queries": {"share": "w = s.softmax(dim=-2)"},
    "softmax-over-heads": {"share": "w = s.softmax(dim=$heads_axis)"},
    "softmax-over-batch": {
        "hide": "s = s.masked_fill(later, -1e4)",
        "share": "w = s.softmax(dim=$batch_axis)",
    },
    "softmax-over-everything": {
        "share": "w = s.flatten(-2).softmax(dim=-1).view_as(s)"
    },
    "softmax-twice": {"share": "w = s.softmax(dim=-1).softmax(dim=-1)"},
    "softmax-twice-masked": {
        "share": "w = s.softmax(-1).masked_fill(later, -torch.inf).softmax(-1)"
    },
    "softmax-missing": {"hide": "s = s.masked_fill(later, 0)", "share": "w = s"},
    "scale-missing": {"scale": "pass"},
    "scale-by-d-out": {"scale": "s = s / self.total**0.5"},
    "scale-by-d-in": {"scale": "s = s * d_in**-0.5"},
    "scale-without-root": {"scale": "s = s / self.width"},
    "scale-multiplies": {"scale": "s = s * self.width**0.5"},
    "scale-by-num-tokens": {"scale": "s = s / n**0.5"},
    "scale-by-num-heads": {"scale": "s = s / self.heads**0.5"},
    "scale-fixed": {"scale": "s = s * 0.3"},
    "scale-after-softmax": {
        "scale": "pass",
        "share": "w = s.softmax(-1) / self.width**0.5",
    },
    "weights-transposed": {"drop": "w = self.dropout(w).transpose(-1, -2)"},
    "dropout-in-eval": {"drop": "w = F.dropout(w, self.dropout.p)"},
    "dropout-never": {"drop": "pass"},
    "dropout-fixed": {"drop": "w = F.dropout(w, 0.2, self.training)"},
    "dropout-on-scores": {
        "scale": "s = self.dropout(s) / self.width**0.5",
        "drop": "pass",
    },
    "dropout-stuck-off": {
        "drop": """self.dropout.p *= self.training
        w = self.dropout(w)"""
    },
    "weights-do-not-learn": {"share": "w = s.detach().softmax(dim=-1)"},
    "in-place-breaks-backward": {
        "share": """w = s.softmax(dim=-1)
        w *= 1"""
    },
    "rows-do-not-add-up": {"share": "w = s.sigmoid()"},
    "misses-the-past": {
        "hide": "s = s.masked_fill(later | later.triu(2).T, -torch.inf)"
    },
    "not-softmax-of-products": {"scale": "s = (s / self.width**0.5).tanh()"},
    "graph-break": {
        "share": """w = s.softmax(dim=-1)
        if x.device.type != "meta" and w.sum().item() < 0:
            raise ValueError"""
    },
}
BY_KERNEL = {
    "mask-missing": {"hide": "keep = None"},
    "mask-true-means-keep": {"hide": "keep = later"},
    "mask-inverted": {"hide": "keep = ~later.T"},
    "mask-one-too-late": {"hide": "keep = ~later.triu(2)"},
    "mask-adds-ones": {"hide": "keep = keep.to(q.dtype)"},
    "mask-fills-too-little": {"hide": "keep = later.to(q.dtype) * -9"},
    "scale-missing": {"scale": "scale = 1.0"},
    "scale-by-d-out": {"scale": "scale = self.total**-0.5"},
    "scale-without-root": {"scale": "scale = 1 / self.width"},
    "scale-multiplies": {"scale": "scale = self.width**0.5"},
    "dropout-in-eval": {"share": "p = self.dropout.p"},
    "dropout-never": {"share": "p = 0.0"},
    "dropout-fixed": {"share": "p = 0.2 if self.training else 0.0"},
}
EVERYWHERE = {
    "residual-inside": {
        "finish": """$old
        out = out + x if out.shape == x.shape else out"""
    },
    "returns-tokens-first": {
        "finish": """$old
        out = out.transpose(0, 1)"""
    },
    "returns-no-tensor": {"finish": "out = y, None"},
    "returns-another-shape": {
        "finish": """$old
        out = out.repeat(1, 1, self.heads)"""
    },
    "widths-mixed-up": {
        "finish": """$old
        out = out.view(x.shape)"""
    },
    "batch-mixed": {
        "enter": "x, b, n = x.transpose(0, 1), n, b",
        "finish": """$old
        out = out.transpose(0, 1)""",
    },
    "batch-fixed": {"merge": "($old).reshape(2, n, -1)"},
    "batch-squeezed": {"merge": "($old).squeeze(0)"},
    "input-changed": {"enter": "x.detach().mul_(1.5)"},
    "reads-the-future": {"enter": "x = x - x.mean(dim=1, keepdim=True)"},
    "not-linear-in-values": {"merge": "($old).tanh()"},
    "heads-averaged": {
        "merge": "sum(($old).chunk(self.heads, -1)).repeat(1, 1, self.heads)"
    },
    "out-proj-missing": {"finish": "out = y"},
    "needs-contiguous-input": {"enter": "x = x.view(b * n, d_in).view(b, n, d_in)"},
    "remembers-calls": {
        "enter": """x = x + getattr(self, "last", 0)
        self.last = x.detach().mean()"""
    },
    "too-long-accepted": {"enter": "x, n = x[:, : self.longest], min(n, self.longest)"},
    "device-fixed": {"enter": 'x = x.to("cuda")'},
    "layers-made-in-forward": {
        "finish": "out = nn.Linear(self.total, self.total).to(x)(y)"
    },
    "too-many-weights": {
        "more": "self.extra = nn.Linear(d_out, d_out, bias=False)",
        "finish": """$old
        out = self.extra(out)""",
    },
}
SPLIT = "t.reshape(b, self.heads, n, self.width)"
SWAPPED = "y.reshape(self.heads, b, n, -1).permute(1, 2, 0, 3).flatten(2)"
NARROW = """self.W_query = nn.Linear(d_in, d_out // num_heads, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out // num_heads, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out // num_heads, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)"""
ONE_HEAD = {"split": "t.unsqueeze(1)", "scale": "s = s / self.total**0.5"}
FOLDED = "t.view(b, n, self.heads, self.width)"
RELU = """$old
        q, k, v = q.relu(), k.relu(), v.relu()"""
TYPED = "bias=qkv_bias"
IN_STYLES = {
    "split-without-transpose": {
        "linears": {"split": SPLIT},
        "fused": {"split": f"{SPLIT}.transpose(1, 2)"},
        "kernel": {"split": SPLIT},
    },
    "split-and-merge-by-view": {
        "linears": {"split": SPLIT, "merge": "y.reshape(b, n, -1)"},
        "fused": {
            "split": f"{SPLIT}.transpose(1, 2)",
            "merge": "y.transpose(1, 2).reshape(b, n, -1)",
        },
        "kernel": {"split": SPLIT, "merge": "y.reshape(b, n, -1)"},
    },
    "heads-attend-to-heads": {
        "linears": {"split": FOLDED, "hide": "pass", "merge": "y.flatten(2)"},
        "fused": {
            "score": 's = torch.einsum("bihd,bigd->bihg", q, k)',
            "hide": "pass",
            "mix": 'y = torch.einsum("bihg,bigd->bihd", w, v)',
        },
        "kernel": {"split": FOLDED, "hide": "keep = None", "merge": "y.flatten(2)"},
    },
    "heads-ignored": {
        "linears": ONE_HEAD,
        "fused": ONE_HEAD | {"split": "t.unsqueeze(2)"},
        "kernel": ONE_HEAD | {"scale": "scale = self.total**-0.5"},
    },
    "merge-without-transpose": {
        "linears": {"merge": "y.reshape(b, n, -1)"},
        "fused": {"merge": "y.transpose(1, 2).reshape(b, n, -1)"},
        "heads_first": {"merge": "y.transpose(0, 1).reshape(b, n, -1)"},
        "kernel": {"merge": "y.reshape(b, n, -1)"},
    },
    "merge-swaps-batch-and-heads": {
        "linears": {"merge": SWAPPED},
        "fused": {"merge": SWAPPED.replace("y", "y.transpose(1, 2)", 1)},
        "heads_first": {
            "merge": "torch.cat(y.reshape(b, self.heads, n, -1).unbind(1), dim=-1)"
        },
        "kernel": {"merge": SWAPPED},
    },
    "own-value-only": {
        "linears": {"mix": "y = w.sum(-1, keepdim=True) * v"},
        "fused": {"mix": 'y = torch.einsum("bhij,bihd->bihd", w, v)'},
        "per_head": {"mix": "y = w.sum(-1, keepdim=True) * v"},
        "heads_first": {"mix": "y = w.sum(-1, keepdim=True) * v"},
    },
    "queries-and-keys-swapped": {
        "linears": {"score": "s = k @ q.transpose(-2, -1)"},
        "kernel": {"hide": "q, k = k, q"},
    },
    "values-from-keys": {
        "linears": {
            "project": "q, k, v = self.W_query(x), self.W_key(x), self.W_key(x)"
        },
        "fused": {"attend": "v = k\n        $old"},
        "per_head": {
            "project": "maps = zip(self.fragen, self.schluessel, self.schluessel)"
        },
    },
    "values-not-projected": {
        "linears": {"project": "q, k, v = self.W_query(x), self.W_key(x), x"},
        "kernel": {"project": "q, k, v = self.W_query(x), self.W_key(x), x"},
    },
    "one-projection-for-all-three": {
        "linears": {"project": "q = k = v = self.W_key(x)"},
        "kernel": {"project": "q = k = v = self.W_query(x)"},
        "fused": {"attend": "q = v = k\n        $old"},
    },
    "one-projection-for-queries-and-keys": {
        "linears": {
            "project": "q, k, v = self.W_key(x), self.W_key(x), self.W_value(x)"
        },
        "fused": {"attend": "q = k\n        $old"},
        "per_head": {"project": "maps = zip(self.fragen, self.fragen, self.werte)"},
    },
    "activation-inside": {
        "linears": {"project": RELU},
        "fused": {"project": RELU},
        "kernel": {"project": RELU},
    },
    "too-few-weights": {
        "linears": {
            "init": NARROW,
            "split": "t.unsqueeze(1).expand(-1, self.heads, -1, -1)",
        },
        "kernel": {
            "init": NARROW,
            "split": "t.unsqueeze(1).expand(-1, self.heads, -1, -1)",
        },
    },
    "weights-not-registered": {
        "per_head": {"init": ("nn.ModuleList", "list")},
        "linears": {
            "more": "self.hidden = [self.W_query]\n        del self.W_query",
            "project": "q, k, v = self.hidden[0](x), self.W_key(x), self.W_value(x)",
        },
    },
    "bias-always": {style: {"init": (TYPED, "bias=True")} for style in SCORES[:3]},
    "bias-never": {style: {"init": (TYPED, "bias=False")} for style in SCORES[:3]},
    "uneven-heads-accepted": {
        style: {"check": "d_out = d_out - d_out % num_heads"}
        for style in ("linears", "kernel")
    },
    "forward-raises": {
        style: {"score": "s = q @ k"} for style in ("linears", "per_head")
    },
    "not-finite": {
        style: {"share": "w = s.log_softmax(dim=-1)"}
        for style in ("linears", "per_head")
    },
}
EXCEPTIONS = {
    "softmax-over-heads": "where heads are a list there is no axis of heads",
    "groups-repeated-in-turn": "no style has groups; three layers of the corpus do",
}


def faults() -> dict[tuple[str, str], dict]:
    """All changes of steps, by the code and the style."""
    found = {(code, s): f for code, f in BY_SCORES.items() for s in SCORES}
    found |= {(code, "kernel"): f for code, f in BY_KERNEL.items()}
    found |= {(code, s): f for code, f in EVERYWHERE.items() for s in STYLES}
    for code, changes in IN_STYLES.items():
        found |= {(code, style): change for style, change in changes.items()}
    del found["softmax-over-heads", "per_head"]
    return found


FAULTS = faults()


def write(style: str, fault: dict | None = None) -> str:
    """The source of a layer in a style, with a fault or without."""
    steps = dict(STYLES[style])
    for step, new in (fault or {}).items():
        old = steps[step]
        if isinstance(new, tuple):
            steps[step] = old.replace(*new)
        else:
            steps[step] = new.replace("$old", old)
    for step in list(steps):
        steps[step] = Template(steps[step]).safe_substitute(steps)
    return LAYER.substitute(steps)


def layer(style: str, fault: dict | None = None) -> type:
    """The class of a layer in a style."""
    names: dict = {}
    exec(compile(write(style, fault), f"<{style}>", "exec"), names)
    return names["MultiHeadAttention"]
