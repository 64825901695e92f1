/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled objects on disk, a file for each key, named by its hash.
 *
 * A file is a head, the key and the object. It is written under a name of its own and then renamed,
 * so any number of processes may read and write at once: a name is that of a complete file. A file
 * without the right sizes, hashes and key is ignored and written again. From time to time a writer
 * adds up the files and removes the oldest ones if there is too much.
 *
 * What is read is executed. So the folder and the file must belong to the user, and no other may
 * write them: both are checked after they are opened, and the folder is used through its
 * descriptor, so that neither can be exchanged. A folder that is not trusted is not used. */
#include "base/disk.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct disk_head {
    char magic[8];
    uint64_t key_nbytes, object_nbytes, object_hash;
} disk_head;

static const char magic[8] = "joggle2"; /* another where the head changes */

enum {
    NAME_SIZE = 24,
    OWN_NAME_SIZE = 64,
    LARGEST = 1 << 28,      /* bytes of a file */
    MAX_NBYTES = 256 << 20, /* bytes of the folder; half of it is kept when it is cleared up */
    WRITES_TO_A_LOOK = 32,
};

/* gives: whether the path fits */
static bool write_path(char *out, const char *format, const char *first)
{
    int length = snprintf(out, sizeof(disk_cache), format, first);
    return length > 0 && (size_t)length < sizeof(disk_cache);
}

void disk_open(disk_cache *out)
{
    const char *asked = option_text(OPTION_JIT_CACHE);
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool found = false;
    if (strcmp(asked, "none") == 0)
        found = false;
    else if (asked[0] != '\0')
        found = write_path(out->folder, "%s", asked);
    else if (caches != NULL && caches[0] == '/')
        found = write_path(out->folder, "%s/joggle", caches);
    else if (home != NULL && home[0] != '\0')
        found = write_path(out->folder, "%s/.cache/joggle", home);
    if (!found)
        out->folder[0] = '\0';
}

/* Makes each folder of the path; it is no failure if one exists. Only the user may use them,
 * because the files in them are executed. */
static void make_folders(const char *path)
{
    char part[sizeof(disk_cache)];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at != '\0'; ++at) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(part, 0700);
        *at = '/';
    }
    mkdir(part, 0700);
}

/* out: NAME_SIZE bytes */
static void name_file(const base_vec *key, char *out)
{
    snprintf(out, NAME_SIZE, "%016" PRIx64 ".jit", hash_bytes(key->data, key->nbytes));
}

/* Whether only the user and root can have written the open file. */
static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() && (facts->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* gives: a descriptor, or -1 where there is no such folder or it is not trusted */
static int open_folder(const disk_cache *cache)
{
    struct stat facts;
    int folder = open(cache->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (fstat(folder, &facts) == 0 && is_own(&facts))
        return folder;
    close(folder);
    return -1;
}

/* The whole file as a block of base_alloc's. Links, and what is no regular file, are refused. */
static char *read_file(int folder, const char *name, size_t *out)
{
    struct stat facts;
    char *bytes = NULL;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && is_own(&facts) && facts.st_size > 0 &&
        facts.st_size < LARGEST)
        bytes = base_alloc((size_t)facts.st_size);
    size_t nbytes = bytes != NULL ? (size_t)facts.st_size : 0, done = 0;
    while (done < nbytes) {
        ssize_t now = read(file, bytes + done, nbytes - done);
        if (now <= 0)
            break;
        done += (size_t)now;
    }
    close(file);
    *out = done;
    return bytes;
}

/* Whether the bytes are a head, this very key, and the object that was written with it. */
static bool is_whole(const char *bytes, size_t nbytes, const base_vec *key)
{
    disk_head head;
    if (nbytes < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    const char *rest = bytes + sizeof head;
    return memcmp(head.magic, magic, sizeof magic) == 0 && head.key_nbytes == key->nbytes &&
           head.object_nbytes == nbytes - sizeof head - key->nbytes &&
           nbytes >= sizeof head + key->nbytes && memcmp(rest, key->data, key->nbytes) == 0 &&
           head.object_hash == hash_bytes(rest + key->nbytes, head.object_nbytes);
}

bool disk_read(const disk_cache *cache, const base_vec *key, disk_object *out)
{
    char name[NAME_SIZE];
    size_t nbytes;
    int folder = cache->folder[0] != '\0' ? open_folder(cache) : -1;
    if (folder < 0)
        return false;
    name_file(key, name);
    char *bytes = read_file(folder, name, &nbytes);
    close(folder);
    bool whole = bytes != NULL && is_whole(bytes, nbytes, key);
    if (whole) {
        size_t before = sizeof(disk_head) + key->nbytes;
        memmove(bytes, bytes + before, nbytes - before);
        *out = (disk_object){bytes, nbytes - before};
    } else {
        base_free(bytes);
    }
    return whole;
}

static bool write_all(int file, const void *bytes, size_t nbytes)
{
    const char *at = bytes;
    while (nbytes > 0) {
        ssize_t now = write(file, at, nbytes);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0)
            return false;
        at += now;
        nbytes -= (size_t)now;
    }
    return true;
}

/* Writes the parts that is_whole compares. gives: whether all of them were written */
static bool write_parts(int file, const base_vec *key, const disk_object *object)
{
    disk_head head = {.key_nbytes = key->nbytes,
                      .object_nbytes = object->nbytes,
                      .object_hash = hash_bytes(object->bytes, object->nbytes)};
    memcpy(head.magic, magic, sizeof magic);
    return write_all(file, &head, sizeof head) && write_all(file, key->data, key->nbytes) &&
           write_all(file, object->bytes, object->nbytes);
}

typedef struct disk_file {
    int64_t written_ns, nbytes;
    char name[64];
} disk_file;

static int compare_age(const void *a, const void *b)
{
    int64_t one = ((const disk_file *)a)->written_ns, other = ((const disk_file *)b)->written_ns;
    return (one > other) - (one < other);
}

/* The folder's files, and how much they take. raises: NOMEM, with what has been found */
static jg_status list_files(DIR *folder, base_vec *files, int64_t *nbytes)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        struct stat facts;
        disk_file file;
        size_t length = strlen(entry->d_name);
        if (strstr(entry->d_name, ".jit") == NULL || length >= sizeof file.name ||
            fstatat(dirfd(folder), entry->d_name, &facts, 0) != 0)
            continue;
        file.written_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
        file.nbytes = (int64_t)facts.st_size;
        memcpy(file.name, entry->d_name, length + 1);
        *nbytes += file.nbytes;
        JG_TRY(vec_append(files, &file, sizeof file));
    }
    return JG_OK;
}

/* Oldest first, by when they were written: reading is not recorded. Temporary files of writers that
 * died are removed, too. Other processes may do the same at once: a missing file is no failure, and
 * one that is being read exists until it is closed. */
static void clear_up(int descriptor)
{
    base_vec files = {0};
    int64_t nbytes = 0;
    int own = dup(descriptor);
    DIR *folder = own >= 0 ? fdopendir(own) : NULL;
    if (folder == NULL) {
        if (own >= 0)
            close(own);
        return;
    }
    jg_status status = list_files(folder, &files, &nbytes);
    size_t count = files.nbytes / sizeof(disk_file);
    if (status == JG_OK && nbytes > MAX_NBYTES) {
        disk_file *at = (disk_file *)(void *)files.data;
        qsort(at, count, sizeof *at, compare_age);
        for (; nbytes > MAX_NBYTES / 2; nbytes -= at->nbytes, ++at)
            unlinkat(dirfd(folder), at->name, 0);
    }
    closedir(folder);
    vec_clear(&files);
}

/* A file with a new name. gives: a descriptor, and the name in OWN_NAME_SIZE bytes; or -1 */
static int create_file(int folder, const char *name, char *ours)
{
    static atomic_uint created;
    for (int attempt = 0; attempt < 100; ++attempt) {
        snprintf(ours, OWN_NAME_SIZE, "%s.%ld-%u", name, (long)getpid(),
                 atomic_fetch_add(&created, 1));
        int file = openat(folder, ours, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static void write_file(int folder, const base_vec *key, const disk_object *object)
{
    char name[NAME_SIZE], ours[OWN_NAME_SIZE];
    name_file(key, name);
    int file = create_file(folder, name, ours);
    if (file < 0)
        return;
    bool written = write_parts(file, key, object);
    if (close(file) != 0 || !written || renameat(folder, ours, folder, name) != 0)
        unlinkat(folder, ours, 0);
}

void disk_write(const disk_cache *cache, const base_vec *key, const disk_object *object)
{
    static atomic_uint writes;
    if (cache->folder[0] == '\0')
        return;
    make_folders(cache->folder);
    int folder = open_folder(cache);
    if (folder < 0)
        return;
    write_file(folder, key, object);
    if (atomic_fetch_add(&writes, 1) % WRITES_TO_A_LOOK == WRITES_TO_A_LOOK - 1)
        clear_up(folder);
    close(folder);
}
