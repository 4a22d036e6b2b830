"""What `quantgate import` reads of LiteRT models, against what LiteRT's own interpreter says of the same files: every
tensor and operator of the first subgraph: name, type, shape, scales, zero points, axis; operator names, inputs, outputs."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

numpy = pytest.importorskip('numpy')
Interpreter = pytest.importorskip('ai_edge_litert.interpreter').Interpreter

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'data' / 'tflite'
CASES = [json.loads(line) for line in (FOLDER / 'cases.jsonl').open()]
GOOD = [case['file'] for case in CASES if case['good']]

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
    operators = interpreter._get_ops_details()
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


@pytest.mark.parametrize('name', GOOD)
def test_import_equals_interpreter(name, tmp_path):
    output = tmp_path / 'graph.json'
    executable = os.environ['QUANTGATE_EXECUTABLE']
    subprocess.run([executable, 'import', FOLDER / name, '-o', output, '--quiet'], check=True)
    assert not list(differences(json.loads(output.read_text()), Interpreter(model_path=str(FOLDER / name))))


# In a process of its own: LiteRT ends its process on some files. Prints the largest number that a dense layer gives.
RUN = '''
import sys
import numpy
from ai_edge_litert import interpreter as litert
resolver = {'reference': litert.OpResolverType.BUILTIN_REF, 'xnnpack': litert.OpResolverType.AUTO}[sys.argv[2]]
made = litert.Interpreter(model_path=sys.argv[1], experimental_op_resolver_type=resolver, num_threads=1,
                          experimental_preserve_all_tensors=sys.argv[2] == 'reference')
made.allocate_tensors()
for detail in made.get_input_details():
    type = numpy.dtype(detail['dtype'])
    number = numpy.iinfo(type).max // 2 if type.kind == 'i' and type.itemsize < 4 else 1  # else floats, and indices
    made.set_tensor(detail['index'], numpy.full(detail['shape'], number, type))
made.invoke()
if sys.argv[2] == 'reference':
    dense = [int(node['outputs'][0]) for node in made._get_ops_details() if node['op_name'] == 'FULLY_CONNECTED']
    print(max([float(numpy.abs(made.get_tensor(tensor)).max()) for tensor in dense] or [1.0]))
'''


@pytest.mark.parametrize('target', ['reference', 'xnnpack'])
@pytest.mark.parametrize('name', GOOD)
def test_good_file_is_rejected_where_it_does_not_run(name, target):
    path = str(FOLDER / name)
    run = subprocess.run([sys.executable, '-c', RUN, path, target], capture_output=True, check=False, text=True)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', path, '--target', f'litert/{target}', '--format', 'json', '--quiet']
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    effects = {finding['effect'] for finding in report['results'][0]['findings'] if finding['severity'] == 'ERROR'}
    assert ('REFUSED' in effects) == (run.returncode != 0)
    # The only wrong numbers here: of weights in blocks the reference kernels make zeros.
    assert ('WRONG_NUMBERS' in effects) == (target == 'reference' and float(run.stdout) == 0)
    assert effects <= {'REFUSED', 'WRONG_NUMBERS'}
