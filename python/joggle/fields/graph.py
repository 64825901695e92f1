# SPDX-License-Identifier: Apache-2.0
"""qd.graph: the structures of kernels that GPUs capture as graphs, with the same meaning here.

The sections of a parallel context run one after the other, each with its parallel loops. Loops
inside of do_while run in order.
"""

from joggle._kernel.sections import do_while, parallel, parallel_context

__all__ = ["do_while", "parallel", "parallel_context"]
