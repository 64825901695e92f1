# SPDX-License-Identifier: Apache-2.0
"""The parts of Quadrants' private modules that published programs use, under the modules' names.

Each module has its own names and every public name of joggle.fields: programs import those from
the module of Quadrants that defines them.
"""

from joggle.fields.lang import _template_mapper as _template_mapper
from joggle.fields.lang import exception as exception
from joggle.fields.lang import impl as impl
from joggle.fields.lang import misc as misc
from joggle.fields.lang import util as util
from joggle.fields.lang._public import public_of

__getattr__ = public_of(__name__)
