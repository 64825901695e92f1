/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader, the printer and the verifier of kernels.
 *
 * A first byte of 0 to 127: the rest is a text. What is read must be printed, read again and
 * printed the same, and a refusal must leave a message with a place. A first byte of 128 to 255
 * chooses a known kernel, and the rest changes bytes of its instructions, operands and values:
 * kernel_check may accept or refuse what comes of it, kernel_print must print it. What is accepted
 * is printed and read. */
#include "fuzz_main.h"
#include "kernel/kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char known[] =
    "kernel k\narray x float32 [*, 3] [*, 4]\nscalar n int32\nscalar f float32\n"
    "result float32\n{\nlocal s float32\nlocal m int32 4\nstack t float32\n"
    "%z:int32 = const 0\n%t2:bool = const true\n%e:int64 = extent x 0\n"
    "parallel %i:int32 = %z to %n, %j:int32 = %z to %n block 2 {\n"
    "%a:float32 = load x [%i, %j]\n%b:float32 = fma %a %f %a\n"
    "%c:bool = less %a %b\nif %c {\ncontinue\n} else {\n"
    "store x [%i, %j] = %b\n}\n%o:float32 = atomic add s %a\n"
    "%p:int32 = atomic compare_exchange m [%z] %n %i\n}\n"
    "for %k:int32 = %n to %z step -1 {\nset m [%z] = %k\nbreak\n}\n"
    "loop {\nassert %t2 \"{}\" %n @4\nbreak\n}\n"
    "%g:float32 = get s\nprint \"{} {}\" %g %n\nreturn %g\n}\n";

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "violated: %s; last message: %s\n", what, jg_error_message());
    abort();
}

static char *print(const kernel_program *kernel)
{
    base_text text = {0};
    char *out;
    kernel_print(kernel, &text);
    require(text_finish(&text, &out) == JG_OK, "what was read can be printed");
    return out;
}

/* The text of a kernel is read as the kernel. */
static void check_text(const kernel_program *kernel)
{
    kernel_program again;
    char *first = print(kernel);
    require(kernel_parse(first, &again) == JG_OK, "what was printed can be read");
    char *second = print(&again);
    require(strcmp(first, second) == 0, "it is printed the same");
    base_free(first);
    base_free(second);
    kernel_clear(&again);
}

static void fuzz_text(const uint8_t *bytes, size_t nbytes)
{
    kernel_program kernel;
    char *text = malloc(nbytes + 1);
    if (text == NULL)
        return;
    memcpy(text, bytes, nbytes);
    text[nbytes] = '\0';
    jg_status status = kernel_parse(text, &kernel);
    if (status == JG_OK) {
        check_text(&kernel);
        kernel_clear(&kernel);
    } else {
        require(jg_error_message()[0] != '\0', "a refusal has a message");
    }
    free(text);
}

/* Writes quadruples of the input into the kernel: which part, which byte of it, what. */
static void change(kernel_program *kernel, const uint8_t *bytes, size_t nbytes)
{
    base_vec *parts[] = {&kernel->insts, &kernel->insts, &kernel->operands, &kernel->values};
    for (; nbytes >= 4; bytes += 4, nbytes -= 4) {
        base_vec *part = parts[bytes[0] % JG_COUNT_OF(parts)];
        size_t at = (size_t)(bytes[1] | bytes[2] << 8);
        if (part->nbytes > 0)
            part->data[at % part->nbytes] = (char)bytes[3];
    }
}

static void fuzz_memory(const uint8_t *bytes, size_t nbytes)
{
    kernel_program kernel;
    kernel_fault fault;
    base_text text = {0};
    require(kernel_parse(known, &kernel) == JG_OK, "the known kernel is one");
    change(&kernel, bytes, nbytes);
    kernel_print(&kernel, &text);
    text_clear(&text);
    if (kernel_check(&kernel, &fault))
        check_text(&kernel);
    else
        require(fault.message[0] != '\0', "a fault has a message");
    kernel_clear(&kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
    if (nbytes == 0)
        return 0;
    (bytes[0] < 128 ? fuzz_text : fuzz_memory)(bytes + (bytes[0] >= 128),
                                               nbytes - (bytes[0] >= 128));
    return 0;
}
