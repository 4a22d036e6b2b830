"""Vela asked where it places the operators of models, in child processes: it ends its process on some of them."""
import dataclasses
import faulthandler
import os
import re
import signal
import sys
import tempfile

from ethosu.vela import vela

TIME_IS_UP = int(signal.SIGALRM)
REASON = re.compile(r"Warning \(supported operators\) operator: (\S+), ofm: '(.*?)'\n(.*?)\n\n", re.S)


@dataclasses.dataclass
class Answer:
    error: str = ''  # why it did not compile the file
    cpu: int = 0  # operators that it leaves to the CPU
    npu: int = 0
    reasons: list = dataclasses.field(default_factory=list)  # of each operator that is left

    @property
    def status(self):
        return 'error' if self.error else 'cpu' if self.cpu else 'npu'


def _compile(path, accelerator, log):
    for stream in (1, 2):
        os.dup2(log, stream)
    faulthandler.disable()
    with tempfile.TemporaryDirectory() as folder:
        try:
            vela.main(['--accelerator-config', accelerator, '--output-dir', folder, path])
        except SystemExit as end:
            if end.code not in (0, None):
                print('ERROR exit', end.code, flush=True)
                os._exit(2)
        except BaseException as error:
            print('ERROR:', str(error).replace('\n', ' | '), flush=True)
            os._exit(2)
    sys.stdout.flush()
    os._exit(0)


def ask(path, accelerator, seconds=60):
    answer = Answer()
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            signal.alarm(seconds)
            _compile(path, accelerator, log.fileno())
        _, status = os.waitpid(child, 0)
        log.seek(0)
        text = log.read().decode(errors='replace')
    if os.WIFSIGNALED(status):
        answer.error = f'signal {os.WTERMSIG(status)}'
    elif os.WEXITSTATUS(status):
        why = re.search(r'ERROR:? ?(.*)', text)
        answer.error = why.group(1)[:300] if why else text[-300:]
    else:
        answer.cpu = int(re.search(r'CPU operators = (\d+)', text).group(1))
        answer.npu = int(re.search(r'NPU operators = (\d+)', text).group(1))
    answer.reasons = [' '.join(f'{match.group(1)}: {match.group(3)}'.split()) for match in REASON.finditer(text)]
    return answer
