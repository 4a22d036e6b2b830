"""Programs that are not a server: one clear error in time, whatever they do, and the next try is not held up."""
import os
import pathlib
import signal
import threading
import time

import pytest
import quantgate
from quantgate import executable
from quantgate.v1 import graph_pb2

DATA = pathlib.Path(__file__).resolve().parents[2] / 'data' / 'onnx'


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes a shell script the quantgate program; no private server runs before and after."""
    executable.stop_private_server()

    def make(script):
        path = tmp_path / 'quantgate'
        path.write_text('#!/bin/sh\n' + script)
        path.chmod(0o755)
        monkeypatch.setenv('QUANTGATE_EXECUTABLE', str(path))
        return path
    yield make
    executable.stop_private_server()


def refusal(call):
    started = time.monotonic()
    with pytest.raises(quantgate.QuantGateError) as caught:
        call()
    assert time.monotonic() - started < 20
    return str(caught.value)


@pytest.mark.parametrize('script, reason', [
    ('exit 1', 'it ended with 1'),
    ('echo first >&2; echo "error[NOT_FOUND]: no constraint database" >&2; exit 2',
     r'error\[NOT_FOUND\]: no constraint database'),
    ('echo usage: another program', "it printed 'usage: another program'"),
    ('printf "\\377\\376\\n"; exec sleep 60', 'it printed'),
    ('exec 2>&1; while :; do echo yes; done', "it printed 'yes'"),
    ('kill -9 $$', '(Killed|it ended with 137)')])
def test_a_program_that_is_no_server(program, script, reason):
    program(script)
    with pytest.raises(quantgate.QuantGateError, match=f'UNAVAILABLE.*did not start.*{reason}'):
        executable.private_server(timeout=15)
    assert executable._server is None


@pytest.mark.parametrize('script', ['exec sleep 60', 'trap "" TERM; cat /dev/zero >&2',
                                    'printf "listening on"; exec sleep 60'])
def test_a_server_that_never_answers(program, script):
    program(script)
    assert 'did not answer within 0.5 s' in refusal(lambda: executable.private_server(timeout=0.5))
    assert executable._server is None


def test_a_failed_start_holds_nobody_up(program):
    program('exec sleep 60')
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(refusal(lambda: executable.private_server(timeout=1))))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(answers) == 4 and all('did not' in answer for answer in answers), answers


def test_an_interrupted_start_leaves_nothing_behind(program):
    program('exec sleep 60')
    # Python leaves the signal ignored where a shell runs the tests in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            executable.private_server(timeout=30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert executable._server is None and not executable._lock.locked()


def test_a_server_that_died_is_started_again(program, tmp_path):
    count = tmp_path / 'count'
    program(f'echo x >> {count}; echo listening on 127.0.0.1:$(wc -l < {count}); sleep 0.2')
    assert executable.private_server() == '127.0.0.1:1'
    executable._server.wait(timeout=10)
    assert executable.private_server() == '127.0.0.1:2'


def test_a_server_whose_log_is_long_does_not_wait_for_a_reader(program, tmp_path):
    done = tmp_path / 'done'
    program(f'echo listening on 127.0.0.1:1; head -c 1000000 /dev/zero >&2; touch {done}; exec sleep 60')
    executable.private_server()
    deadline = time.monotonic() + 10
    while not done.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done.exists()


def test_commands_of_a_program_that_is_another(program):
    program('exit 0')
    assert 'gave no answer' in refusal(lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx'))
    program('exec /nowhere')
    assert 'error[INTERNAL]' in refusal(lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx'))
    path = program('')
    path.write_bytes(b'\x7fELF')
    assert 'UNAVAILABLE' in refusal(lambda: quantgate.check(DATA / 'tiny.qdq_u8s8.onnx'))
    assert 'UNAVAILABLE' in refusal(executable.private_server)
    assert 'UNAVAILABLE' in refusal(lambda: quantgate.simulate(DATA / 'tiny.qdq_u8s8.onnx'))
    program('exit 0')
    assert 'gave no answer' in refusal(lambda: quantgate.simulate(DATA / 'tiny.qdq_u8s8.onnx'))


@pytest.mark.parametrize('call', [quantgate.check, quantgate.simulate])
def test_what_no_program_can_be_given(call, monkeypatch, tmp_path):
    for name in ('a\0b', 'a\ud800b'):
        message = refusal(lambda: call(name))
        assert 'INVALID_ARGUMENT' in message and ascii(name) in message
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path / 'missing'))
    assert 'UNAVAILABLE' in refusal(lambda: call(DATA / 'tiny.qdq_u8s8.onnx'))


def test_a_folder_is_no_program(monkeypatch, tmp_path):
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.setenv('QUANTGATE_EXECUTABLE', str(tmp_path))
    assert 'NOT_FOUND' in refusal(executable.find)
    monkeypatch.delenv('QUANTGATE_EXECUTABLE')
    (tmp_path / 'quantgate').mkdir()
    if (pathlib.Path(executable.__file__).resolve().parents[3] / 'build' / 'quantgate').exists():
        assert executable.find() != str(tmp_path / 'quantgate')
    else:
        assert 'no quantgate program' in refusal(executable.find)


def test_no_other_program_than_the_one_that_is_named(program, monkeypatch):
    path = program('')
    monkeypatch.setenv('PATH', str(path.parent))
    monkeypatch.setenv('QUANTGATE_EXECUTABLE', '/opt/typo/quantgate')
    assert "$QUANTGATE_EXECUTABLE: '/opt/typo/quantgate' is no program" in refusal(executable.find)
    monkeypatch.setenv('QUANTGATE_EXECUTABLE', '')  # names none
    assert executable.find() == str(path)


def test_the_real_one_after_all_that():
    with quantgate.Client(executable.private_server(), timeout=30) as client:
        assert client.validate(graph_pb2.Graph(origin=graph_pb2.Graph.ONNX)).results
