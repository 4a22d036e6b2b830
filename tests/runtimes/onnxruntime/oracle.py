"""Asks ONNX Runtime about one case at a time, in a process of its own: some models end it.

An answer is one of
  refused   the session is not made, or running it fails
  crashes   the process ends
  wrong     it runs, and an output is not what the specification says
  right     it runs, and every output is
  runs      it runs; there is nothing to compare with
"""

import pickle
import struct
import subprocess
import sys
import tempfile


def runs_in_float(path):
    """Of a group of quantized tensors: what the runtime has made of it still dequantizes, and computes something."""
    import onnx

    operators = {node.op_type for node in onnx.load(path).graph.node}
    return "DequantizeLinear" in operators and bool(operators - {"DequantizeLinear", "QuantizeLinear"})


def answer(model, feeds, expected, is_group=False):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    in_float = None
    optimized = tempfile.NamedTemporaryFile(suffix=".onnx") if is_group else None
    if is_group:
        options.optimized_model_filepath = optimized.name
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        if feeds is None:
            return "runs", "", None
        if is_group:
            in_float = runs_in_float(optimized.name)
        outputs = session.run(list(expected) or None, feeds)
    except Exception as error:
        return "refused", str(error).replace("\n", " "), None
    for (name, (values, allowed)), output in zip(expected.items(), outputs):
        output = numpy.asarray(output).astype(numpy.float64)
        if output.shape != values.shape:
            return "wrong", f"{name} has shape {output.shape}, not {values.shape}", in_float
        steps = allowed[1] if isinstance(allowed, tuple) else allowed
        with numpy.errstate(all="ignore"):
            away = numpy.abs(output - values)
            good = (away <= steps) | (output == values)
        if not good.all():
            text = f"{name}: {1 - good.mean():.2f} of the values are more than {steps:g} away, up to {away.max():g}"
            return "wrong", text, in_float
    return "right" if expected else "runs", "", in_float


def serve():
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while header := stdin.read(4):
        reply = pickle.dumps(answer(*pickle.loads(stdin.read(*struct.unpack("<I", header)))))
        stdout.write(struct.pack("<I", len(reply)) + reply)
        stdout.flush()


class Oracle:
    def __init__(self):
        self.process = None

    def ask(self, model, feeds, expected, is_group=False):
        """(answer, text, and of a group whether it runs in float). `feeds` None: only load it."""
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        message = pickle.dumps((model, feeds, expected, is_group))
        try:
            self.process.stdin.write(struct.pack("<I", len(message)) + message)
            self.process.stdin.flush()
            header = self.process.stdout.read(4)
            if len(header) == 4:
                return pickle.loads(self.process.stdout.read(*struct.unpack("<I", header)))
        except BrokenPipeError:
            pass
        status = self.process.wait()
        self.process = None
        return "crashes", f"the process ended with {status}", None


if __name__ == "__main__":
    serve()
