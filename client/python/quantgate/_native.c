// Values and Nodes of a Graph, put together from pieces that Python has serialized before (fx.py). Only the usual case
// is here: what is new or out of the ordinary is left to the method of fx._Converter that is passed as `rest`, and so
// is whatever raises. That method alone gives the same graph; a test compares both.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Field numbers of Graph, Value and Node.
enum { GRAPH_VALUES = 9, GRAPH_NODES = 10, VALUE_NAME = 1, VALUE_SPEC = 6, VALUE_USERS = 9 };
enum { NODE_NAME = 1, NODE_INPUTS = 3, NODE_OUTPUTS = 4, NODE_INPUT_SPECS = 5, NODE_INPUT_ARGS = 6 };
enum { NODE_SOURCE_LINE = 8, NODE_ANNOTATED = 9, NODE_NO_IMPLICIT_SHARING = 11 };
// Nodes with more inputs and values with more consumers are left to Python.
#define MOST 64

typedef struct {
  char* data;
  size_t size, capacity;
} Buffer;

static bool Put(Buffer* out, const void* data, size_t size) {
  if (out->capacity - out->size < size) {
    const size_t capacity = 2 * out->capacity + size;
    char* const grown = PyMem_Realloc(out->data, capacity);
    if (grown == NULL) return false;
    out->data = grown;
    out->capacity = capacity;
  }
  memcpy(out->data + out->size, data, size);
  out->size += size;
  return true;
}

static bool PutVarint(Buffer* out, uint64_t number) {
  unsigned char bytes[10];
  size_t size = 0;
  for (; number >= 128; number >>= 7) bytes[size++] = (unsigned char)((number & 127) | 128);
  bytes[size++] = (unsigned char)number;
  return Put(out, bytes, size);
}

static bool PutNumber(Buffer* out, unsigned field, uint64_t number) {
  return PutVarint(out, field << 3) && PutVarint(out, number);
}

static bool PutBytes(Buffer* out, unsigned field, const void* data, size_t size) {
  return PutVarint(out, field << 3 | 2) && PutVarint(out, size) && Put(out, data, size);
}

// Members of a repeated field, one by one: a parser takes them packed and so.
static bool PutNumbers(Buffer* out, unsigned field, const long* numbers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!PutNumber(out, field, (uint64_t)numbers[i])) return false;
  }
  return true;
}

// What Python has serialized. The reference is taken over.
static bool PutPiece(Buffer* out, PyObject* piece) {
  const bool done =
      piece != NULL && PyBytes_CheckExact(piece) && Put(out, PyBytes_AS_STRING(piece), (size_t)PyBytes_GET_SIZE(piece));
  Py_XDECREF(piece);
  return done;
}

// Names of attributes, and keys of Node.meta.
// clang-format off
#define NAMES(X) X(name) X(target) X(args) X(kwargs) X(meta) X(users) X(val) X(dtype) X(shape) X(output_qspec) \
  X(input_qspec_map) X(_annotated) X(allow_implicit_sharing) X(stack_trace) X(nn_module_stack) X(asked_block_size)
// clang-format on
#define DECLARE(name) static PyObject* s_##name;
NAMES(DECLARE)
static PyObject* s_file;
// The dictionaries of fx._Converter.
typedef struct {
  PyTypeObject *node, *tensor;
  PyObject *new_spec, *constant;
  PyObject *values, *nodes, *annotations, *constants, *types, *specs, *calls, *attributes, *frames, *scopes;
} State;

// A new reference, NULL: there is none.
static PyObject* Find(PyObject* dict, PyObject* key) {
  return key == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(dict, key));
}

// What stands under a key of which the reference is taken over.
static PyObject* FindOwn(PyObject* dict, PyObject* key) {
  PyObject* const found = Find(dict, key);
  Py_XDECREF(key);
  return found;
}

// A number > 0; 0: there is none. The reference is taken over.
static long Number(PyObject* found) {
  const long number = found != NULL && PyLong_CheckExact(found) ? PyLong_AsLong(found) : 0;
  Py_XDECREF(found);
  return number > 0 ? number : 0;
}

static long SpecId(const State* state, PyObject* spec) {
  PyObject* const known = FindOwn(state->specs, PyLong_FromVoidPtr(spec));
  return Number(known != NULL ? known : PyObject_CallOneArg(state->new_spec, spec));
}

static PyObject* MetaOf(PyObject* node) {
  PyObject* const meta = PyObject_GetAttr(node, s_meta);
  if (meta != NULL && PyDict_CheckExact(meta)) return meta;
  Py_XDECREF(meta);
  return NULL;
}

static bool PutName(PyObject* node, unsigned field, Buffer* out) {
  PyObject* const name = PyObject_GetAttr(node, s_name);
  const bool done = name != NULL && PyUnicode_CheckExact(name) && PyUnicode_IS_COMPACT_ASCII(name) &&
                    PutBytes(out, field, PyUnicode_DATA(name), (size_t)PyUnicode_GET_LENGTH(name));
  Py_XDECREF(name);
  return done;
}

static bool PutType(const State* state, PyObject* tensor, Buffer* out) {
  if (tensor == NULL || !PyObject_TypeCheck(tensor, state->tensor)) return false;
  PyObject* const dtype = PyObject_GetAttr(tensor, s_dtype);
  PyObject* const shape = dtype == NULL ? NULL : PyObject_GetAttr(tensor, s_shape);
  const bool done = shape != NULL && PutPiece(out, FindOwn(state->types, PyTuple_Pack(2, dtype, shape)));
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  return done;
}

static bool PutOutputSpec(const State* state, PyObject* node, Buffer* out) {
  PyObject* const annotation = Find(state->annotations, node);
  if (annotation == NULL) return !PyErr_Occurred();
  PyObject* const spec = PyObject_GetAttr(annotation, s_output_qspec);
  Py_DECREF(annotation);
  if (spec == NULL) return false;
  const long id = spec == Py_None ? 0 : SpecId(state, spec);
  const bool done = spec == Py_None || (id > 0 && PutNumber(out, VALUE_SPEC, (uint64_t)id));
  Py_DECREF(spec);
  return done;
}

// Consumers that are nodes; in the order of the graph, nothing is written of them.
static bool PutUsers(const State* state, PyObject* node, Buffer* out) {
  PyObject* const users = PyObject_GetAttr(node, s_users);
  bool done = users != NULL && PyDict_CheckExact(users) && PyDict_GET_SIZE(users) <= MOST;
  if (done && PyDict_GET_SIZE(users) > 1) {
    long ids[MOST];
    size_t count = 0;
    bool in_order = true;
    Py_ssize_t position = 0;
    for (PyObject *user, *unused; count < MOST && PyDict_Next(users, &position, &user, &unused);) {
      const long id = Number(FindOwn(state->nodes, Py_NewRef(user)));
      if (id == 0) continue;
      in_order = in_order && (count == 0 || ids[count - 1] < id);
      ids[count++] = id;
    }
    done = in_order || PutNumbers(out, VALUE_USERS, ids, count);
  }
  Py_XDECREF(users);
  return done && !PyErr_Occurred();
}

static bool PutValue(const State* state, PyObject* node, Buffer* out) {
  PyObject* const constant = Find(state->constants, node);
  PyObject* const meta = MetaOf(node);
  PyObject* const tensor = constant != NULL || meta == NULL ? Py_XNewRef(constant) : Find(meta, s_val);
  const bool done = PutName(node, VALUE_NAME, out) && PutType(state, tensor, out) &&
                    (constant == NULL || PutPiece(out, PyObject_CallOneArg(state->constant, node))) &&
                    PutOutputSpec(state, node, out) && PutUsers(state, node, out);
  Py_XDECREF(tensor);
  Py_XDECREF(meta);
  Py_XDECREF(constant);
  return done;
}

typedef struct {
  // Never followed: only compared.
  const PyObject* nodes[MOST];
  long ids[MOST];
  long positions[MOST];
  size_t count;
} Inputs;

static bool AddInput(const State* state, PyObject* node, long position, Inputs* inputs) {
  if (inputs->count == MOST) return false;
  const long id = Number(Find(state->values, node));
  if (id == 0) return false;
  inputs->nodes[inputs->count] = node;
  inputs->ids[inputs->count] = id;
  inputs->positions[inputs->count++] = position;
  return true;
}

// A list of nodes, or of whole numbers.
static bool PutList(const State* state, PyObject* name, PyObject* members, long position, Inputs* inputs, Buffer* out) {
  const Py_ssize_t count = PyTuple_GET_SIZE(members);
  Py_ssize_t nodes = 0, numbers = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    nodes += PyObject_TypeCheck(PyTuple_GET_ITEM(members, i), state->node) != 0;
    numbers += PyLong_CheckExact(PyTuple_GET_ITEM(members, i)) != 0;
  }
  if (count > 0 && numbers == count) return PutPiece(out, FindOwn(state->attributes, PyTuple_Pack(2, name, members)));
  if (count == 0 || nodes != count) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!AddInput(state, PyTuple_GET_ITEM(members, i), position, inputs)) return false;
  }
  return true;
}

static bool PutArgument(const State* state, PyObject* name, PyObject* argument, long position, Inputs* inputs,
                        Buffer* out) {
  if (argument == Py_None) return true;
  if (PyObject_TypeCheck(argument, state->node)) return AddInput(state, argument, position, inputs);
  if (!PyList_Check(argument) && !PyTuple_Check(argument)) {
    return PutPiece(out, FindOwn(state->attributes, PyTuple_Pack(3, name, (PyObject*)Py_TYPE(argument), argument)));
  }
  PyObject* const members = PySequence_Tuple(argument);
  const bool done = members != NULL && PutList(state, name, members, position, inputs, out);
  Py_XDECREF(members);
  return done;
}

// The operator of a call_function, and its arguments as inputs and attributes.
static bool PutCall(const State* state, PyObject* node, PyObject* args, PyObject* kwargs, Inputs* inputs, Buffer* out) {
  PyObject* const target = PyObject_GetAttr(node, s_target);
  PyObject* const call = target == NULL ? NULL : FindOwn(state->calls, PyLong_FromVoidPtr(target));
  Py_XDECREF(target);
  bool done = call != NULL && PyTuple_CheckExact(call) && PyTuple_GET_SIZE(call) >= 1 &&
              PutPiece(out, Py_NewRef(PyTuple_GET_ITEM(call, 0))) && PyTuple_CheckExact(args) && PyDict_Check(kwargs);
  // After the operator come the names of the arguments.
  const Py_ssize_t names = done ? PyTuple_GET_SIZE(call) - 1 : 0;
  const Py_ssize_t given = done ? PyTuple_GET_SIZE(args) : 0;
  done = done && given <= names;
  const Py_ssize_t end = done && PyDict_GET_SIZE(kwargs) == 0 ? given : names;
  for (Py_ssize_t i = 0; done && i < end; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(call, i + 1);
    PyObject* const argument = i < given ? Py_NewRef(PyTuple_GET_ITEM(args, i)) : Find(kwargs, name);
    if (argument != NULL) done = PutArgument(state, name, argument, (long)i, inputs, out);
    Py_XDECREF(argument);
  }
  Py_XDECREF(call);
  return done && !PyErr_Occurred();
}

static bool PutInputs(const Inputs* inputs, Buffer* out) {
  bool plain = true;
  for (size_t i = 0; i < inputs->count; ++i) plain = plain && inputs->positions[i] == (long)i;
  return PutNumbers(out, NODE_INPUTS, inputs->ids, inputs->count) &&
         (plain || PutNumbers(out, NODE_INPUT_ARGS, inputs->positions, inputs->count));
}

// The last frame of a stack trace; a new reference.
static PyObject* FrameOf(PyObject* trace) {
  if (trace == NULL) return PyUnicode_New(0, 0);
  const Py_ssize_t length = PyUnicode_CheckExact(trace) ? PyUnicode_GET_LENGTH(trace) : 0;
  const Py_ssize_t begin = length > 0 ? PyUnicode_Find(trace, s_file, 0, length, -1) : -2;
  if (begin == -2) return NULL;
  return begin > 0 ? PyUnicode_Substring(trace, begin, length) : Py_NewRef(trace);
}

// The innermost module of an nn_module_stack; a new reference.
static PyObject* ScopeOf(PyObject* stack) {
  if (stack == NULL) return PyUnicode_New(0, 0);
  if (!PyDict_CheckExact(stack)) return NULL;
  PyObject *unused, *innermost = NULL;
  for (Py_ssize_t position = 0; PyDict_Next(stack, &position, &unused, &innermost);) {
  }
  if (innermost == NULL || !PyTuple_CheckExact(innermost) || PyTuple_GET_SIZE(innermost) == 0) return NULL;
  PyObject* const scope = PyTuple_GET_ITEM(innermost, 0);
  return PyUnicode_CheckExact(scope) ? Py_NewRef(scope) : NULL;
}

static bool PutSourceLine(const State* state, PyObject* meta, Buffer* out) {
  PyObject* const trace = Find(meta, s_stack_trace);
  PyObject* const stack = Find(meta, s_nn_module_stack);
  PyObject* const frame = FrameOf(trace);
  PyObject* const scope = ScopeOf(stack);
  PyObject* const line = Find(state->frames, frame);
  // A scope is new to its first node: this dictionary makes what it does not have.
  PyObject* const module = line == NULL || scope == NULL ? NULL : PyObject_GetItem(state->scopes, scope);
  bool done = module != NULL && PyBytes_CheckExact(line) && PyBytes_CheckExact(module);
  const size_t size = done ? (size_t)(PyBytes_GET_SIZE(line) + PyBytes_GET_SIZE(module)) : 0;
  if (size > 0) done = PutVarint(out, NODE_SOURCE_LINE << 3 | 2) && PutVarint(out, size);
  done = done && PutPiece(out, Py_NewRef(line)) && PutPiece(out, Py_NewRef(module));
  Py_XDECREF(module);
  Py_XDECREF(line);
  Py_XDECREF(scope);
  Py_XDECREF(frame);
  Py_XDECREF(stack);
  Py_XDECREF(trace);
  return done;
}

// 1, 0, or -1: there is no such attribute.
static int Flag(PyObject* object, PyObject* name) {
  PyObject* const flag = PyObject_GetAttr(object, name);
  const int said = flag == Py_True ? 1 : flag == Py_False ? 0 : -1;
  Py_XDECREF(flag);
  return said;
}

// The specs of an annotation whose keys are the node's inputs from left to right, or that has none.
static bool PutInputSpecs(const State* state, PyObject* specs, const Inputs* inputs, Buffer* out) {
  if (specs == NULL || !PyDict_CheckExact(specs)) return false;
  if (PyDict_GET_SIZE(specs) == 0) return true;
  if ((size_t)PyDict_GET_SIZE(specs) != inputs->count) return false;
  PyObject *key, *spec;
  size_t i = 0;
  for (Py_ssize_t position = 0; PyDict_Next(specs, &position, &key, &spec); ++i) {
    const long id = i < inputs->count && key == inputs->nodes[i] ? SpecId(state, spec) : 0;
    if (id == 0 || !PutNumber(out, NODE_INPUT_SPECS, (uint64_t)id)) return false;
  }
  return true;
}

static bool PutAnnotation(const State* state, PyObject* node, const Inputs* inputs, Buffer* out) {
  PyObject* const annotation = Find(state->annotations, node);
  if (annotation == NULL) return !PyErr_Occurred();
  const int annotated = Flag(annotation, s__annotated);
  const int sharing = annotated < 0 ? -1 : Flag(annotation, s_allow_implicit_sharing);
  PyObject* const specs = sharing < 0 ? NULL : PyObject_GetAttr(annotation, s_input_qspec_map);
  const bool done = specs != NULL && (annotated == 0 || PutNumber(out, NODE_ANNOTATED, 1)) &&
                    (sharing == 1 || PutNumber(out, NODE_NO_IMPLICIT_SHARING, 1)) &&
                    PutInputSpecs(state, specs, inputs, out);
  Py_XDECREF(specs);
  Py_DECREF(annotation);
  return done;
}

// Whether the keyword arguments have no values of the graph, for all that can be told without looking into lists.
static bool HasPlainKeywords(const State* state, PyObject* kwargs) {
  if (!PyDict_Check(kwargs)) return false;
  Py_ssize_t position = 0;
  for (PyObject *unused, *argument; PyDict_Next(kwargs, &position, &unused, &argument);) {
    if (PyObject_TypeCheck(argument, state->node) || PyList_Check(argument) || PyTuple_Check(argument) ||
        PyDict_Check(argument) || PySlice_Check(argument)) {
      return false;
    }
  }
  return true;
}

static bool PutNode(const State* state, PyObject* node, Buffer* out) {
  PyObject* const meta = MetaOf(node);
  PyObject* const args = meta == NULL ? NULL : PyObject_GetAttr(node, s_args);
  PyObject* const kwargs = args == NULL ? NULL : PyObject_GetAttr(node, s_kwargs);
  const long id = Number(Find(state->values, node));
  Inputs inputs;
  inputs.count = 0;
  const bool done = kwargs != NULL && id > 0 && HasPlainKeywords(state, kwargs) &&
                    PyDict_Contains(meta, s_asked_block_size) == 0 && PutName(node, NODE_NAME, out) &&
                    PutNumber(out, NODE_OUTPUTS, (uint64_t)id) && PutCall(state, node, args, kwargs, &inputs, out) &&
                    PutSourceLine(state, meta, out) && PutInputs(&inputs, out) &&
                    PutAnnotation(state, node, &inputs, out);
  Py_XDECREF(kwargs);
  Py_XDECREF(args);
  Py_XDECREF(meta);
  return done;
}

static bool PutAll(const State* state, PyObject* iterator, PyObject* rest, unsigned field, Buffer* one, Buffer* out) {
  for (PyObject* node; (node = PyIter_Next(iterator)) != NULL;) {
    one->size = 0;
    bool done = field == GRAPH_VALUES ? PutValue(state, node, one) : PutNode(state, node, one);
    if (!done && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception))) {
      PyErr_Clear();
      one->size = 0;
      done = PutPiece(one, PyObject_CallOneArg(rest, node));
    }
    Py_DECREF(node);
    if (!done || !PutBytes(out, field, one->data, one->size)) {
      if (!PyErr_Occurred()) PyErr_NoMemory();
      return false;
    }
  }
  return !PyErr_Occurred();
}

static PyObject* Write(PyObject* module, PyObject* arguments) {
  (void)module;
  unsigned field;
  PyObject *nodes, *rest;
  State state;
  if (!PyArg_ParseTuple(arguments, "IOOO!O!OOO!O!O!O!O!O!O!O!O!O!", &field, &nodes, &rest, &PyType_Type, &state.node,
                        &PyType_Type, &state.tensor, &state.new_spec, &state.constant, &PyDict_Type, &state.values,
                        &PyDict_Type, &state.nodes, &PyDict_Type, &state.annotations, &PyDict_Type, &state.constants,
                        &PyDict_Type, &state.types, &PyDict_Type, &state.specs, &PyDict_Type, &state.calls,
                        &PyDict_Type, &state.attributes, &PyDict_Type, &state.frames, &PyDict_Type, &state.scopes)) {
    return NULL;
  }
  PyObject* const iterator = PyObject_GetIter(nodes);
  if (iterator == NULL) return NULL;
  Buffer one = {NULL, 0, 0}, out = {NULL, 0, 0};
  PyObject* const written = PutAll(&state, iterator, rest, field, &one, &out)
                                ? PyBytes_FromStringAndSize(out.data, (Py_ssize_t)out.size)
                                : NULL;
  PyMem_Free(one.data);
  PyMem_Free(out.data);
  Py_DECREF(iterator);
  return written;
}

static PyMethodDef methods[] = {{"write", Write, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
#define INTERN(name) \
  if ((s_##name = PyUnicode_InternFromString(#name)) == NULL) return NULL;
  NAMES(INTERN)
  s_file = PyUnicode_InternFromString("File \"");
  return s_file == NULL ? NULL : PyModule_Create(&definition);
}
