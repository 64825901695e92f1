# SPDX-License-Identifier: Apache-2.0
"""Objects are asked what they speak by running their code. What that code raises is dropped where
it only says that something is missing; an interrupt, and any other failure, comes through."""

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


class Stop(BaseException):
    """As KeyboardInterrupt, which pytest would take for its own."""


def raising(name, error):
    """An object whose code for an attribute raises, and that has no other."""

    class Proxy:
        def __getattr__(self, asked):
            raise error("here") if asked == name else AttributeError(asked)

    return Proxy()


PROTOCOLS = ("__dlpack__", "__array__", "__array_interface__", "__mlx_array__", "__jax_array__")


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("error", [Stop, KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_what_the_code_of_a_protocol_raises_comes_through(name, error):
    with pytest.raises(error):
        jg.asarray(raising(name, error))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_missing_attribute_only_says_that_the_protocol_is_not_spoken(name):
    with pytest.raises(TypeError, match="x: got Proxy"):
        jg.asarray(raising(name, AttributeError))


def test_an_interrupt_in_an_element_comes_through():
    class Number:
        @property
        def dtype(self):
            raise Stop

        def __float__(self):
            return 1.0

    with pytest.raises(Stop):
        jg.array([1.0, Number()])


def test_an_interrupt_in_a_dtype_comes_through():
    class Named:
        @property
        def name(self):
            raise Stop

    with pytest.raises(Stop):
        jg.result_type(jg.float32, Named())


def test_an_interrupt_while_a_type_is_looked_at_comes_through_and_is_not_remembered():
    class Meta(type):
        stops = True

        def __getattribute__(cls, name):
            if name == "__dlpack_c_exchange_api__" and type(cls).stops:
                raise Stop
            return super().__getattribute__(name)

    class Tensor(metaclass=Meta):
        def __dlpack__(self, **keywords):
            return np.arange(3).__dlpack__(**keywords)

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(Stop):
        jg.from_dlpack(Tensor())
    Meta.stops = False
    assert jg.from_dlpack(Tensor()).tolist() == [0, 1, 2]


def test_an_interrupt_in_a_pair_of_lists_comes_through():
    class Sides:
        def __len__(self):
            raise Stop

        def __getitem__(self, at):
            return [1, 1][at]

    with pytest.raises(Stop):
        jg.conv_general(jg.ones((1, 5, 1)), jg.ones((1, 3, 1)), padding=Sides())


def test_an_interrupt_in_a_number_for_a_field_comes_through():
    class Number:
        def __index__(self):
            raise Stop

        def __float__(self):
            return 1.0

    qd.init()
    x = qd.field(qd.f32, shape=2)
    with pytest.raises(Stop):
        x[0] = Number()


def test_an_interrupt_in_an_argument_of_a_known_kernel_comes_through():
    class Tensor:
        stops = False

        def __dlpack__(self, **keywords):
            if self.stops:
                raise Stop
            return memory.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return (1, 0)

    memory = np.zeros(4, "f4")

    @qd.kernel
    def add(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
        for i in x:
            x[i] += 1

    qd.init()
    x = Tensor()
    add(x)
    add(x)
    assert memory.tolist() == [2, 2, 2, 2]
    x.stops = True
    with pytest.raises(Stop):
        add(x)
    assert memory.tolist() == [2, 2, 2, 2]
