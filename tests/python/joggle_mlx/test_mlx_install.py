# SPDX-License-Identifier: Apache-2.0
"""joggle.mlx under the name mlx: install(), python -m joggle.mlx, and the processes they start."""

import pytest
from program_runs import printed, run, written


def test_install_puts_the_package_under_mlx():
    done = run(
        "-c",
        """if True:
        import joggle.mlx
        joggle.mlx.install()
        joggle.mlx.install()
        import mlx, mlx.core as mx, mlx.core.fast, mlx.nn, mlx.nn.layers, mlx.optimizers, mlx.utils
        from mlx.core.random import normal
        from mlx.nn.layers.base import Module
        from mlx.utils import tree_map
        import joggle.mlx.core, joggle.nn, joggle.optimizers, joggle.utils
        print(mx is joggle.mlx.core, mlx.nn is joggle.nn, mlx.optimizers is joggle.optimizers)
        print(mlx is joggle.mlx, tree_map is joggle.utils.tree_map, Module is mlx.nn.Module)
        print(joggle.nn.__spec__.name, joggle.mlx.__spec__.name, mx.array([1]).dtype)""",
    )
    assert printed(done) == [
        "True True True",
        "True True True",
        "joggle.nn joggle.mlx mlx.core.int32",
    ]


def test_modules_of_joggle_are_the_same_under_both_names():
    done = run(
        "-c",
        """if True:
        import joggle.mlx.nn as nn, joggle.mlx.utils
        from joggle.mlx.nn.layers.base import Module
        from joggle.mlx import optimizers
        import joggle.nn, joggle.nn.layers.base, joggle.optimizers, joggle.utils
        print(nn is joggle.nn, Module is joggle.nn.layers.base.Module, joggle.mlx.nn is nn)
        print(optimizers is joggle.optimizers, joggle.mlx.utils is joggle.utils, nn.__name__)""",
    )
    assert printed(done) == ["True True True", "True True joggle.nn"]


MODULES_OF_MLX = """if True:
    import types
    import mlx.nn, mlx.optimizers, mlx.optimizers.optimizers as inner
    from mlx.optimizers.optimizers import Adam, Optimizer
    print(inner is mlx.optimizers.optimizers, Adam is mlx.optimizers.Adam)
    for place in (mlx.nn, mlx.optimizers):
        found = [(n, m) for n, m in vars(place).items() if isinstance(m, types.ModuleType)]
        names = {n for n, m in found if m.__name__.startswith(place.__name__)}
        print(*sorted(names))
"""


def test_modules_within_those_of_mlx_are_there():
    theirs = printed(run("-c", MODULES_OF_MLX))
    ours = printed(run("-c", "import joggle.mlx; joggle.mlx.install()\n" + MODULES_OF_MLX))
    assert ours[0] == theirs[0] == "True True"
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        assert set(other.split()) <= set(one.split())
    assert "linear" in theirs[1] and "optimizers" in theirs[2]


def test_install_refuses_where_another_mlx_is_in_use():
    done = run("-c", "import mlx.core, joggle.mlx; joggle.mlx.install()")
    assert done.returncode == 1
    assert "RuntimeError: [install] mlx" in done.stderr and "before the first import" in done.stderr


def test_modules_that_mlx_does_not_have_are_not_found():
    done = run(
        "-c",
        """if True:
        import importlib.util, joggle.mlx
        joggle.mlx.install()
        print(*(importlib.util.find_spec(n) is not None for n in ("mlx", "mlx.core", "mlx.foo")))
        for name in ("mlx.foo", "mlx.core.foo", "mlx.linalg"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                print(error)""",
    )
    names = ("mlx.foo", "mlx.core.foo", "mlx.linalg")
    assert printed(done) == ["True True False", *(f"No module named {n!r}" for n in names)]


PROGRAM = """
    import sys
    import mlx.core as mx

    if __name__ == "__main__":
        print(mx.__name__, sys.argv[1:], sys.path[0], __spec__ and __spec__.name)
        print(sys.argv[0] == __file__, sys.modules["__main__"].mx is mx, __package__)
        sys.exit(7)
"""


def test_a_file_is_run_as_python_runs_it(tmp_path):
    program = written(tmp_path / "program.py", PROGRAM)
    done = run("-m", "joggle.mlx", program, "-m", "a", "--b")
    assert done.returncode == 7, done.stderr
    assert done.stdout.split("\n")[:2] == [
        f"joggle.mlx.core ['-m', 'a', '--b'] {tmp_path} None",
        "True True None",
    ]


def test_a_module_is_run_as_python_runs_it(tmp_path):
    written(tmp_path / "program.py", PROGRAM)
    done = run("-m", "joggle.mlx", "-m", "program", "a", "-m", cwd=tmp_path)
    assert done.returncode == 7, done.stderr
    assert done.stdout.split("\n")[:2] == [
        f"joggle.mlx.core ['a', '-m'] {tmp_path} program",
        "True True ",
    ]
    (tmp_path / "package").mkdir()
    written(tmp_path / "package/__main__.py", "import mlx.core as mx; print(mx.__name__)")
    for arguments in (["-m", "package"], ["package"]):
        done = run("-m", "joggle.mlx", *arguments, cwd=tmp_path)
        assert printed(done) == ["joggle.mlx.core"]


def test_code_that_is_in_no_file_is_run_as_python_runs_it(tmp_path):
    written(tmp_path / "beside.py", "import mlx.core as mx")
    code = (
        "import sys, beside; print(beside.mx.__name__, sys.argv, repr(sys.path[0]), __name__);"
        "print('__file__' in globals()); exec('def f(): return beside'); print(f().__name__)"
    )
    told = ["joggle.mlx.core ['{}', 'a', '-m'] '' __main__", "False", "beside"]
    done = run("-m", "joggle.mlx", "-c", code, "a", "-m", cwd=tmp_path)
    assert printed(done) == [told[0].format("-c"), *told[1:]]
    done = run("-m", "joggle.mlx", "-", "a", "-m", cwd=tmp_path, input=code)
    assert printed(done) == [told[0].format("-"), *told[1:]]


def test_what_cannot_be_run_is_told_as_python_tells_it(tmp_path):
    for arguments, code, words in (
        ([], 2, ""),
        (["--help"], 0, ""),
        (["-m"], 2, "argument expected"),
        (["-c"], 2, "argument expected"),
        (["-c", "1 / 0"], 1, "ZeroDivisionError"),
        (["-x"], 2, "unknown option"),
        ([tmp_path / "missing.py"], 2, "can't open file"),
        (["-m", "no_such_module"], 1, "No module named no_such_module"),
        ([written(tmp_path / "fails.py", "1 / 0")], 1, "ZeroDivisionError"),
    ):
        done = run("-m", "joggle.mlx", *arguments)
        assert done.returncode == code and words in done.stderr, (arguments, done.stderr)
        assert words or "usage" in done.stdout


def test_processes_that_are_started_have_it_too(tmp_path):
    program = written(
        tmp_path / "program.py",
        """
        import multiprocessing, subprocess, sys

        def tell(queue):
            import mlx.core as mx
            queue.put(mx.__name__)

        if __name__ == "__main__":
            for how in ("spawn", "fork", "forkserver"):
                context = multiprocessing.get_context(how)
                queue = context.Queue()
                process = context.Process(target=tell, args=(queue,))
                process.start()
                print(queue.get(timeout=90))
                process.join()
            child = "import mlx.core, sys; print(mlx.core.__name__, 'joggle' in sys.modules)"
            again = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
            subprocess.run([sys.executable, "-c", child])
            sys.stdout.flush()
            subprocess.run([sys.executable, "-c", again])
            subprocess.run([sys.executable, "-c", "import sys; print('joggle' in sys.modules)"])
        """,
    )
    done = run("-u", "-m", "joggle.mlx", program)
    assert printed(done) == ["joggle.mlx.core"] * 3 + ["joggle.mlx.core True"] * 2 + ["False"]


def test_a_sitecustomize_of_the_users_is_still_run(tmp_path):
    written(tmp_path / "sitecustomize.py", "import builtins; builtins.customized = __file__")
    program = written(
        tmp_path / "program.py",
        """
        import subprocess, sys
        import mlx.core as mx
        code = (
            "import sys, mlx.core; print(customized, mlx.core.__name__,"
            "[p for p in sys.path if p.endswith('_aliases/site')])"
        )
        subprocess.run([sys.executable, "-c", code])
        """,
    )
    done = run("-u", "-m", "joggle.mlx", program, path=tmp_path)
    assert printed(done) == [f"{tmp_path / 'sitecustomize.py'} joggle.mlx.core []"]


@pytest.mark.parametrize("children", [False, True])
def test_install_reaches_children_where_it_is_asked_to(tmp_path, children):
    program = written(
        tmp_path / "program.py",
        f"""
        import joggle.mlx, subprocess, sys
        joggle.mlx.install(children={children})
        joggle.mlx.install(children={children})
        subprocess.run([sys.executable, "-c", "import mlx.core; print(mlx.core.__name__)"])
        """,
    )
    assert printed(run("-u", program)) == ["joggle.mlx.core" if children else "mlx.core"]


def test_methods_follow_mlx_all_or_none():
    """A failure half-way leaves methods as they were, and the next attempt wraps each once."""
    done = run(
        "-c",
        """if True:
        import joggle as jg
        from joggle import _core
        names, twos = vars(jg.array), jg.array([2], dtype=jg.int32)
        before = dict(names)
        for wrong in ({"absent": ("kept", None)}, {"sum": ("odd", None)}, {"sum": ("kept",)}):
            try:
                good = {"prod": ("sums", None), "argmax": ("indices", None)}
                _core._follow_mlx({**good, **wrong}, {})
            except ValueError as error:
                print(dict(names) == before, twos.prod().dtype, error)
        from joggle.mlx.core import _functions
        _functions.follow_in_methods()
        _functions.follow_in_methods()
        print(names["prod"].__wrapped__ is before["prod"], twos.prod().dtype)""",
    )
    assert printed(done) == [
        "True joggle.int64 methods: got 'absent', allowed are methods of arrays",
        "True joggle.int64 results: got 'odd', allowed are the names in results_names",
        "True joggle.int64 methods: 'sum': got ('kept',), allowed are pairs",
        "True mlx.core.int32",
    ]
