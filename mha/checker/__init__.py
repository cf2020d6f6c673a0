"""Find the mistake in a learner's own attention layer, and name it.

`check` is the function, `mha check` the command. A layer is called and its weights are
read; its source is not.
"""

from mha.checker.judge import judge as check
from mha.checker.records import Finding, Report

__all__ = ["Finding", "Report", "check"]
