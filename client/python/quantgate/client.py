"""The remote calls."""
from __future__ import annotations

import itertools
import math
import random
import re
import time
import uuid
from typing import Any, Iterable, Iterator, List, Optional, Sequence

import grpc
import grpc.aio

from quantgate.errors import QuantGateError, seconds
from quantgate.report import Report
from quantgate.v1 import graph_pb2, report_pb2, validation_service_pb2, validation_service_pb2_grpc

# gRPC's default limit of a message, less room for the options; a larger graph is streamed.
_UNARY_LIMIT = (4 << 20) - (64 << 10)
_CHUNK = 1 << 20
_MAX_REPORT = 1 << 30
_LOOPBACK = ("127.", "localhost:", "[::1]:")
_MODES = {"strict": report_pb2.Report.STRICT, "warn": report_pb2.Report.WARN}
_LONGEST_PAUSE = 2.0
_ATTEMPTS_TO_REACH = 6


class Client:
    """Calls to a QuantGate server.

    address: "host:port". timeout: seconds for a call with its retries. attempts: tries of a call that ends UNAVAILABLE,
    with growing pauses; 0: while the timeout lasts where the server answers that it is busy, and for about three
    seconds where none answers or its store does not. A call that is repeated is stored once. credentials:
    grpc.ssl_channel_credentials(...) for TLS; none: plain text.
    Thread-safe. `validate` blocks, `validate_async` is for asyncio. Not for a child that is forked while other threads
    call: gRPC does not survive that, and its calls may never end. Use the start method "spawn" there.
    """

    def __init__(self, address: str, *, timeout: float = 60.0, attempts: int = 0,
                 credentials: Optional[grpc.ChannelCredentials] = None) -> None:
        address = checked_address(address)
        if not isinstance(attempts, int) or attempts < 0:
            raise QuantGateError("INVALID_ARGUMENT", f"attempts {attempts!r}: expected a number from 0 up")
        self.address = address
        self._timeout = seconds(timeout)
        self._attempts = attempts
        self._credentials = credentials
        self._options = [("grpc.max_receive_message_length", _MAX_REPORT), ("grpc.enable_retries", 0)]
        if address.startswith(_LOOPBACK):  # which no proxy reaches
            self._options.append(("grpc.enable_http_proxy", 0))
        self._channel: grpc.Channel = (grpc.secure_channel(address, credentials, self._options)
                                       if credentials else grpc.insecure_channel(address, self._options))
        self._stub: Any = _new_stub(self._channel)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def validate(self, graph: graph_pb2.Graph, *, targets: Optional[Sequence[str]] = (), mode: str = "strict",
                 toolchain: str = "", path: str = "", model: Optional[report_pb2.ModelInfo] = None) -> Report:
        """Checks a graph on the server. path: of the file that it was; model: that and what else identifies it."""
        options = _options(graph, targets, mode, toolchain, path, model)

        def call(timeout: float) -> report_pb2.Report:
            if graph.ByteSize() <= _UNARY_LIMIT:
                request = validation_service_pb2.ValidateRequest(graph=graph, options=options)
                return _report(self._stub.Validate(request, timeout=timeout))
            return _report(self._stub.ValidateStream(_chunks(graph, options), timeout=timeout))

        deadline = time.monotonic() + self._timeout
        for attempt in itertools.count(1):
            try:
                return Report(call(max(0.001, deadline - time.monotonic())), options.targets)
            except grpc.RpcError as error:
                pause = self._pause(error, attempt, deadline)
            except ValueError as error:
                raise QuantGateError("FAILED_PRECONDITION", f"{self.address}: the client is closed") from error
            time.sleep(pause)
        raise AssertionError("unreachable")

    async def validate_async(self, graph: graph_pb2.Graph, *, targets: Optional[Sequence[str]] = (), mode: str = "strict",
                             toolchain: str = "", path: str = "",
                             model: Optional[report_pb2.ModelInfo] = None) -> Report:
        """The same for asyncio; the channel lives for one call, because it belongs to the running loop."""
        import asyncio

        options = _options(graph, targets, mode, toolchain, path, model)
        deadline = time.monotonic() + self._timeout
        channel = (grpc.aio.secure_channel(self.address, self._credentials, self._options)
                   if self._credentials else grpc.aio.insecure_channel(self.address, self._options))
        async with channel:
            stub = _new_stub(channel)
            for attempt in itertools.count(1):
                timeout = max(0.001, deadline - time.monotonic())
                try:
                    if graph.ByteSize() <= _UNARY_LIMIT:
                        request = validation_service_pb2.ValidateRequest(graph=graph, options=options)
                        return Report((await stub.Validate(request, timeout=timeout)).report, options.targets)
                    response = await stub.ValidateStream(_chunks(graph, options), timeout=timeout)
                    return Report(response.report, options.targets)
                except grpc.aio.AioRpcError as error:
                    pause = self._pause(error, attempt, deadline)
                await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    def _pause(self, error: Any, attempt: int, deadline: float) -> float:
        """Seconds until the next attempt; raises when there is to be none."""
        code = error.code().name
        details = error.details() or ""
        pause = min(0.1 * 2 ** min(attempt - 1, 10), _LONGEST_PAUSE) * random.uniform(0.8, 1.2)
        most = self._attempts or (math.inf if _is_busy(error) else _ATTEMPTS_TO_REACH)
        if code == "UNAVAILABLE" and attempt < most and time.monotonic() + pause < deadline:
            return float(pause)
        if code == "UNAVAILABLE":
            details = f"{self.address}: {details}"
        if code == "DEADLINE_EXCEEDED":
            details = f"{self.address} did not answer within {self._timeout:g} s"
        raise QuantGateError(code, details) from None


def checked_address(address: Any) -> str:
    if not isinstance(address, str) or not _is_address(address):
        raise QuantGateError("INVALID_ARGUMENT", f"server {address!r}: expected 'host:port', a port of 1 to 65535")
    return address


def _is_address(text: str) -> bool:
    """HOST:PORT, or another name that gRPC knows (unix:PATH), which it would look for at any text that is none."""
    host, _, port = text.rpartition(":")
    if not host or not port or any(letter.isspace() for letter in text):
        return False
    return not re.fullmatch("[0-9]+", port) or ("://" not in text and len(port) < 7 and 0 < int(port) <= 65535)


def _is_busy(error: Any) -> bool:
    """Whether a server says so itself (google.rpc.RetryInfo): not a proxy, nor of its store, which names itself."""
    says_when = any(key == "grpc-status-details-bin" for key, _ in error.trailing_metadata() or ())
    return says_when and not (error.details() or "").startswith("report store ")


def _new_stub(channel: Any) -> Any:
    return validation_service_pb2_grpc.ValidationServiceStub(channel)  # type: ignore[no-untyped-call]


def _report(response: Any) -> report_pb2.Report:
    report: report_pb2.Report = response.report
    return report


def _options(graph: Any, targets: Optional[Sequence[str]], mode: str, toolchain: str, path: str,
             model: Optional[report_pb2.ModelInfo]) -> validation_service_pb2.ValidateOptions:
    if not isinstance(graph, graph_pb2.Graph):
        raise QuantGateError("INVALID_ARGUMENT", f"expected a quantgate.v1.Graph (quantgate.to_graph makes one), not "
                                                 f"{type(graph).__name__}")
    if not isinstance(path, str):
        raise QuantGateError("INVALID_ARGUMENT", f"path {path!r}: expected text")
    options = question(targets, mode, toolchain)
    try:
        if model is not None:
            options.model.CopyFrom(model)
        options.model.path = path or options.model.path
        options.request_id = uuid.uuid4().hex
    except UnicodeEncodeError as error:
        raise _no_text(error) from None
    return options


def question(targets: Optional[Sequence[str]], mode: str,
             toolchain: str = "") -> validation_service_pb2.ValidateOptions:
    """What is asked of any graph, as far as it can be judged without a server, which alone knows the targets."""
    if not isinstance(mode, str) or mode not in _MODES:
        raise QuantGateError("INVALID_ARGUMENT", f"mode '{mode}': expected strict or warn")
    if not isinstance(toolchain, str):
        raise QuantGateError("INVALID_ARGUMENT", f"toolchain '{toolchain}': expected a name")
    if isinstance(targets, str):
        raise QuantGateError("INVALID_ARGUMENT", f"targets: expected a list of names, such as ['{targets}']")
    names: List[Any] = [] if targets is None else list(targets) if isinstance(targets, Iterable) else [targets]
    if not all(isinstance(name, str) for name in names):
        raise QuantGateError("INVALID_ARGUMENT", f"targets: expected a list of names, not {targets!r}")
    try:
        return validation_service_pb2.ValidateOptions(targets=names, mode=_MODES[mode], toolchain=toolchain)
    except UnicodeEncodeError as error:
        raise _no_text(error) from None


def _no_text(error: UnicodeEncodeError) -> QuantGateError:
    return QuantGateError("INVALID_ARGUMENT", f"{ascii(error.object)} is no text")


def _chunks(graph: graph_pb2.Graph, options: validation_service_pb2.ValidateOptions
            ) -> Iterator[validation_service_pb2.ValidateStreamRequest]:
    yield validation_service_pb2.ValidateStreamRequest(options=options)
    data = graph.SerializeToString()
    for begin in range(0, len(data), _CHUNK):
        yield validation_service_pb2.ValidateStreamRequest(graph_chunk=data[begin:begin + _CHUNK])
