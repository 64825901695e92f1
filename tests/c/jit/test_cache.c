/* SPDX-License-Identifier: Apache-2.0 */
/* Code on disk: what is found again, what is ignored, and that many processes may use it at
 * once. */
#include "jit/backend.h"
#include "launch.h"
#include <dirent.h>
#include <dlfcn.h>
#include <joggle/option.h>
#include <joggle/version.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/joggle-jit-XXXXXX";

/* x[i] = i * factor: a kernel of its own for each factor. */
static kernel_code *compile_scaling(int factor)
{
    char text[512];
    snprintf(text, sizeof text,
             "kernel scaling\n"
             "array x int32 [*]\n"
             "{\n"
             "  %%zero:int64 = const 0\n"
             "  %%factor:int32 = const %d\n"
             "  %%n = extent x 0\n"
             "  parallel %%i:int64 = %%zero to %%n {\n"
             "    %%a:int32 = cast %%i\n"
             "    %%b:int32 = multiply %%a %%factor\n"
             "    store x [%%i] = %%b\n"
             "  }\n"
             "}\n",
             factor);
    return compile_text(text, COMPILE_NO_ALIAS);
}

static bool scales(const kernel_code *code, int factor)
{
    int32_t x[100];
    launch l;
    bool right = true;
    launch_init(&l);
    launch_array(&l, x, 4, 1, (int64_t)100);
    launch_code(&l, code);
    for (int i = 0; i < 100; ++i)
        right &= x[i] == i * factor;
    return right;
}

static int count_files(char *last, size_t nbytes)
{
    int count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(last, nbytes, "%s/%s", folder, entry->d_name);
        count += 1;
    }
    if (listing != NULL)
        closedir(listing);
    return count;
}

/* Runs in a process of its own, which has nothing in memory. gives: 0 if the kernel is right */
static int in_child(int factor)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        kernel_code *code = compile_scaling(factor);
        _exit(scales(code, factor) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return status;
}

TEST(same_kernel_is_compiled_once)
{
    kernel_code *one = compile_scaling(3), *other = compile_scaling(3);
    assert_ptr_equal(jit_compiler.entry(one), jit_compiler.entry(other));
    assert_true(scales(one, 3));
    jit_compiler.release(one);
    jit_compiler.release(other);
    kernel_code *again = compile_scaling(3);
    assert_true(scales(again, 3));
    jit_compiler.release(again);
}

TEST(code_is_kept_on_disk_and_used_by_another_process)
{
    char path[4096];
    struct stat before, after;
    int known = count_files(path, sizeof path);
    assert_int_equal(in_child(7001), 0);
    assert_int_equal(count_files(path, sizeof path), known + 1);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(in_child(7001), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); /* not written again */
}

/* gives: the file's bytes, for free */
static char *read_file(const char *path, size_t *nbytes)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    char *bytes = malloc((size_t)facts.st_size);
    FILE *file = fopen(path, "rb");
    assert_true(bytes != NULL && file != NULL);
    *nbytes = fread(bytes, 1, (size_t)facts.st_size, file);
    fclose(file);
    return bytes;
}

static const jit_backend *find_backend(void)
{
    jg_error error;
    jit_backend_entry *entry;
    void *library = dlopen(getenv("JOGGLE_JIT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    *(void **)&entry = dlsym(library, "joggle_jit_backend");
    return entry(isa_chosen(), &error);
}

/* So that no other one takes the file for its own. */
TEST(files_hold_cpu_build_and_version)
{
    char path[4096];
    size_t nbytes;
    assert_int_equal(in_child(7001), 0);
    count_files(path, sizeof path);
    char *bytes = read_file(path, &nbytes);
    const jit_backend *backend = find_backend();
    uint64_t build[] = {backend->build, JOGGLE_VERSION_MAJOR, JOGGLE_VERSION_MINOR,
                        JOGGLE_VERSION_PATCH};
    assert_non_null(strstr(backend->target, "-linux"));
    assert_non_null(memmem(bytes, nbytes, backend->target, strlen(backend->target)));
    assert_non_null(memmem(bytes, nbytes, build, sizeof build));
    free(bytes);
}

/* What is found must be what was asked for: a file under another's name is not taken. */
TEST(file_of_another_key_is_written_over)
{
    char path[4096], own[4096];
    size_t nbytes, now_nbytes;
    while (count_files(path, sizeof path) > 0)
        unlink(path);
    assert_int_equal(in_child(7001), 0);
    count_files(own, sizeof own);
    char *bytes = read_file(own, &nbytes);
    assert_int_equal(rename(own, strcat(strcpy(path, own), ".kept")), 0);
    assert_int_equal(in_child(7003), 0);
    unlink(path);
    count_files(path, sizeof path);
    assert_int_equal(rename(path, own), 0);
    assert_int_equal(in_child(7001), 0);
    char *now = read_file(own, &now_nbytes);
    assert_int_equal(now_nbytes, nbytes);
    assert_memory_equal(now, bytes, nbytes);
    free(now);
    free(bytes);
    unlink(own);
}

/* Every cut, and a flipped byte anywhere. */
TEST(corrupt_files_are_ignored_and_written_again)
{
    char path[4096];
    assert_int_equal(in_child(7001), 0);
    count_files(path, sizeof path);
    size_t nbytes, now_nbytes;
    char *whole = read_file(path, &nbytes);
    for (int64_t at = 0; at < (int64_t)nbytes; at += (int64_t)nbytes / 5 + 1) {
        assert_int_equal(truncate(path, at), 0);
        assert_int_equal(in_child(7001), 0);
        FILE *file = fopen(path, "r+b");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(~byte & 0xff, file);
        fclose(file);
        assert_int_equal(in_child(7001), 0);
        char *now = read_file(path, &now_nbytes);
        assert_int_equal(now_nbytes, nbytes);
        assert_memory_equal(now, whole, nbytes);
        free(now);
    }
    free(whole);
}

TEST(processes_share_the_folder_at_the_same_time)
{
    enum { N = 6 };
    pid_t children[N];
    for (int c = 0; c < N; ++c) {
        children[c] = fork();
        if (children[c] != 0)
            continue;
        bool right = true;
        for (int factor = 8000; factor < 8008; ++factor)
            right &= scales(compile_scaling(factor), factor);
        _exit(right ? 0 : 1);
    }
    for (int c = 0; c < N; ++c) {
        int status;
        waitpid(children[c], &status, 0);
        assert_int_equal(status, 0);
    }
}

TEST(folder_that_cannot_be_written_does_no_harm)
{
    assert_ok(jg_option_set("jit_cache", "/proc/nowhere"));
    kernel_code *code = compile_scaling(9001);
    assert_true(scales(code, 9001));
    jit_compiler.release(code);
    assert_ok(jg_option_set("jit_cache", folder));
}

static int remove_folder(void **state)
{
    char path[4096];
    (void)state;
    while (count_files(path, sizeof path) > 0)
        unlink(path);
    return rmdir(folder);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && jg_option_set("jit_cache", folder) == JG_OK ? 0 : -1;
}
BEFORE_ALL(make_folder)
AFTER_ALL(remove_folder)
