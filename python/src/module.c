/* SPDX-License-Identifier: Apache-2.0 */
/* The module joggle._core: everything of the package that is not Python. */
#include "module.h"
#include "array/array.h"
#include "base/narrow.h"
#include "field/field.h"
#include "file/io.h"
#include "kernel/kernel.h"
#include "op/op.h"
#include "transform/transform.h"
#include <joggle/kernel.h>
#include <joggle/option.h>

static int add_functions(PyObject *module)
{
    PyMethodDef *const tables[] = {py_op_functions,          py_creation_functions,
                                   py_convert_functions,     py_import_functions,
                                   py_evaluate_functions,    py_stream_functions,
                                   py_random_functions,      py_memory_functions,
                                   py_kernel_functions,      py_kernel_derive_functions,
                                   py_dispatch_functions,    py_io_functions,
                                   py_print_functions,       py_pickle_functions,
                                   py_inspection_functions,  py_narrowed_functions,
                                   py_protocol_functions,    py_transform_functions,
                                   py_compile_functions,     py_recording_functions,
                                   py_tensor_call_functions, py_custom_functions,
                                   py_tree_functions,        py_gradient_functions,
                                   py_function_functions,    py_distributed_functions};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(tables); ++i)
        if (PyModule_AddFunctions(module, tables[i]) < 0)
            return -1;
    return 0;
}

/* steals: object; NULL passes a failure on */
static int add_object(PyObject *module, const char *name, PyObject *object)
{
    int status = object ? PyModule_AddObjectRef(module, name, object) : -1;
    Py_XDECREF(object);
    return status;
}

/* The types are static variables, so a second copy of the module, as importing it again after its
 * removal from sys.modules would make, cannot be. They are the main interpreter's: were they made
 * in another one, it could not import the module any more. */
static int check_first(void)
{
    static int loaded;
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError,
                        "joggle cannot be imported in a subinterpreter, only in the main one");
        return -1;
    }
    if (loaded++ == 0)
        return 0;
    PyErr_SetString(PyExc_ImportError, "joggle._core can be loaded once per process");
    return -1;
}

/* The limits that the package must respect or show. */
static int add_limits(PyObject *module)
{
    static const struct {
        const char *name;
        long value;
    } limits[] = {
        {"_max_dimensions", JG_MAX_NDIM},
        {"_max_threads", JG_MAX_THREADS},
        {"_max_kernel_ranges", JG_KERNEL_MAX_RANGES},
        {"_max_kernel_local_nbytes", JG_KERNEL_MAX_LOCAL_NBYTES},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        if (PyModule_AddIntConstant(module, limits[i].name, limits[i].value) < 0)
            return -1;
    return 0;
}

static int exec_module(PyObject *module)
{
    if (check_first() < 0 || py_status_ready(module) < 0 || py_import_ready() < 0 ||
        py_foreign_ready() < 0 || py_convert_ready() < 0 || py_dtype_ready(module) < 0 ||
        py_device_ready(module) < 0 || py_array_ready(module) < 0 || py_field_ready(module) < 0 ||
        py_field_nest_ready(module) < 0 || py_kernel_ready(module) < 0 ||
        py_dispatch_ready(module) < 0 || py_at_ready() < 0 || py_stream_ready(module) < 0 ||
        py_transform_ready(module) < 0 || py_compile_ready(module) < 0 ||
        py_print_ready(module) < 0 || py_narrow_ready() < 0 || py_narrowed_ready(module) < 0 ||
        py_item_attributes_ready(module) < 0 || add_functions(module) < 0 ||
        add_object(module, "_bridge", py_bridge_capsule()) < 0)
        return -1;
    py_interrupt_ready();
    if (add_limits(module) < 0)
        return -1;
    return add_object(module, "__version__", PyUnicode_FromString(jg_version()));
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, exec_module},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_MOD_GIL_NOT_USED
    /* threads.h has what stands in the lock's place. */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "joggle._core",
    .m_doc = "Lazy arrays over anybody's memory: the extension behind the package joggle.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&module_def);
}
