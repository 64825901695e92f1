/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of this process, and the families that more of them come from.
 *
 * The table only grows, and an entry is written before the count that publishes it, so it is read
 * without a lock. Drivers are opened one after the other, with no lock held, as some fork meanwhile
 * to load a module of the kernel: a thread that asks for a device of a family whose driver is being
 * opened waits for a condition. A fork by another thread does not wait, since its hooks hold locks
 * that the driver's own fork needs; its child goes without the family. */
#include "device/cpu/regions.h"
#include "device/device.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAMILIES = 8 };

typedef struct asked_family {
    const device_family *family;
    atomic_bool asked; /* the probe has been called, and what follows is final */
    jg_error failure;  /* of the probe; its status is JG_OK if there was none */
} asked_family;

static jg_device *devices[DEVICE_MAX];
static atomic_int ndevices;
static asked_family families[MAX_FAMILIES]; /* written before there are threads */
static int nfamilies;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static asked_family *opening; /* whose probe runs, or NULL; under the lock */
static pthread_t opener;      /* the thread that runs it; under the lock */
static int nlocked; /* devices whose mutexes a fork holds: a probe may add others meanwhile */

static atomic_uint nforks;

atomic_int device_default_index = -1;

int device_count_all(void)
{
    return atomic_load_explicit(&ndevices, memory_order_acquire);
}

/* The device of that kind and number, or NULL. */
static jg_device *find_exactly(jg_device_id id)
{
    for (int i = 0; i < device_count_all(); ++i)
        if (devices[i]->id.type == id.type && devices[i]->id.id == id.id)
            return devices[i];
    return NULL;
}

static int count_of(int32_t type)
{
    int count = 0;
    for (int i = 0; i < device_count_all(); ++i)
        count += devices[i]->id.type == type;
    return count;
}

typedef enum slot_group { REQUIRED, ALONE, CODE, PRODUCTS, STREAMS, GRAPHS, GROUPS } slot_group;

typedef struct slot_row {
    const char *name;
    slot_group group;
    bool is_there;
} slot_row;

/* The words of the message when only some slots of a group are set. */
static const char *const group_words[GROUPS] = {
    [CODE] = "code_load, code_free, launch and facts",
    [PRODUCTS] = "the slots for products",
    [STREAMS] = "the slots for streams",
    [GRAPHS] = "the slots for graphs",
};

/* Required slots must be there. Of a group all must be there or none; the facts count among those
 * of code. */
static jg_status check_slots(const jg_device *device)
{
    const jg_device_ops *ops = device->ops;
    const slot_row rows[] = {
#define DEVICE_SLOT(slot, group) {#slot, group, ops->slot != NULL},
#include "device/slots.def"
#undef DEVICE_SLOT
        {"facts", CODE, device->facts != NULL}};
    int there[GROUPS] = {0}, all[GROUPS] = {0};
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i) {
        if (rows[i].group == REQUIRED && !rows[i].is_there)
            return base_fail(JG_ERR_VALUE, "device %s: the slot %s is NULL, allowed are functions",
                             ops->name, rows[i].name);
        there[rows[i].group] += rows[i].is_there;
        all[rows[i].group] += 1;
    }
    for (int group = CODE; group < GROUPS; ++group)
        if (there[group] != 0 && there[group] != all[group])
            return base_fail(JG_ERR_VALUE,
                             "device %s: some of %s are NULL, allowed are all or none", ops->name,
                             group_words[group]);
    return JG_OK;
}

static jg_status check(const jg_device *device)
{
    const jg_device_ops *ops = device->ops;
    if (ops->version != DEVICE_OPS_VERSION) /* slots of another version may lie elsewhere */
        return base_fail(JG_ERR_VALUE, "device %s: vtable version %d, allowed is %d", ops->name,
                         ops->version, DEVICE_OPS_VERSION);
    JG_TRY(check_slots(device));
    if (find_exactly(device->id) != NULL)
        return base_fail(JG_ERR_VALUE,
                         "device %s:%d: got one that is registered, allowed are others", ops->name,
                         (int)device->id.id);
    return JG_OK;
}

jg_status device_register(jg_device *device)
{
    int count = device_count_all();
    JG_TRY(check(device));
    if (count == DEVICE_MAX)
        return base_fail(JG_ERR_UNSUPPORTED, "device: got one more than the %d that are allowed",
                         count);
    device->index = count;
    pthread_mutex_init(&device->submitting, NULL);
    devices[count] = device;
    atomic_store_explicit(&ndevices, count + 1, memory_order_release);
    return JG_OK;
}

void device_add_family(const device_family *family)
{
    if (nfamilies == MAX_FAMILIES)
        __builtin_trap(); /* the runtime names each family once */
    families[nfamilies++].family = family;
}

static asked_family *family_of(int32_t type)
{
    for (int i = 0; i < nfamilies; ++i)
        if (families[i].family->type == type)
            return &families[i];
    return NULL;
}

/* Called with the lock held, which it releases while the driver is opened. */
static void probe(asked_family *asked)
{
    opening = asked;
    opener = pthread_self();
    pthread_mutex_unlock(&lock);
    jg_status status = asked->family->probe();
    if (status != JG_OK)
        error_capture(&asked->failure, status);
    pthread_mutex_lock(&lock);
    opening = NULL;
    atomic_store_explicit(&asked->asked, true, memory_order_release);
    pthread_cond_broadcast(&opened);
}

/* Opens the driver of the type's family, if there is one and it is not open yet. */
static void open_family(int32_t type)
{
    asked_family *asked = family_of(type);
    if (asked == NULL || atomic_load_explicit(&asked->asked, memory_order_acquire))
        return;
    pthread_mutex_lock(&lock);
    while (opening != NULL && !atomic_load_explicit(&asked->asked, memory_order_relaxed))
        pthread_cond_wait(&opened, &lock);
    if (!atomic_load_explicit(&asked->asked, memory_order_relaxed))
        probe(asked);
    pthread_mutex_unlock(&lock);
}

static void lock_all(void)
{
    pthread_mutex_lock(&lock);
    nlocked = device_count_all();
    for (int i = 0; i < nlocked; ++i)
        pthread_mutex_lock(&devices[i]->submitting);
}

static void unlock_all(void)
{
    for (int i = 0; i < nlocked; ++i)
        pthread_mutex_unlock(&devices[i]->submitting);
    pthread_mutex_unlock(&lock);
}

/* The thread that opens a driver is not there, unless it is the one that has forked. */
static void after_fork_child(void)
{
    if (opening != NULL && !pthread_equal(opener, pthread_self())) {
        opening->failure = (jg_error){
            JG_ERR_DEVICE, "this process was forked while another thread opened the driver"};
        atomic_store_explicit(&opening->asked, true, memory_order_release);
        opening = NULL;
    }
    pthread_cond_init(&opened, NULL);
    atomic_fetch_add_explicit(&nforks, 1, memory_order_relaxed);
    unlock_all();
}

void device_install_hooks(void)
{
    pthread_atfork(lock_all, unlock_all, after_fork_child);
    device_code_install_hooks();
    regions_install_hooks();
}

unsigned device_forks(void)
{
    return atomic_load_explicit(&nforks, memory_order_relaxed);
}

jg_device *device_find(jg_device_id id)
{
    /* Producers give host memory any device number, but there is only one host. */
    if (jg_device_is_host_accessible(id.type))
        return device_cpu();
    jg_device *device = find_exactly(id);
    if (device != NULL)
        return device;
    open_family(id.type);
    return find_exactly(id);
}

/* The device that a caller names: device_find but for a second CPU, which only producers have. */
static jg_device *find_named(jg_device_id id)
{
    return id.type == JG_DEVICE_CPU && id.id != 0 ? NULL : device_find(id);
}

/* The devices that a message says are allowed; what does not fit is left out. */
typedef struct device_words {
    char text[256];
    size_t length;
} device_words;

__attribute__((format(printf, 2, 3))) static void add_words(device_words *list, const char *format,
                                                            ...)
{
    size_t room = sizeof list->text - list->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(list->text + list->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        list->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* The devices of a kind, at the first of them in the registry. */
static void add_kind(device_words *list, int first)
{
    int32_t type = devices[first]->id.type;
    const char *kind = jg_device_type_name(type);
    int count = count_of(type);
    if (type == JG_DEVICE_CPU)
        add_words(list, "%s", kind);
    else
        add_words(list, ", %s:0", kind);
    if (count > 1)
        add_words(list, " to %s:%d", kind, count - 1);
}

/* Those that are registered, then the families whose drivers nobody has asked for. No driver is
 * opened, as that may take long. */
static device_words list_devices(void)
{
    device_words list = {.length = 0};
    const char *before = " (and devices of ";
    for (int i = 0; i < device_count_all(); ++i) {
        int first = 0;
        while (devices[first]->id.type != devices[i]->id.type)
            ++first;
        if (first == i)
            add_kind(&list, i);
    }
    for (int i = 0; i < nfamilies; ++i)
        if (!atomic_load_explicit(&families[i].asked, memory_order_acquire)) {
            add_words(&list, "%s%s", before, jg_device_type_name(families[i].family->type));
            before = ", ";
        }
    if (before[0] == ',')
        add_words(&list, ": naming one opens its driver)");
    return list;
}

/* The failure for a text that names no device. */
static jg_status fail_unknown(const char *text)
{
    device_words list = list_devices();
    return base_fail(JG_ERR_VALUE, "device: got '%s', allowed is %s", text, list.text);
}

/* The failure for a device that is not there, with the reason why its driver gave none. */
static jg_status fail_missing(jg_device_id id)
{
    const char *kind = jg_device_type_name(id.type);
    const asked_family *asked = family_of(id.type);
    device_words list = list_devices();
    if (asked != NULL && asked->failure.status != JG_OK)
        return base_fail(asked->failure.status, "device: got %s:%d, allowed is %s; %s", kind,
                         (int)id.id, list.text, asked->failure.message);
    return base_fail(JG_ERR_DEVICE, "device: got %s:%d (DLPack type %d), allowed is %s", kind,
                     (int)id.id, (int)id.type, list.text);
}

static jg_status require(jg_device *device, jg_device_id id, jg_device **out)
{
    if (device == NULL)
        return fail_missing(id);
    *out = device;
    return JG_OK;
}

jg_status device_require(jg_device_id id, jg_device **out)
{
    return require(find_named(id), id, out);
}

jg_status device_require_memory(jg_device_id id, jg_device **out)
{
    return require(device_find(id), id, out);
}

bool jg_device_is_available(jg_device_id id)
{
    return find_named(id) != NULL;
}

jg_status jg_device_require(jg_device_id id)
{
    jg_device *device;
    return device_require(id, &device);
}

int jg_device_count(int32_t type)
{
    open_family(type);
    return count_of(type);
}

const char *jg_device_title(jg_device_id id)
{
    const jg_device *device = find_named(id);
    return device != NULL ? device->title : NULL;
}

bool jg_device_is_gpu(jg_device_id id)
{
    const jg_device *device = find_named(id);
    return device != NULL && device->facts != NULL && device->facts->shape == DEVICE_GROUP;
}

jg_status jg_device_memory(jg_device_id id, uint64_t *total, uint64_t *free)
{
    jg_device *device = NULL;
    device_memory memory;
    JG_TRY(device_require(id, &device));
    JG_TRY(device_tell_memory(device, &memory));
    *total = memory.total;
    *free = memory.free;
    return JG_OK;
}

jg_device *device_at(int index)
{
    return devices[index];
}

/* The kind that a name stands for, which ends after `length`; 0 if there is none. */
static int32_t kind_named(const char *text, size_t length)
{
    if (length == 3 && memcmp(text, "gpu", length) == 0) {
        bool is_amd = jg_device_count(JG_DEVICE_CUDA) == 0 && jg_device_count(JG_DEVICE_ROCM) > 0;
        return is_amd ? JG_DEVICE_ROCM : JG_DEVICE_CUDA;
    }
    const char *unknown = jg_device_type_name(0);
    for (int32_t type = JG_DEVICE_CPU; type <= JG_DEVICE_TRAINIUM; ++type) {
        const char *name = jg_device_type_name(type); /* DLPack leaves some numbers out */
        if (strcmp(name, unknown) != 0 && strlen(name) == length && memcmp(name, text, length) == 0)
            return type;
    }
    return 0;
}

jg_status jg_device_parse(const char *text, jg_device_id *out)
{
    if (text == NULL)
        return base_fail(JG_ERR_VALUE, "device: got NULL, allowed is %s", list_devices().text);
    size_t length = strcspn(text, ":");
    const char *number = text[length] == ':' ? text + length + 1 : "0";
    char *end;
    long id = strtol(number, &end, 10);
    /* strtol takes spaces and signs as well. Only a name with a number may open drivers. */
    bool is_number = *number >= '0' && *number <= '9' && *end == '\0' && id <= INT32_MAX;
    int32_t type = is_number ? kind_named(text, length) : 0;
    if (type == 0 || (jg_device_is_host_accessible(type) && id != 0))
        return fail_unknown(text);
    *out = (jg_device_id){type, (int32_t)id};
    return JG_OK;
}

static jg_status require_named(const char *text, jg_device **out)
{
    jg_device_id id = {JG_DEVICE_CPU, 0};
    if (text[0] != '\0')
        JG_TRY(jg_device_parse(text, &id));
    return device_require(id, out);
}

/* The device that the option names; failures name the option. */
static jg_status find_chosen(jg_device **out)
{
    jg_error failure;
    jg_status status = require_named(option_text(OPTION_DEVICE), out);
    if (status == JG_OK)
        return JG_OK;
    error_capture(&failure, status);
    return base_fail(status, "JOGGLE_DEVICE: %s", failure.message);
}

jg_status device_default_choose(int *out)
{
    jg_device *device;
    int index = atomic_load_explicit(&device_default_index, memory_order_relaxed);
    if (index < 0) {
        JG_TRY(find_chosen(&device));
        /* Another thread may have set one meanwhile. */
        if (atomic_compare_exchange_strong(&device_default_index, &index, device->index))
            index = device->index;
    }
    *out = index;
    return JG_OK;
}

int device_default(void)
{
    int index;
    return device_default_require(&index) == JG_OK ? index : device_cpu()->index;
}

jg_status jg_device_get_default(jg_device_id *out)
{
    int index;
    JG_TRY(device_default_require(&index));
    *out = device_at(index)->id;
    return JG_OK;
}

jg_device_id jg_device_default(void)
{
    return device_at(device_default())->id;
}

jg_status jg_device_set_default(jg_device_id id)
{
    jg_device *device = NULL;
    JG_TRY(device_require(id, &device));
    atomic_store_explicit(&device_default_index, device->index, memory_order_relaxed);
    return JG_OK;
}
