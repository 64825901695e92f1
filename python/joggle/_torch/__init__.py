# SPDX-License-Identifier: Apache-2.0
"""The implementation of torch.compile(model, backend="joggle"); users call joggle.torch.

backend.py receives graphs, partition.py divides them into forward and backward, parts.py cuts a
graph into parts, pieces.py divides a large backward one again, lower.py records a part, run.py
calls the recorded parts. aten.py is the table of operators: a row for each, built from the
functions of the other files. All of them import torch.
"""
