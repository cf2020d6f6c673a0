"""All pictures: what they are called, where they lie, how they are drawn."""

import json
from pathlib import Path

import cost_memory
import cost_time
import cost_where
import direction
import experiment_difficulty
import experiment_heads
import experiment_looks
import experiment_lost
import experiment_seeds
import glue_is_a_sum
import gluing
import grouped_cache
import grouped_heads
import grouped_offset
import grouped_repeat
import home
import influence
import mask
import one_budget
import pitfalls
import pitfalls_count
import scaling
import split_steps
import splitting
import spread
import spread_cost
import stacked_fused
import strides
import word

HERE = Path(__file__).parent
PICTURES = (
    {
        module.__name__: module
        for module in (
            home,
            one_budget,
            word,
            splitting,
            gluing,
            strides,
            mask,
            influence,
            stacked_fused,
            scaling,
            glue_is_a_sum,
            cost_time,
            cost_memory,
            cost_where,
            spread,
            spread_cost,
            direction,
            pitfalls_count,
            experiment_heads,
            experiment_lost,
            experiment_difficulty,
            experiment_seeds,
            grouped_heads,
            grouped_cache,
            grouped_repeat,
            grouped_offset,
        )
    }
    | pitfalls.SHEETS
    | experiment_looks.SHEETS
)
DATA = {"split_steps": split_steps}  # without a picture: figures to touch draw it


def as_json(values):
    """Write data as JSON with one line for each name."""
    lines = [f'"{name}": {json.dumps(value)}' for name, value in values.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(name, values):
    """Write the data of a figure."""
    (HERE / f"{name}.json").write_text(as_json(values), "utf-8", newline="\n")


def draw(name):
    """Compute the values of one picture; write them and the picture."""
    values = PICTURES[name].values()
    svg = PICTURES[name].picture(values)
    write(name, values)
    (HERE / f"{name}.svg").write_text(svg, "utf-8", newline="\n")
