/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC, the compiler of CUDA's texts: opened when the first text is compiled.
 *
 * It finds its own second library only on the loader's path, so that is opened first, from the same
 * folder.
 *
 * Code for the very device (a cubin) is asked for: text for the driver's own compiler (PTX) may be
 * newer than the driver. PTX is for devices that are newer than the compiler. */
#include "base/disk.h"
#include "device/cuda/cuda.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct nvrtc_library {
#define NVRTC_CALL(name, function, parameters) int(*name) parameters;
#include "device/cuda/compiler.def"
#undef NVRTC_CALL
} nvrtc_library;

static const char *const symbols[] = {
#define NVRTC_CALL(name, function, parameters) #function,
#include "device/cuda/compiler.def"
#undef NVRTC_CALL
};

_Static_assert(sizeof(nvrtc_library) == sizeof symbols, "one function for each name");

enum { COMPILE_FAILED = 6, MAX_OPTIONS = 16, LOG_NBYTES = 360 };

/* The first version that was seen to know -minimal, which leaves out declarations that no printed
 * text uses and so takes half the time. */
enum { KNOWS_MINIMAL = 13000 };

static struct {
    pthread_once_t once;
    jg_error failure; /* its status is JG_OK where the compiler is open */
    nvrtc_library call;
    int version; /* 1000 * major + minor */
    int targets[64], ntargets;
    disk_cache disk;
} nvrtc = {.once = PTHREAD_ONCE_INIT};

/* What the target of a compilation is called. */
typedef struct target {
    char option[32];
    bool is_ptx;
} target;

/* error_text gives a text, in a library whose other functions give errors. */
static const char *error_text(int error)
{
    const char *(*text)(int);
    memcpy(&text, &nvrtc.call.error_text, sizeof text);
    const char *words = text(error);
    return words != NULL ? words : "error";
}

static const cuda_library named_library = {
    .symbol = "nvrtcVersion",
    .before = "libnvrtc-builtins",
    .names = {"libnvrtc", "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}};

static jg_status fail_missing(void)
{
    const char *named = option_text(OPTION_NVRTC);
    if (*named != '\0')
        return jg_fail(JG_ERR_DEVICE,
                       "JOGGLE_NVRTC: got '%s', allowed are a folder that has libnvrtc.so and the "
                       "name of its file",
                       named);
    return jg_fail(JG_ERR_DEVICE,
                   "no compiler for CUDA: libnvrtc was not found; install the package "
                   "nvidia-cuda-nvrtc, or name its folder in JOGGLE_NVRTC");
}

static jg_status bind(void)
{
    void *library = cuda_library_open(&named_library, option_text(OPTION_NVRTC));
    if (library == NULL)
        return fail_missing();
    for (size_t i = 0; i < JG_COUNT_OF(symbols); ++i) {
        void *symbol = dlsym(library, symbols[i]);
        if (symbol == NULL)
            return jg_fail(JG_ERR_DEVICE, "libnvrtc is too old: it has no %s", symbols[i]);
        memcpy((char *)&nvrtc.call + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return JG_OK;
}

static jg_status ask_version(void)
{
    int major = 0, minor = 0, count = 0;
    int error = nvrtc.call.version(&major, &minor);
    if (error == 0)
        error = nvrtc.call.target_count(&count);
    if (error == 0 && count <= (int)JG_COUNT_OF(nvrtc.targets))
        error = nvrtc.call.targets(nvrtc.targets);
    if (error != 0)
        return jg_fail(JG_ERR_DEVICE, "nvrtcGetSupportedArchs: %s (%d)", error_text(error), error);
    nvrtc.version = 1000 * major + minor;
    nvrtc.ntargets = count <= (int)JG_COUNT_OF(nvrtc.targets) ? count : 0;
    return JG_OK;
}

static void open_compiler(void)
{
    jg_status status = bind();
    if (status == JG_OK)
        status = ask_version();
    if (status != JG_OK)
        error_capture(&nvrtc.failure, status);
    disk_open(&nvrtc.disk);
}

/* The device's own code where the compiler knows the device, else PTX for the newest one that it
 * knows. Compilers that tell no targets are asked for the device. */
static target choose_target(const cuda_device *device)
{
    target out = {.is_ptx = nvrtc.ntargets > 0};
    int newest = 0;
    for (int i = 0; i < nvrtc.ntargets; ++i) {
        out.is_ptx = out.is_ptx && nvrtc.targets[i] != device->capability;
        if (nvrtc.targets[i] > newest && nvrtc.targets[i] <= device->capability)
            newest = nvrtc.targets[i];
    }
    snprintf(out.option, sizeof out.option, "-arch=%s_%d", out.is_ptx ? "compute" : "sm",
             out.is_ptx ? newest : device->capability);
    return out;
}

static jg_status fail_call(const cuda_device *device, const char *call, int error)
{
    return jg_fail(JG_ERR_DEVICE, "cuda:%d: %s: %s (%d)", (int)device->base.id.id, call,
                   error_text(error), error);
}

/* What the compiler says, from its first error on, as warnings may stand before that. */
static jg_status fail_compile(const cuda_device *device, void *program, int error)
{
    size_t nbytes = 0;
    (void)nvrtc.call.log_size(program, &nbytes);
    char *log = base_alloc_zeroed(nbytes + 1);
    if (log == NULL || nvrtc.call.log(program, log) != 0) {
        base_free(log);
        return fail_call(device, "nvrtcCompileProgram", error);
    }
    const char *words = strstr(log, "error");
    while (words != NULL && words > log && words[-1] != '\n')
        words -= 1;
    words = words != NULL ? words : log;
    jg_status status = jg_fail(JG_ERR_DEVICE, "cuda:%d: nvrtcCompileProgram: %s (%d): %.*s%s",
                               (int)device->base.id.id, error_text(error), error, LOG_NBYTES, words,
                               strlen(words) > LOG_NBYTES ? " ..." : "");
    base_free(log);
    return status;
}

/* Cuts the flags at their spaces. They are the printer's own, a few. gives: how many there are */
static int split(char *flags, const char **out, int limit)
{
    int count = 0;
    char *rest = NULL;
    for (char *one = strtok_r(flags, " ", &rest); one != NULL && count < limit;
         one = strtok_r(NULL, " ", &rest))
        out[count++] = one;
    return count;
}

static jg_status take_image(const cuda_device *device, void *program, bool is_ptx, cuda_image *out)
{
    size_t nbytes = 0;
    int error =
        is_ptx ? nvrtc.call.ptx_size(program, &nbytes) : nvrtc.call.cubin_size(program, &nbytes);
    if (error != 0)
        return fail_call(device, is_ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", error);
    char *bytes = base_alloc(nbytes + 1);
    if (bytes == NULL)
        return base_nomem(nbytes, "code of a device");
    error = is_ptx ? nvrtc.call.ptx(program, bytes) : nvrtc.call.cubin(program, bytes);
    if (error != 0) {
        base_free(bytes);
        return fail_call(device, is_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", error);
    }
    *out = (cuda_image){bytes, nbytes};
    return JG_OK;
}

static jg_status compile(const cuda_device *device, const char *text, const char *flags,
                         const target *to, cuda_image *out)
{
    char words[256];
    const char *options[MAX_OPTIONS] = {to->option};
    void *program = NULL;
    snprintf(words, sizeof words, "%s", flags);
    int count = 1 + split(words, options + 1, MAX_OPTIONS - 2);
    if (nvrtc.version >= KNOWS_MINIMAL)
        options[count++] = "-minimal";
    int error = nvrtc.call.program_new(&program, text, "joggle.cu", 0, NULL, NULL);
    if (error != 0)
        return fail_call(device, "nvrtcCreateProgram", error);
    error = nvrtc.call.compile(program, count, options);
    jg_status status = error == 0                ? take_image(device, program, to->is_ptx, out)
                       : error == COMPILE_FAILED ? fail_compile(device, program, error)
                                                 : fail_call(device, "nvrtcCompileProgram", error);
    (void)nvrtc.call.program_free(&program);
    return status;
}

/* All that the image depends on. */
static jg_status write_key(const device_unit *unit, const target *to, base_vec *out)
{
    char head[320];
    int length =
        snprintf(head, sizeof head, "cuda %d %s %s\n", nvrtc.version, to->option, unit->flags);
    JG_TRY(vec_append(out, head, (size_t)length));
    return vec_append(out, unit->text, unit->nbytes);
}

/* raises: what has kept the compiler from opening */
static jg_status require_compiler(void)
{
    pthread_once(&nvrtc.once, open_compiler);
    return nvrtc.failure.status == JG_OK ? JG_OK : error_raise(&nvrtc.failure);
}

jg_status cuda_compile(const cuda_device *device, const device_unit *unit, bool *kept,
                       cuda_image *out)
{
    base_vec key = {0};
    disk_object object;
    JG_TRY(require_compiler());
    const target to = choose_target(device);
    jg_status status = write_key(unit, &to, &key);
    if (status == JG_OK && *kept && disk_read(&nvrtc.disk, &key, &object)) {
        *out = (cuda_image){object.bytes, object.nbytes};
    } else if (status == JG_OK) {
        *kept = false;
        status = compile(device, unit->text, unit->flags, &to, out);
        if (status == JG_OK)
            disk_write(&nvrtc.disk, &key, &(disk_object){out->bytes, out->nbytes});
    }
    vec_clear(&key);
    return status;
}
