# SPDX-License-Identifier: Apache-2.0
"""The compiler behind joggle.fields: functions of Python become the text of kernels.

In the order of reading: kernel.py (calls), lowering.py (one specialisation), statements.py,
loops.py, expression.py, calls.py, values.py, emit.py. docs/kernels.md describes the language.
"""

import joggle.fields  # noqa: F401  first, whoever is asked for first: the two know each other
