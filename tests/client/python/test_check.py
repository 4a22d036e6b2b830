"""check and Gated on graphs that real quantizers annotate, at every stage."""
import copy
import hashlib
import importlib
import importlib.metadata
import logging
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time

import models
import pytest
import quantgate
import torch
from quantgate import executable
from quantgate.v1 import graph_pb2, report_pb2, types_pb2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import ComposableQuantizer, Quantizer
from torchao.quantization.pt2e.quantizer.embedding_quantizer import EmbeddingQuantizer

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / 'tests' / 'data' / 'onnx'
V75, V68 = 'qnn_htp/SM8650', 'qnn_htp/SM8350'


def test_every_stage_of_an_accepted_model():
    module = models.annotate(models.export(), models.qnn())
    annotated = quantgate.check(module, targets=[V75])
    assert annotated.ok and annotated.proto.stage == types_pb2.STAGE_ANNOTATED
    prepared = prepare_pt2e(models.export(), models.qnn())
    prepared(*models.INPUTS)
    calibrated = quantgate.check(prepared, targets=[V75])
    assert calibrated.ok and calibrated.proto.stage == types_pb2.STAGE_CALIBRATED, calibrated
    converted = quantgate.check(convert_pt2e(prepared), targets=[V75])
    assert converted.ok and converted.proto.stage == types_pb2.STAGE_CONVERTED, converted
    assert not converted.results[0].not_checked


def test_sixteen_bit_weights_need_v73():
    report = quantgate.check(models.annotate(models.export(), models.qnn('use_16a16w')), targets=[V75, V68])
    assert report.verdict(V75).startswith('ACCEPTED') and report.verdict(V68) == report.verdict() == 'REJECTED'
    assert {(f.code, f.location.node) for f in report.findings(V68) if f.severity == report_pb2.Finding.ERROR} == {
        ('DT105', 'conv2d'), ('DT105', 'linear')}
    assert not any(f.severity == report_pb2.Finding.ERROR for f in report.findings(V75))
    with pytest.raises(quantgate.RejectedError, match='DT105') as caught:
        report.raise_for_verdict()
    assert caught.value.report is report
    assert '<table>' in report._repr_html_() and 'conv2d' in report._repr_html_()


def test_why_nothing_is_known_of_a_target_is_said_in_every_form():
    report = quantgate.check(models.annotate(models.export(), models.qnn('use_16a16w')), targets=['vgf'])
    for text in (str(report), report._repr_html_()):
        assert 'there is no module for vgf' in text


def test_gated_stops_before_anything_is_inserted(caplog):
    module = models.export()
    gated = quantgate.Gated(models.qnn('use_16a16w'), targets=[V68])
    assert isinstance(gated, Quantizer)
    with pytest.raises(quantgate.RejectedError, match='conv2d(.|\n)*linear'):
        prepare_pt2e(module, gated)
    with caplog.at_level(logging.WARNING, 'quantgate'):
        prepared = prepare_pt2e(models.export(), quantgate.Gated(models.qnn('use_16a16w'), targets=[V68], mode='warn'))
    assert 'DT105' in caplog.text
    prepared(*models.INPUTS)
    convert_pt2e(prepared)


def test_gated_is_around_a_composition_and_not_in_it(caplog):
    """A ComposableQuantizer's validate() does nothing: a gate in it would stay open."""
    def part(mode):
        return ComposableQuantizer([EmbeddingQuantizer(), quantgate.Gated(models.qnn('use_16a16w'), [V68], mode)])

    with pytest.raises(quantgate.QuantGateError, match=r'write Gated\(ComposableQuantizer'):
        prepare_pt2e(models.export(), part('strict'))
    with caplog.at_level(logging.WARNING, 'quantgate'):
        prepare_pt2e(models.export(), part('warn'))
    assert 'write Gated(ComposableQuantizer' in caplog.text
    composed = ComposableQuantizer([EmbeddingQuantizer(), models.qnn('use_16a16w')])
    with pytest.raises(quantgate.RejectedError, match='conv2d(.|\n)*linear'):
        prepare_pt2e(models.export(), quantgate.Gated(composed, targets=[V68]))


def test_gated_in_a_composition_that_validates():
    class Validating(ComposableQuantizer):
        def validate(self, model):
            for quantizer in self.quantizers:
                quantizer.validate(model)

    with pytest.raises(quantgate.RejectedError, match='conv2d(.|\n)*linear'):
        prepare_pt2e(models.export(), Validating([quantgate.Gated(models.qnn('use_16a16w'), [V68])]))


def test_a_path_and_an_exported_program():
    good, bad = DATA / 'tiny.qdq_u8s8.onnx', DATA / 'bad.scale_nan.tiny.qdq_u8s8.onnx'
    report = quantgate.check(good, targets=[V75])
    assert report.ok
    model = report.proto.model
    assert (model.path, model.format) == (str(good), 'onnx')
    assert model.sha256 == hashlib.sha256(good.read_bytes()).hexdigest()
    if bad.exists():
        assert quantgate.check(str(bad)).verdict() == 'REJECTED'
    program = torch.export.export(models.ConvNet().eval(), models.INPUTS)
    graph = quantgate.to_graph(program)
    assert graph.origin == graph_pb2.Graph.PT2E and len(graph.nodes) > 5 and len(graph.inputs) == 1


def test_annotations_of_another_graph_are_kept_apart():
    module = models.annotate(models.export(), models.xnnpack())
    graph = quantgate.to_graph(copy.deepcopy(module))
    assert any(value.foreign for value in graph.values)
    assert not any(value.foreign for value in quantgate.to_graph(module).values)


def test_symbolic_sizes_and_missing_values():
    program = torch.export.export(models.ConvNet().eval(), (torch.ones(2, 3, 16, 16),),
                                  dynamic_shapes={'x': {0: torch.export.Dim('batch', max=64)}})
    graph = quantgate.to_graph(program)
    image = next(value for value in graph.values if value.name == 'x')
    assert image.dims[0] == -1 and graph.symbols[image.dim_symbols[0] - 1]
    module = torch.fx.symbolic_trace(torch.nn.ReLU())
    assert not any(value.has_shape for value in quantgate.to_graph(module).values)
    assert any(value.has_shape for value in quantgate.to_graph(module, (torch.ones(2, 3),)).values)


@pytest.mark.parametrize('call, code', [
    (lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', targets=['qnn_htp/SM0000']), 'NOT_FOUND'),
    (lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', mode='lax'), 'INVALID_ARGUMENT'),
    (lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', targets='qnn_htp/V75'), 'INVALID_ARGUMENT'),
    (lambda: quantgate.check(DATA / 'no such file'), 'FI001'),
    (lambda: quantgate.check(3), 'INVALID_ARGUMENT'),
    (lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', server='127.0.0.1:1', timeout=5), 'UNAVAILABLE'),
    *((lambda address=address: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', server=address, timeout=5), 'INVALID_ARGUMENT')
      for address in ('x y', 'localhost', ':50051', 'localhost:', 'localhost:0', 'localhost:65536', 'a b:50051'))])
def test_questions_without_an_answer(call, code):
    with pytest.raises(quantgate.QuantGateError) as caught:
        call()
    assert caught.value.code == code


def test_no_targets_are_given_as_none_too():
    said, asked = (quantgate.check(DATA / 'tiny.qdq_u8s8.onnx', targets=targets) for targets in (None, []))
    assert [result.target for result in said.results] == [result.target for result in asked.results] == ['any']


def test_asyncio_and_streams():
    import asyncio

    graph = quantgate.to_graph(models.annotate(models.export(), models.qnn()))
    client = quantgate.Client(executable.private_server())
    unary = client.validate(graph, targets=[V75])
    assert asyncio.run(client.validate_async(graph, targets=[V75])).proto.results == unary.proto.results
    graph.producer = 'x' * (5 << 20)
    assert client.validate(graph, targets=[V75]).proto.results == unary.proto.results
    assert asyncio.run(client.validate_async(graph, targets=[V75])).proto.results == unary.proto.results


def test_the_private_server_dies_with_its_process():
    script = textwrap.dedent('''
        import os, signal
        from quantgate import executable
        print(executable.private_server(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)''')
    address = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False).stdout.strip()
    assert ':' in address
    host, port = address.rsplit(':', 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail('the server outlived its process')


def test_a_server_that_went_away_is_started_again():
    first = executable.private_server()
    os.killpg(executable._server.pid, signal.SIGKILL)
    executable._server.wait()
    assert quantgate.check(DATA / 'tiny.qdq_u8s8.onnx').ok
    assert executable.private_server() != ''
    assert first


def test_torch_is_imported_only_when_needed():
    script = 'import sys, quantgate; assert "torch" not in sys.modules'
    subprocess.run([sys.executable, '-c', script], check=True)


def test_torch_is_not_imported_for_what_is_not_of_torch():
    script = textwrap.dedent('''
        import sys, quantgate
        from quantgate.v1 import report_pb2
        report = quantgate.Report(report_pb2.Report())
        expected = "expected a GraphModule or an ExportedProgram (check takes a path too), not "
        for call, words in ((quantgate.check, expected), (quantgate.to_graph, expected),
                            (quantgate.sharing_groups, expected), (quantgate.simulate, "no path, GraphModule or Exp"),
                            (lambda model: quantgate.apply(report, model), "expected the GraphModule that was checked")):
            for model in (None, 3, int, b"model.onnx", type("Odd", (), {"__module__": None})()):
                try:
                    call(model)
                except quantgate.QuantGateError as error:
                    assert error.code == "INVALID_ARGUMENT" and words in error.message, error
                    assert type(model).__name__ in error.message, error
                else:
                    raise AssertionError((call, model))
        assert "torch" not in sys.modules''')
    subprocess.run([sys.executable, '-c', script], check=True)


class Derived(torch.fx.GraphModule):
    pass


def test_what_is_made_of_torch_is_read():
    module = models.export()
    assert quantgate.to_graph(Derived(module, module.graph)) == quantgate.to_graph(module)
    for other in (torch.ones(1), models.ConvNet(), torch.fx.GraphModule, 3):  # the same words with PyTorch as without
        with pytest.raises(quantgate.QuantGateError, match=f'check takes a path too.*not {type(other).__name__}$'):
            quantgate.check(other)


# ---- names ----

def test_messages_by_the_names_of_the_contract():
    declared = set()
    for path in sorted((ROOT / 'proto' / 'quantgate' / 'v1').glob('*.proto')):
        module = importlib.import_module(f'quantgate.v1.{path.stem}_pb2')
        for name in re.findall(r'^(?:message|enum) (\w+)', path.read_text(), re.MULTILINE):
            assert getattr(quantgate.v1, name) is getattr(module, name)
            declared.add(name)
    assert {'Graph', 'Report', 'Spec', 'QParams', 'Target', 'Finding', 'Correction', 'DataType'} <= declared
    assert declared <= set(dir(quantgate.v1))
    assert quantgate.v1.Graph is graph_pb2.Graph and quantgate.v1.Report is report_pb2.Report
    with pytest.raises(AttributeError, match="'quantgate.v1' has no attribute 'Grap'"):
        quantgate.v1.Grap
    # An import of the package loads no more than a check needs, and what no check needs is there all the same.
    script = textwrap.dedent('''
        import sys, quantgate
        assert "quantgate.v1.catalog_service_pb2" not in sys.modules
        from quantgate.v1 import Graph, Target, graph_pb2
        assert Graph is graph_pb2.Graph and Target.DESCRIPTOR.full_name == "quantgate.v1.Target"''')
    subprocess.run([sys.executable, '-c', script], check=True)


def test_the_version_is_that_of_the_package():
    said = (ROOT / 'client' / 'python' / 'pyproject.toml').read_text()
    assert f'\nversion = "{quantgate.__version__}"\n' in said
    assert not hasattr(quantgate, '__versoin__')
    script = 'import sys, quantgate; sys.exit(quantgate.__version__ != sys.argv[1])'
    subprocess.run([sys.executable, '-c', script, quantgate.__version__], check=True)


def test_no_version_where_the_package_was_copied_without_it(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr('importlib.metadata.version', missing)
    assert getattr(quantgate, '__version__', None) is None
