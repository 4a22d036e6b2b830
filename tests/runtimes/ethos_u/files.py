"""Cases as .tflite files; a variable comes from the operator that makes its handle."""
import flatbuffers
from ai_edge_litert import schema_py_generated as schema

import model


def write(case):
    data = model.write(case)
    if case.operator not in ('ASSIGN_VARIABLE', 'READ_VARIABLE'):
        return data
    made = schema.ModelT.InitFromPackedBuf(data, 0)
    graph, code, operator = made.subgraphs[0], schema.OperatorCodeT(), schema.OperatorT()
    code.builtinCode, code.version = schema.BuiltinOperator.VAR_HANDLE, 1
    code.deprecatedBuiltinCode = 127
    handle = graph.operators[0].inputs[0]
    operator.opcodeIndex, operator.inputs, operator.outputs = 1, [], [handle]
    operator.builtinOptionsType, operator.builtinOptions = schema.BuiltinOptions.VarHandleOptions, schema.VarHandleOptionsT()
    operator.builtinOptions.container, operator.builtinOptions.sharedName = '', 'variable'
    made.operatorCodes.append(code)
    graph.operators.insert(0, operator)
    graph.inputs = [index for index in graph.inputs if index != handle]
    builder = flatbuffers.Builder(1024)
    builder.Finish(made.Pack(builder), b'TFL3')
    return bytes(builder.Output())
