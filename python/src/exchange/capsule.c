/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack capsules, both ways. The invariant: a tensor in a capsule has one owner. The capsule owns
 * it while its name is one of the first two below; code that renames it takes ownership, and
 * restores the name if the tensor is refused. Names are compared by content and are static, as
 * capsules keep the pointer. */
#include "exchange/exchange.h"

typedef struct capsule_kind {
    const char *name, *used;
} capsule_kind;

enum { LEGACY, VERSIONED, KIND_COUNT };
static const capsule_kind kinds[KIND_COUNT] = {
    [LEGACY] = {"dltensor", "used_dltensor"},
    [VERSIONED] = {"dltensor_versioned", "used_dltensor_versioned"},
};

bool py_capsule_is_tensor(PyObject *object)
{
    const char *name = PyCapsule_CheckExact(object) ? PyCapsule_GetName(object) : NULL;
    PyErr_Clear();
    for (int i = 0; name && i < KIND_COUNT; ++i)
        if (strcmp(name, kinds[i].name) == 0 || strcmp(name, kinds[i].used) == 0)
            return true;
    return false;
}

/* Renames the capsule and gives what it holds. The name is read and changed atomically.
 * gives: the tensor with *kind set, or NULL with BufferError */
static void *claim(PyObject *capsule, int *kind)
{
    void *tensor = NULL;
    Py_BEGIN_CRITICAL_SECTION(capsule);
    for (*kind = 0; *kind < KIND_COUNT; ++*kind)
        if (PyCapsule_IsValid(capsule, kinds[*kind].name)) {
            tensor = PyCapsule_GetPointer(capsule, kinds[*kind].name);
            if (tensor && PyCapsule_SetName(capsule, kinds[*kind].used) != 0)
                tensor = NULL;
            break;
        }
    Py_END_CRITICAL_SECTION();
    if (!tensor && !PyErr_Occurred()) {
        const char *name = PyCapsule_GetName(capsule);
        PyErr_Format(PyExc_BufferError,
                     name && strncmp(name, "used_", 5) == 0
                         ? "the capsule \"%s\" has been consumed already"
                         : "a capsule named \"%s\" is no DLPack tensor",
                     name ? name : "");
    }
    return tensor;
}

/* The tensor was refused and is the capsule's again. An exception is pending. */
static void give_back(PyObject *capsule, int kind)
{
    py_pending pending = py_pending_take();
    PyCapsule_SetName(capsule, kinds[kind].name);
    py_pending_restore(pending);
}

/* Memory that the host reads by address may be called CPU by one side and pinned by the other. */
static bool devices_agree(jg_device_id said, DLDevice found)
{
    int32_t type = (int32_t)found.device_type;
    if (jg_device_is_host_accessible(said.type) && jg_device_is_host_accessible(type))
        return true;
    return said.type == type && said.id == found.device_id;
}

/* A producer that names one device and gives memory of another has moved the data, or is wrong. In
 * both cases the memory is not what the caller was promised. said: NULL where the producer was not
 * asked. */
static int check_device(const jg_device_id *said, DLDevice found)
{
    if (!said || devices_agree(*said, found))
        return 0;
    PyErr_Format(PyExc_BufferError,
                 "__dlpack_device__ says %s:%d, but the tensor that __dlpack__ gave is on %s:%d; "
                 "the same is needed",
                 jg_device_type_name(said->type), (int)said->id,
                 jg_device_type_name((int32_t)found.device_type), (int)found.device_id);
    return -1;
}

/* A requested copy may take long, so other threads run meanwhile. A copy that turns out to be
 * needed (misaligned elements) is rare and keeps the lock. */
static jg_status take_versioned(DLManagedTensorVersioned *managed, jg_copy_policy copy,
                                jg_array **out, bool *taken)
{
    if (copy != JG_COPY_ALWAYS)
        return jg_array_take_managed(managed, copy, out, taken);
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_array_take_managed(managed, copy, out, taken);
    Py_END_ALLOW_THREADS
    return status;
}

/* A deleter that a producer leaves out is allowed: the memory outlives everything. */
static void release_legacy(void *context)
{
    DLManagedTensor *managed = context;
    if (managed->deleter)
        managed->deleter(managed);
}

/* The legacy struct has no flag for memory that must not be written, so it goes in as a view that
 * has one.
 * takes: managed, on JG_OK */
static jg_status take_legacy(DLManagedTensor *managed, jg_copy_policy copy, bool read_only,
                             jg_array **out)
{
    if (!read_only)
        return jg_array_take_managed_legacy(managed, copy, out);
    jg_view view;
    jg_status status =
        jg_view_from_dltensor(&managed->dl_tensor, DLPACK_FLAG_BITMASK_READ_ONLY, &view);
    return status != JG_OK ? status : jg_array_take_view(&view, copy, release_legacy, managed, out);
}

jg_array *py_capsule_take(PyObject *capsule, jg_copy_policy copy, const jg_device_id *device,
                          bool read_only)
{
    int kind;
    void *tensor = claim(capsule, &kind);
    if (!tensor)
        return NULL;
    jg_array *out = NULL;
    bool taken = false;
    int status = 0;
    if (kind == VERSIONED) {
        DLManagedTensorVersioned *managed = tensor;
        /* If the major version differs, only the deleter may be read: the library sees to it. */
        bool is_known = managed->version.major == DLPACK_MAJOR_VERSION;
        uint64_t flags = is_known ? managed->flags : 0;
        if (is_known) {
            status = check_device(device, managed->dl_tensor.device);
            managed->flags |= read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
        }
        if (status == 0)
            status = py_check(take_versioned(managed, copy, &out, &taken));
        if (is_known && !taken && !out)
            managed->flags = flags; /* it is given back as it came */
    } else {
        DLManagedTensor *managed = tensor;
        status = check_device(device, managed->dl_tensor.device);
        if (status == 0)
            status = py_check(take_legacy(managed, copy, read_only, &out));
    }
    if (status == 0)
        return out;
    if (!taken)
        give_back(capsule, kind);
    return NULL;
}

jg_array *py_take_managed(DLManagedTensorVersioned *managed, jg_copy_policy copy)
{
    jg_array *out;
    bool taken = false;
    jg_status status = take_versioned(managed, copy, &out, &taken);
    if (status == JG_OK)
        return out;
    py_raise(status);
    if (!taken && managed->deleter) {
        py_pending pending = py_pending_take();
        managed->deleter(managed);
        py_pending_restore(pending);
    }
    return NULL;
}

static void delete_managed(void *managed, int kind)
{
    if (kind == VERSIONED) {
        DLManagedTensorVersioned *versioned = managed;
        if (versioned->deleter)
            versioned->deleter(versioned);
    } else {
        DLManagedTensor *legacy = managed;
        if (legacy->deleter)
            legacy->deleter(legacy);
    }
}

/* A capsule may die while an exception is on its way, and a deleter may be Python code. One that
 * has been renamed has been consumed: then there is nothing to delete. */
static void destroy(PyObject *capsule, int kind)
{
    if (!PyCapsule_IsValid(capsule, kinds[kind].name))
        return;
    py_pending pending = py_pending_take();
    void *managed = PyCapsule_GetPointer(capsule, kinds[kind].name);
    if (managed)
        delete_managed(managed, kind);
    py_pending_restore(pending);
}

static void destroy_versioned(PyObject *capsule)
{
    destroy(capsule, VERSIONED);
}

static void destroy_legacy(PyObject *capsule)
{
    destroy(capsule, LEGACY);
}

static PyObject *new_capsule(void *managed, int kind)
{
    PyObject *capsule = PyCapsule_New(managed, kinds[kind].name,
                                      kind == VERSIONED ? destroy_versioned : destroy_legacy);
    if (!capsule)
        delete_managed(managed, kind);
    return capsule;
}

PyObject *py_capsule_versioned(DLManagedTensorVersioned *managed)
{
    return new_capsule(managed, VERSIONED);
}

PyObject *py_capsule_legacy(DLManagedTensor *managed)
{
    return new_capsule(managed, LEGACY);
}
