# SPDX-License-Identifier: Apache-2.0
"""The compiler behind joggle.fields: functions of Python become the text of kernels.

In the order of reading: kernel.py (calls); syntax/ with lowering.py (one specialisation),
statements.py, loops.py, expression.py and calls.py; value/values.py; ir/emit.py. A folder knows
those behind it in this list: syntax, library, value, ir. docs/kernels.md describes the language.
"""

from joggle import _core

# From the first kernel on, arrays that wait for imported memory are tracked, so that they are
# computed before a kernel writes it. Importing this module counts as the first kernel.
_core.Kernel("kernel first\n{\n}\n")
