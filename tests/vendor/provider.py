"""ONNX models end to end: which nodes ONNX Runtime's QNN provider takes, against what QuantGate says of them.

Usage: provider.py QUANTGATE MODEL...

Every model is prepared offline for two SoCs (no device is needed), once with the CPU as the way out, which shows the
nodes that were left to it, and once without (session.disable_cpu_ep_fallback), which shows whether all of it runs. A
session has a process of its own. QuantGate judges the same with the toolchain onnxruntime. Prints a line per node on
which the two differ, the figures per model, and last the figures of all, models with integer operators aside. Exit
code 1: fewer than 99 % of the nodes of QDQ models agree, or QuantGate calls a model full and it is refused.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

SOCS = {"SM8350": 30, "SM8650": 57}
TIMEOUT = 600  # seconds for one session


def prepare(model, soc, fallback):
    """Runs in a process of its own. Names of the nodes that were left out, printed as JSON."""
    import onnx
    import onnxruntime
    import onnxruntime_qnn

    name = "QNNExecutionProvider"
    onnxruntime.register_execution_provider_library(name, onnxruntime_qnn.get_library_path())
    devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == name]
    with tempfile.TemporaryDirectory() as folder:
        prepared = os.path.join(folder, "prepared.onnx")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        # The nodes of the file, not what other passes make of them.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("ep.context_enable", "1")
        options.add_session_config_entry("ep.context_embed_mode", "1")
        options.add_session_config_entry("ep.context_file_path", prepared)
        if not fallback:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        library = os.path.join(os.path.dirname(onnxruntime_qnn.__file__), "libQnnHtp.so")
        settings = {"backend_path": library, "soc_model": str(soc), "offload_graph_io_quantization": "0"}
        options.add_provider_for_devices(devices[:1], settings)
        onnxruntime.InferenceSession(model, options)
        # Nothing is written when nothing was taken.
        graph = onnx.load(prepared).graph if os.path.exists(prepared) else onnx.load(model).graph
        print(json.dumps([node.name for node in graph.node if node.op_type != "EPContext"]))


def ask(model, soc, fallback):
    """(names left, "") or (None, why there is no session)."""
    command = [sys.executable, __file__, "--prepare", model, str(soc), str(int(fallback))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None, f"no answer within {TIMEOUT} s"
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return set(json.loads(lines[-1])), ""
    if done.returncode < 0:
        return None, f"signal {-done.returncode}"
    return None, reason_of(done.stderr)


def reason_of(stderr):
    last = (stderr.strip().splitlines() or ["no reason given"])[-1]
    if "was inserted using the NHWC format" in last:
        return "a node was refused after the layout had changed: " + last.split("'")[1]
    if "Failed to finalize" in last:
        return "the graph cannot be prepared"
    return last[-200:]


def judge(quantgate, model, soc):
    command = [quantgate, "check", model, "--target", f"qnn_htp/{soc}", "--toolchain", "onnxruntime", "--format", "json",
               "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{model}: {done.stderr.strip()}")
    return json.loads(done.stdout)["results"][0]


def has_integer_operators(model):
    import onnx

    names = {node.op_type for node in onnx.load(model, load_external_data=False).graph.node}
    return any(name.startswith(("QLinear", "DynamicQuantize")) or name.endswith(("Integer", "NBits")) or
               name in ("QGemm", "QAttention") for name in names)


class Figures:
    def __init__(self, title):
        self.title = title
        self.counts = collections.Counter()
        self.differing = collections.Counter()

    def print(self):
        counts = self.counts
        for what, count in self.differing.most_common():
            print(f"{count:5d} {what}")
        print(f"{self.title}: {counts['sessions']} sessions, {counts['agree']} of {counts['nodes']} nodes agree; "
              f"{counts['full']} run whole, {counts['full as said']} of them called full; {counts['promised']} called "
              f"full and refused; {counts['fail']} more fail, {counts['fail as said']} of them with refused nodes")


def compare(quantgate, model, soc, number, figures):
    name = f"{os.path.basename(model)} {soc}"
    result = judge(quantgate, model, soc)
    kind, nodes = result["outcome"]["kind"], result["outcome"]["nodes"]
    codes = collections.defaultdict(set)
    for finding in result["findings"]:
        if finding["effect"] in ("REFUSED", "FALLBACK"):
            codes[finding["location"]["node"]].add(finding["code"])
    left, why = ask(model, number, fallback=True)
    all_taken, _ = ask(model, number, fallback=False)
    counts = figures.counts
    counts["promised"] += kind == "FULL" and all_taken is None
    if left is None:
        # One operator that cannot be prepared, or that is refused once the layout has changed, fails the whole session.
        counts["fail"] += 1
        counts["fail as said"] += any(node["refused"] for node in nodes)
        print(f"{name}: {kind}; no session: {why}")
        return
    agree = 0
    for node in nodes:
        taken = node["node"] not in left
        if taken != node["refused"]:
            agree += 1
            continue
        what = "taken, QuantGate refuses" if taken else "left, QuantGate accepts"
        what = f"{what}: {'+'.join(node['backendOps']) or 'no operator'} {' '.join(sorted(codes[node['node']]))}"
        figures.differing[what] += 1
        print(f"{name}: {node['node']} {what}")
    counts["sessions"] += 1
    counts["nodes"] += len(nodes)
    counts["agree"] += agree
    counts["full"] += all_taken is not None
    counts["full as said"] += all_taken is not None and kind == "FULL"
    print(f"{name}: {agree} of {len(nodes)} nodes agree; {kind}, "
          f"{'all of it runs' if all_taken is not None else f'{len(left)} nodes are left'}")


def main():
    quantgate, models = sys.argv[1], sys.argv[2:]
    figures = {False: Figures("QDQ models"), True: Figures("models with integer operators")}
    for model in models:
        for soc, number in SOCS.items():
            compare(quantgate, model, soc, number, figures[has_integer_operators(model)])
    print()
    figures[True].print()
    figures[False].print()
    counts = figures[False].counts
    if counts["agree"] < 0.99 * counts["nodes"] or counts["promised"]:
        raise SystemExit(1)


if __name__ == "__main__":
    if sys.argv[1] == "--prepare":
        prepare(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1")
    else:
        main()
