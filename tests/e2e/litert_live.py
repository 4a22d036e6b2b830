#!/usr/bin/env python3
"""What `quantgate import` reads of LiteRT models, against what LiteRT's own interpreter says of the same files.

Usage: litert_live.py QUANTGATE FOLDER    FOLDER has cases.jsonl and the models; its good files are compared
Every tensor and operator of the first subgraph: name, type, shape, scales, zero points, axis; operator names, inputs and
outputs. Needs the PyPI package ai-edge-litert; exits 77 without.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from ai_edge_litert.interpreter import Interpreter
except ImportError as error:
    print(f'skipped: {error} (pip install ai-edge-litert)')
    sys.exit(77)

# The interpreter has no NumPy type for integers below 8 bits.
NUMPY_TYPE = {'DATA_TYPE_BOOL': 'bool', 'DATA_TYPE_INT2': 'int8', 'DATA_TYPE_INT4': 'int8', 'DATA_TYPE_UINT4': 'uint8'}


def numpy_type(dtype):
    return numpy.dtype(NUMPY_TYPE.get(dtype, dtype.removeprefix('DATA_TYPE_').lower()))


def geometry(value, graph):
    """Scales, zero points, axis; None for the axis of blocks, which the interpreter does not state."""
    spec = graph['specs'][value['spec'] - 1] if value.get('spec') else {}
    qparams = spec.get('qparams', {})
    axis = None if qparams.get('blockSizes') else qparams.get('axes', [0])[0]
    return qparams.get('scales', []), qparams.get('zeroPoints', []), axis


def differences(graph, interpreter):
    details = {tensor['index']: tensor for tensor in interpreter.get_tensor_details()}
    if len(details) != len(graph['values']):
        yield f'{len(graph["values"])} tensors, LiteRT has {len(details)}'
    for index, value in enumerate(graph['values']):
        tensor = details.get(index)
        if tensor is None:
            continue
        if value.get('name', '') != tensor['name']:
            yield f'tensor {index} is {value.get("name")!r}, in LiteRT {tensor["name"]!r}'
        if numpy_type(value['dtype']) != numpy.dtype(tensor['dtype']):
            yield f'tensor {index} is {value["dtype"]}, in LiteRT {tensor["dtype"]}'
        if [int(size) for size in value.get('dims', [])] != list(tensor['shape']):
            yield f'tensor {index} has shape {value.get("dims")}, in LiteRT {tensor["shape"]}'
        scales, zero_points, axis = geometry(value, graph)
        theirs = tensor['quantization_parameters']
        if numpy.float32(scales).tolist() != numpy.float32(theirs['scales']).tolist():
            yield f'tensor {index} has scales {scales[:4]}, in LiteRT {theirs["scales"][:4]}'
        if [int(zero) for zero in zero_points] != theirs['zero_points'].tolist():
            yield f'tensor {index} has zero points {zero_points[:4]}, in LiteRT {theirs["zero_points"][:4]}'
        if len(scales) > 1 and axis is not None and axis != theirs['quantized_dimension']:
            yield f'tensor {index} has axis {axis}, in LiteRT {theirs["quantized_dimension"]}'
    operators = interpreter._get_ops_details()  # pylint: disable=protected-access
    if len(operators) != len(graph['nodes']):
        yield f'{len(graph["nodes"])} operators, LiteRT has {len(operators)}'
    for node, operator in zip(graph['nodes'], operators):
        name = graph['symbols'][node['op'] - 1]
        if name != operator['op_name']:
            yield f'operator {operator["index"]} is {name}, in LiteRT {operator["op_name"]}'
        for ours, key in (('inputs', 'inputs'), ('outputs', 'outputs')):
            ids = [id - 1 for id in node.get(ours, [])]
            if ids != [int(id) for id in operator[key]]:
                yield f'operator {operator["index"]} has {ours} {ids}, in LiteRT {operator[key]}'


def main():
    quantgate, folder = sys.argv[1:]
    cases = [json.loads(line) for line in open(os.path.join(folder, 'cases.jsonl'))]
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        for case in (case for case in cases if case['good']):
            path = os.path.join(folder, case['file'])
            output = os.path.join(scratch, 'graph.json')
            subprocess.run([quantgate, 'import', path, '-o', output, '--quiet'], check=True)
            found = list(differences(json.load(open(output)), Interpreter(model_path=path)))
            for difference in found:
                print(f'{case["file"]}: {difference}')
            wrong += len(found)
            compared += 1
    print(f'{compared} models compared with LiteRT, {wrong} differences')
    return 1 if wrong or not compared else 0


if __name__ == '__main__':
    sys.exit(main())
