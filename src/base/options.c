/* SPDX-License-Identifier: Apache-2.0 */
/* Options: the table of options.def, the values that code has set, and otherwise the environment.
 *
 * Texts that code has set are kept forever, each once, because other threads may still read an
 * older one. A lock guards the present settings. */
#include "base/base.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Values that are no words: see options.def. */
#define OPTION_ANY NULL
#define OPTION_NUMBER(first, last) NULL, .is_number = true, .lowest = (first), .highest = (last)
#define OPTION_FLAG "0|false|off|no|1|true|on|yes"

typedef struct option_row {
    const char *environment, *fallback, *values;
    bool is_number;
    int64_t lowest, highest; /* of a number */
} option_row;

static const option_row rows[OPTION_COUNT] = {
#define JG_OPTION(NAME, environment_, fallback_, values_, help)                                    \
    [OPTION_##NAME] = {.environment = #environment_, .fallback = fallback_, .values = values_},
#include "base/options.def"
#undef JG_OPTION
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* All values that were ever set, of any option, allocated by base_alloc and found by hash; under
 * the lock. A program may set new numbers as long as it runs. */
typedef struct kept_text {
    struct kept_text *next;
    char text[];
} kept_text;
enum { BUCKETS = 256 };
static kept_text *kept[BUCKETS];
/* The settings of jg_option_set, as kept texts. If one is NULL, the environment counts. Under the
 * lock. */
static const char *settings[OPTION_COUNT];
/* It starts at 1: readers start at 0, so they read at least once. */
static atomic_uint generation = 1;

void option_install_hooks(void)
{
    fork_hold(&lock);
}

unsigned option_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

/* The lock is held. */
static const char *text_of(base_option option)
{
    const char *text = settings[option];
    if (text == NULL)
        text = getenv(rows[option].environment);
    return text != NULL ? text : rows[option].fallback;
}

const char *option_text(base_option option)
{
    pthread_mutex_lock(&lock);
    const char *text = text_of(option);
    pthread_mutex_unlock(&lock);
    return text;
}

/* Whether the text is a number that the option may have. */
static bool read_number(const option_row *row, const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *out >= row->lowest && *out <= row->highest;
}

/* A text of the environment that is no number of the option counts as not given. */
static int64_t int_of(const option_row *row, const char *text)
{
    int64_t value;
    return read_number(row, text, &value) || read_number(row, row->fallback, &value) ? value : 0;
}

int64_t option_int(base_option option)
{
    pthread_mutex_lock(&lock);
    int64_t value = int_of(&rows[option], text_of(option));
    pthread_mutex_unlock(&lock);
    return value;
}

static bool flag_of(const char *text)
{
    static const char *const no[] = {"", "0", "false", "off", "no"};
    for (size_t i = 0; i < JG_COUNT_OF(no); ++i)
        if (strcmp(text, no[i]) == 0)
            return false;
    return true;
}

bool option_flag(base_option option)
{
    pthread_mutex_lock(&lock);
    bool flag = flag_of(text_of(option));
    pthread_mutex_unlock(&lock);
    return flag;
}

/* In any locale. Setting bit 5 alone would make DEL of an underscore. */
static char upper_case(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* "blas" names JOGGLE_BLAS: compares without the prefix and without regard to case. */
static bool is_named(const option_row *row, const char *name)
{
    const char *full = row->environment + strlen("JOGGLE_");
    for (; *full != '\0' && *name != '\0'; ++full, ++name)
        if (*full != upper_case(*name))
            return false;
    return *full == '\0' && *name == '\0';
}

static jg_status find(const char *name, base_option *out)
{
    for (int i = 0; name != NULL && i < OPTION_COUNT; ++i) {
        if (is_named(&rows[i], name)) {
            *out = (base_option)i;
            return JG_OK;
        }
    }
    return base_fail(JG_ERR_VALUE,
                     "name: got '%s', allowed are the options that jg_option_help lists",
                     name != NULL ? name : "NULL");
}

/* The place of a value among words between bars; -1 where it is none of them. */
static int place_among(const char *words, const char *value)
{
    size_t length = strlen(value);
    int place = 0;
    for (const char *word = words; word != NULL; word = strchr(word, '|'), ++place) {
        word += *word == '|';
        size_t extent = strcspn(word, "|");
        if (extent == length && strncmp(word, value, length) == 0)
            return place;
    }
    return -1;
}

jg_status option_choice(base_option option, int *out)
{
    const char *text = option_text(option);
    int place = place_among(rows[option].values, text);
    if (place < 0)
        return base_fail(JG_ERR_VALUE, "%s: got '%s', allowed is one of %s",
                         rows[option].environment, text, rows[option].values);
    *out = place;
    return JG_OK;
}

/* An empty text means that the variable is set to nothing. */
static jg_status check_value(const option_row *row, const char *value)
{
    int64_t number;
    if (*value == '\0' || (row->is_number && read_number(row, value, &number)))
        return JG_OK;
    if (row->is_number)
        return base_fail(JG_ERR_VALUE,
                         "value: got '%s' for %s, allowed is a whole number from %" PRId64
                         " to %" PRId64,
                         value, row->environment, row->lowest, row->highest);
    if (row->values == OPTION_ANY || place_among(row->values, value) >= 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "value: got '%s' for %s, allowed is one of %s", value,
                     row->environment, row->values);
}

/* gives: the kept text that equals value, NULL without memory. The lock is held. */
static const char *keep_text(const char *value)
{
    size_t nbytes = strlen(value) + 1;
    kept_text **bucket = &kept[hash_bytes(value, nbytes) % BUCKETS];
    for (const kept_text *entry = *bucket; entry != NULL; entry = entry->next)
        if (strcmp(entry->text, value) == 0)
            return entry->text;
    kept_text *added = base_alloc(sizeof *added + nbytes);
    if (added == NULL)
        return NULL;
    memcpy(added->text, value, nbytes);
    added->next = *bucket;
    *bucket = added;
    return added->text;
}

jg_status jg_option_set(const char *name, const char *value)
{
    base_option option;
    JG_TRY(find(name, &option));
    if (value == NULL)
        return base_fail(JG_ERR_VALUE, "value: got NULL, allowed is a string");
    JG_TRY(check_value(&rows[option], value));
    pthread_mutex_lock(&lock);
    const char *text = keep_text(value);
    if (text != NULL)
        settings[option] = text;
    pthread_mutex_unlock(&lock);
    if (text == NULL)
        return base_nomem(strlen(value), "an option");
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
    return JG_OK;
}

jg_status jg_option_get(const char *name, const char **out)
{
    base_option option;
    JG_TRY(find(name, &option));
    *out = option_text(option);
    return JG_OK;
}

const char *jg_option_help(void)
{
    return ""
#define JG_OPTION(NAME, environment, fallback, values, help)                                       \
#environment " (" fallback "): " help "\n"
#include "base/options.def"
#undef JG_OPTION
        ;
}
