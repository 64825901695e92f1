# SPDX-License-Identifier: Apache-2.0
"""The dtypes of elements, and the sets of them that programs test for."""

from joggle._fields.types import DTYPES, is_integral, is_real, ref

globals().update(DTYPES)
real_types = {dtype for dtype in DTYPES.values() if is_real(dtype)} | {float}
integer_types = {dtype for dtype in DTYPES.values() if is_integral(dtype)} | {int, bool}
all_types = real_types | integer_types
real_type_ids, integer_type_ids, type_ids = (
    {id(kind) for kind in kinds} for kinds in (real_types, integer_types, all_types)
)

__all__ = ["ref", *DTYPES]
