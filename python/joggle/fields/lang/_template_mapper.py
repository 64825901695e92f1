# SPDX-License-Identifier: Apache-2.0
"""Empty: Quadrants tells forms of calls apart here. Programs name the module to switch off its
assertions; joggle has none."""

from joggle.fields.lang._public import public_of

__getattr__ = public_of(__name__)
