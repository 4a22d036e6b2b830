"""`quantgate simulate` beside the runtimes themselves: the models of tests/data run live, every tensor of integers is
compared. Where float operators take part, sums are rounded in another order: such models have a bound in steps."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

np = pytest.importorskip('numpy')

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'runtimes' / 'onnxruntime'))
import processor

DATA = pathlib.Path(__file__).resolve().parents[2] / 'data'
INTEGERS = ('int8', 'uint8', 'int16', 'uint16')


def simulate(model, feeds, folder, profile):
    """Values by name, and the simulation."""
    np.savez(folder / 'in.npz', **feeds)
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(model), '--input', str(folder / 'in.npz'), '--dump',
               str(folder / 'out.npz'), '--profile', profile, '--format', 'json', '--quiet']
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    with np.load(folder / 'out.npz') as values:
        return {name: values[name] for name in values.files}, json.loads(done.stdout)['simulation']


def differences(values, expected):
    """By tensor the largest difference in steps; how many were compared."""
    compared = 0
    different = {}
    for name, array in expected.items():
        if name not in values or array.dtype.name not in INTEGERS:
            continue
        assert values[name].shape == array.shape, name
        compared += 1
        largest = np.abs(values[name].astype(np.int64) - array.astype(np.int64)).max(initial=0)
        if largest:
            different[name] = int(largest)
    return compared, different


# Model, and the largest difference that float operators explain: 16-bit activations go through float convolutions,
# whose sums depend on their order, and each node adds a step or less to what it reads.
ONNX = [('resnet8.qnn_a16_mixed', 6), ('tiny.qdq_u8s8', 0), ('bert.qdq_s8s8_pc', 0), ('vit.qdq_u8s8', 0), ('vit.qnn_a8w8', 0), ('tiny.qdq_a16w4', 0)]


@pytest.mark.parametrize('name, bound', ONNX)
def test_onnxruntime(name, bound, tmp_path):
    onnx = pytest.importorskip('onnx')
    onnxruntime = pytest.importorskip('onnxruntime')
    if 'u8s8' in name and processor.saturates():
        pytest.skip('ONNX Runtime saturates products of uint8 and int8 on this processor')
    path = DATA / 'onnx' / f'{name}.onnx'
    model = onnx.load(path)
    random = np.random.default_rng(1)
    feeds = {}
    constants = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name in constants:
            continue
        kind = value.type.tensor_type
        shape = [dim.dim_value or 1 for dim in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if dtype == np.float32:
            feeds[value.name] = random.normal(size=shape).astype(dtype)
        else:
            feeds[value.name] = random.integers(0, 2 if 'mask' in value.name else 40, shape).astype(dtype)
    values, simulation = simulate(path, feeds, tmp_path, 'onnxruntime')
    assert simulation['inputs'] == 'given'
    given = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for output in node.output:
            if output in values and values[output].dtype.name in INTEGERS and output not in given:
                kind = onnx.helper.np_dtype_to_tensor_dtype(values[output].dtype)
                model.graph.output.append(onnx.helper.make_tensor_value_info(output, kind, None))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    names = [output.name for output in session.get_outputs()]
    compared, different = differences(values, dict(zip(names, session.run(names, feeds))))
    assert compared >= 9
    assert max(different.values(), default=0) <= bound, different
    print(f'{name}: {compared} tensors, {len(different)} differ by at most {max(different.values(), default=0)}')


LITERT = ['dscnn.int8', 'dscnn.int16x8', 'conv1d.int16x8', 'unet.int8', 'unet.int16x8', 'transformer.int8']


@pytest.mark.parametrize('name', LITERT)
@pytest.mark.parametrize('profile', ['litert/reference', 'litert/xnnpack'])
def test_litert(name, profile, tmp_path):
    litert = pytest.importorskip('ai_edge_litert.interpreter')
    path = DATA / 'tflite' / f'{name}.tflite'
    resolver = {'litert/reference': litert.OpResolverType.BUILTIN_REF, 'litert/xnnpack': litert.OpResolverType.BUILTIN}
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=resolver[profile],
                                     experimental_preserve_all_tensors=True, num_threads=1)
    interpreter.allocate_tensors()
    random = np.random.default_rng(3)
    feeds = {}
    for tensor in interpreter.get_input_details():
        if tensor['dtype'] == np.float32:
            feeds[tensor['name']] = random.normal(size=tensor['shape']).astype(np.float32)
        else:
            limits = np.iinfo(tensor['dtype'])
            feeds[tensor['name']] = random.integers(limits.min, limits.max + 1, tensor['shape']).astype(tensor['dtype'])
        interpreter.set_tensor(tensor['index'], feeds[tensor['name']])
    interpreter.invoke()
    values, simulation = simulate(path, feeds, tmp_path, profile)
    computed = {node['value'] for node in simulation['nodes']}
    expected = {}
    for tensor in interpreter.get_tensor_details():
        if tensor['name'] in computed and tensor['name'] not in expected:
            expected[tensor['name']] = interpreter.get_tensor(tensor['index'])
    compared, different = differences(values, expected)
    assert compared >= 7
    assert not different
    print(f'{name}, {profile}: {compared} tensors, all equal')


def refused(*arguments):
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(DATA / 'onnx' / 'tiny.qdq_u8s8.onnx'), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ''
    return done.stderr


def test_inputs_that_do_not_fit(tmp_path):
    path = tmp_path / 'in.npz'
    good = np.zeros((1, 3, 16, 16), np.float32)
    np.savez(path, x=good[:, :2])
    assert "input 'x' is (1, 2, 16, 16) where the graph has (" in refused('--input', str(path))
    bad = good.copy()
    bad[0, 0, 0, 1] = np.nan
    np.savez(path, x=bad)
    assert "input 'x' holds nan at element 1" in refused('--input', str(path))
    np.savez(path, x=good.astype(np.int64))
    assert 'where the graph has real numbers' in refused('--input', str(path))
    np.savez(path, y=good)
    assert "input 'x' is not given; given are 'y'" in refused('--input', str(path))
    np.savez(path, x=good, z=good)
    assert "'z' is given" in refused('--input', str(path))
    large = good.astype(np.float64)
    large[0, 0, 0, 3] = 1e300
    np.savez(path, x=large)
    assert '1e+300 at element 3, beyond float32' in refused('--input', str(path))
    assert 'bytes' in refused('--max-memory', '1000')


def test_numbers_that_are_none():
    assert "'-5' is no number from 0 up" in refused('--max-memory', '-5')
    assert '0 bytes: it takes 1 to' in refused('--max-memory', '0')
    assert 'it takes 1 to' in refused('--max-memory', '99999999999999999999')
    for seed in ('-1', 'seven', '1.5', '18446744073709551616'):
        assert f"'{seed}' is no whole number from 0 to 18446744073709551615" in refused('--seed', seed)
    assert 'excludes' in refused('--profile', 'tosa', '--target', 'onnxruntime/cpu')


def test_compressed_and_ordered_as_fortran(tmp_path):
    random = np.random.default_rng(5)
    array = np.asfortranarray(random.normal(size=(1, 3, 16, 16)).astype(np.float64))
    values, _ = simulate(DATA / 'onnx' / 'tiny.qdq_u8s8.onnx', {'x': array}, tmp_path, 'onnxruntime')
    again, _ = simulate(DATA / 'onnx' / 'tiny.qdq_u8s8.onnx', {'x': array.astype(np.float32)}, tmp_path, 'onnxruntime')
    for name in again:
        np.testing.assert_array_equal(values[name], again[name])


def test_check_with_simulation():
    model = DATA / 'onnx' / 'tiny.qdq_u8s8.onnx'
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', str(model), '--simulate', '-t', 'onnxruntime/cpu',
               '--format', 'json', '--quiet']
    report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=60).stdout)
    assert report['simulation']['profile'] == 'onnxruntime'
    assert report['simulation']['profileReason'] == ''
    assert len(report['simulation']['nodes']) >= 10
    plain = json.loads(subprocess.run([*command[:3], *command[4:]], capture_output=True, text=True, timeout=60).stdout)
    assert plain['graphDigest'] == report['graphDigest']
    assert [f for f in report['results'][0]['findings'] if f['code'][:2] != 'SM'] == plain['results'][0]['findings']


def quantgate(*arguments):
    command = [os.environ['QUANTGATE_EXECUTABLE'], *map(str, arguments), '--quiet', '--format', 'json']
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_check_simulates_each_target():
    """Each by its own arithmetic: what QNN's does not say must not be said of ONNX Runtime."""
    model = DATA / 'onnx' / 'bad.qdq_zp_pair.tiny.qdq_u8s8.onnx'
    targets = ['qnn_htp/SM8650', 'onnxruntime/cpu', 'qnn_htp/SM8550']
    together = quantgate('check', model, '--simulate', *[word for target in targets for word in ('-t', target)])

    def told(result):
        return [(finding['code'], finding['location'].get('node'), finding.get('observed'))
                for finding in result.get('findings', []) if finding['code'].startswith('SM')]

    for target, result in zip(targets, together['results']):
        alone = quantgate('check', model, '--simulate', '-t', target)['results'][0]
        assert told(result) == told(alone), target
        assert result['verdict'] == alone['verdict'], target
    assert together['simulation']['profile'] == 'qnn_htp'


@pytest.mark.parametrize('name', [
    'onnx/tiny.qdq_u8s8.onnx', 'onnx/vit.qnn_a8w8.onnx', 'onnx/llama.nbits2_b32.onnx', 'tflite/dscnn.int8.tflite',
    'tflite/lstm.aeq_dynamic_wi8_afp32.tflite'])
def test_threads_change_nothing(name):
    assert (quantgate('simulate', DATA / name, '--threads', 4)['simulation'] ==
            quantgate('simulate', DATA / name)['simulation'])


def test_predicted_cost_is_what_the_corrected_model_does(tmp_path):
    model = DATA / 'onnx' / 'bad.qdq_scale_pair.tiny.qdq_u8s8.onnx'
    fixed = tmp_path / 'fixed.onnx'
    report = quantgate('check', model, '-t', 'onnxruntime/cpu', '--simulate', '--fix', fixed)
    cost, = [correction['predictedCost'] for correction in report['results'][0]['corrections']]

    def worst_output(path):
        nodes = quantgate('simulate', path, '--target', 'onnxruntime/cpu')['simulation']['nodes']
        return min(node['sqnrDb'] for node in nodes if node['value'] in ('prob', 'gate'))

    assert cost['sqnrBeforeDb'] == pytest.approx(worst_output(model), abs=0.5)
    assert cost['sqnrAfterDb'] == pytest.approx(worst_output(fixed), abs=0.5)
    assert cost['sqnrAfterDb'] > cost['sqnrBeforeDb'] + 5
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'check', str(model), '-t', 'onnxruntime/cpu', '--simulate', '--quiet']
    text = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    assert f"c1 {cost['sqnrBeforeDb']:.1f} -> {cost['sqnrAfterDb']:.1f} dB" in ' '.join(text.split())
    plain = quantgate('check', model, '-t', 'onnxruntime/cpu')
    assert 'predictedCost' not in plain['results'][0]['corrections'][0]


def without_activation_quantizers(path):
    """The model in float: weights are what is stored of them, activations are not rounded. A range from zero is what is
    left of a Relu."""
    onnx = pytest.importorskip('onnx')
    model = onnx.load(path)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type in ('QuantizeLinear', 'DequantizeLinear') and node.input[0] not in constants:
            zero = onnx.numpy_helper.to_array(constants[node.input[2]])
            node.op_type = 'Relu' if node.op_type == 'QuantizeLinear' and zero == 0 else 'Identity'
            node.domain = ''
            del node.input[1:], node.attribute[:]
    del model.graph.value_info[:]
    return model


def test_predicted_cost_counts_what_narrower_weights_lose(tmp_path):
    """16-bit weights become 8-bit ones: against its own weights the corrected copy would look as good as before. The
    float reference here is ONNX Runtime's."""
    onnxruntime = pytest.importorskip('onnxruntime')
    model = DATA / 'onnx' / 'resnet8.qnn_a16_mixed.onnx'
    fixed, dump = tmp_path / 'fixed.onnx', tmp_path / 'fixed.npz'
    target = 'qnn_htp/SM8350'
    report = quantgate('check', model, '-t', target, '--simulate')
    correction = report['results'][0]['corrections'][0]
    change = correction['changes'][0]
    assert (change['before']['dtype'], change['after']['dtype']) == ('DATA_TYPE_INT16', 'DATA_TYPE_INT8')
    alone = quantgate('check', model, '-t', target, '--fix', fixed)['results'][0]['corrections']
    costs = [each['predictedCost'] for each in report['results'][0]['corrections']]
    assert len(alone) == len(costs) == 2

    own = min(node['sqnrDb'] for node in quantgate(
        'simulate', fixed, '--target', target, '--dump', dump)['simulation']['nodes'] if node.get('sqnrDb'))
    floats = without_activation_quantizers(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(floats.SerializeToString(), options, providers=['CPUExecutionProvider'])
    computed = np.load(dump)
    feeds = {value.name: computed[value.name] for value in session.get_inputs()}
    noise = []
    for value, expected in zip(session.get_outputs(), session.run(None, feeds)):
        error = expected.astype(np.float64) - computed[value.name]
        noise.append(10 * np.log10((expected.astype(np.float64) ** 2).sum() / (error ** 2).sum()))
    # Both corrections together lose about what either loses: of ten probabilities, where errors also cancel.
    assert min(noise) == pytest.approx(min(cost['sqnrAfterDb'] for cost in costs), abs=4)
    assert all(cost['sqnrAfterDb'] < cost['sqnrBeforeDb'] - 20 for cost in costs)
    assert own > min(noise) + 10


def test_the_report_that_is_kept_is_the_one_that_is_printed(tmp_path):
    model = DATA / 'onnx' / 'bad.qdq_scale_pair.tiny.qdq_u8s8.onnx'
    store = f'sqlite:{tmp_path}/reports.db'
    printed = quantgate('check', model, '-t', 'onnxruntime/cpu', '--simulate', '--store', store,
                        '--fix', tmp_path / 'fixed.onnx')
    assert {'simulation', 'name'} <= printed.keys()
    assert quantgate('reports', 'show', printed['name'], '--store', store) == printed
    # That of the corrected file is not kept.
    listed = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'reports', 'list', '--store', store],
                            capture_output=True, text=True, timeout=60).stdout
    assert listed.count('reports/') == 1


@pytest.mark.parametrize('side, factor', [
    ('QuantizeLinear', 0.25), ('QuantizeLinear', 4), ('DequantizeLinear', 0.25), ('DequantizeLinear', 4)])
def test_of_two_corrections_the_cheaper_one(side, factor, tmp_path):
    """A tensor that is read otherwise than it is written: the types do not say which of the two is right, the numbers
    do. With factor 4 the wrong one is coarser on both sides, and restoring either gives the same noise."""
    onnx = pytest.importorskip('onnx')
    onnxruntime = pytest.importorskip('onnxruntime')
    good = DATA / 'onnx' / 'tiny.qdq_u8s8.onnx'
    model = onnx.load(good)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    quantize = [node for node in model.graph.node
                if node.op_type == 'QuantizeLinear' and node.input[0] not in constants][2]
    dequantize = next(node for node in model.graph.node if quantize.output[0] in node.input)
    scale = onnx.numpy_helper.to_array(constants[quantize.input[1]])
    model.graph.initializer.append(onnx.numpy_helper.from_array((scale * factor).astype(np.float32), 'another'))
    (quantize if side == 'QuantizeLinear' else dequantize).input[1] = 'another'
    broken = tmp_path / 'broken.onnx'
    onnx.save(model, broken)

    def correction(*flags):
        results = quantgate('check', broken, '-t', 'onnxruntime/cpu', *flags)['results']
        found, = results[0]['corrections']
        assert found['proven']
        return found

    fixed = tmp_path / 'fixed.onnx'
    cheapest = correction('--simulate', '--fix', fixed)
    change, = cheapest['changes']
    if factor < 1:  # else the coarse one is as good: nothing beyond its range is lost
        assert change['after']['qparams']['scales'] == [pytest.approx(float(scale))]
    assert cheapest['predictedCost']['sqnrAfterDb'] == pytest.approx(34.5, abs=1)
    # The change is said of the side that changes.
    stated = {'output': 'QuantizeLinear', 'input': 'DequantizeLinear'}
    if change['after']['qparams']['scales'] == [pytest.approx(float(scale))]:
        assert [stated[port] for port in stated if port in change['location']] == [side]
        assert change['before']['qparams']['scales'] == [pytest.approx(float(scale) * factor)]
        # ... and the file computes what the good one does.
        random = np.random.default_rng(3)
        feeds = {value.name: random.standard_normal([dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim])
                 .astype(np.float32) for value in model.graph.input if value.name not in constants}
        outputs = [onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider']).run(None, feeds)
                   for path in (good, fixed)]
        for expected, computed in zip(*outputs):
            np.testing.assert_array_equal(expected, computed)
    without = correction()
    assert 'predictedCost' not in without


def test_python_function():
    """A converted program, as torch computes it and as it is simulated."""
    torch = pytest.importorskip('torch')
    pytest.importorskip('torchao')
    import quantgate
    import torch.ao.quantization.fx._decomposed  # noqa: F401  the operators of the program
    path = DATA / 'pt2' / 'tinycnn.xnnpack_pc.pt2'
    program = torch.export.load(str(path))
    shapes = {node.name: node.meta['val'].shape for node in program.graph.nodes if node.op == 'placeholder'}
    torch.manual_seed(0)
    inputs = [torch.randn(shapes[name]) for name in program.graph_signature.user_inputs]
    expected = program.module()(*inputs)
    expected = expected[0] if isinstance(expected, (tuple, list)) else expected
    for model in (program, program.module()):
        simulation = quantgate.simulate(model, inputs, profile='torch')
        outputs = [value for value in simulation.values.values() if value.shape == tuple(expected.shape)]
        # The last value of that shape is the output; sums may be rounded in another order.
        np.testing.assert_allclose(outputs[-1], expected.detach().numpy(), atol=0.02 * float(expected.abs().max()))
    with pytest.raises(quantgate.QuantGateError) as caught:
        quantgate.simulate(path, {'nobody': inputs[0].numpy()})
    assert caught.value.code == 'INVALID_ARGUMENT'
    assert len(quantgate.simulate(path, seed=3).nodes) > 5


def test_inputs_by_name_and_by_order():
    torch = pytest.importorskip('torch')
    import quantgate
    path = DATA / 'pt2' / 'tinycnn.xnnpack_pc.pt2'
    program = torch.export.load(str(path))
    module = program.module()
    name, = program.graph_signature.user_inputs
    shape, = [node.meta['val'].shape for node in program.graph.nodes if node.name == name]
    torch.manual_seed(0)
    value = torch.randn(shape)
    expected = quantgate.simulate(path, {name: value.numpy()}).values

    class Path:
        def __fspath__(self):
            return str(path)

    for model, inputs in ((path, [value]), (Path(), (value.numpy(),)), (module, {name: value}), (module, [value.numpy()]),
                          (program, {name: value})):
        values = quantgate.simulate(model, inputs).values
        assert list(values) == list(expected)
        assert all(np.array_equal(values[key], expected[key]) for key in expected)

    def refused(model, inputs):
        with pytest.raises(quantgate.QuantGateError) as caught:
            quantgate.simulate(model, inputs)
        assert caught.value.code == 'INVALID_ARGUMENT'
        return str(caught.value)

    for model in (path, program, module):
        assert f'the model has the inputs {name}; given: 2' in refused(model, [value, value])
    assert f'the model has the inputs {name}; given: y, {name}' in refused(module, {'y': value, name: value})
    assert 'a list, a tuple or a mapping, not Tensor' in refused(module, value)
    assert 'torch.export.export refuses the module with these inputs' in refused(module, [value[0, 0, 0]])
    assert f"input '{name}'" in refused(program, [value.bfloat16()])


def test_two_inputs_of_a_module_by_name():
    torch = pytest.importorskip('torch')
    import quantgate

    class Product(torch.nn.Module):
        def forward(self, a, b):
            return torch.matmul(a, b)

    a, b = torch.randn(2, 8), torch.randn(8, 4)
    module = torch.export.export(Product(), (a, b)).module()
    values = quantgate.simulate(module, {'b': b, 'a': a}).values
    np.testing.assert_allclose(values['matmul'], (a @ b).numpy(), rtol=1e-5)


def test_inputs_have_any_names_and_must_be_arrays():
    torch = pytest.importorskip('torch')
    import quantgate

    class Sum(torch.nn.Module):
        def forward(self, file, allow_pickle):  # as arguments of numpy.savez
            return file + allow_pickle

    value = torch.ones(2, 2)
    program = torch.export.export(Sum(), (value, value))
    for inputs in ({'file': value, 'allow_pickle': value}, [value, value], [[[1., 1.], [1., 1.]], value.requires_grad_()]):
        assert quantgate.simulate(program, inputs).values['add'].tolist() == [[2, 2], [2, 2]]

    path = DATA / 'onnx' / 'tiny.qdq_u8s8.onnx'
    for inputs, named in (({3: value}, 'input 3: '), ({'x': [[1], [2, 3]]}, "input 'x': "), ({'x': object()}, "input 'x': "),
                          ({'\ud800': value}, "input '\\ud800': ")):
        with pytest.raises(quantgate.QuantGateError) as caught:
            quantgate.simulate(path, inputs)
        assert caught.value.code == 'INVALID_ARGUMENT' and caught.value.message.startswith(named)
    for names in ({'target': 3}, {'profile': None}):
        with pytest.raises(quantgate.QuantGateError, match='INVALID_ARGUMENT.*expected a name'):
            quantgate.simulate(path, **names)


def test_a_path_that_begins_with_a_dash(tmp_path, monkeypatch):
    import shutil

    import quantgate
    shutil.copy(DATA / 'onnx' / 'tiny.qdq_u8s8.onnx', tmp_path / '-m.onnx')
    monkeypatch.chdir(tmp_path)
    assert len(quantgate.simulate('-m.onnx').nodes) > 1


def test_differences(tmp_path):
    """torch.diff with what stands in front and behind, of real numbers and of indices."""
    torch = pytest.importorskip('torch')

    class Differences(torch.nn.Module):
        def forward(self, x, i):
            return (torch.diff(x, dim=1, prepend=x[:, :1] * 2, append=x[:, :2]), torch.diff(x, dim=0),
                    torch.diff(i, prepend=i[:, :1] - 1))

    inputs = (torch.randn(3, 5, 2), torch.randint(0, 9, (2, 7)))
    torch.export.save(torch.export.export(Differences(), inputs), tmp_path / 'model.pt2')
    feeds = {'x': inputs[0].numpy(), 'i': inputs[1].numpy()}
    values, _ = simulate(tmp_path / 'model.pt2', feeds, tmp_path, 'torch')
    found = [values[name] for name in ('diff', 'diff_1', 'diff_2')]
    for array, expected in zip(found, Differences()(*inputs)):
        np.testing.assert_array_equal(array, expected.numpy())


def test_while(tmp_path):
    """A recurrent model, whose steps are the rounds of a WHILE."""
    litert = pytest.importorskip('ai_edge_litert.interpreter')
    path = DATA / 'tflite' / 'lstm.aeq_weight_only_wi4_afp32.tflite'
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    given, = interpreter.get_input_details()
    made, = interpreter.get_output_details()
    x = np.random.default_rng(31).normal(size=given['shape']).astype(np.float32)
    interpreter.set_tensor(given['index'], x)
    interpreter.invoke()
    values, simulation = simulate(path, {given['name']: x}, tmp_path, 'litert/reference')
    assert not any(node.get('floatReason', '').startswith('not computed') for node in simulation['nodes'])
    np.testing.assert_allclose(values[made['name']], interpreter.get_tensor(made['index']), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('flag, rules, reason', [
    ('--no-real-space', ['SM005'], 'real space was left out'),
    ('--only-integers', ['SM001', 'SM002', 'SM003', 'SM004', 'SM005', 'SM006'],
     'the float reference and the statistics were left out')])
def test_what_is_left_out_is_not_checked(flag, rules, reason):
    model = DATA / 'onnx' / 'tiny.qdq_u8s8.onnx'
    command = [os.environ['QUANTGATE_EXECUTABLE'], 'simulate', str(model), flag, '--quiet']
    text = subprocess.run(command, capture_output=True, text=True, timeout=60)
    report = subprocess.run(command + ['--format', 'json'], capture_output=True, text=True, timeout=60)
    assert text.returncode == report.returncode == 0
    assert reason in ' '.join(text.stdout.split())
    entries = json.loads(report.stdout)['results'][0]['notChecked']
    assert [entry['rule'] for entry in entries] == rules
    assert {entry['reason'] for entry in entries} == {reason}
    # What is not measured is not said to be exact.
    measured = flag != '--only-integers'
    assert ('own dB' in text.stdout) == ('in float' in text.stdout) == measured
    assert json.loads(report.stdout)['simulation'].get('onlyIntegers', False) != measured
