# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices in kernels: A[i, j] += x adds a triplet to the list of a builder."""

from ..ir.messages import KernelIndexError, KernelTypeError
from ..ir.types import SparseMatrixBuilderType
from ..value.identity import Identity
from ..value.parameters import Kind, annotated
from ..value.values import Element, Record
from .cell_calls import append_at


class BuilderArgument(Kind):
    """A builder, known when compiling: its list is captured."""

    description = "w"

    def parts(self, argument):
        return [[]]

    def wholes(self, argument):
        return [argument]

    def key(self, argument):
        if not hasattr(argument, "_triplets"):
            raise KernelTypeError(
                f"got {type(argument).__name__}, allowed are builders of sparse matrices"
            )
        return Identity(argument)

    def declare(self, lowering, name, argument):
        return TripletList(argument)

    def passed(self, argument):
        return ()


class TripletList:
    """A builder in a kernel."""

    def __init__(self, builder):
        self.builder = builder

    def kernel_kind(self):
        return "a builder of a sparse matrix"

    def at(self, lowering, index):
        """The place of an item, which can only be added to."""
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) != 2:
            raise KernelIndexError(
                f"{self.kernel_kind()}: got {len(indices)} indices, allowed are 2"
            )
        return TripletPlace(lowering, self.builder, indices)


class TripletPlace(Element):
    """An item of the matrix: += and -= add a triplet, whatever other iterations do."""

    is_always_shared = True

    def __init__(self, lowering, builder, indices):
        dtype = lowering.types.dtype_name(builder.dtype)
        super().__init__(lowering.emitter, "triplets", dtype, indices)
        self.lowering, self.builder = lowering, builder

    def read(self):
        raise KernelTypeError("an item of a sparse matrix's builder: allowed are += and -=")

    def write(self, x):
        self.read()

    def compare_exchange(self, expected, x):
        self.read()

    def update(self, operator, x):
        if operator != "add":
            self.read()
        row, column = self.indices
        members = {"row": row, "column": column, "value": x}
        append_at(self.lowering, self.builder._triplets.parent(), (), Record(None, members))
        return x


@annotated
def _kind(annotation):
    known = annotation is SparseMatrixBuilderType or isinstance(annotation, SparseMatrixBuilderType)
    return BuilderArgument() if known else None
