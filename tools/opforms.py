# SPDX-License-Identifier: Apache-2.0
"""The forms of ops: what src/op/form.def says, spelled in C and in Python, and the function that
reads an op's arguments in the extension. tools/optable.py writes files from it."""

import re

# What each KIND of parameter is: its C parameters; the locals that the extension reads it into; the
# expression that reads it from {slot} and is negative on failure (None for arrays, which are read
# last); what is passed on to the op; its type in the stubs. {n} is the name, {name} the name in
# quotes.
KINDS = {
    "ARRAY": (["jg_array *{n}"], None, None, None, "ArrayLike"),
    "OPERAND": (["jg_array *{n}"], None, None, None, "ArrayLike"),
    "OPTIONAL": (["jg_array *{n}"], None, None, None, "ArrayLike | None"),
    "ARRAY_OR_NONE": (["jg_array *{n}"], None, None, None, "ArrayLike | None"),
    "REALS": (["jg_array *{n}"], None, None, None, "ArrayLike"),
    "ARRAYS": (
        ["int count", "jg_array *const *{n}"],
        None,
        None,
        "{n}.count, {n}.arrays",
        "Sequence[ArrayLike]",
    ),
    "AXES": (
        ["int naxes", "const int64_t *axes"],
        "int naxes; int64_t axes[JG_MAX_NDIM]",
        "py_ints_or_none({name}, {slot}, &naxes, axes)",
        "naxes, axes",
        "int | Sequence[int] | None",
    ),
    "AXIS": (
        ["int64_t {n}"],
        "int64_t {n} = {default}",
        "py_int64_argument({name}, {slot}, &{n})",
        "{n}",
        "int",
    ),
    "OFFSET": (
        ["int64_t {n}"],
        "int64_t {n} = {default}",
        "py_offset_argument({name}, {slot}, &{n})",
        "{n}",
        "int",
    ),
    "AXIS_OR_NONE": (
        ["const int64_t *{n}"],
        "int64_t {n}_value = {default}; const int64_t *{n} = {pointer}",
        "py_int64_or_none({name}, {slot}, &{n}_value, &{n})",
        "{n}",
        "int | None",
    ),
    "SHAPE": (
        ["int ndim", "const int64_t *{n}"],
        "int ndim; int64_t {n}[JG_MAX_NDIM]",
        "(ndim = py_extents({name}, {slot}, -1, {n}))",
        "ndim, {n}",
        "int | Sequence[int]",
    ),
    "INTS": (
        ["int n{n}", "const int64_t *{n}"],
        "int n{n} = {count}; int64_t {n}[JG_MAX_NDIM] = {{{values}}}",
        "({slot} ? n{n} = py_extents({name}, {slot}, INT64_MIN, {n}) : 0)",
        "n{n}, {n}",
        "int | Sequence[int]",
    ),
    "AXIS_PAIRS": (
        ["int naxes", "const int64_t *axes1", "const int64_t *axes2"],
        "int naxes = {default}; int64_t axes[2][JG_MAX_NDIM]; bool is_count",
        "py_axis_pairs({slot}, &naxes, axes, &is_count)",
        "naxes, is_count ? NULL : axes[0], is_count ? NULL : axes[1]",
        "int | Sequence[Sequence[int]]",
    ),
    "REST": (["int count", "jg_array *const *{n}"], None, None, None, "ArrayLike"),
    "INTS_OR_NONE": (
        ["int n{n}", "const int64_t *{n}"],
        "int n{n}; int64_t {n}[JG_MAX_NDIM]",
        "py_ints_or_none({name}, {slot}, &n{n}, {n})",
        "n{n}, {n}",
        "int | Sequence[int] | None",
    ),
    "PAIRS": (
        ["int n{n}", "const int64_t *{n}"],
        "int n{n}; int64_t {n}[2 * JG_MAX_NDIM]",
        "(n{n} = py_pairs({name}, {slot}, {n}))",
        "n{n}, {n}",
        "int | Sequence[int] | Sequence[Sequence[int]]",
    ),
    "SIDES": (
        ["int n{n}", "const int64_t *{n}_low", "const int64_t *{n}_high"],
        "int n{n} = 1; int64_t {n}_low[JG_MAX_NDIM] = {{{values}}}, {n}_high[JG_MAX_NDIM] = "
        "{{{values}}}",
        "({slot} ? n{n} = py_sides({name}, {slot}, {n}_low, {n}_high) : 0)",
        "n{n}, {n}_low, {n}_high",
        "int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str",
    ),
    "CUTS": (
        ["int n{n}", "const int64_t *{n}"],
        None,
        None,
        "{n}.count, {n}.values",
        "int | Sequence[int]",
    ),
    "FLAG": (["bool {n}"], "bool {n} = {default}", "py_flag({slot}, &{n})", "{n}", "bool"),
    "REAL": (
        ["double {n}"],
        "double {n} = {default}",
        "py_double_argument({name}, {slot}, &{n})",
        "{n}",
        "float",
    ),
    "REAL_OR_NONE": (
        ["const double *{n}"],
        "double {n}_value; const double *{n}",
        "py_double_or_none({name}, {slot}, &{n}_value, &{n})",
        "{n}",
        "float | None",
    ),
    "DTYPE": (
        ["jg_dtype {n}"],
        "jg_dtype {n}",
        "py_dtype_from({slot}, &{n})",
        "{n}",
        "DTypeLike",
    ),
    "DTYPE_OR_NONE": (
        ["const jg_dtype *{n}"],
        "jg_dtype {n}_value; const jg_dtype *{n}",
        "py_dtype_or_none({slot}, &{n}_value, &{n})",
        "{n}",
        "DTypeLike | None",
    ),
    "TEXT": (
        ["const char *{n}"],
        "const char *{n} = {default}",
        "py_text({name}, {slot}, &{n})",
        "{n}",
        "str",
    ),
    "DEVICE": (
        [],
        "jg_device_id {n}",
        "py_device_from({slot}, &{n})",
        "",
        "DeviceLike | None",
    ),
    "PYTHON": ([], None, None, None, "bool | None"),
}
KINDS["NAMED"] = KINDS["ARRAY"]
KINDS["NAMED_FLAG"] = KINDS["FLAG"]
KINDS["EACH"] = KINDS["ARRAYS"]
KINDS["INT"] = KINDS["AXIS"]
KINDS["INT_OR_NONE"] = KINDS["AXIS_OR_NONE"]

NOTES = {
    "AXES": "naxes JG_ALL_AXES means None.",
    "AXIS_PAIRS": "Without lists, the last naxes axes of x1 meet the first of x2.",
    "OPTIONAL": "{n} may be NULL.",
}
NOTES["ARRAY_OR_NONE"] = NOTES["OPTIONAL"]
NOTES["INTS_OR_NONE"] = "n{n} JG_NONE means None."
NOTES["CUTS"] = "Where n{n} is JG_EQUAL_PARTS, *{n} is their number."

# Ints that come as a count and pointers, which may be NULL where the count is 0; where it is -1 as
# well, but for CUTS.
COUNTED = ("AXES", "SHAPE", "INTS", "INTS_OR_NONE", "PAIRS", "SIDES", "CUTS")

# What is read last and must be cleared: the type of its holder, and the function that clears it.
HOLDERS = {
    "ARRAY": ("py_operand", "py_operand_clear"),
    "ARRAYS": ("py_operand_list", "py_operand_list_clear"),
    "CUTS": ("py_cuts", "py_cuts_clear"),
}
HOLDERS["NAMED"] = HOLDERS["ARRAY"]
HOLDERS["REALS"] = HOLDERS["ARRAY"]
HOLDERS["ARRAY_OR_NONE"] = HOLDERS["OPERAND"] = HOLDERS["OPTIONAL"] = HOLDERS["ARRAY"]
HOLDERS["EACH"] = HOLDERS["REST"] = HOLDERS["ARRAYS"]

# What an op gives: its last C parameter, the effect line, the type in the stubs, and the function
# of ops.c that makes the Python object.
RESULTS = {
    "ARRAY": ("jg_array **out", "*out, +1", "array", "result_of"),
    "TUPLE": (
        "jg_array_list *out",
        "*out, for jg_array_list_clear",
        "tuple[array, ...]",
        "py_tuple_of",
    ),
    "LIST": ("jg_array_list *out", "*out, for jg_array_list_clear", "list[array]", "py_list_of"),
    "ONE_OR_TUPLE": (
        "jg_array_list *out",
        "*out, for jg_array_list_clear",
        "array | tuple[array, ...]",
        "py_one_or_tuple_of",
    ),
    "TUPLE_OF": (
        "jg_array_list *out",
        "*out, for jg_array_list_clear",
        "{result}",
        "py_named_of",
    ),
}


ERRORS = {
    "TYPE": "TypeError",
    "VALUE": "ValueError",
    "INDEX": "IndexError",
    "AXIS": "AxisError",
    "LINALG": "LinAlgError",
    "LIBRARY": "RuntimeError",
}


NAMES_ONLY = ("DEVICE", "NAMED_FLAG", "PYTHON")  # kinds that callers give by name alone


class Parameter:
    """One parameter of a form: its kind, its name, and Python's default for it or None."""

    def __init__(self, kind, name, default):
        self.kind, self.name, self.default = kind, name, default
        self.c, self.local, self.read, self.passed, self.stub = KINDS[kind]
        self.is_array = kind in HOLDERS and kind != "CUTS"
        self.has_name = kind == "NAMED" or bool(default)
        self.names_only = kind in NAMES_ONLY

    def fill(self, text, slot=None):
        spelled = {"True": "true", "False": "false", "None": "0", None: "0"}
        default = spelled.get(self.default, self.default)
        values = (self.default or "").strip("()")
        return text.format(
            n=self.name,
            name=f'"{self.name}"',
            slot=f"slots[{slot}]",
            default=default,
            pointer="NULL" if self.default in (None, "None") else f"&{self.name}_value",
            values=values or 0,
            count=values.count(",") + 1 if values else 0,
        )

    def pointers(self):
        """The C parameters that must not be NULL, as Form.pointers has them."""
        if self.kind in ("ARRAY", "NAMED", "OPERAND", "REALS"):
            return [(self.name, "array", None)]
        if self.kind in ("ARRAYS", "EACH", "REST"):
            return [(self.name, "arrays", "count")]
        if self.kind == "TEXT":
            return [(self.name, "text", None)]
        if self.kind not in COUNTED:
            return []
        count, *pointers = [re.search(r"\w+$", self.fill(each))[0] for each in self.c]
        return [(each, "ints", count) for each in pointers]

    def python(self):
        if self.kind == "EACH":
            return f"*{self.name}"
        return self.name if self.default is None else f"{self.name}={self.default}"

    def typed(self):
        if self.kind == "EACH":
            return f"*{self.name}: ArrayLike"
        return f"{self.name}: {self.stub}" + (f" = {self.default}" if self.default else "")


class Form:
    """A row of form.def."""

    def __init__(self, row):
        self.name, self.gives, self.raises = row["name"], row["gives"], row["raises"]
        self.shape = row["shape"]
        found = re.findall(r"(\w+)\((\w+)(?:, (\([^)]*\)|[^)]*))?\)", row["parameters"])
        self.parameters = [Parameter(kind, name, default or None) for kind, name, default in found]
        self.arrays = [each for each in self.parameters if each.is_array]
        self.held = [each for each in self.parameters if each.kind in HOLDERS]
        self.by_hand = any(each.kind in ("PYTHON", "REST") for each in self.parameters)
        self.variadic = self.parameters[-1].kind == "REST"
        self.takes_each = self.parameters[0].kind == "EACH"
        self.gives, *names = re.findall(r"\w+", self.gives)
        self.names = names  # of the arrays of a TUPLE_OF
        self.result, self.given, self.stub, self.wrap = RESULTS[self.gives]
        self.stub = self.stub.format(result=f"{self.name.lower()}_result")

    def c_parameters(self):
        return [each.fill(text) for each in self.parameters for text in each.c]

    def passed_on(self):
        """The C parameters' names, as a function that calls another of this form passes them."""
        return [re.search(r"\w+$", each)[0] for each in self.c_parameters()] + ["out"]

    def pointers(self):
        """The C parameters that must not be NULL: name, what kind, and the count of what it points
        to, for those that may be NULL where that is 0."""
        found = [place for each in self.parameters for place in each.pointers()]
        return [*found, ("out", "out", None)]

    def ruled(self):
        """The C parameters that the type rule is for, where it calls them by their names."""
        names = [each.name for each in self.parameters if each.kind in ("ARRAY", "OPERAND")]
        for ruled in (["condition", "x1", "x2"], ["x1", "x2"], ["x"]):
            if names[: len(ruled)] == ruled:
                return ruled
        return []

    def notes(self):
        return [each.fill(NOTES[each.kind]) for each in self.parameters if each.kind in NOTES]

    def effects(self):
        keeps = ", ".join(each.name for each in self.arrays) or "nothing"
        return f"keeps: {keeps} | gives: {self.given} | raises: {self.raises}, NOMEM"

    def errors(self):
        """The errors by their Python names; "" for a form that raises none."""
        named = re.sub(r"\b[A-Z]{4,}\b", lambda match: ERRORS[match[0]], self.raises)
        return "" if named == "nothing" else f"raises: {named}."

    def method(self):
        """How the op becomes a method: NONE, PLAIN, or with EXTENTS that may come one by one."""
        first, *rest = self.parameters
        array = first.kind in ("ARRAY", "OPERAND") and first.name == "x"
        if not array or self.name == "ATTRIBUTE":
            return "NONE"
        kinds = [each.kind for each in rest if not each.names_only]
        return "EXTENTS" if kinds == ["SHAPE"] else "PLAIN"

    def nameless(self):
        """How many leading parameters, the arrays, have no name for callers."""
        flags = [each.is_array and not each.has_name for each in self.parameters] + [False]
        return flags.index(False)

    def python(self, spell, stream=None, separator=", "):
        """Python's parameter list, each parameter spelled by the function; stream is how to spell
        the one that every op has."""
        last = [stream] if stream else []
        parts = [spell(each) for each in self.parameters]
        if self.variadic:
            return separator.join([*parts[:-1], "/", f"*{parts[-1]}", *last])
        named = sum(each.names_only for each in self.parameters)
        if (named or stream) and not self.takes_each:
            parts.insert(len(parts) - named, "*")
        if not self.takes_each:
            parts.insert(self.nameless(), "/")
        parts += last
        return separator.join(part for part in parts if part != "/" or self.nameless())

    def _locals(self):
        lines = [each.fill(each.local) for each in self.parameters if each.local]
        lines += [f"{HOLDERS[each.kind][0]} {each.name} = {{0}}" for each in self.held]
        return "".join(f"    {line};\n" for line in lines)

    def _reads(self):
        """Conditions that hold when an argument that is no array could not be read."""
        reads = [each.fill(each.read, i) for i, each in enumerate(self.parameters) if each.read]
        arguments = "args + nargs, 0" if self.takes_each else "args, nargs"
        return [f"py_arguments(name, &signature, {arguments}, kwnames, slots)", *reads]

    def _array_reads(self):
        """Conditions that hold when an array could be read. Operands are read together."""
        slots = {each.name: f"slots[{i}]" for i, each in enumerate(self.parameters)}
        weak, conditions = [], []
        for each in self.held:
            slot, place = slots[each.name], f"&{each.name}"
            if each.kind in ("ARRAY", "NAMED"):
                conditions.append(f"py_operand_from({slot}, NULL, PY_FUNCTION, {place}) > 0")
            elif each.kind == "REALS":
                conditions.append(f"py_operand_real({slot}, {place}) > 0")
            elif each.kind == "ARRAY_OR_NONE":
                conditions.append(f"py_operand_or_none({slot}, {place}) == 0")
            elif each.kind == "EACH":
                conditions.append(f"py_operand_list_each(args, nargs, {place}) == 0")
            elif each.kind == "CUTS":
                conditions.append(f'py_cuts_from("{each.name}", {slot}, {place}) == 0')
            elif each.kind == "ARRAYS":
                conditions.append(f'py_operand_list_from("{each.name}", {slot}, {place}) == 0')
            else:
                if each.kind == "OPERAND":
                    conditions.append(f'py_operand_given("{each.name}", {slot})')
                weak.append((slot, place))
        if weak:
            objects, places = (", ".join(column) for column in zip(*weak, strict=True))
            conditions.append(
                f"py_operands_weak({len(weak)}, (PyObject *[]){{{objects}}}, "
                f"(py_operand *[]){{{places}}}) == 0"
            )
        return conditions

    def _type(self):
        """What makes the type of a TUPLE_OF."""
        fields = "".join(f'{{"{name}", NULL}}, ' for name in self.names)
        if not self.names:
            return ""
        return (
            f"static py_named named_{self.name} = {{\n"
            f'    "joggle.{self.name.lower()}_result", {len(self.names)},\n'
            f"    {{{fields}{{NULL, NULL}}}}, NULL}};\n"
        )

    def stub_type(self):
        """The class of a TUPLE_OF in the stubs."""
        fields = "".join(f"    {name}: array\n" for name in self.names)
        return f"class {self.stub}(NamedTuple):\n{fields}"

    def caller(self):
        """The C function call_FORM, which reads the arguments, calls an op and wraps its result."""
        names = ", ".join(f'"{each.name}"' for each in self.parameters)
        required = sum(each.default is None and each.kind != "EACH" for each in self.parameters)
        positional = sum(not each.names_only for each in self.parameters)
        types = [re.sub(r"\w+$", "", each).strip() for each in [*self.c_parameters(), self.result]]
        passed = [
            f"{each.name}.array" if each.passed is None else each.fill(each.passed)
            for each in self.parameters
            if each.passed != ""
        ]
        out = "jg_array *out" if self.gives == "ARRAY" else "jg_array_list out"
        clears = "".join(f"    {HOLDERS[each.kind][1]}(&{each.name});\n" for each in self.held)
        failed = " ||\n        ".join(f"{read} < 0" for read in self._reads())
        succeeded = " &&\n        ".join(self._array_reads()) or "true"
        named = f", &named_{self.name}" if self.names else ""
        kinds = [each.kind for each in self.parameters]
        given = "result"
        if "DEVICE" in kinds:
            given = f"py_on_device(result, slots[{kinds.index('DEVICE')}])"
        return self._type() + (
            f"static PyObject *call_{self.name}(const char *name,\n"
            f"    jg_status (*op)({', '.join(types)}),\n"
            "    PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)\n{\n"
            f"    static const py_signature signature = {{{required}, {positional}, "
            f"{self.nameless()}, {{{names}}}}};\n"
            f"    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;\n    {out};\n"
            f"{self._locals()}"
            f"    if ({failed})\n        return NULL;\n"
            f"    if ({succeeded})\n"
            f"        result = {self.wrap}(py_called(name, op({', '.join([*passed, '&out'])})), "
            f"&out{named});\n"
            f"{clears}    return {given};\n}}\n"
        )
