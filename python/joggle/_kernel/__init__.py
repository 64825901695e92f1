# SPDX-License-Identifier: Apache-2.0
"""The compiler behind joggle.fields: functions of Python become the text of kernels.

In the order of reading: kernel.py (calls), lowering.py (one specialisation), statements.py,
loops.py, expression.py, calls.py, values.py, emit.py. docs/kernels.md describes the language.
"""

from joggle import _core

# Imported tensors are watched from the first kernel on, so that what is pending on their memory is
# computed before a kernel writes it: this is that kernel.
_core.Kernel("kernel first\n{\n}\n")
