/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files that are cut short: reads get zeros and the file a failure, what is no mapping of
 * ours goes to the handler that was there before, and what is removed is forgotten. */
#include "../support.h"
#include "memory/memory.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 4, THREADS = 4, FILES = 3 };

/* A file of PAGES pages of 'x', mapped as sources are. noted: what mapping_add gave, or NULL */
typedef struct mapped_file {
    char path[32];
    int descriptor;
    size_t nbytes;
    char *bytes;
    memory_mapping *noted;
} mapped_file;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void open_file(mapped_file *file)
{
    strcpy(file->path, "/tmp/joggle-mapping-XXXXXX");
    file->descriptor = mkstemp(file->path);
    file->nbytes = PAGES * page_size();
    file->noted = NULL;
    assert_true(file->descriptor >= 0);
    char *content = malloc(file->nbytes);
    memset(content, 'x', file->nbytes);
    assert_int_equal(write(file->descriptor, content, file->nbytes), file->nbytes);
    free(content);
    file->bytes =
        mmap(NULL, file->nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file->descriptor, 0);
    assert_true(file->bytes != MAP_FAILED);
}

static void note(mapped_file *file)
{
    struct stat status;
    assert_int_equal(fstat(file->descriptor, &status), 0);
    assert_ok(mapping_add(file->bytes, file->descriptor, file->path, &status, &file->noted));
}

static void cut(const mapped_file *file, size_t nbytes)
{
    assert_int_equal(ftruncate(file->descriptor, (off_t)nbytes), 0);
}

static void close_file(mapped_file *file)
{
    if (file->noted != NULL)
        mapping_remove(file->noted);
    munmap(file->bytes, file->nbytes);
    close(file->descriptor);
    unlink(file->path);
}

static char read_at(const mapped_file *file, size_t at)
{
    return *(volatile char *)(file->bytes + at);
}

TEST(a_cut_is_zeros_to_the_reader_and_a_failure_to_who_asks)
{
    mapped_file file;
    open_file(&file);
    note(&file);
    assert_ok(mapping_check(file.noted));
    cut(&file, page_size());
    assert_int_equal(read_at(&file, 0), 'x');
    assert_int_equal(read_at(&file, 2 * page_size()), 0);
    assert_int_equal(read_at(&file, file.nbytes - 1), 0);
    assert_int_equal(mapping_check(file.noted), JG_ERR_IO);
    assert_non_null(strstr(jg_error_message(), file.path));
    cut(&file, file.nbytes); /* too late: what was read was zeros */
    assert_int_equal(mapping_check(file.noted), JG_ERR_IO);
    close_file(&file);
}

TEST(a_cut_inside_a_page_is_a_failure_without_a_fault)
{
    mapped_file file;
    open_file(&file);
    note(&file);
    cut(&file, file.nbytes - 1);
    assert_int_equal(mapping_check(file.noted), JG_ERR_IO);
    close_file(&file);
}

TEST(of_several_files_only_the_one_that_is_cut_fails)
{
    mapped_file files[FILES];
    for (int i = 0; i < FILES; ++i) {
        open_file(&files[i]);
        note(&files[i]);
    }
    cut(&files[1], 0);
    for (int i = 0; i < FILES; ++i) {
        assert_ptr_equal(mapping_at(files[i].bytes + files[i].nbytes - 1), files[i].noted);
        assert_int_equal(read_at(&files[i], 0), i == 1 ? 0 : 'x');
        assert_int_equal(mapping_check(files[i].noted), i == 1 ? JG_ERR_IO : JG_OK);
    }
    for (int i = 0; i < FILES; ++i)
        close_file(&files[i]);
}

static volatile sig_atomic_t faults;

/* Puts a page of 'o' where the fault was, and goes on. */
static void give_a_page(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & ~(page_size() - 1));
    faults += 1;
    mmap(page, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(page, 'o', page_size());
}

/* joggle's handler is there from the tests before. One that an application installs later has the
 * faults until the next file comes, which puts ours on top. */
TEST(faults_of_others_and_of_removed_mappings_go_to_the_handler_before)
{
    struct sigaction own = {.sa_sigaction = give_a_page, .sa_flags = SA_SIGINFO}, before;
    mapped_file kept, removed, other;
    open_file(&removed);
    open_file(&kept);
    open_file(&other);
    note(&removed);
    assert_int_equal(sigaction(SIGBUS, &own, &before), 0);
    faults = 0;
    note(&kept);
    assert_ptr_equal(mapping_at(removed.bytes), removed.noted);
    mapping_remove(removed.noted);
    removed.noted = NULL;
    assert_null(mapping_at(removed.bytes));
    cut(&removed, 0);
    cut(&kept, 0);
    cut(&other, 0);
    assert_int_equal(read_at(&other, 0), 'o');
    assert_int_equal(read_at(&removed, 0), 'o');
    assert_int_equal(faults, 2);
    assert_int_equal(read_at(&kept, 0), 0);
    assert_int_equal(faults, 2);
    close_file(&removed);
    close_file(&kept);
    close_file(&other);
    sigaction(SIGBUS, &before, NULL);
}

static sigjmp_buf before_fault;

static void jump_out(int number)
{
    (void)number;
    faults += 1;
    siglongjmp(before_fault, 1);
}

TEST(a_handler_that_jumps_out_has_every_fault)
{
    struct sigaction own = {.sa_handler = jump_out}, before;
    mapped_file ours, other;
    open_file(&ours);
    open_file(&other);
    assert_int_equal(sigaction(SIGBUS, &own, &before), 0);
    note(&ours);
    cut(&other, 0);
    faults = 0;
    for (volatile int i = 0; i < 3; ++i)
        if (sigsetjmp(before_fault, 1) == 0)
            read_at(&other, 0);
    assert_int_equal(faults, 3);
    close_file(&ours);
    close_file(&other);
    sigaction(SIGBUS, &before, NULL);
}

static void *read_all(void *context)
{
    const mapped_file *file = context;
    size_t strange = 0;
    for (size_t i = 0; i < file->nbytes; i += 64) {
        char found = read_at(file, i);
        strange += found != 'x' && found != 0;
    }
    return (void *)strange;
}

TEST(threads_that_read_while_files_are_cut_go_on)
{
    for (int round = 0; round < 50; ++round) {
        mapped_file files[FILES];
        pthread_t threads[THREADS];
        for (int i = 0; i < FILES; ++i) {
            open_file(&files[i]);
            note(&files[i]);
        }
        for (int i = 0; i < THREADS; ++i)
            assert_int_equal(pthread_create(&threads[i], NULL, read_all, &files[i % FILES]), 0);
        for (int i = 0; i < FILES; ++i)
            cut(&files[i], page_size());
        for (int i = 0; i < THREADS; ++i) {
            void *strange;
            pthread_join(threads[i], &strange);
            assert_null(strange);
        }
        for (int i = 0; i < FILES; ++i) {
            assert_int_equal(mapping_check(files[i].noted), JG_ERR_IO);
            close_file(&files[i]);
        }
    }
}
