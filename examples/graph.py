# SPDX-License-Identifier: Apache-2.0
"""What is computed together: the graph of a softmax as Graphviz text, a frame for each pass."""

import re
from pathlib import Path

import joggle as jg

x = jg.reshape(jg.arange(12, dtype=jg.float32), (3, 4))
jg.eval(x)

shifted = x - jg.max(x, axis=1, keepdims=True)
exps = jg.exp(shifted)
softmax = exps / jg.sum(exps, axis=1, keepdims=True)

text = jg.export_dot(softmax)
Path("softmax.dot").write_text(text)
print("wrote softmax.dot; draw it with: dot -Tsvg softmax.dot -o softmax.svg")

# Each frame of the drawing is a group: one pass over memory.
for frame in re.findall(r"subgraph.*?\{(.*?)\n  \}", text, re.DOTALL):
    ops = re.findall(r'label="(\w+)\\n', frame)
    (group,) = re.findall(r'label="(group \d+)"', frame)
    print(group, "computes", ", ".join(ops))
print("the rows add up to", jg.sum(softmax, axis=1).tolist())
