/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a fuzz target. Under JG_FUZZ_MAIN it is an ordinary program that runs the files it is
 * given, for compilers without libFuzzer. */
#ifndef JG_FUZZ_MAIN_H
#define JG_FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

#ifdef JG_FUZZ_MAIN
#include <stdio.h>

int main(int count, char **paths)
{
    static uint8_t bytes[1 << 18];
    for (int i = 1; i < count; ++i) {
        FILE *file = fopen(paths[i], "rb");
        if (file == NULL) {
            perror(paths[i]);
            return 1;
        }
        size_t nbytes = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        LLVMFuzzerTestOneInput(bytes, nbytes);
    }
    printf("%d inputs\n", count - 1);
    return 0;
}
#endif
#endif
