# SPDX-License-Identifier: Apache-2.0
"""What torch.compile(model, backend="joggle") is made of; joggle.torch is what users call.

backend.py is where graphs come in, partition.py divides forward from backward, parts.py cuts a
graph, pieces.py a large backward one again, lower.py records a part, run.py calls what was
recorded. aten.py is the table of operators: a row for each, spelled in the functions of the other
files. All of them import torch.
"""
