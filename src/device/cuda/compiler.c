/* SPDX-License-Identifier: Apache-2.0 */
/* The compilers of texts, NVIDIA's NVRTC and AMD's hipRTC: each is opened when the first text is
 * compiled.
 *
 * NVRTC finds its own second library only on the loader's path, so that is opened first, from the
 * same folder.
 *
 * Code for the very device (a cubin) is asked for: text for the driver's own compiler (PTX) may be
 * newer than the driver. PTX is for devices that are newer than the compiler. */
#include "base/disk.h"
#include "device/cuda/cuda.h"
#include <stdio.h>
#include <stdlib.h>

enum { COMPILE_FAILED = 6, MAX_OPTIONS = 16, LOG_NBYTES = 360 };

typedef struct compiler {
    const cuda_vendor *vendor;
    pthread_once_t once;
    jg_error failure; /* its status is JG_OK where the compiler is open */
    cuda_compiler_api call;
    int version; /* 1000 * major + minor */
    int targets[64], ntargets;
    disk_cache disk;
} compiler;

static compiler nvrtc = {.vendor = &cuda_nvidia, .once = PTHREAD_ONCE_INIT},
                hiprtc = {.vendor = &cuda_amd, .once = PTHREAD_ONCE_INIT};

/* The compiler's name of the target. */
typedef struct target {
    char option[96];
    bool is_ptx;
} target;

/* A text to compile for a device. */
typedef struct job {
    compiler *by;
    const cuda_device *device;
    const device_unit *unit;
    target to;
} job;

/* error_text gives a text, in a library whose other functions give errors. */
static const char *error_text(const compiler *by, int error)
{
    const char *(*text)(int);
    memcpy(&text, &by->call.error_text, sizeof text);
    const char *words = text(error);
    return words != NULL ? words : "error";
}

static jg_status fail_missing(const cuda_vendor *vendor)
{
    const char *named = option_text(vendor->compiler_option), *library = vendor->compiler.names[0];
    if (*named != '\0')
        return base_fail(
            JG_ERR_DEVICE,
            "%s: got '%s', allowed are a folder that has %s.so and the name of its file",
            vendor->compiler_variable, named, library);
    return base_fail(JG_ERR_DEVICE, "no compiler for %s: %s was not found; %s", vendor->name,
                     library, vendor->compiler_missing);
}

static jg_status bind(compiler *by)
{
    const cuda_vendor *vendor = by->vendor;
    void *library = cuda_library_open(&vendor->compiler, option_text(vendor->compiler_option));
    if (library == NULL)
        return fail_missing(vendor);
    const char *missing = base_bind(library, sizeof(cuda_compiler_api) / sizeof(void *),
                                    vendor->compiler_symbols, &by->call);
    if (missing != NULL)
        return base_fail(JG_ERR_DEVICE, "%s is too old: it has no %s; install a later one",
                         vendor->compiler.names[0], missing);
    return JG_OK;
}

/* A compiler that tells no targets is asked for the device's own. */
static jg_status ask_targets(compiler *by)
{
    int count = 0;
    if (by->call.target_count == NULL)
        return JG_OK;
    int error = by->call.target_count(&count);
    if (error == 0 && count <= (int)JG_COUNT_OF(by->targets))
        error = by->call.targets(by->targets);
    if (error != 0)
        return base_fail(JG_ERR_DEVICE, "nvrtcGetSupportedArchs: %s (%d)", error_text(by, error),
                         error);
    by->ntargets = count <= (int)JG_COUNT_OF(by->targets) ? count : 0;
    return JG_OK;
}

static jg_status ask_version(compiler *by)
{
    int major = 0, minor = 0;
    int error = by->call.version(&major, &minor);
    if (error != 0)
        return base_fail(JG_ERR_DEVICE, "%s: %s (%d)", by->vendor->compiler_symbols[0],
                         error_text(by, error), error);
    by->version = 1000 * major + minor;
    return ask_targets(by);
}

static void open_compiler(compiler *by)
{
    jg_status status = bind(by);
    if (status == JG_OK)
        status = ask_version(by);
    if (status != JG_OK)
        error_capture(&by->failure, status);
    disk_open(&by->disk);
}

static void open_nvrtc(void)
{
    open_compiler(&nvrtc);
}

static void open_hiprtc(void)
{
    open_compiler(&hiprtc);
}

/* gives: *out, borrowed, valid forever | raises: the failure of opening the compiler */
static jg_status require_compiler(const cuda_vendor *vendor, compiler **out)
{
    bool is_nvidia = vendor == nvrtc.vendor;
    *out = is_nvidia ? &nvrtc : &hiprtc;
    pthread_once(&(*out)->once, is_nvidia ? open_nvrtc : open_hiprtc);
    return (*out)->failure.status == JG_OK ? JG_OK : error_raise(&(*out)->failure);
}

/* The device's own code where the compiler knows the device, else PTX for the newest one that it
 * knows. */
static target choose_target(const compiler *by, const cuda_device *device)
{
    target out = {.is_ptx = by->ntargets > 0};
    int newest = 0;
    for (int i = 0; i < by->ntargets; ++i) {
        out.is_ptx = out.is_ptx && by->targets[i] != device->capability;
        if (by->targets[i] > newest && by->targets[i] <= device->capability)
            newest = by->targets[i];
    }
    if (out.is_ptx)
        snprintf(out.option, sizeof out.option, "-arch=compute_%d", newest);
    else
        snprintf(out.option, sizeof out.option, "%s%s", by->vendor->target_option,
                 device->code_name);
    return out;
}

static jg_status fail_call(const job *of, const char *call, int error)
{
    return base_fail(JG_ERR_DEVICE, "%s:%d: %s: %s (%d)", of->device->base.ops->name,
                     (int)of->device->base.id.id, call, error_text(of->by, error), error);
}

/* The name of a function of the compiler, which is the one of cuda_compiler_api at that offset. */
#define NAME_OF(of, function)                                                                      \
    ((of)->by->vendor->compiler_symbols[offsetof(cuda_compiler_api, function) / sizeof(void *)])

static jg_status fail_compile(const job *of, void *program, int error)
{
    size_t nbytes = 0;
    (void)of->by->call.log_size(program, &nbytes);
    char *log = base_alloc_zeroed(nbytes + 1);
    if (log == NULL || of->by->call.log(program, log) != 0) {
        base_free(log);
        return fail_call(of, NAME_OF(of, compile), error);
    }
    const char *words = text_first_error(log);
    jg_status status =
        base_fail(JG_ERR_DEVICE, "%s:%d: %s: %s (%d): %.*s%s", of->device->base.ops->name,
                  (int)of->device->base.id.id, NAME_OF(of, compile), error_text(of->by, error),
                  error, LOG_NBYTES, words, strlen(words) > LOG_NBYTES ? " ..." : "");
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

static jg_status take_image(const job *of, void *program, cuda_image *out)
{
    const cuda_compiler_api *call = &of->by->call;
    bool is_ptx = of->to.is_ptx;
    size_t nbytes = 0;
    int error = is_ptx ? call->ptx_size(program, &nbytes) : call->cubin_size(program, &nbytes);
    if (error != 0)
        return fail_call(of, is_ptx ? NAME_OF(of, ptx_size) : NAME_OF(of, cubin_size), error);
    char *bytes = base_alloc(nbytes + 1);
    if (bytes == NULL)
        return base_nomem(nbytes, "code of a device");
    error = is_ptx ? call->ptx(program, bytes) : call->cubin(program, bytes);
    if (error != 0) {
        base_free(bytes);
        return fail_call(of, is_ptx ? NAME_OF(of, ptx) : NAME_OF(of, cubin), error);
    }
    *out = (cuda_image){bytes, nbytes};
    return JG_OK;
}

static jg_status compile(const job *of, cuda_image *out)
{
    char words[256];
    const char *options[MAX_OPTIONS] = {of->to.option};
    const cuda_compiler_api *call = &of->by->call;
    void *program = NULL;
    snprintf(words, sizeof words, "%s", of->unit->flags);
    int count = 1 + split(words, options + 1, MAX_OPTIONS - 2);
    if (of->by->version >= of->by->vendor->knows_minimal)
        options[count++] = "-minimal";
    int error = call->program_new(&program, of->unit->text, "joggle.cu", 0, NULL, NULL);
    if (error != 0)
        return fail_call(of, NAME_OF(of, program_new), error);
    error = call->compile(program, count, options);
    jg_status status = error == 0                ? take_image(of, program, out)
                       : error == COMPILE_FAILED ? fail_compile(of, program, error)
                                                 : fail_call(of, NAME_OF(of, compile), error);
    (void)call->program_free(&program);
    return status;
}

/* All that the image depends on. */
static jg_status write_key(const job *of, base_vec *out)
{
    char head[384];
    int length = snprintf(head, sizeof head, "%s %d %s %s\n", of->device->base.ops->name,
                          of->by->version, of->to.option, of->unit->flags);
    JG_TRY(vec_append(out, head, (size_t)length));
    return vec_append(out, of->unit->text, of->unit->nbytes);
}

jg_status cuda_compile(const cuda_device *device, const device_unit *unit, bool *kept,
                       cuda_image *out)
{
    base_vec key = {0};
    disk_object object;
    compiler *by;
    JG_TRY(require_compiler(device->driver->vendor, &by));
    const job of = {.by = by, .device = device, .unit = unit, .to = choose_target(by, device)};
    jg_status status = write_key(&of, &key);
    if (status == JG_OK && *kept && disk_read(&by->disk, &key, &object)) {
        *out = (cuda_image){object.bytes, object.nbytes};
    } else if (status == JG_OK) {
        *kept = false;
        status = compile(&of, out);
        if (status == JG_OK)
            disk_write(&by->disk, &key, &(disk_object){out->bytes, out->nbytes});
    }
    vec_clear(&key);
    return status;
}
