# SPDX-License-Identifier: Apache-2.0
"""joggle.fields under the names quadrants and taichi: install(), python -m joggle.fields, and what
programs use of Quadrants' private modules."""

import importlib

import numpy as np
import pytest
import quadrants
import torch
from program_runs import printed, run, written

import joggle.fields as qd
from joggle.fields.lang import impl, misc, util

PRIVATE = ["lang.misc", "lang.util", "lang.exception", "types.primitive_types", "_logging"]


def test_install_puts_the_package_under_quadrants():
    done = run(
        "-c",
        """if True:
        import joggle.fields
        joggle.fields.install()
        joggle.fields.install()
        import quadrants as qd, quadrants.lang.impl, quadrants.types.primitive_types
        from quadrants.lang import impl
        from quadrants.algorithms import sort
        from quadrants.lang.matrix_of_none import x""",
    )
    assert "No module named 'quadrants.lang.matrix_of_none'" in done.stderr
    done = run(
        "-c",
        """if True:
        import importlib.util, sys
        import joggle.fields as fields
        fields.install()
        import quadrants as qd
        print(qd is fields, qd.lang.impl is sys.modules["joggle.fields.lang.impl"])
        from quadrants.lang.impl import field
        import quadrants.lang.util as util, quadrants.math
        print(field is fields.field, util is qd.lang.util, quadrants.math is fields.math)
        print(importlib.util.find_spec("taichi"), importlib.util.find_spec("quadrants.sparse"))
        fields.install(taichi=True)
        import taichi.types.primitive_types as primitive
        print(primitive.f32, sys.modules["taichi"] is fields)""",
    )
    assert printed(done) == ["True True", "True True True", "None None", "joggle.float32 True"]


def test_install_refuses_where_the_real_package_is_in_use():
    done = run("-c", "import quadrants, joggle.fields; joggle.fields.install()")
    assert done.returncode == 1
    assert "[install] quadrants" in done.stderr and "joggle.fields.install()" in done.stderr


PROGRAM = """
    import subprocess, sys
    import quadrants as qd

    x = qd.field(qd.i32, shape=8)

    @qd.kernel
    def count():
        for i in x:
            x[i] = 2 * i

    count()
    print(qd.__name__, sys.argv[1:], x.to_numpy().sum(), flush=True)
    child = "import quadrants as q, importlib.util as u; print(q.__name__, u.find_spec('taichi'))"
    subprocess.run([sys.executable, "-c", child])
"""


def test_a_program_of_quadrants_is_run_with_its_children(tmp_path):
    program = written(tmp_path / "program.py", PROGRAM)
    done = run("-m", "joggle.fields", program, "--taichi", "a")
    assert printed(done) == ["joggle.fields ['--taichi', 'a'] 56", "joggle.fields None"]


def test_taichi_is_an_option_before_the_program():
    code = "import taichi, quadrants; print(taichi is quadrants, taichi.__name__)"
    assert printed(run("-m", "joggle.fields", "--taichi", "-c", code)) == ["True joggle.fields"]
    done = run("-m", "joggle.fields", "-c", "import taichi")
    assert done.returncode == 1 and "No module named 'taichi'" in done.stderr
    for arguments, words in ((["--taichi"], "usage"), (["--torch"], "unknown option --torch")):
        done = run("-m", "joggle.fields", *arguments)
        assert done.returncode == 2 and words in done.stdout + done.stderr


def test_both_packages_are_put_under_their_names_in_a_child():
    code = (
        "import subprocess, sys, joggle.mlx, joggle.fields;"
        "joggle.mlx.install(children=True); joggle.fields.install(children=True);"
        "subprocess.run([sys.executable, '-c',"
        " 'import mlx.core, quadrants; print(mlx.core.__name__, quadrants.__name__)'])"
    )
    assert printed(run("-c", code)) == ["joggle.mlx.core joggle.fields"]


@pytest.mark.parametrize("name", PRIVATE)
def test_public_names_of_private_modules_are_there(name):
    theirs = importlib.import_module(f"quadrants.{name}")
    ours = importlib.import_module(f"joggle.fields.{name}")
    absent = set(qd._absent.ABSENT) | {"_python_primitive_types"}
    assert {n for n in theirs.__all__ if not hasattr(ours, n)} <= absent


def test_a_private_module_refuses_other_names():
    with pytest.raises(AttributeError, match=r"lang\.impl.*'Program'.*public names"):
        impl.Program  # noqa: B018
    with pytest.raises(AttributeError, match="'mesh_patch_idx': keep the mesh as fields"):
        misc.mesh_patch_idx  # noqa: B018
    with pytest.raises(AttributeError, match="'_root_fb'"):
        impl._root_fb  # noqa: B018


def test_the_runtime_tells_the_settings():
    runtime = impl.get_runtime()
    qd.init(default_fp=qd.f64, default_ip=qd.i64)
    try:
        assert (runtime.default_fp, runtime.default_ip, runtime.default_up) == (
            qd.f64,
            qd.i64,
            qd.u64,
        )
        assert impl.current_cfg().arch is qd.cpu and runtime.prog.config().fast_math is True
        assert impl.get_max_shared_memory_bytes(is_lowerbound_ok=True) == 0
    finally:
        qd.init()
    assert runtime.default_fp is qd.f32


def test_the_runtime_is_asked_for_in_kernels():
    @qd.kernel
    def tolerance() -> float:
        return 1.0 if qd.static(qd.lang.impl.get_runtime().default_fp == qd.f32) else 2.0

    @qd.kernel
    def waits():
        qd.lang.impl.get_runtime().sync()

    assert tolerance() == 1.0
    qd.init(default_fp=qd.f64)
    try:
        assert tolerance() == 2.0
    finally:
        qd.init()
    with pytest.raises(TypeError, match="synchronize works outside of kernels only"):
        waits()

    @qd.kernel
    def asks() -> qd.i32:
        return 1 if util.in_python_scope() else 0

    with pytest.raises(TypeError, match="in_python_scope works outside of kernels only"):
        asks()


def test_dtypes_are_converted_as_in_quadrants():
    from quadrants.lang import util as theirs

    for name in ("f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "u1", "f16"):
        dtype, other = getattr(qd, name), getattr(quadrants, name)
        assert util.to_numpy_type(dtype) is theirs.to_numpy_type(other)
        assert util.to_pytorch_type(dtype) is theirs.to_pytorch_type(other)
        assert util.to_quadrants_type(util.to_numpy_type(dtype)) is dtype
        assert util.to_quadrants_type(util.to_pytorch_type(dtype)) is dtype
    assert util.cook_dtype(float) is qd.f32 and util.cook_dtype(bool) is qd.u1
    with pytest.raises(TypeError, match=r"bfloat16|bf16"):
        util.to_numpy_type(qd.bf16)
    with pytest.raises(TypeError, match="dt"):
        util.to_quadrants_type("complex64")


def test_private_modules_tell_of_archs_and_objects():
    assert misc.is_arch_supported(qd.cpu) and not misc.is_arch_supported(qd.cuda)
    assert misc.is_extension_supported(qd.cpu, qd.extension.data64)
    assert misc.is_extension_supported(qd.cpu, qd.extension.sparse)
    assert not misc.is_extension_supported(qd.cpu, qd.extension.mesh)
    assert misc.get_host_arch_list() == [qd.cpu]
    assert (qd.cpu is qd.x64) == (quadrants.cpu == quadrants.x64) and qd.x64 is not qd.arm64
    with pytest.raises(TypeError, match="arch: got 'gpu'"):
        misc.is_arch_supported("gpu")

    @qd.data_oriented
    class Marked:
        pass

    assert util.is_data_oriented(Marked()) and not util.is_data_oriented(np.zeros(2))
    assert util.is_matrix_class(qd.Vector([1, 2])) and not util.is_matrix_class(torch.zeros(2))
    assert util.is_qd_template(qd.template()) and not util.is_qd_template(qd.i32)


HOOKED = """
    import numpy as np
    import joggle.fields as qd
    from joggle.fields.lang import impl
    pending, log = [], []
    original, clear = impl.PyQuadrants.materialize, impl.PyQuadrants.clear

    def materialize(self):
        original(self)
        todo = pending.copy()
        pending.clear()
        for x, value in todo:
            x.fill(value)
        if todo:
            self.prog.synchronize()

    def late(value, dtype=qd.f32):
        x = qd.field(dtype, shape=())
        pending.append((x, value))
        return x

    impl.PyQuadrants.materialize = materialize
    impl.PyQuadrants.clear = lambda self: (clear(self), log.append("cleared"))
    a, b = late(3), late(4)

    @qd.kernel
    def twice(x: qd.template()) -> qd.f32:
        return 2 * x[None]

    print(twice(a), b[None], len(pending))
    c, d, e, f = late(5), late(6), late(7), qd.Vector.field(2, qd.f32, shape=1)
    print(c.to_numpy(), len(pending))
    pending.append((f, 8))
    print(f[0], f.to_torch())
    pending.append((f, 9))
    print(f[0][1], str(f.to_dlpack())[:15], twice(e))
    g, h, m = late(1), late(2), late(3)
    g[None] = 10  # after the fill that is pending
    pending.append((h, 4))
    h.fill(11)
    pending.append((m, 5))
    m.from_numpy(np.array(6))
    print(g[None], h[None], m[None])
    qd.reset()
    print(log)
"""


def test_programs_are_told_before_fields_are_used(tmp_path):
    """As Genesis has fields filled late: by its own function in the place of materialize."""
    assert printed(run(written(tmp_path / "program.py", HOOKED))) == [
        "6.0 4.0 0",
        "5.0 0",
        "[8. 8.] tensor([[8., 8.]])",
        "9.0 <capsule object 14.0",
        "10.0 11.0 6.0",
        "['cleared']",
    ]


def test_messages_to_the_log_go_to_stderr_with_their_place(capsys):
    qd._logging.warn("{} of {}", 1, 2)
    qd._logging.debug("not written")
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("[warn] [test_fields_install.py:test_messages")
    assert told[0].endswith("] 1 of 2")
    with pytest.raises(ValueError, match="level: got 'loud'"):
        qd._logging._get_logging("loud")
