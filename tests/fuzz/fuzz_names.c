/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what users name by texts: devices, dtypes and options. The first byte chooses, the others
 * are the text. What is accepted must be what an oracle that was written apart reads in the
 * text. */
#include "fuzz_main.h"
#include <joggle/joggle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 200 };

static void require(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "violated: %s, of '%s'\n", what, text);
    abort();
}

/* The device printed again is the text, but for a number that is left out, or zeros before it. */
static void parse_device(const char *text)
{
    char again[MAX_TEXT + 16];
    jg_device_id id;
    if (jg_device_parse(text, &id) != JG_OK)
        return;
    const char *colon = strchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    bool is_gpu = length == 3 && strncmp(text, "gpu", 3) == 0;
    const char *name = is_gpu ? "gpu" : jg_device_type_name(id.type);
    const char *number = colon != NULL ? colon + 1 : "0";
    while (number[0] == '0' && number[1] != '\0')
        ++number;
    snprintf(again, sizeof again, "%s:%d", name, (int)id.id);
    require(strncmp(again, text, length) == 0 && again[length] == ':', "the kind's name", text);
    require(strcmp(again + length + 1, number) == 0, "the number", text);
}

static void find_dtype(const char *text)
{
    jg_dtype dtype;
    if (jg_dtype_from_name(text, &dtype) == JG_OK)
        require(strcmp(jg_dtype_name(dtype), text) == 0, "the dtype's name", text);
}

/* Names of options are taken without regard to case. */
static void find_option(const char *text)
{
    const char *value = NULL;
    if (jg_option_get(text, &value) != JG_OK)
        return;
    require(value != NULL && strlen(text) < 40, "the option's text", text);
    require(strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(text),
            "the option's letters", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    static void (*const ways[])(const char *) = {parse_device, find_dtype, find_option};
    char text[MAX_TEXT + 1];
    if (nbytes == 0 || nbytes - 1 > MAX_TEXT)
        return 0;
    memcpy(text, data + 1, nbytes - 1);
    text[nbytes - 1] = '\0';
    ways[data[0] % 3](text);
    return 0;
}
