"""The whole pipeline as the judge: configurations that ExecuTorch cannot lower to HTP today are corrected by
quantgate.apply, and then it lowers them in full. Real context binaries, made with the vendor's own libraries."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SDK = pathlib.Path(os.environ.get('QUANTGATE_QNN_SDK', HERE.parents[2] / 'build-python' / 'qnn'))
LIBRARIES = SDK / 'lib' / 'x86_64-linux-clang'

CASES = ['conv_net:qnn_16a16w:SM8350', 'norm:qnn_16a8w:SM8350', 'attention:qnn_16a4w:SM8350', 'volume:qnn_8a4w:SM8650']
if os.environ.get('QUANTGATE_TEST_VOLUME') == 'full':
    CASES = sorted({*CASES, *(HERE / 'lowering_cases.txt').read_text(encoding='utf-8').split()})


pytestmark = pytest.mark.skipif(not (LIBRARIES / 'libQnnHtp.so').exists(), reason='onnxruntime-qnn 2.5.0 is not here')


def run(*command):
    environment = {**os.environ, 'LD_LIBRARY_PATH': str(LIBRARIES), 'QNN_SDK_ROOT': str(SDK), 'OMP_NUM_THREADS': '1'}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)


def test_the_example():
    done = run(HERE.parents[2] / 'client' / 'python' / 'examples' / 'fix_for_sm8350.py')
    assert "error[DT105] minimum-arch · refused: aten.conv2d.default node 'conv2d_5'" in done.stdout, done.stderr[-2000:]
    assert 'ACCEPTED' in done.stdout and "lowered: ['executorch_call_delegate'" in done.stdout


def test_what_fails_to_lower_is_corrected_and_lowers(capsys):
    done = run(HERE / 'lower.py', *CASES)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 2 * len(CASES), done.stderr[-2000:]
    before, after = ([answer for answer in answers if answer['fix'] is fix] for fix in (False, True))
    failed = [answer['case'] for answer in before if answer['says'] == 'FAILS' and not answer['lowered']]
    mended = [answer['case'] for answer in after if answer['says'] == 'FULL' and answer['lowered'] and answer['full']]
    with capsys.disabled():
        print(f'\nlowering: of {len(CASES)} configurations {len(failed)} fail as they are, {len(mended)} lower in full '
              f'once corrected, by {sum(answer["changes"] for answer in after)} changes of specs')
    assert failed == CASES and mended == CASES, [answer for answer in answers if answer['error']]


@pytest.mark.parametrize(('soc', 'refused'), [('SM8350', True), ('SM8650', False)])
def test_the_libraries_confirm(soc, refused):
    """These libraries read the SoC elsewhere than those of 2.51.0, and must be told the right one."""
    model = HERE.parents[1] / 'data' / 'onnx' / 'resnet8.qnn_a16_mixed.onnx'
    done = subprocess.run([os.environ['QUANTGATE_EXECUTABLE'], 'check', model, '-t', f'qnn_htp/{soc}@2.49', '--confirm',
                           '--qnn-lib', LIBRARIES / 'libQnnHtp.so', '--format', 'json'],
                          capture_output=True, text=True, check=False)
    confirmed = json.loads(done.stdout)['results'][0]['confirmation']
    assert confirmed['sdk'] == '2.49.40' and len(confirmed['nodes']) == 18, done.stderr
    assert not any(node['differs'] for node in confirmed['nodes'])
    assert any(node['refusedByVendor'] for node in confirmed['nodes']) is refused
