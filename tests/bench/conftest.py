"""What the tests of the benchmark share."""

import torch

# The tensors are small: several threads would only wait for each other.
torch.set_num_threads(1)
