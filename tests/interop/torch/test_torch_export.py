# SPDX-License-Identifier: Apache-2.0
"""Programs of torch.export as files: the same values as torch's, without torch, and from C."""

import shlex
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import joggle as jg
import joggle.torch

torch = pytest.importorskip("torch")
nn = torch.nn


class Scaled(nn.Module):
    """A parameter, a buffer, a constant tensor, an argument by name, several results."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, 12).view(3, 4))
        self.register_buffer("shift", torch.tensor([1.0, 2.0, 3.0, 4.0]))
        self.step = torch.tensor(0.25)

    def forward(self, x, *, gain):
        y = x @ self.weight + self.shift * self.step
        return {"out": (y * gain).relu(), "rows": [y.sum(1), x.shape[0] * y[:, ::2]]}


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count += 1
        return x + self.count


def _convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.GELU(), nn.AdaptiveAvgPool2d(1)
    )


def _encoder():
    return nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)


def _floats(*shape):
    return torch.randn(shape)


MODULES = {
    "a perceptron": lambda: (
        nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4), nn.Softmax(-1)),
        (_floats(5, 8),),
        {},
    ),
    "convolutions": lambda: (_convolutions(), (_floats(2, 3, 10, 10),), {}),
    "an encoder": lambda: (_encoder(), (_floats(2, 6, 16),), {}),
    "an embedding": lambda: (nn.Embedding(10, 4), (torch.tensor([[1, 9], [0, 3]]),), {}),
    "buffers and names": lambda: (Scaled(), (_floats(2, 3),), {"gain": _floats(2, 1)}),
    "in double precision": lambda: (nn.LayerNorm(6).double(), (_floats(4, 6).double(),), {}),
}


def _exported(module, args, kwargs=None):
    return torch.export.export(module.eval(), args, kwargs or {})


def _leaves(results):
    return [np.asarray(x.detach()) for x in torch.utils._pytree.tree_leaves(results)]


def _case(name):
    torch.manual_seed(0)
    module, args, kwargs = MODULES[name]()
    return module, args, kwargs, _exported(module, args, kwargs)


@pytest.mark.parametrize("name", MODULES)
def test_a_file_gives_what_the_module_gives(name, tmp_path):
    module, args, kwargs, program = _case(name)
    path = tmp_path / "program.jgf"
    assert joggle.torch.export(path, program, metadata="made by a test") is None
    function, metadata = jg.import_function(path, return_metadata=True)
    assert metadata == "made by a test"
    for scale in (1, 2):
        args = tuple(x * scale if x.is_floating_point() else x for x in args)
        expected = _leaves(module(*args, **kwargs))
        given = [jg.from_dlpack(x) for x in (*args, *kwargs.values())]
        found = function(*given)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert tuple(one.shape) == other.shape and str(one.dtype) == f"joggle.{other.dtype}"
            np.testing.assert_allclose(np.asarray(one), other, rtol=2e-5, atol=2e-6)


def test_a_file_holds_the_values_of_when_it_was_written(tmp_path):
    module = nn.Linear(3, 2).eval()
    x = _floats(4, 3)
    expected = _leaves(module(x))[0]
    joggle.torch.export(tmp_path / "linear.jgf", _exported(module, (x,)))
    with torch.no_grad():
        module.weight.zero_()
    (found,) = jg.import_function(tmp_path / "linear.jgf")(jg.from_dlpack(x))
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import joggle as jg
(found,) = jg.import_function(sys.argv[1])(jg.ones((1, 8)))
print(found.shape, round(float(jg.sum(found)), 5))
"""


def test_a_file_runs_without_torch(tmp_path):
    module, *_ = _case("a perceptron")
    joggle.torch.export(tmp_path / "program.jgf", _exported(module, (torch.ones(1, 8),)))
    command = [sys.executable, "-c", WITHOUT_TORCH, tmp_path / "program.jgf"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == "(1, 4) 1.0\n", result.stderr


IN_C = """
#include <joggle/joggle.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const float data[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    jg_source *source = NULL;
    jg_exported *function = NULL;
    jg_array *x = NULL;
    jg_array_list results = {0};
    char *text = NULL;
    if (argc != 2 || jg_source_open(argv[1], &source) || jg_function_load(source, &function) ||
        jg_array_from_data(data, JG_DTYPE_FLOAT32, 2, (int64_t[]){1, 8}, &x) ||
        jg_function_call(function, 1, &x, 0, NULL, &results) ||
        jg_array_text(results.arrays[0], &text)) {
        fprintf(stderr, "%s\\n", jg_error_message());
        return 1;
    }
    printf("%s of %d: %s\\n", jg_function_name(function), results.count, text);
    jg_text_release(text);
    jg_array_list_clear(&results);
    jg_array_release(x);
    jg_function_release(function);
    jg_source_release(source);
    return 0;
}
"""


def test_a_file_runs_in_a_program_of_c(tmp_path):
    module, *_ = _case("a perceptron")
    path = tmp_path / "program.jgf"
    joggle.torch.export(path, _exported(module, (torch.ones(1, 8),)))
    (tmp_path / "run.c").write_text(textwrap.dedent(IN_C))
    told = [sys.executable, "-m", "joggle", "--cflags", "--libs"]
    flags = shlex.split(subprocess.run(told, capture_output=True, text=True, check=True).stdout)
    build = ["cc", "-std=c17", "-Wall", "-Werror", tmp_path / "run.c", "-o", tmp_path / "run"]
    subprocess.run([*build, *flags], check=True)
    result = subprocess.run([tmp_path / "run", path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    head, numbers = result.stdout.split(": ")
    assert head == "forward of 1"
    found = np.array([float(x) for x in numbers.strip(" []\n").split(",")])
    expected = _leaves(module(torch.ones(1, 8)))[0][0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_is_no_program_is_refused(tmp_path):
    with pytest.raises(TypeError, match="program: got Linear, allowed is a torch"):
        joggle.torch.export(tmp_path / "no.jgf", nn.Linear(2, 2))
    assert not (tmp_path / "no.jgf").exists()


def test_sizes_that_change_are_refused(tmp_path):
    changing = {"input": {0: torch.export.Dim("rows", min=2, max=64)}}
    program = torch.export.export(nn.Linear(3, 2), (_floats(4, 3),), dynamic_shapes=changing)
    with pytest.raises(ValueError, match="program: got sizes that change"):
        joggle.torch.export(tmp_path / "no.jgf", program)
    assert not (tmp_path / "no.jgf").exists()


def test_programs_that_change_buffers_are_refused(tmp_path):
    program = torch.export.export(Counting(), (_floats(3),))
    with pytest.raises(ValueError, match=r"program: got BUFFER_MUTATION of count, allowed are"):
        joggle.torch.export(tmp_path / "no.jgf", program)
    assert not (tmp_path / "no.jgf").exists()


class Unknown(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, 0)


class Number(nn.Module):
    def forward(self, x):
        return x * 2, 3


def test_operators_that_the_table_lacks_are_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"program: got aten\.cumprod\.default: not in the table"):
        joggle.torch.export(tmp_path / "no.jgf", _exported(Unknown(), (_floats(3),)))
    training = torch.export.export(nn.Dropout(), (_floats(3),))
    with pytest.raises(ValueError, match=r"program: got aten\.native_dropout\.default: "):
        joggle.torch.export(tmp_path / "no.jgf", training)
    with pytest.raises(ValueError, match="program: got a result that is 3, allowed are tensors"):
        joggle.torch.export(tmp_path / "no.jgf", _exported(Number(), (_floats(3),)))
    assert not (tmp_path / "no.jgf").exists()
