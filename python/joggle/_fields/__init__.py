# SPDX-License-Identifier: Apache-2.0
"""The parts of fields: settings, element types, layouts, storage, vectors, structs.

joggle.fields exports these, and joggle._kernel compiles code that works on them. In the
order of reading: settings.py, types.py, layout.py, field.py, matrix.py, matrix_field.py, struct.py.
"""
