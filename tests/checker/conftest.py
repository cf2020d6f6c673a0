"""Makes the layers of the corpus importable and keeps torch on one thread."""

import sys
from pathlib import Path

import torch

# The tensors are small: several threads would only wait for each other.
torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).parent))
