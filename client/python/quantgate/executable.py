"""The quantgate program: where it is, and a private server of it for this process."""
from __future__ import annotations

import atexit
import collections
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO, Container, Deque, Optional, Sequence

from quantgate.errors import QuantGateError

# The shell waits for the server and ends when it does. Its input is kept open by this process alone: when that dies,
# even of kill -9, `read` comes to an end and so does the server.
_SCRIPT = """
exec 3<&0
"$0" serve --listen 127.0.0.1:0 --store none 3<&- & server=$!
(read -r _ <&3; kill -TERM $server) >/dev/null 2>&1 & watcher=$!
exec 3<&-
wait $server; ended=$?
kill $watcher 2>/dev/null
exit $ended
"""
_READY = "listening on "
_LONGEST_LINE = 4096

_lock = threading.Lock()
_server: Optional[subprocess.Popen[str]] = None
_address = ""


def find() -> str:
    """$QUANTGATE_EXECUTABLE; without it the program on PATH, or the one built beside this source tree."""
    named = os.environ.get("QUANTGATE_EXECUTABLE")
    built = pathlib.Path(__file__).resolve().parents[3] / "build" / "quantgate"
    for candidate in (named,) if named else ("quantgate", str(built)):
        found = shutil.which(candidate)
        if found:
            return found
    if named:  # another one would be another version, and nobody would know
        raise QuantGateError("NOT_FOUND", f"$QUANTGATE_EXECUTABLE: {named!r} is no program")
    raise QuantGateError("NOT_FOUND", "no quantgate program: put it on PATH or name it in $QUANTGATE_EXECUTABLE")


def folder() -> tempfile.TemporaryDirectory[str]:
    """For the files that a command reads and writes; gone with them at the end of the `with`."""
    try:
        return tempfile.TemporaryDirectory()
    except OSError as error:
        raise QuantGateError("UNAVAILABLE", f"no folder for temporary files: {error}") from None


def run(arguments: Sequence[str], timeout: float, answers: Container[int] = (0,)) -> str:
    """Standard output of a command that ends with one of `answers`; else its one line of error becomes the exception."""
    for argument in arguments:
        if not _can_be_given(argument):
            raise QuantGateError("INVALID_ARGUMENT", f"{arguments[0]} {ascii(argument)}: no name of a file or a target")
    program = find()
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise QuantGateError("DEADLINE_EXCEEDED", f"quantgate {arguments[0]} took more than {timeout:g} s") from None
    except OSError as error:
        raise QuantGateError("UNAVAILABLE", f"{program} does not run: {error.strerror}") from None
    if done.returncode not in answers:
        line = (done.stderr.strip().splitlines() or [f"quantgate {arguments[0]} ended with {done.returncode}"])[-1]
        code, _, message = line.removeprefix("error[").partition("]: ")
        raise QuantGateError(code, message) if message else QuantGateError("INTERNAL", line)
    return done.stdout


def _can_be_given(argument: str) -> bool:
    """Not so: a zero byte, half of a character."""
    try:
        return b"\0" not in os.fsencode(argument)
    except UnicodeEncodeError:
        return False


def private_server(timeout: float = 60.0) -> str:
    """Address of this process's own server: started by the first call, ended with the process, however that ends.

    Raises QuantGateError when it does not start within `timeout` seconds, with what the program says of it.
    """
    global _address
    if not _lock.acquire(timeout=timeout):
        raise QuantGateError("DEADLINE_EXCEEDED", f"the private server did not start within {timeout:g} s")
    try:
        if _server is None or _server.poll() is not None:
            stop_private_server()
            _address = _start(find(), timeout)
        return _address
    except BaseException:
        stop_private_server()
        raise
    finally:
        _lock.release()


def _start(program: str, timeout: float) -> str:
    global _server
    server = _server = subprocess.Popen(["/bin/sh", "-c", _SCRIPT, program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                        start_new_session=True)
    assert server.stdout is not None and server.stderr is not None
    # The log is read for as long as the server lives, so that it never waits for a reader; its end says why it died.
    log: Deque[str] = collections.deque(maxlen=1)
    reader = threading.Thread(target=_read, args=(server.stderr, log), daemon=True)
    reader.start()
    began = time.monotonic()
    late = threading.Timer(timeout, os.killpg, (server.pid, signal.SIGKILL))
    late.start()
    try:
        line = server.stdout.readline(_LONGEST_LINE)
    finally:
        late.cancel()
    if line.startswith(_READY) and line.endswith("\n"):
        return line.removeprefix(_READY).strip()
    is_late = time.monotonic() - began >= timeout
    stop_private_server()
    reader.join(timeout=1)
    if is_late:
        reason = f"it did not answer within {timeout:g} s"
    elif line:
        reason = f"it printed '{line[:80].strip()}'"
    else:
        reason = log[0] if log else f"it ended with {server.returncode}"
    raise QuantGateError("UNAVAILABLE", f"the private server did not start ({program}): {reason}")


def _read(stream: IO[str], kept: Deque[str]) -> None:
    with stream:
        for line in iter(lambda: stream.readline(_LONGEST_LINE), ""):
            kept.extend([line.strip()] if line.strip() else [])


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
        os.killpg(_server.pid, signal.SIGKILL)
        _server.wait()
    _server = None


def _leave_to_parent() -> None:
    """A forked child would keep the server alive when this process is gone."""
    if _server is not None and _server.stdin is not None:
        _server.stdin.close()


atexit.register(stop_private_server)
os.register_at_fork(after_in_child=_leave_to_parent)
