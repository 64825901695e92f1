/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the fake driver. A cubin is a shared object; the threads of a block are fibers, which
 * go on in turn whenever all of them have come to a barrier or to their end. Where the threads of a
 * warp wait for each other alone, the warp goes on before the others do, so that a barrier which is
 * missing between warps shows. */
#undef _FORTIFY_SOURCE /* it takes a jump to another stack for an error */
#include "driver.h"

#include "fiber.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Stacks begin at different lines of a page, as a cache has one set for each. */
enum { MAX_ITEMS = 1024, MAX_ARGUMENTS = 128, STACK_NBYTES = (256 << 10) + 4096 + 64, WARP = 32 };

typedef struct module {
    void *library;
    fake_module words;
} module;

typedef struct function {
    module *of;
    void (*call)(void **arguments);
    bool waits; /* for the other items of its block, somewhere */
    int count, *launched;
    size_t sizes[MAX_ARGUMENTS];
    struct function *next; /* of the same process; they are never freed before it ends */
} function;

/* Fibers of the block that runs. The lock is held from the first to the last of them. A fiber is
 * made when a block first has so many items, and stays: between blocks it waits in run_item. */
static struct {
    fiber scheduler, item[MAX_ITEMS];
    char *stacks;
    bool ended[MAX_ITEMS], exchanges[MAX_ITEMS]; /* waits for its warp alone */
    int made, now;
    const fake_task *task;
    void (*call)(void **arguments);
} fibers;

static void leave(void)
{
    fiber_swap(&fibers.item[fibers.now], &fibers.scheduler);
}

static void enter(int item)
{
    fibers.now = item;
    fiber_swap(&fibers.scheduler, &fibers.item[item]);
}

static void run_item(void)
{
    for (;;) {
        fibers.call(fibers.task->arguments);
        fibers.ended[fibers.now] = true;
        leave();
    }
}

static void start_fibers(int count)
{
    if (fibers.stacks == NULL)
        fibers.stacks = mmap(NULL, (size_t)MAX_ITEMS * STACK_NBYTES, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (; fibers.made < count; ++fibers.made)
        fiber_make(&fibers.item[fibers.made], fibers.stacks + (size_t)fibers.made * STACK_NBYTES,
                   STACK_NBYTES, run_item);
    memset(fibers.ended, 0, sizeof *fibers.ended * (size_t)count);
    fiber_adopt(&fibers.scheduler);
}

static void run_on(const fake_module *words, int item)
{
    *words->thread = (fake_dim3){(unsigned)item, 0, 0};
    enter(item);
    fibers.exchanges[item] = words->exchanges != NULL && *words->exchanges != 0;
    if (words->exchanges != NULL)
        *words->exchanges = 0;
}

/* The items first to last - 1, to a barrier of the block or their end. gives: how many are left */
static int run_warp(const fake_module *words, int first, int last)
{
    int left = 0, waiting;
    for (int turn = 0;; ++turn) {
        waiting = left = 0;
        for (int i = first; i < last; ++i) {
            int item = fake_order == 0 ? i : first + last - 1 - i;
            if (!fibers.ended[item] && (turn == 0 || fibers.exchanges[item]))
                run_on(words, item);
            left += !fibers.ended[item];
            waiting += !fibers.ended[item] && fibers.exchanges[item];
        }
        if (waiting == 0)
            return left;
    }
}

/* One turn of all items that have not ended. gives: how many are left */
static int turn(const fake_module *words, int count)
{
    int left = 0, nwarps = (count + WARP - 1) / WARP;
    for (int i = 0; i < nwarps; ++i) {
        int first = (fake_order == 0 ? i : nwarps - 1 - i) * WARP;
        left += run_warp(words, first, first + WARP < count ? first + WARP : count);
    }
    return left;
}

/* Items that never wait for each other need no fibers. */
static void run_loop(const fake_module *words, int count)
{
    for (int i = 0; i < count; ++i) {
        *words->thread = (fake_dim3){(unsigned)(fake_order == 0 ? i : count - 1 - i), 0, 0};
        fibers.call(fibers.task->arguments);
    }
}

static void run_block(const fake_module *words, int count)
{
    start_fibers(count);
    while (turn(words, count) > 0)
        continue;
}

/* With the lock of all streams, as shared memory is a static of the library. */
void fake_run_kernel(fake_task *task, int *error)
{
    const function *of = task->function;
    const fake_module *words = &of->of->words;
    int failure = fake_failure("kernel");
    if (failure != 0) {
        *error = failure;
        return;
    }
    fibers.task = task;
    fibers.call = of->call;
    *words->barrier = leave;
    *words->block = task->items;
    *words->grid = task->groups;
    for (unsigned i = 0; i < task->groups.x; ++i) {
        *words->group = (fake_dim3){fake_order == 0 ? i : task->groups.x - 1 - i, 0, 0};
        if (of->waits)
            run_block(words, (int)task->items.x);
        else
            run_loop(words, (int)task->items.x);
    }
}

static bool write_image(const void *image, const char *path)
{
    /* An ELF file ends with its table of sections. */
    const unsigned char *bytes = image;
    uint64_t table;
    uint16_t size, count;
    memcpy(&table, bytes + 0x28, sizeof table);
    memcpy(&size, bytes + 0x3a, sizeof size);
    memcpy(&count, bytes + 0x3c, sizeof count);
    FILE *file = fopen(path, "w");
    size_t nbytes = (size_t)table + (size_t)size * count;
    bool written = file != NULL && fwrite(image, 1, nbytes, file) == nbytes;
    return file != NULL && fclose(file) == 0 && written;
}

FAKE_API int cuModuleLoadData(void **out, const void *image);
FAKE_API int cuModuleUnload(void *handle);
FAKE_API int cuModuleGetFunction(void **out, void *handle, const char *name);
FAKE_API int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, void *stream_handle,
                            void **arguments, void **extra);

static void find_words(module *of)
{
    of->words.thread = dlsym(of->library, "threadIdx");
    of->words.block = dlsym(of->library, "blockDim");
    of->words.group = dlsym(of->library, "blockIdx");
    of->words.grid = dlsym(of->library, "gridDim");
    of->words.exchanges = dlsym(of->library, "shim_exchanges");
    *(void **)&of->words.barrier = dlsym(of->library, "shim_barrier");
}

int cuModuleLoadData(void **out, const void *image)
{
    char path[] = "/tmp/joggle-fake-cubin-XXXXXX";
    pthread_mutex_lock(&fake_lock);
    int error = fake_failure("module_load");
    pthread_mutex_unlock(&fake_lock);
    if (error != 0)
        return error;
    int file = mkstemp(path);
    module *of = calloc(1, sizeof *of);
    if (file >= 0 && write_image(image, path))
        of->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    if (of->library == NULL) {
        free(of);
        return INVALID_IMAGE;
    }
    find_words(of);
    pthread_mutex_lock(&fake_lock);
    fake_counts.modules += 1;
    pthread_mutex_unlock(&fake_lock);
    *out = of;
    return 0;
}

static function *functions;

/* Launches by the name of a kernel. */
static struct {
    char name[32];
    int count;
} launched[256];

static const char *name_after_number(const char *name)
{
    const char *at = strchr(name, '_');
    return at != NULL ? at + 1 : name;
}

/* With the lock. gives: the place of a name's count, which may be a new one; names that are cut are
 * one where their parts are; the last place is that of all names without one */
static int place_of(const char *name)
{
    enum { LENGTH = sizeof launched->name - 1 };
    int i = 0, last = (int)(sizeof launched / sizeof *launched) - 1;
    while (i < last && launched[i].name[0] != '\0' && strncmp(launched[i].name, name, LENGTH) != 0)
        ++i;
    return i;
}

static int *count_of(const char *name)
{
    int place = place_of(name);
    if (place < (int)(sizeof launched / sizeof *launched) - 1)
        snprintf(launched[place].name, sizeof launched[place].name, "%s", name);
    return &launched[place].count;
}

int fake_cuda_launched(const char *name)
{
    pthread_mutex_lock(&fake_lock);
    int count = launched[place_of(name)].count;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

int cuModuleUnload(void *handle)
{
    module *of = handle;
    pthread_mutex_lock(&fake_lock);
    fake_counts.modules -= 1;
    for (function **at = &functions; *at != NULL;) {
        function *one = *at;
        if (one->of == of) {
            *at = one->next;
            free(one);
        } else {
            at = &one->next;
        }
    }
    pthread_mutex_unlock(&fake_lock);
    dlclose(of->library);
    free(of);
    return 0;
}

int cuModuleGetFunction(void **out, void *handle, const char *name)
{
    module *of = handle;
    char symbol[96];
    int (*sizes)(size_t *);
    const int *waits;
    function *made = calloc(1, sizeof *made);
    made->of = of;
    snprintf(symbol, sizeof symbol, "%s__call", name);
    *(void **)&made->call = dlsym(of->library, symbol);
    snprintf(symbol, sizeof symbol, "%s__sizes", name);
    *(void **)&sizes = dlsym(of->library, symbol);
    snprintf(symbol, sizeof symbol, "%s__waits", name);
    waits = dlsym(of->library, symbol);
    made->waits = waits == NULL || *waits != 0;
    pthread_mutex_lock(&fake_lock);
    int error = made->call == NULL || sizes == NULL ? NOT_FOUND : fake_failure("module_function");
    if (error == 0) {
        made->count = sizes(made->sizes);
        made->launched = count_of(name_after_number(name));
        made->next = functions;
        functions = made;
        *out = made;
    } else {
        free(made);
    }
    pthread_mutex_unlock(&fake_lock);
    return error;
}

static size_t rounded(size_t nbytes)
{
    return (nbytes + 15) & ~(size_t)15;
}

size_t fake_arguments_nbytes(const void *handle)
{
    const function *of = handle;
    size_t nbytes = rounded((size_t)of->count * sizeof(void *));
    for (int i = 0; i < of->count; ++i)
        nbytes += rounded(of->sizes[i]);
    return nbytes;
}

/* The addresses, then the bytes. */
void **fake_copy_arguments(const void *handle, void *const *arguments, void *to)
{
    const function *of = handle;
    void **out = to;
    char *at = (char *)to + rounded((size_t)of->count * sizeof(void *));
    for (int i = 0; i < of->count; ++i) {
        out[i] = memcpy(at, arguments[i], of->sizes[i]);
        at += rounded(of->sizes[i]);
    }
    return out;
}

bool fake_is_start(unsigned groups, unsigned items)
{
    return groups > 0 && items > 0 && items <= MAX_ITEMS;
}

void fake_count_launch(const void *handle)
{
    fake_counts.launches += 1;
    *((const function *)handle)->launched += 1;
}

int cuLaunchKernel(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream_handle, void **arguments,
                   void **extra)
{
    const function *of = handle;
    (void)extra, (void)shared;
    pthread_mutex_lock(&fake_lock);
    int device = fake_current();
    int error = device < 0 ? INVALID_CONTEXT : fake_devices[device].error;
    if (error == 0)
        error = fake_failure("launch");
    fake_queue *to = error == 0 ? fake_stream(device, stream_handle) : NULL;
    if (error == 0 && (to == NULL || to->device != device))
        error = INVALID_HANDLE;
    if (error == 0 && (!fake_is_start(gx, bx) || gy * gz * by * bz != 1))
        error = INVALID_VALUE;
    if (error == 0) {
        fake_count_launch(of);
        fake_counts.submissions += 1;
        fake_push(to, (fake_task){.kind = TASK_RUN,
                                  .run = fake_run_kernel,
                                  .function = handle,
                                  .groups = {gx, 1, 1},
                                  .items = {bx, 1, 1},
                                  .arguments = fake_copy_arguments(
                                      of, arguments, malloc(fake_arguments_nbytes(of)))});
    }
    pthread_mutex_unlock(&fake_lock);
    return error;
}

void fake_cuda_order(int order)
{
    pthread_mutex_lock(&fake_lock);
    fake_order = order;
    pthread_mutex_unlock(&fake_lock);
}
