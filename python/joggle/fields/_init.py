# SPDX-License-Identifier: Apache-2.0
"""init, reset and sync: the settings that hold for all fields and kernels of the process.

Fields need no init: the settings have their defaults until it is called. init and reset lose
all fields; memory that somebody still views lives on.
"""

import os
import warnings

import joggle as _jg
from joggle import _core
from joggle._fields.settings import LEVELS, Arch, config, reset_hooks
from joggle._fields.types import as_dtype, f16, f32, f64, i32, i64
from joggle._kernel.derivatives import modes as _modes
from joggle._kernel.profile import Times as _Times

# Settings of Quadrants that tell its compiler how to work. Results do not depend on them there, and
# there is nothing like them here.
TUNING = frozenset(
    {
        "ad_stack_experimental_enabled",
        "ad_stack_size",
        "ad_stack_sparse_threshold_bytes",
        "advanced_optimization",
        "auto_mesh_local_default_occupacy",
        "cache_loop_invariant_global_vars",
        "cfg_optimization",
        "cpu_block_dim_adaptive",
        "cuda_stack_limit",
        "default_cpu_block_dim",
        "default_gpu_block_dim",
        "demote_dense_struct_fors",
        "demote_no_access_mesh_fors",
        "detect_read_only",
        "device_memory_fraction",
        "device_memory_GB",
        "experimental_auto_mesh_local",
        "external_metal_command_queue",
        "external_metal_command_queue_is_torch_queue",
        "fe_ll_cache",
        "flatten_if",
        "force_scalarize_matrix",
        "half2_vectorization",
        "make_block_local",
        "make_cpu_multithreading_loop",
        "make_mesh_block_local",
        "make_thread_local",
        "max_block_dim",
        "mesh_localize_all_attr_mappings",
        "mesh_localize_from_end_mapping",
        "mesh_localize_to_end_mapping",
        "move_loop_invariant_outside_if",
        "num_compile_threads",
        "offline_cache",
        "offline_cache_cleaning_factor",
        "offline_cache_cleaning_policy",
        "offline_cache_file_path",
        "offline_cache_max_size_of_files",
        "opt_level",
        "optimize_mesh_reordered_mapping",
        "quant_opt_atomic_demotion",
        "quant_opt_store_fusion",
        "real_matrix_scalarize",
        "saturating_grid_dim",
        "short_circuit_operators",
        "simplify_after_lower_access",
        "simplify_before_lower_access",
        "src_ll_cache",
        "unrolling_limit",
        "vk_api_version",
    }
)

# Settings of Quadrants that ask for output which joggle does not write: what to do instead.
_PRINTING = "kernel.lower(*arguments)[0] shows what a kernel becomes"
_TIMES = "record when kernels run with jg.trace"
UNHEEDED = {
    "debug_dump": _PRINTING,
    "debug_dump_path": _PRINTING,
    "gdb_trigger": "start Python in the debugger",
    "print_accessor": _PRINTING,
    "print_accessor_ir": _PRINTING,
    "print_full_traceback": "errors of kernels show where in the source they are",
    "print_ir": _PRINTING,
    "print_ir_dbg_info": _PRINTING,
    "print_kernel_amdgcn": _PRINTING,
    "print_kernel_asm": _PRINTING,
    "print_kernel_llvm_ir": _PRINTING,
    "print_kernel_llvm_ir_optimized": _PRINTING,
    "print_non_pure": "all kernels are cached",
    "print_preprocessed_ir": _PRINTING,
    "print_struct_llvm_ir": _PRINTING,
    "timeline": _TIMES,
    "verbose": "there are no messages",
}

# Settings that are refused.
REFUSED = {
    "default_up": "it is the unsigned dtype as wide as default_ip",
    "require_version": "joggle counts its versions otherwise; compare joggle.__version__",
}


def _check_others(others):
    """Checks settings that change nothing: ignores some, warns about some, refuses the rest."""
    for name in others:
        if name in REFUSED:
            raise TypeError(f"{name}: {REFUSED[name]}")
        if name not in TUNING and name not in UNHEEDED:
            raise TypeError(f"init() got an unexpected keyword argument {name!r}")
    for name, value in others.items():
        if name in UNHEEDED and value:
            warnings.warn(f"{name}: it has no effect; {UNHEEDED[name]}", stacklevel=3)


def _as_arch(value, enable_fallback):
    if value is None:
        return Arch.cpu, "cpu"
    named = isinstance(value, str) and value in Arch.__members__
    arch = Arch[value] if named else value
    if not isinstance(arch, Arch):
        raise TypeError(f"arch: got {value!r}, allowed is one of {[*Arch.__members__]}")
    device, reason = _device_of(arch)
    if device is not None:
        return arch, device
    if not enable_fallback:
        raise RuntimeError(f"arch: {reason}, and enable_fallback is False")
    warnings.warn(f"arch: {reason}; kernels run on the CPU", stacklevel=3)
    return Arch.cpu, "cpu"


# The kinds of devices that archs are.
_KINDS = {Arch.cuda: "cuda", Arch.amdgpu: "rocm", Arch.opencl: "opencl"}


def _device_of(arch):
    """The device of an arch, or None and why there is none."""
    if arch.is_cpu:
        return "cpu", None
    if arch is Arch.gpu:
        return _first_gpu()
    if arch not in _KINDS:
        return None, f"no kernels on {arch.name}, allowed are cpu, cuda, amdgpu, opencl and gpu"
    return _device_there(f"{_KINDS[arch]}:0")


def _device_there(device):
    try:
        _core.default_stream(device)
    except ValueError as error:
        return None, str(error)
    return device, None


def _first_gpu():
    """CUDA's first device, else ROCm's, or the first of OpenCL's that is no processor."""
    found, reason = _device_there("cuda:0")
    found = found or _device_there("rocm:0")[0]
    names = (f"opencl:{number}" for number in range(_jg.device_count("opencl")))
    found = found or next(filter(_core._device_is_gpu, names), None)
    return (found, None) if found else (None, f"no GPU: {reason}; ROCm and OpenCL have none either")


def _check(name, value, allowed):
    if value not in allowed:
        names = [dtype.name for dtype in allowed]
        raise ValueError(f"{name}: got {value.name}, allowed is one of {names}")
    return value


def _checked_threads(count):
    """The number of threads that init is to set, or None. Refused here, before fields are lost."""
    if count is None:
        return None
    most = _core._max_threads
    if not hasattr(count, "__index__") or not 1 <= count <= most:
        raise ValueError(
            f"cpu_max_num_threads: got {count!r}, allowed are integers from 1 to {most}"
        )
    return count


def _checked_level(level):
    level = "info" if level is None else level
    if level not in LEVELS:
        raise ValueError(f"log_level: got {level!r}, allowed are {', '.join(LEVELS)}")
    return level


def init(
    arch=None,
    default_fp=None,
    default_ip=None,
    *,
    debug=False,
    check_out_of_bound=None,
    fast_math=True,
    random_seed=0,
    kernel_profiler=False,
    cpu_max_num_threads=None,
    log_level=None,
    enable_fallback=True,
    raise_on_templated_floats=False,
    **others,
):
    """Starts anew: drops all fields and sets the settings given, and the others to their defaults.

    arch: an Arch or its name, by default what JOGGLE_ARCH says: where fields are from here on, and
    kernels over them run. cuda, amdgpu and opencl are the first device of that kind, gpu the first
    GPU of these; what is not there is the CPU, with a warning. default_fp, default_ip: the dtypes
    of Python's numbers in kernels, f16, f32 or f64 and i32 or i64. debug: kernels check indices,
    overflow of whole numbers and assert; check_out_of_bound: indices alone; None: those that are
    known before a loop, False: none. fast_math: floats may be reassociated. random_seed: an int
    that qd.random goes by from here on. kernel_profiler: qd.profiler tells how long kernels take.
    cpu_max_num_threads: how many threads kernels and arrays run on until the next init or reset;
    None leaves it as it is. enable_fallback: False has an arch that is not there raise
    RuntimeError. raise_on_templated_floats: a float for a template of a kernel is refused. Settings
    that tune the compiler of Quadrants are passed over, those that ask it for output warn. Raises
    TypeError for others and for settings of another type, ValueError for values that are not
    allowed.
    """
    _check_others(others)
    if not hasattr(random_seed, "__index__"):
        raise TypeError(f"random_seed: got {random_seed!r}, allowed are integers")
    threads = _checked_threads(cpu_max_num_threads)
    log_level = _checked_level(log_level)
    arch = arch if arch is not None else os.environ.get("JOGGLE_ARCH")
    arch, device = _as_arch(arch, enable_fallback)
    fp = f32 if default_fp is None else _check("default_fp", as_dtype(default_fp), (f16, f32, f64))
    ip = i32 if default_ip is None else _check("default_ip", as_dtype(default_ip), (i32, i64))
    reset()
    _core._fields_device(device)
    config.arch, config.default_fp, config.default_ip = arch, fp, ip
    config.debug, config.fast_math = bool(debug), bool(fast_math)
    config.random_seed, config.cpu_max_num_threads = random_seed, cpu_max_num_threads
    bounds = check_out_of_bound
    config.check_out_of_bound = None if bounds is None else bool(bounds)
    config.log_level = log_level
    config.raise_on_templated_floats = bool(raise_on_templated_floats)
    _core._kernel_seed(random_seed)
    _modes.times = _Times() if kernel_profiler else None
    if threads is not None:
        config.threads_before = _jg.get_option("num_threads")
        _jg.set_num_threads(threads)


def reset():
    """Drops all fields and resets the settings. Views of fields stay valid."""
    _core._fields_reset()
    _core._fields_device("cpu")
    if config.threads_before is not None:
        _jg.set_option("num_threads", config.threads_before)
    for hook in reset_hooks:
        hook()
    _modes.times = None
    config.reset()


def sync():
    """Waits until everything that was started is complete."""
    _jg.synchronize()


cpu, x64, arm64, python = Arch.cpu, Arch.x64, Arch.arm64, Arch.python
x86_64, opencl = Arch.x64, Arch.opencl
gpu, cuda, amdgpu, metal, vulkan = Arch.gpu, Arch.cuda, Arch.amdgpu, Arch.metal, Arch.vulkan

__all__ = [
    "amdgpu",
    "arm64",
    "cpu",
    "cuda",
    "gpu",
    "init",
    "metal",
    "opencl",
    "python",
    "reset",
    "sync",
    "vulkan",
    "x64",
    "x86_64",
]
