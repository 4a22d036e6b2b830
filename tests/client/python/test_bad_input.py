"""What is wrong with the question, or with the way to the answer: a clear error, never a traceback from inside, never a
hang."""
import asyncio
import concurrent.futures
import copy
import html
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import threading
import time

import grpc
import models
import pytest
import quantgate
import quantizers
import torch
from quantgate import executable
from quantgate.v1 import graph_pb2, validation_service_pb2, validation_service_pb2_grpc
from test_groups import torchao_groups
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
from torchao.quantization.pt2e.observer import MinMaxObserver
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, SharedQuantizationSpec

V75 = 'qnn_htp/SM8650'


# ---- graphs ----

def test_no_shapes():
    module = torch.fx.symbolic_trace(models.ConvNet())
    report = quantgate.check(module, targets=[V75])
    assert report.verdict() != 'REJECTED', report
    assert quantgate.check(module, targets=[V75], example_inputs=models.INPUTS).ok
    with pytest.raises(quantgate.QuantGateError, match='example_inputs: the graph does not run with them'):
        quantgate.to_graph(torch.fx.symbolic_trace(models.ConvNet()), (torch.ones(7),))
    annotated = models.annotate(models.export(), models.qnn())
    for node in annotated.graph.nodes:
        node.meta.pop('val', None)
    assert quantgate.check(annotated, targets=[V75]).proto.results


@pytest.mark.parametrize('inputs', [torch.ones(1, 3, 16, 16), (), (*models.INPUTS, torch.ones(1)), 7])
def test_example_inputs_that_are_no_tuple_of_the_inputs(inputs):
    module = torch.fx.symbolic_trace(models.ConvNet())
    with pytest.raises(quantgate.QuantGateError, match='example_inputs: expected a tuple of 1, not'):
        quantgate.to_graph(module, inputs)
    assert not any('val' in node.meta for node in module.graph.nodes)


class WithDefaults(torch.nn.Module):
    def forward(self, x, factor=2.0, offset=None):
        return torch.relu(x) * factor


@pytest.mark.parametrize('more', [(), (3.0,), (3.0, None)])
def test_example_inputs_without_what_has_a_default(more):
    module = torch.fx.symbolic_trace(WithDefaults())
    quantgate.to_graph(module, (torch.ones(2, 3), *more))
    assert {tuple(node.meta['val'].shape) for node in module.graph.nodes if node.op == 'call_function'} == {(2, 3)}
    for inputs in ((), (torch.ones(2, 3), 3.0, None, None)):
        with pytest.raises(quantgate.QuantGateError, match='example_inputs: expected a tuple of 3, not'):
            quantgate.to_graph(torch.fx.symbolic_trace(WithDefaults()), inputs)


class OfStructures(torch.nn.Module):
    def forward(self, pair, last):
        return {'sum': pair['a'] + pair['b'][0] + last}


@pytest.mark.parametrize('form', ['as exported', 'in another order', 'flat'])
def test_example_inputs_of_an_exported_module(form):
    a, b, last = torch.ones(2, 3), torch.ones(4, 1, 3), torch.ones(3)
    module = torch.export.export(OfStructures(), ({'a': a, 'b': [b]}, last), strict=True).module(check_guards=False)
    shapes = [node.meta['val'].shape for node in module.graph.nodes if node.op != 'output']
    for node in module.graph.nodes:
        node.meta.pop('val', None)
    quantgate.to_graph(module, {'as exported': ({'a': a, 'b': [b]}, last), 'flat': (a, b, last),
                                'in another order': ({'b': [b], 'a': a}, last)}[form])
    assert [node.meta['val'].shape for node in module.graph.nodes if node.op != 'output'] == shapes
    for node in module.graph.nodes:
        node.meta.pop('val', None)
    with pytest.raises(quantgate.QuantGateError, match='example_inputs: expected a tuple of 3, not 2'):
        quantgate.to_graph(module, ({'a': a}, last))


def test_symbolic_shapes_are_a_finding():
    program = torch.export.export(models.ConvNet().eval(), (torch.ones(2, 3, 16, 16),), strict=True,
                                  dynamic_shapes={'x': {0: torch.export.Dim('batch', max=64)}})
    module = models.annotate(program.module(check_guards=False), models.qnn())
    report = quantgate.check(module, targets=[V75])
    assert any(finding.location.node == 'conv2d' and 'size that is not fixed' in finding.message
               for finding in report.findings()), report
    assert quantgate.check(module).ok


class Branches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.relu(self.linear(x)), lambda x: x * 2, (x,)) + 1


class Loop(torch.nn.Module):
    def forward(self, x, y):
        from torch._higher_order_ops.map import map as map_op
        return map_op(lambda x, y: torch.relu(x) + y, x, y)


@pytest.mark.parametrize('model, inputs, bodies', [(Branches(), (torch.ones(2, 4),), 2),
                                                   (Loop(), (torch.ones(3, 4), torch.ones(4)), 1)])
def test_bodies_of_control_flow_are_read(model, inputs, bodies):
    module = torch.export.export(model, inputs).module(check_guards=False)
    graph = quantgate.to_graph(module)
    assert len(graph.subgraphs) == bodies and all(body.nodes for body in graph.subgraphs)
    report = quantgate.check(module)
    assert report.ok and report.results[0].coverage.nodes == len(graph.nodes) + sum(
        len(body.nodes) for body in graph.subgraphs)
    quantgate.check(module, targets=[V75])
    # What is wrong in a body is found there.
    for node in module.get_submodule(next(node for node in module.graph.nodes if node.op == 'get_attr' and isinstance(
            getattr(module, node.target, None), torch.fx.GraphModule)).target).graph.nodes:
        if node.target is torch.ops.aten.relu.default:
            node.meta['quantization_annotation'] = QuantizationAnnotation({}, SharedQuantizationSpec(node.args[0]))
    found = [finding for finding in quantgate.check(module).findings() if finding.code == 'SH001']
    assert [finding.location.node for finding in found] == ['relu'] and found[0].location.subgraph, found


class AnnotatesNothing(models.XNNPACKQuantizer):
    def annotate(self, model):
        return model


def test_a_quantizer_that_annotates_nothing():
    with pytest.raises(quantgate.QuantGateError, match='AnnotatesNothing annotated nothing'):
        prepare_pt2e(models.export(), quantgate.Gated(AnnotatesNothing(), targets=[V75]))
    prepare_pt2e(models.export(), quantgate.Gated(AnnotatesNothing(), mode='warn'))
    # Cadence finds its patterns through what only a strict export writes.
    loose = torch.export.export(models.ConvNet().eval(), models.INPUTS, strict=False).module(check_guards=False)
    with pytest.raises(quantgate.QuantGateError, match='annotated nothing'):
        prepare_pt2e(loose, quantgate.Gated(quantizers.ALL['cadence']()))


def test_references_to_nowhere():
    module = models.annotate(models.export(), models.qnn())
    nodes = {node.name: node for node in module.graph.nodes}
    nodes['relu'].meta['quantization_annotation'].output_qspec = SharedQuantizationSpec(nodes['output'])
    with pytest.raises(KeyError):
        torchao_groups(module)
    with pytest.raises(quantgate.QuantGateError, match='relu is shared with output, which has no spec'):
        quantgate.sharing_groups(module)
    assert {'SH001'} == {finding.code for finding in quantgate.check(module).findings() if finding.group == 0
                         and finding.location.node == 'relu'}


# EnnQuantizer annotates the weight that a layer_norm does not have, by the key None.
def test_a_key_that_is_no_node_is_a_finding():
    def make():
        model = torch.nn.LayerNorm(8, elementwise_affine=False)
        return torch.export.export(model, (torch.randn(2, 8),), strict=True).module(check_guards=False)

    annotated = quantizers.samsung().annotate(make())
    found = [(finding.code, finding.location.node) for finding in quantgate.check(annotated, targets=[]).findings()]
    assert ('SH005', 'layer_norm') in found, found
    with pytest.raises(quantgate.QuantGateError, match='the key None of its input_qspec_map is no node'):
        quantgate.sharing_groups(annotated)
    with pytest.raises(Exception, match=r'got: \(None, layer_norm\)'):
        prepare_pt2e(make(), quantizers.samsung())


class Odd:
    name = 5


class Raising:
    @property
    def name(self):
        raise ValueError


# The node has None among its arguments: what the key None says is no part of that.
@pytest.mark.parametrize(('key', 'called'), [(None, "'None'"), ('x', "'x'"), (object(), "'<object object>'"),
                                             (Odd(), "Odd object>'"), (Raising(), "Raising object>'"), (3, "'3'"),
                                             ('\ud800', r"'\ud800'"), ('long' * 1000, "longlong...'")], ids=ascii)
def test_what_a_key_is_called_that_is_no_node(key, called):
    class Pick(torch.nn.Module):
        def forward(self, x):
            return x[:, torch.tensor([0, 1])]

    module = torch.export.export(Pick(), (torch.randn(2, 4),), strict=True).module(check_guards=False)
    node, = (node for node in module.graph.nodes if node.target == torch.ops.aten.index.Tensor)
    spec = QuantizationSpec(torch.int8, MinMaxObserver, qscheme=torch.per_tensor_affine)
    node.meta['quantization_annotation'] = QuantizationAnnotation({node.args[0]: spec, key: spec}, _annotated=True)
    finding, = (finding for finding in quantgate.check(module, targets=[]).findings() if finding.code == 'SH005')
    assert called in finding.message and ' at 0x' not in finding.message, finding.message


def test_a_hundred_thousand_nodes(capfd, monkeypatch):
    monkeypatch.setenv('QUANTGATE_PROGRESS', '1')
    monkeypatch.setattr('quantgate.progress._AFTER_SECONDS', 0.0)  # A fast machine is done within the second.
    graph = torch.fx.Graph()
    value = graph.placeholder('x')
    value.meta['val'] = torch.empty(1, 8, device='meta')
    spec = quantizers.qnn('8a8w')  # Any real spec will do: here that of QnnQuantizer's activations.
    spec = spec.default_quant_config.quant_config.input_activation
    for _ in range(100_000):
        following = graph.call_function(torch.ops.aten.relu.default, (value,))
        following.meta['val'] = value.meta['val']
        following.meta['quantization_annotation'] = QuantizationAnnotation({value: spec}, spec, _annotated=True)
        value = following
    graph.output(value)
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    started = time.monotonic()
    report = quantgate.check(module, targets=[V75])
    assert time.monotonic() - started < 60 and report.results[0].coverage.nodes == 100_000
    assert 'reading nodes █' in capfd.readouterr().err.replace('░', '█')


# ---- the way to the answer ----

class Server(validation_service_pb2_grpc.ValidationServiceServicer):
    """Answers as it is told to, after as many refusals as it is told."""

    def __init__(self, refusals=0, delay=0.0, credentials=None, retry_info=False):
        self.refusals, self.delay, self.calls, self.entered = refusals, delay, 0, threading.Event()
        self.retry_info, self.request_ids = retry_info, []
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
        validation_service_pb2_grpc.add_ValidationServiceServicer_to_server(self, self.server)
        self.port = (self.server.add_secure_port('127.0.0.1:0', credentials) if credentials
                     else self.server.add_insecure_port('127.0.0.1:0'))
        self.server.start()

    def Validate(self, request, context):
        self.calls += 1
        self.request_ids.append(request.options.request_id)
        self.entered.set()
        time.sleep(self.delay)
        if self.calls <= self.refusals:
            if self.retry_info:
                context.set_trailing_metadata((('grpc-status-details-bin', b''),))
            context.abort(grpc.StatusCode.UNAVAILABLE, 'overloaded')
        return validation_service_pb2.ValidateResponse()


def ways(client):
    graph = graph_pb2.Graph()
    return [lambda: client.validate(graph), lambda: asyncio.run(client.validate_async(graph))]


@pytest.mark.parametrize('way', [0, 1])
def test_overload_is_tried_again(way):
    server = Server(refusals=2)
    with quantgate.Client(f'127.0.0.1:{server.port}', timeout=20) as client:
        assert ways(client)[way]().results is not None and server.calls == 3
    stubborn = Server(refusals=100)
    with quantgate.Client(f'127.0.0.1:{stubborn.port}', timeout=20, attempts=2) as client:
        with pytest.raises(quantgate.QuantGateError, match='UNAVAILABLE.*127.0.0.1.*overloaded'):
            ways(client)[way]()
    assert stubborn.calls == 2


@pytest.mark.parametrize('way', [0, 1])
def test_a_busy_server_is_asked_while_there_is_time(way, monkeypatch):
    monkeypatch.setattr('quantgate.client._LONGEST_PAUSE', 0.05)
    busy = Server(refusals=20, retry_info=True)
    with quantgate.Client(f'127.0.0.1:{busy.port}', timeout=20) as client:
        ways(client)[way]()
        assert busy.calls == 21 and len(set(busy.request_ids)) == 1 and len(busy.request_ids[0]) == 32
        ways(client)[way]()
        assert len(set(busy.request_ids)) == 2
    silent = Server(refusals=20)
    with quantgate.Client(f'127.0.0.1:{silent.port}', timeout=20) as client:
        with pytest.raises(quantgate.QuantGateError, match='UNAVAILABLE'):
            ways(client)[way]()
    assert silent.calls == 6


def test_a_server_that_is_not_there_is_waited_for():
    started = time.monotonic()
    with quantgate.Client('127.0.0.1:1', timeout=20) as client:
        with pytest.raises(quantgate.QuantGateError, match='UNAVAILABLE.*127.0.0.1:1'):
            client.validate(graph_pb2.Graph())
    assert 2 < time.monotonic() - started < 10


@pytest.mark.parametrize('way', [0, 1])
def test_deadlines_hold(way):
    server = Server(delay=3)
    started = time.monotonic()
    with quantgate.Client(f'127.0.0.1:{server.port}', timeout=0.5) as client:
        with pytest.raises(quantgate.QuantGateError, match='did not answer within 0.5 s'):
            ways(client)[way]()
    assert time.monotonic() - started < 2.5


@pytest.mark.parametrize('way', [0, 1])
def test_a_server_that_goes_away_in_mid_check(way):
    server = Server(delay=2)
    stopper = threading.Thread(target=lambda: (server.entered.wait(10), server.server.stop(0)))
    stopper.start()
    with quantgate.Client(f'127.0.0.1:{server.port}', timeout=10) as client:
        with pytest.raises(quantgate.QuantGateError) as caught:
            ways(client)[way]()
    stopper.join()
    assert caught.value.code in ('UNAVAILABLE', 'CANCELLED'), caught.value


def test_tls(tmp_path):
    certificate, key = tmp_path / 'server.pem', tmp_path / 'server.key'
    made = subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1',
                           '-nodes', '-keyout', key, '-out', certificate, '-days', '1', '-subj', '/CN=localhost',
                           '-addext', 'subjectAltName=DNS:localhost'], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip('openssl makes no certificate')
    process = subprocess.Popen([executable.find(), 'serve', '--listen', '127.0.0.1:0', '--store', 'none', '--tls-cert',
                                certificate, '--tls-key', key], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    try:
        port = process.stdout.readline().strip().rpartition(':')[2]
        graph = quantgate.to_graph(models.export())
        trusted = grpc.ssl_channel_credentials(pathlib.Path(certificate).read_bytes())
        with quantgate.Client(f'localhost:{port}', credentials=trusted, timeout=20) as client:
            assert client.validate(graph).ok
            assert asyncio.run(client.validate_async(graph)).ok
        with quantgate.Client(f'localhost:{port}', timeout=5, attempts=1) as client:
            with pytest.raises(quantgate.QuantGateError):
                client.validate(graph)
    finally:
        process.terminate()
        process.wait(timeout=10)
        process.stdout.close()


# ---- what a person sees ----

def test_a_notebook_shows_names_as_text():
    module = models.annotate(models.export(), models.qnn('use_16a16w'))
    report = quantgate.check(module, targets=['qnn_htp/SM8350'])
    report.results[0].findings[0].location.node = '<script>alert(1)</script>'
    page = report._repr_html_()
    assert '<script>' not in page and '&lt;script&gt;' in page and 'rejected' in page


def test_a_notebook_shows_all_that_a_terminal_does():
    module = models.annotate(models.export(), models.qnn('use_16a16w'))
    report = quantgate.check(module, targets=['qnn_htp/SM8350', V75])
    report.results[0].verdict_reason = 'a <reason>'
    report.results[0].not_checked[0].reason = 'nobody <knows>'
    common = report.proto.common_corrections
    assert common.changes and not common.conflicts
    for _ in range(2):
        page, text = report._repr_html_(), str(report)
        said = [line for line in text.splitlines() if not line.startswith(' ') and ': ' not in line or 'not ch' in line
                or 'not together' in line]
        assert len(said) == 3 and all(html.escape(line.strip()) in page for line in said), (said, page)
        assert 'a &lt;reason&gt;' in page and 'because nobody &lt;knows&gt;, …' in page and 'because nobody <' in text
        common.conflicts.add(targets=['qnn_htp/SM8350', '<any>'], reason='one & other')
    assert '<p>not together: qnn_htp/SM8350, &lt;any&gt;: one &amp; other</p>' in report._repr_html_()


def test_no_bar_where_nobody_looks(capfd, monkeypatch):
    monkeypatch.delenv('QUANTGATE_PROGRESS', raising=False)
    quantgate.to_graph(models.export())
    assert '█' not in capfd.readouterr().err


# ---- errors and reports as objects ----

def test_errors_cross_processes():
    error = pickle.loads(pickle.dumps(quantgate.QuantGateError('NOT_FOUND', 'x')))
    assert (error.code, error.message, str(error)) == ('NOT_FOUND', 'x', 'error[NOT_FOUND]: x')
    assert copy.deepcopy(error).code == 'NOT_FOUND'
    report = quantgate.check(models.annotate(models.export(), models.qnn('use_16a16w')), targets=['qnn_htp/SM8350'])
    with pytest.raises(quantgate.RejectedError) as caught:
        report.raise_for_verdict()
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.report.proto == report.proto
    with multiprocessing.get_context('spawn').Pool(1) as pool, pytest.raises(quantgate.QuantGateError, match='FI001'):
        pool.apply_async(quantgate.check, ('/no/such.onnx',)).get(60)


def test_a_result_by_the_name_it_was_asked_by():
    report = quantgate.check(models.annotate(models.export(), models.qnn()), targets=['qnn_htp/v75', 'qnn_htp/sm8650'])
    assert report.result('qnn_htp/v75').target.startswith('qnn_htp/V75@')
    assert report.verdict('qnn_htp/sm8650') == report.verdict(report.results[1].target)


@pytest.mark.parametrize('attempts', [-1, 1.5, None])
def test_attempts_that_are_none(attempts):
    with pytest.raises(quantgate.QuantGateError, match='attempts .*: expected a number from 0 up'):
        quantgate.Client('127.0.0.1:1', attempts=attempts)


def test_what_a_client_cannot_send():
    client = quantgate.Client(executable.private_server())
    with pytest.raises(quantgate.QuantGateError, match='expected a quantgate.v1.Graph'):
        client.validate(models.export())
    with pytest.raises(quantgate.QuantGateError, match='path None: expected text'):
        client.validate(quantgate.to_graph(models.export()), path=None)
    client.close()
    with pytest.raises(quantgate.QuantGateError, match='the client is closed'):
        client.validate(quantgate.to_graph(models.export()))


def test_a_path_that_looks_like_a_flag(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(quantgate.QuantGateError, match='FI001'):
        quantgate.check('-m.onnx')


def test_a_proxy_is_not_asked_for_this_machine(monkeypatch):
    for name in ('no_proxy', 'NO_PROXY'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('http_proxy', 'http://127.0.0.1:9')
    assert quantgate.check(models.annotate(models.export(), models.qnn()), targets=[V75]).ok


def test_a_forked_child_does_not_keep_the_server():
    executable.private_server()
    server = executable._server
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        executable.stop_private_server()
        assert server.returncode == 0
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


# ---- operators of another dialect ----

def test_the_edge_dialect_is_read_as_aten():
    from executorch import exir
    program = exir.to_edge(torch.export.export(models.ConvNet().eval(), models.INPUTS)).exported_program()
    graph = quantgate.to_graph(program)
    assert 'aten.convolution.default' in graph.symbols and not any('exir' in name for name in graph.symbols)
