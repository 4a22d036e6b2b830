"""What cannot be read: an error that names the place, or a constant of which nothing is known; next to it what can."""
import copy
import collections
import fractions
import functools
import pickle
import time
import types

import models
import pytest
import quantgate
import torch
from quantgate.v1 import spec_pb2
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from torchao.quantization.pt2e.fake_quantize import FakeQuantize
from torchao.quantization.pt2e.observer import FixedQParamsObserver, MinMaxObserver, PartialWrapper
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, QuantizationSpec, SharedQuantizationSpec)

V75, V68 = 'qnn_htp/SM8650', 'qnn_htp/SM8350'


def graph_of(spec, constant=None, argument=None):
    """relu, with the spec on its input; a constant added to it, an argument given to it."""
    graph = torch.fx.Graph()
    x = graph.placeholder('x')
    x.meta['val'] = torch.empty(1, 8, device='meta')
    relu = graph.call_function(torch.ops.aten.relu.default, (x,) if argument is None else (x, argument))
    relu.meta['val'] = x.meta['val']
    relu.meta['quantization_annotation'] = QuantizationAnnotation({x: spec}, None, _annotated=True)
    root = torch.nn.Module()
    last = relu
    if constant is not None:
        root.constant = constant
        last = graph.call_function(torch.ops.aten.add.Tensor, (relu, graph.get_attr('constant')))
    graph.output(last)
    return torch.fx.GraphModule(root, graph)


def plain(**changes):
    return QuantizationSpec(**{'dtype': torch.uint8, 'observer_or_fake_quant_ctr': MinMaxObserver, 'quant_min': 0,
                               'quant_max': 255, 'qscheme': torch.per_tensor_affine, **changes})


def fixed(scale, zero_point=0):
    return FixedQParamsQuantizationSpec(torch.uint8, scale, zero_point, 0, 255, torch.per_tensor_affine)


def observed(**settings):
    return plain(observer_or_fake_quant_ctr=MinMaxObserver.with_args(**settings))


def annotation(module):
    return next(node for node in module.graph.nodes if node.op == 'call_function').meta['quantization_annotation']


def refused(module, words, code='INVALID_ARGUMENT'):
    for call in (quantgate.to_graph, quantgate.sharing_groups, lambda it: quantgate.check(it, targets=[V75])):
        with pytest.raises(quantgate.QuantGateError, match=words) as caught:
            call(module)
        assert caught.value.code == code


@pytest.mark.parametrize('spec, words', [
    (plain(quant_min=0.5), 'quant_min, 0.5'),
    (plain(quant_min=None, quant_max='9'), "quant_max, '9'"),
    (plain(quant_max=2**64 - 1), 'quant_max, 18446744073709551615'),
    (plain(quant_max=float('inf')), 'quant_max, inf'),
    (plain(quant_min=None, quant_max=torch.tensor([1, 2])), 'quant_max, tensor'),
    (plain(ch_axis=2**40), 'ch_axis, 1099511627776'),
    (plain(is_dynamic='no'), "is_dynamic, 'no'"),
    (plain(dtype='int8'), "dtype, 'int8', is no torch.dtype"),
    (plain(qscheme=['affine']), 'qscheme, .* is no torch.qscheme'),
    (fixed(None), 'scale, None'),
    (fixed(0.1, 2**53 + 1), 'zero_point, 9007199254740993'),
    (fixed(0.1, None), 'zero_point, None'),
    (fixed('0.1'), "scale, '0.1'"),
    (fixed(10**400), 'scale, 1000'),
    (fixed(torch.tensor([])), 'scale, tensor'),
    (fixed(torch.empty(1, device='meta')), 'scale, tensor'),
    (observed(block_size=32), 'block_size, 32'),
    (observed(block_size=[None]), 'block_size'),
    (observed(block_size=[2**70]), 'block_size'),
    (plain(observer_or_fake_quant_ctr=FixedQParamsObserver.with_args(scale=None, zero_point=0)), 'scale, None'),
    (SharedQuantizationSpec(None), 'refers to None'),
    (SharedQuantizationSpec('x'), "refers to 'x'"),
    (SharedQuantizationSpec(('x', 'relu')), "refers to .'x', 'relu'."),
    (SharedQuantizationSpec(()), r'refers to \(\)'),
    (DerivedQuantizationSpec(None, models.annotate, torch.int32), 'derived_from, None'),
    (DerivedQuantizationSpec([3], models.annotate, torch.int32), 'refers to 3'),
    (3, 'a int is no quantization spec')])
def test_a_spec_that_cannot_be_read_is_named_with_its_place(spec, words):
    refused(graph_of(spec), f'the spec of the input x of relu_default: .*{words}')
    module = graph_of(None)
    annotation(module).output_qspec = spec
    refused(module, f'the spec of the output of relu_default: .*{words}')


@pytest.mark.parametrize('spec, read', [
    (plain(quant_min=0.0), lambda spec: (spec.quant_min, spec.quant_max) == (0, 255)),
    (plain(quant_max=2**63 - 1), lambda spec: spec.quant_max == 2**63 - 1),
    (plain(ch_axis=2), lambda spec: spec.axis == 2),
    (plain(dtype=torch.int3), lambda spec: spec.dtype >= 1024),
    (plain(qscheme=None), lambda spec: spec.qscheme == spec_pb2.Spec.Q_SCHEME_UNSPECIFIED),
    (fixed(0.1, 2**53), lambda spec: spec.qparams.zero_points[:] == [2**53]),
    (fixed(torch.tensor(0.5), torch.tensor([3])), lambda spec: spec.qparams.zero_points[:] == [3]),
    (fixed(fractions.Fraction(1, 4)), lambda spec: spec.qparams.scales[:] == [0.25]),
    (fixed(torch.tensor([0.5, 0.25]), torch.tensor([0, 1])), lambda spec: spec.qparams.scales[:] == [0.5, 0.25]),
    (observed(block_size=(1, 32)), lambda spec: spec.block_size[:] == [1, 32]),
    (plain(observer_or_fake_quant_ctr=lambda: MinMaxObserver()), lambda spec: spec.kind == spec_pb2.Spec.PLAIN)])
def test_the_like_of_it_that_can(spec, read):
    message, = quantgate.to_graph(graph_of(spec)).specs
    assert read(message), message
    assert quantgate.check(graph_of(spec), targets=[V75]).results


# ---- objects that raise when they are read ----

class Raises:
    """Has the attributes it is given, and raises for one; without a name, for whatever it does not have."""

    def __init__(self, name=None, error=ValueError('boo'), **members):
        self.__dict__.update(members, _error=error)
        if name is not None:
            self.__class__ = type('Raises', (Raises,), {name: property(self._raise)})

    @staticmethod
    def _raise(self):
        raise self._error

    def __getattr__(self, name):
        if name.startswith('__') or type(self) is not Raises:
            raise AttributeError(name)
        raise self._error


class Number:
    """No number, and none to be told with."""

    def __index__(self):
        raise LookupError('boo')

    __float__ = __int__ = __hash__ = __eq__ = __repr__ = __index__

    def __lt__(self, other):  # QuantizationSpec asks, and would not be made
        return False

    __gt__ = __lt__


def in_itself(depth=None):
    """A constructor whose observer is itself, or is made as deep as that."""
    made = FakeQuantize.with_args(observer=MinMaxObserver)
    for _ in range(depth or 0):
        made = FakeQuantize.with_args(observer=made)
    if depth is None:
        made.p.keywords['observer'] = made
    return made


def compressed(**parameters):
    config = types.SimpleNamespace(group_size=32)
    return observed(wc_param=types.SimpleNamespace(
        **{'compression_config': config, 'weight_shape': (8, 64), 'reduction_axes': (1,), **parameters}))


class Unnamed(MinMaxObserver):
    __module__ = None


@pytest.mark.parametrize('spec, words', [
    (Raises('edge_or_node', dtype=torch.int8), r"edge_or_node cannot be read: ValueError\('boo'\)"),
    (Raises('derived_from', dtype=torch.int8), 'derived_from cannot be read'),
    (Raises('scale', dtype=torch.int8), 'scale cannot be read'),
    (Raises('zero_point', dtype=torch.int8, scale=0.1), 'zero_point cannot be read'),
    (Raises('dtype', error=KeyError('boo')), r"dtype cannot be read: KeyError\('boo'\)"),
    (Raises('dtype', scale=0.1), 'dtype cannot be read'), (Raises('quant_min', dtype=torch.int8), 'quant_min cannot'),
    (Raises('qscheme', dtype=torch.int8), 'qscheme cannot be read'),
    (Raises('observer_or_fake_quant_ctr', dtype=torch.int8), 'observer_or_fake_quant_ctr cannot be read'),
    (Raises(), 'edge_or_node cannot be read'), (Raises(error=RecursionError()), 'cannot be read: RecursionError'),
    (SharedQuantizationSpec(Number()), 'refers to <Number instance'),
    (plain(quant_min=Number(), quant_max=None), 'quant_min, <Number'),
    (plain(ch_axis=Number()), 'ch_axis, <Number'), (fixed(Number()), 'scale, <Number'),
    (fixed(0.1, Number()), 'zero_point, <Number'), (fixed(10**5000), 'scale, <an int of 16610 bits>'),
    (plain(quant_max=10**5000), 'quant_max, <an int of'), (observed(block_size=[Number()]), r'block_size, \[<Number'),
    (observed(block_size=Raises('__iter__')), 'block_size, <'),
    (plain(observer_or_fake_quant_ctr=Raises('p', error=KeyError('p'))), "p cannot be read: KeyError"),
    (plain(observer_or_fake_quant_ctr=Raises('__name__')), '__name__ cannot be read'),
    (plain(observer_or_fake_quant_ctr=Raises('with_args', __name__='made')), 'with_args cannot be read'),
    (plain(observer_or_fake_quant_ctr=in_itself()), "the observer of its observer_or_fake_quant_ctr is another's"),
    (plain(observer_or_fake_quant_ctr=in_itself(2000)), "the observer of its observer_or_fake_quant_ctr is another's"),
    (compressed(reduction_axes=1), "wc_param's reduction_axes, 1, is no list of numbers"),
    (compressed(reduction_axes=[None]), "wc_param's reduction_axes"),
    (compressed(weight_shape=None), "wc_param's weight_shape, None, is no list of numbers"),
    (compressed(compression_config=Raises('group_size')), 'group_size cannot be read'),
    (observed(wc_param=Raises('weight_shape', compression_config=types.SimpleNamespace(group_size=32))),
     'weight_shape cannot be read')], ids=lambda it: it if isinstance(it, str) else '')
def test_a_spec_that_raises_is_named_with_its_place(spec, words):
    refused(graph_of(spec), f'the spec of the input x of relu_default: .*{words}')
    module = graph_of(None)
    annotation(module).output_qspec = spec
    refused(module, f'the spec of the output of relu_default: .*{words}')


@pytest.mark.parametrize('spec', [
    compressed(), compressed(reduction_axes=()), compressed(compression_config=None, weight_shape=None),
    plain(observer_or_fake_quant_ctr=PartialWrapper(3)), plain(observer_or_fake_quant_ctr=Unnamed),
    plain(observer_or_fake_quant_ctr=functools.partial(MinMaxObserver, eps=Number())),
    plain(observer_or_fake_quant_ctr=Raises('__call__')), plain(observer_or_fake_quant_ctr=in_itself(2))],
    ids=[str(number) for number in range(8)])
def test_the_like_of_it_that_does_not(spec):
    assert quantgate.check(graph_of(spec), targets=[V75]).results


class Torn(dict):
    def items(self):
        raise ValueError('boo')

    values = keys = __iter__ = items


class Odd(QuantizationAnnotation):
    """Torchao's, in a class of a quantizer's own."""


@pytest.mark.parametrize('odd, words', [
    (Raises('input_qspec_map', output_qspec=None), ": its input_qspec_map cannot be read: ValueError"),
    (Raises('output_qspec', input_qspec_map={}), ': its output_qspec cannot be read'),
    (Raises('_annotated', input_qspec_map={}, output_qspec=None), ': its _annotated cannot be read'),
    (Raises(), ': its input_qspec_map cannot be read'), (Number(), ' is no QuantizationAnnotation .*<Number'),
    (QuantizationAnnotation(Torn(), None), ': its input_qspec_map cannot be read'),
    (QuantizationAnnotation({}, None, allow_implicit_sharing=torch.ones(2)),
     r': its allow_implicit_sharing, tensor\(.*\), is neither true nor false: RuntimeError'),
    (QuantizationAnnotation({}, None, _annotated=torch.ones(2)), ': its _annotated, tensor.*neither true nor false')],
    ids=lambda it: it if isinstance(it, str) else '')
def test_an_annotation_that_raises_is_named(odd, words):
    module = graph_of(plain())
    report = quantgate.check(module, targets=[V75])
    next(node for node in module.graph.nodes if node.op == 'call_function').meta['quantization_annotation'] = odd
    refused(module, f'the annotation of relu_default{words}')
    # Nor does it when the corrections of a graph that was sound are applied to this one.
    report.results[0].corrections.add(proven=True).changes.add().location.node = 'relu_default'
    report.proto.stage = 1
    with pytest.raises(quantgate.QuantGateError, match=f'the annotation of relu_default{words}'):
        quantgate.apply(report, module)


@pytest.mark.parametrize('made', [
    lambda edges, spec: Odd(edges, spec, _annotated=True),
    lambda edges, spec: QuantizationAnnotation(collections.OrderedDict(edges), spec, _annotated=1),
    lambda edges, spec: QuantizationAnnotation(edges, spec, torch.ones(1), torch.ones(1)),
    lambda edges, spec: types.SimpleNamespace(input_qspec_map=edges, output_qspec=spec, _annotated=True)])
def test_annotations_like_torchaos_say_the_same(made):
    module, other = graph_of(plain()), graph_of(plain())
    for one in (module, other):
        annotation(one).output_qspec = plain(dtype=torch.int8)
    theirs = annotation(other)
    next(node for node in other.graph.nodes if node.op == 'call_function').meta['quantization_annotation'] = made(
        theirs.input_qspec_map, theirs.output_qspec)
    assert quantgate.to_graph(other) == quantgate.to_graph(module)


@pytest.mark.parametrize('axis', [Number(), 0.5, None, 2**70])
def test_the_axis_of_a_constant_that_is_none(axis):
    module = graph_of(plain(), torch.ones(4, 4))
    add = next(node for node in module.graph.nodes if node.name.startswith('add'))
    add.meta['quantization_annotation'] = QuantizationAnnotation(
        {add.args[1]: plain(ch_axis=axis, qscheme=torch.per_channel_affine)}, None, _annotated=True)
    if axis is None:
        assert quantgate.check(module).results
    else:
        refused(module, 'the spec of the input constant of add_tensor: its ch_axis')


class Observer(torch.nn.Module):
    """Of a prepared graph; raises where it is told to."""

    def __init__(self, name):
        super().__init__()
        self.__class__ = type('Observer', (Observer,), {name: property(Raises._raise)}) if name else Observer
        self._error = ValueError('boo')

    def calculate_qparams(self):
        return torch.tensor([0.1]), torch.tensor([0])

    def forward(self, x):
        return x


@pytest.mark.parametrize('name', [None, 'activation_post_process', 'obs_or_fqs', 'min_val', 'ch_axis', 'num_steps',
                                  'qscheme', 'is_dynamic'])
def test_observers_that_raise(name):
    module = graph_of(plain())
    relu = next(node for node in module.graph.nodes if node.op == 'call_function')
    module.observer = Observer(name)
    module.within = Observer(None)
    module.within.obs_or_fqs = [module.within]
    for held in ('observer', 'within'):
        with module.graph.inserting_before(relu):
            seen = module.graph.call_module(held, (relu.args[0],))
        relu.args = (seen,)
    assert quantgate.check(module, targets=[V75]).results


def test_two_prescribed_scales_of_one_tensor_are_a_finding():
    report = quantgate.check(graph_of(fixed(torch.tensor([0.5, 0.25]), torch.tensor([0, 1]))), targets=[V75])
    assert 'relu_default' in {finding.location.node for finding in report.findings()} and not report.ok


@pytest.mark.parametrize('change, words', [
    (lambda module: setattr(annotation(module), 'input_qspec_map', None), 'is no QuantizationAnnotation'),
    (lambda module: setattr(annotation(module), 'input_qspec_map', [plain()]), 'is no QuantizationAnnotation'),
    (lambda module: next(node for node in module.graph.nodes if node.op == 'call_function').meta.update(
        quantization_annotation={'a': 1}), "is no QuantizationAnnotation .*{'a': 1}")])
def test_an_annotation_that_is_none(change, words):
    module = graph_of(plain())
    change(module)
    refused(module, f'the annotation of relu_default.*{words}')


def test_a_key_that_is_a_name():
    module = graph_of(plain())
    annotation(module).input_qspec_map = {'x': plain()}
    found = [finding for finding in quantgate.check(module, targets=[V75]).findings() if finding.code == 'SH005']
    assert ["'x'" in finding.message for finding in found] == [True], found
    with pytest.raises(quantgate.QuantGateError, match="the annotation of relu_default: the key 'x'"):
        quantgate.sharing_groups(module)


def weight_of_torchao():
    linear = torch.nn.Linear(16, 16)
    quantize_(linear, Int8WeightOnlyConfig())
    return linear.weight


UNKNOWN = {**{name: lambda name=name: torch.empty(8, dtype=getattr(torch, name))
              for name in ('int1', 'int4', 'uint4', 'bits8', 'float4_e2m1fn_x2') if hasattr(torch, name)},
           'quint8': lambda: torch.quantize_per_tensor(torch.ones(8), 0.1, 0, torch.quint8),
           'sparse': lambda: torch.eye(4).to_sparse(), 'csr': lambda: torch.eye(4).to_sparse_csr(),
           'mkldnn': lambda: torch.eye(4).to_mkldnn(),
           'nested': lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
           'jagged': lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
           'torchao': weight_of_torchao, 'uninitialized': torch.nn.parameter.UninitializedParameter}


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('make', UNKNOWN.values(), ids=UNKNOWN.keys())
def test_of_a_constant_that_torch_cannot_compute_with_nothing_is_told(make):
    module = graph_of(plain(), make())
    constant = next(value for value in quantgate.to_graph(module).values if value.name == 'constant').constant
    assert constant.stored_bytes == -1 and not constant.HasField('statistics') and not constant.reals
    for targets in ([], [V75]):
        assert not {finding.code for finding in quantgate.check(module, targets=targets).findings()
                    if finding.code.startswith('FI')}


@pytest.mark.parametrize('dtype', [torch.int8, torch.bool, torch.float16, torch.float8_e4m3fn, torch.float8_e8m0fnu])
def test_of_others_it_is(dtype):
    value = next(value for value in quantgate.to_graph(graph_of(plain(), torch.ones(8).to(dtype))).values
                 if value.name == 'constant')
    assert value.constant.statistics.count == 8 and value.constant.statistics.min == 1


def test_arguments_beyond_the_message():
    for argument in (2**64, [2**64], 'half of a pair: \ud800', [10**400, 0.5], 10**5000, [10**5000], ['x', 10**5000],
                     Number(), {'a': Number()}):
        module = graph_of(plain())
        relu = next(node for node in module.graph.nodes if node.op == 'call_function')
        relu.target = torch.ops.aten.upsample_nearest2d.vec
        relu.args = (relu.args[0], None, argument)  # here: of some, fx writes no code
        node, = (node for node in quantgate.to_graph(module).nodes if node.annotated)
        assert node.attributes and all(attribute.s or attribute.strings.values for attribute in node.attributes)


@pytest.mark.parametrize('name', ['_op', '_schema', '__name__', '__module__', None])
def test_what_a_node_calls_may_raise(name):
    class Called:
        def __call__(self, x):
            return x

        def __getattribute__(self, asked):
            if is_made and (asked == name or name is None and asked != '__class__'):
                raise ValueError('boo')
            return super().__getattribute__(asked)

        __name__, __repr__ = 'called', Number.__index__

    is_made = False
    module = graph_of(plain())
    relu = next(node for node in module.graph.nodes if node.op == 'call_function')
    with module.graph.inserting_after(relu):
        module.graph.call_function(Called(), (relu,))
    is_made = True
    assert quantgate.check(module, targets=[V75]).results and quantgate.sharing_groups(module)


@pytest.mark.parametrize('call', [
    lambda module: quantgate.check(module, targets=[1]),
    lambda module: quantgate.check(module, targets=3), lambda module: quantgate.check(module, targets=V75),
    lambda module: quantgate.check(module, toolchain=1), lambda module: quantgate.check(module, mode=['strict']),
    lambda module: quantgate.check(module, timeout=None), lambda module: quantgate.check(module, timeout='5'),
    lambda module: quantgate.check(module, timeout=-1), lambda module: quantgate.Client('localhost:1', timeout=-0.5),
    lambda module: quantgate.check(module, timeout=float('nan')), lambda module: quantgate.check(module, server=3),
    lambda module: quantgate.sharing_groups(module, timeout=None), lambda module: quantgate.apply(None, module),
    lambda module: quantgate.Gated(None), lambda module: quantgate.check(module, targets=['\ud800']),
    lambda module: quantgate.check('\ud800'), lambda module: quantgate.check('a\0b')])
def test_questions_that_are_none(call):
    with pytest.raises(quantgate.QuantGateError, match='INVALID_ARGUMENT.*(expected|is no text|no name of a file)'):
        call(graph_of(plain()))


def test_any_time_limit():
    assert quantgate.check(graph_of(plain()), timeout=float('inf')).results
    started = time.monotonic()
    try:
        quantgate.check(graph_of(plain()), timeout=0)
    except quantgate.QuantGateError as error:  # some are as quick as that
        assert error.code == 'DEADLINE_EXCEEDED'
    assert time.monotonic() - started < 10
    with pytest.raises(quantgate.QuantGateError, match='NOT_FOUND'):
        quantgate.check(graph_of(plain())).verdict(3)


@pytest.mark.parametrize('meta', [
    {'stack_trace': 3}, {'stack_trace': 'File "a.py", line 99999999999999999999, in f'}, {'nn_module_stack': ['a']},
    {'stack_trace': 'File "\udcff.py", line 3, in f'}, {'nn_module_stack': {'a': None}},
    {'nn_module_stack': {'a': ('\udcff', int)}}, {'nn_module_stack': {'a': (Number(),)}}, {'val': 3},
    {'val': Raises()}])
def test_where_a_node_comes_from_is_told_as_far_as_it_goes(meta):
    module = graph_of(plain())
    next(node for node in module.graph.nodes if node.op == 'call_function').meta.update(meta)
    assert quantgate.check(module).results


@pytest.mark.parametrize('asked', [3, [None], [2**70], 'all', [Number()], Number()])
def test_block_sizes_that_are_none(asked):
    module = graph_of(plain())
    next(node for node in module.graph.nodes if node.op == 'call_function').meta['asked_block_size'] = asked
    refused(module, 'the block size asked for relu_default')


def test_any_collection_of_targets():
    for targets in ((V75,), {V75}, (name for name in [V75])):
        assert len(quantgate.check(graph_of(plain()), targets=targets).results) == 1


def test_apply_to_what_is_no_graph():
    report = quantgate.check(models.annotate(models.export(), models.qnn('use_16a16w')), targets=[V68])
    assert any(correction.proven for correction in report.results[0].corrections)
    for other in ('model.pt2', None, torch.export.export(models.ConvNet().eval(), models.INPUTS)):
        with pytest.raises(quantgate.QuantGateError, match='INVALID_ARGUMENT.*expected the GraphModule'):
            quantgate.apply(report, other)


class Asks:
    """A quantizer as far as copies are concerned."""

    known = 'what the quantizer has'

    def annotate(self, model):
        return model

    def __deepcopy__(self, memo):
        return Asks()


@pytest.mark.parametrize(('settings', 'words'), [
    ({'targets': V75}, "targets: expected a list of names, such as \\['qnn_htp/SM8650'\\]"),
    ({'targets': [3]}, 'targets: expected a list of names'), ({'targets': 3}, 'targets: expected a list of names'),
    ({'targets': ['\ud800']}, 'is no text'), ({'mode': 'foo'}, "mode 'foo': expected strict or warn"),
    ({'mode': None}, 'mode .*: expected strict or warn'), ({'server': 'localhost'}, "expected 'host:port'"),
    ({'server': 3}, "expected 'host:port'"), ({'timeout': '5'}, 'expected seconds'),
    ({'timeout': -1}, 'expected seconds')])
def test_gated_refuses_at_once_what_no_check_takes(settings, words):
    with pytest.raises(quantgate.QuantGateError, match=f'INVALID_ARGUMENT.*{words}'):
        quantgate.Gated(Asks(), **settings)
    with pytest.raises(quantgate.QuantGateError, match=f'INVALID_ARGUMENT.*{words}'):
        quantgate.check(graph_of(plain()), **settings)


@pytest.mark.parametrize('targets', [None, (), (V68,), {V68}, (name for name in [V68])])
def test_gated_takes_any_collection_of_targets(targets):
    gated = quantgate.Gated(models.qnn('use_16a16w', 'SM8350'), targets=targets, fix=True)
    prepare_pt2e(models.export(), gated)
    # The second check, of what was corrected, asks for the same.
    assert gated.report.ok and [one.target.partition('@')[0] for one in gated.report.results] == [
        V68 if targets else 'any']


@pytest.mark.parametrize('copied', [copy.copy, copy.deepcopy, lambda gated: pickle.loads(pickle.dumps(gated))])
def test_gated_is_copied_whole(copied):
    twin = copied(quantgate.Gated(Asks(), targets=[V75], mode='warn', fix=True))
    assert isinstance(twin, quantgate.Gated) and twin.known == Asks.known
    assert (twin._targets, twin._mode, twin._fix) == ([V75], 'warn', True)
    with pytest.raises(AttributeError, match='unknown'):
        twin.unknown
