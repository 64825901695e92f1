/* SPDX-License-Identifier: Apache-2.0 */
/* The differences between NVIDIA's and AMD's drivers: names, numbers from their headers, and the
 * numbers of streams in DLPack. The numbers for AMD are those of ROCm 6 and later. */
#include "device/cuda/cuda.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

static const char *const nvidia_symbols[] = {
#define CUDA_CALL(name, function, hip_function, parameters) #function,
#include "device/cuda/api.def"
#undef CUDA_CALL
};

static const char *const amd_symbols[] = {
#define CUDA_CALL(name, function, hip_function, parameters) #hip_function,
#include "device/cuda/api.def"
#undef CUDA_CALL
};

static const char *const nvidia_graph_symbols[] = {
#define CUDA_GRAPH_CALL(name, function, hip_function, parameters) #function,
#include "device/cuda/graph.def"
#undef CUDA_GRAPH_CALL
};

static const char *const amd_graph_symbols[] = {
#define CUDA_GRAPH_CALL(name, function, hip_function, parameters) #hip_function,
#include "device/cuda/graph.def"
#undef CUDA_GRAPH_CALL
};

static const char *const nvidia_compiler_symbols[] = {
#define NVRTC_CALL(name, function, hip_function, parameters) #function,
#include "device/cuda/compiler.def"
#undef NVRTC_CALL
};

static const char *const amd_compiler_symbols[] = {
#define NVRTC_CALL(name, function, hip_function, parameters) hip_function,
#include "device/cuda/compiler.def"
#undef NVRTC_CALL
};

static const char *const nvidia_blas_symbols[] = {
#define BLAS_CALL(name, function, hip_function, parameters) #function,
#include "device/cuda/blas.def"
#undef BLAS_CALL
};

static const char *const amd_blas_symbols[] = {
#define BLAS_CALL(name, function, hip_function, parameters) #hip_function,
#include "device/cuda/blas.def"
#undef BLAS_CALL
};

_Static_assert(sizeof(cuda_api) == sizeof nvidia_symbols, "one function for each name");
_Static_assert(sizeof(cuda_graph_api) == sizeof nvidia_graph_symbols, "one function for each name");
_Static_assert(sizeof(cuda_compiler_api) == sizeof nvidia_compiler_symbols,
               "one function for each name");

/* 1 is the legacy default stream, 2 that of the thread, and every other number is the driver's own
 * handle. 0 could mean either default stream. */
static bool is_nvidia_stream(int64_t number)
{
    return number > 0;
}

static jg_status name_nvidia_code(cuda_device *device)
{
    snprintf(device->code_name, sizeof device->code_name, "sm_%d", device->capability);
    return JG_OK;
}

static void fill_nvidia_node(const cuda_kernel_start *start, cuda_node_params *out)
{
    out->nvidia.function = start->function;
    out->nvidia.arguments = start->arguments;
    for (int i = 0; i < 3; ++i) {
        out->nvidia.groups[i] = i == 0 ? start->groups : 1;
        out->nvidia.items[i] = i == 0 ? start->items : 1;
    }
}

static const cuda_blas cublaslt = {
    .number = 0,
    .name = "cuBLASLt",
    .run_name = "cublasLtMatmul",
    .library = {.symbol = "cublasLtMatmul",
                .folder = CUDA_NVIDIA_FOLDER,
                .names = {"libcublasLt", "libcublasLt.so.13", "libcublasLt.so.12",
                          "libcublasLt.so"}},
    .symbols = nvidia_blas_symbols,
    .option = OPTION_CUBLASLT,
    .variable = "JOGGLE_CUBLASLT",
    .no_memory = 3,
    .transposed = 1,
    .transpose_first = 3,
    .transpose_second = 4,
    .batch_count = 5,
    .batch_stride = 6,
    .workspace = 1,
    .alignment = 5,
    .sums_32 = 68,
    .sums_64 = 70,
    .workspace_at = 64,
    .error_at = 72,
};

const cuda_vendor cuda_nvidia = {
    .name = "CUDA",
    .type = JG_DEVICE_CUDA,
    .dialect = DEVICE_CUDA,
    .driver = {.symbol = "cuInit", .names = {"libcuda", "libcuda.so.1"}},
    .compiler = {.symbol = "nvrtcVersion",
                 .before = "libnvrtc-builtins",
                 .folder = CUDA_NVIDIA_FOLDER,
                 .names = {"libnvrtc", "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}},
    .blas = &cublaslt,
    .symbols = nvidia_symbols,
    .graph_symbols = nvidia_graph_symbols,
    .compiler_symbols = nvidia_compiler_symbols,
    .compiler_missing = "install the package nvidia-cuda-nvrtc, or name its folder in JOGGLE_NVRTC",
    .compiler_option = OPTION_NVRTC,
    .compiler_variable = "JOGGLE_NVRTC",
    .target_option = "-arch=",
    .knows_minimal = 13000,
    .oldest = 50,
    .max_groups = INT32_MAX,
    .max_items = INT64_MAX,
    .legacy_stream = 1,
    .fill_node = fill_nvidia_node,
    .is_stream = is_nvidia_stream,
    .allowed =
        "None, -1, 1 (the legacy default stream), 2 (that of the thread) and a stream's handle",
    .attributes = {.group_limit = 1,
                   .local_nbytes = 8,
                   .warp = 10,
                   .processors = 16,
                   .integrated = 18,
                   .capability_major = 75,
                   .capability_minor = 76,
                   .ordered_alloc = 115},
    .name_code = name_nvidia_code,
};

/* Products of float64 and of complex numbers are not among hipBLASLt's. */
static const cuda_blas hipblaslt = {
    .number = 1,
    .name = "hipBLASLt",
    .run_name = "hipblasLtMatmul",
    .library = {.symbol = "hipblasLtMatmul",
                .folder = CUDA_AMD_FOLDER,
                .names = {"libhipblaslt", "libhipblaslt.so", "libhipblaslt.so.1",
                          "libhipblaslt.so.0"}},
    .symbols = amd_blas_symbols,
    .option = OPTION_HIPBLASLT,
    .variable = "JOGGLE_HIPBLASLT",
    .no_memory = 2,
    .transposed = 112,
    .transpose_first = 0,
    .transpose_second = 1,
    .batch_count = 0,
    .batch_stride = 1,
    .workspace = 1,
    .sums_32 = 2,
    .workspace_at = 24,
    .error_at = 32,
};

/* 0 is the default stream, and every other number a handle; 1 and 2 are not used. */
static bool is_amd_stream(int64_t number)
{
    return number == 0 || number > 2;
}

static void fill_amd_node(const cuda_kernel_start *start, cuda_node_params *out)
{
    out->amd.function = start->function;
    out->amd.arguments = start->arguments;
    for (int i = 0; i < 3; ++i) {
        out->amd.groups[i] = i == 0 ? start->groups : 1;
        out->amd.items[i] = i == 0 ? start->items : 1;
    }
}

/* The compiler's name of a device stands in a struct of the driver, hipDeviceProp_tR0600. */
static jg_status name_amd_code(cuda_device *device)
{
    enum { NBYTES = 1472, AT = 1160 };
    int (*properties)(void *, int);
    _Alignas(8) char answer[NBYTES] = {0};
    void *symbol = dlsym(device->driver->library, "hipGetDevicePropertiesR0600");
    if (symbol == NULL)
        return base_fail(JG_ERR_DEVICE, "libamdhip64.so has no hipGetDevicePropertiesR0600 and is "
                                        "older than ROCm 6; install that or a later one");
    memcpy(&properties, &symbol, sizeof symbol);
    int error = properties(answer, device->ordinal);
    if (error != 0)
        return base_fail(JG_ERR_DEVICE, "rocm:%d: hipGetDeviceProperties: %s (%d)", device->ordinal,
                         cuda_error_name(device->driver, error), error);
    memcpy(device->code_name, answer + AT, sizeof device->code_name - 1);
    return JG_OK;
}

const cuda_vendor cuda_amd = {
    .name = "ROCm",
    .type = JG_DEVICE_ROCM,
    .dialect = DEVICE_HIP,
    .driver = {.symbol = "hipInit",
               .folder = CUDA_AMD_FOLDER,
               .names = {"libamdhip64", "libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"}},
    .compiler = {.symbol = "hiprtcVersion",
                 .folder = CUDA_AMD_FOLDER,
                 .names = {"libhiprtc", "libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6"}},
    .blas = &hipblaslt,
    .symbols = amd_symbols,
    .graph_symbols = amd_graph_symbols,
    .compiler_symbols = amd_compiler_symbols,
    .compiler_missing = "install ROCm, or name the library's folder in JOGGLE_HIPRTC",
    .compiler_option = OPTION_HIPRTC,
    .compiler_variable = "JOGGLE_HIPRTC",
    .target_option = "--offload-arch=",
    .knows_minimal = INT_MAX,
    .oldest = 80,
    .max_groups = INT32_MAX,
    .max_items = UINT32_MAX,
    .legacy_stream = 0,
    .fill_node = fill_amd_node,
    .is_stream = is_amd_stream,
    .allowed = "None, -1, 0 (the default stream) and a stream's handle",
    .attributes = {.group_limit = 56,
                   .local_nbytes = 74,
                   .warp = 87,
                   .processors = 63,
                   .integrated = 16,
                   .capability_major = 23,
                   .capability_minor = 61,
                   .ordered_alloc = 88},
    .name_code = name_amd_code,
};
