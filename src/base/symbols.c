/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libraries that are opened at run time. */
#include "base/base.h"
#include <dlfcn.h>
#include <string.h>

const char *base_bind(void *library, int count, const char *const *names, void *table)
{
    for (int i = 0; i < count; ++i) {
        void *symbol = names[i] != NULL ? dlsym(library, names[i]) : NULL;
        if (names[i] != NULL && symbol == NULL)
            return names[i];
        memcpy((char *)table + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
    }
    return NULL;
}
