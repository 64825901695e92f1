# SPDX-License-Identifier: Apache-2.0
"""What a spelling of the backend's table fails with: an op's refusal, told by its name, makes the
node torch's; a mistake of the spelling is raised."""

import pytest

import joggle as jg
import joggle.torch

torch = pytest.importorskip("torch")

from joggle._torch import aten  # noqa: E402
from joggle._torch.lower import signature_of  # noqa: E402


@pytest.fixture
def spelled(monkeypatch):
    """A function that gives sin compiled with another spelling, and explained."""

    def make(spell):
        monkeypatch.setitem(aten.TABLE, "sin", aten.Row(spell))
        torch._dynamo.reset()
        return joggle.torch.compile(torch.sin)

    yield make
    torch._dynamo.reset()


def told_of_sin():
    return joggle.torch.explain(torch.sin, torch.ones(3)).fallbacks


MISTAKES = {
    "an operand that is none": (lambda node, x: None + 1, TypeError),
    "a call with an argument too many": (lambda node, x: jg.sin(x, x), TypeError),
    "an argument by a wrong name": (lambda node, x: jg.sum(x, axes=0), TypeError),
    "a name that is not there": (lambda node, x: x.nothing, AttributeError),
    "an index beyond a tuple": (lambda node, x: node.args[3], IndexError),
    "a number of letters": (lambda node, x: int("x"), ValueError),
    "a key that is not there": (lambda node, x: {}[x.ndim], KeyError),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_of_a_spelling_is_raised_with_the_operator(spelled, what):
    spell, error = MISTAKES[what]
    with pytest.raises(error) as raised:
        spelled(spell)(torch.ones(3))
    assert "aten.sin.default: joggle fails to spell it" in "".join(raised.value.__notes__)


REFUSALS = {
    "a value": (lambda node, x: jg.reshape(x, (7,)), "ValueError: [reshape]"),
    "a dtype": (lambda node, x: jg.bitwise_and(x, x), "TypeError: [bitwise_and]"),
    "an index": (lambda node, x: x[9], "IndexError: index: 9 is"),
    "an argument": (lambda node, x: jg.sum(x, axis="x"), "TypeError: [sum]"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_an_op_refuses_by_its_name_is_run_by_torch_and_told(spelled, what):
    spell, reason = REFUSALS[what]
    torch.testing.assert_close(spelled(spell)(torch.ones(3)), torch.ones(3).sin())
    ((_, operator, told),) = told_of_sin()
    assert operator == "aten.sin.default" and told.startswith(reason)


def test_arguments_that_a_spelling_does_not_take_make_the_node_torchs(spelled):
    torch.testing.assert_close(spelled(lambda node: 0)(torch.ones(3)), torch.ones(3).sin())
    ((_, _, told),) = told_of_sin()
    assert told == "not with these arguments: too many positional arguments"


def test_a_result_of_another_shape_or_dtype_makes_the_node_torchs(spelled):
    torch.testing.assert_close(spelled(lambda node, x: x[0])(torch.ones(3)), torch.ones(3).sin())
    ((_, _, told),) = told_of_sin()
    assert told == "gave float32 (), torch gives torch.float32 (3,)"


def overload_of(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


@pytest.mark.parametrize("name", aten.TABLE)
def test_a_spelling_takes_its_operators_arguments(name):
    """All but keywords that most calls leave out, such as memory_format."""
    given = [x for x in overload_of(name)._schema.arguments if not x.kwarg_only]
    signature_of(aten.row_of(f"aten.{name}").spell).bind(*given)
