"""The quantgate program: where it is, and a private server of it for this process."""
from __future__ import annotations

import atexit
import os
import pathlib
import shutil
import subprocess
import threading
from typing import Optional, Sequence

from quantgate.errors import QuantGateError

_lock = threading.Lock()
_server: Optional[subprocess.Popen[str]] = None
_address = ""


def find() -> str:
    """$QUANTGATE_EXECUTABLE, the program on PATH, or the one built beside this source tree."""
    named = os.environ.get("QUANTGATE_EXECUTABLE")
    built = pathlib.Path(__file__).resolve().parents[3] / "build" / "quantgate"
    for candidate in (named, shutil.which("quantgate"), str(built)):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise QuantGateError("NOT_FOUND", "no quantgate program: put it on PATH or name it in $QUANTGATE_EXECUTABLE")


def run(arguments: Sequence[str], timeout: float) -> str:
    """Standard output of a command; its one line of error becomes the exception."""
    try:
        done = subprocess.run([find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise QuantGateError("DEADLINE_EXCEEDED", f"quantgate {arguments[0]} took more than {timeout:g} s") from None
    if done.returncode != 0:
        line = (done.stderr.strip().splitlines() or [f"quantgate {arguments[0]} ended with {done.returncode}"])[-1]
        code, _, message = line.removeprefix("error[").partition("]: ")
        raise QuantGateError(code, message) if message else QuantGateError("INTERNAL", line)
    return done.stdout


def private_server() -> str:
    """Address of this process's own server: started by the first call, ended with the process, however that ends."""
    global _server, _address
    with _lock:
        if _server is None or _server.poll() is not None:
            # The shell reads an input that only this process keeps open: when it dies, even of kill -9, so does the
            # server.
            script = '"$0" serve --listen 127.0.0.1:0 --store none 2>/dev/null & cat >/dev/null; kill -TERM $!; wait'
            _server = subprocess.Popen(["/bin/sh", "-c", script, find()], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, start_new_session=True)
            assert _server.stdout is not None
            line = _server.stdout.readline().strip()
            if not line.startswith("listening on "):
                stop_private_server()
                raise QuantGateError("UNAVAILABLE", f"the private server did not start ({line or 'no output'})")
            _address = line.removeprefix("listening on ")
            atexit.register(stop_private_server)
        return _address


def stop_private_server() -> None:
    """Ends the private server, if there is one; the next check starts another."""
    global _server
    if _server is None:
        return
    assert _server.stdin is not None and _server.stdout is not None
    _server.stdin.close()
    _server.stdout.close()
    try:
        _server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        _server.kill()
        _server.wait()
    _server = None
