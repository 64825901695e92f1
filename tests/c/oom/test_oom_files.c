/* SPDX-License-Identifier: Apache-2.0 */
/* Files of arrays, and texts of kernels, read while every allocation fails once. */
#include "../io/files.h"
#include "attempts.h"
#include <joggle/io.h>
#include <joggle/kernel.h>

typedef jg_status saver(const jg_tensors *tensors, jg_sink *sink, void *context);
typedef jg_status loader(jg_source *source, jg_tensors *out);

static jg_status load(const base_vec *file, loader *read)
{
    jg_source *source;
    jg_tensors tensors;
    JG_TRY(jg_source_take(file->data, file->nbytes, true, NULL, NULL, &source));
    jg_status status = read(source, &tensors);
    jg_source_release(source);
    if (status == JG_OK)
        jg_tensors_clear(&tensors);
    return status;
}

/* Two tensors and a text, of which `save` makes a file. NULL writes the first alone, as NumPy's. */
static jg_status save_and_load(int64_t size, saver *save, loader *read)
{
    jg_array *arrays[] = {NULL, NULL};
    base_vec file = {0};
    char *text = "a text";
    jg_metadatum metadatum = {.key = "key", .ntexts = 1, .texts = &text};
    jg_status status;
    for (int i = 0; i < 2; ++i)
        JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(i), &arrays[i]));
    JG_TRY_DONE(jg_eval(2, arrays));
    jg_tensor items[] = {{"a", arrays[0]}, {"b", arrays[1]}};
    const jg_tensors tensors = {.count = 2, .items = items, .nmetadata = 1, .metadata = &metadatum};
    JG_TRY_DONE(save != NULL ? save(&tensors, append, &file)
                             : jg_save_npy(arrays[0], append, &file));
    JG_TRY_DONE(load(&file, read));
done:
    release_all(2, arrays);
    vec_clear(&file);
    return status;
}

SCENARIO(a_npy_file)
{
    return save_and_load(size, NULL, load_npy);
}

SCENARIO(a_safetensors_file)
{
    return save_and_load(size, jg_save_safetensors, jg_load_safetensors);
}

SCENARIO(a_gguf_file)
{
    return save_and_load(size, jg_save_gguf, jg_load_gguf);
}

SCENARIO(a_kernel_of_text)
{
    jg_kernel *kernel;
    (void)size;
    JG_TRY(jg_kernel_from_text("kernel k\narray x float32 [*]\nscalar n int32\nresult bool\n{\n"
                               "  %0:bool = const true\n  if %0 {\n    local s int32 4\n"
                               "    %x:float32 = const 2.0\n  }\n  return %0\n}\n",
                               &kernel));
    jg_kernel_release(kernel);
    return JG_OK;
}
