"""Single-operator models and moved tensors at random: what ONNX Runtime does with them, and what QuantGate said it would.

Usage: judge.py QUANTGATE N SEED. Exit code 1: they agree on fewer than 99 of 100.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cases
import moved
import processor
from oracle import Oracle

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
TARGET = "onnxruntime/cpu"
BATCH = 250
GOAL = 0.99


def said(result):
    """What QuantGate says of a model: refused, wrong, unsound, unknown or right; and the codes that say so."""
    errors = [f for f in result["findings"] if f["severity"] == "ERROR"]
    for effect, word in (("REFUSED", "refused"), ("UNSOUND", "unsound"), ("WRONG_NUMBERS", "wrong")):
        codes = sorted({f["code"] for f in errors if f["effect"] == effect})
        if codes:
            return word, codes
    if result["verdict"] == "UNKNOWN":
        return "unknown", [result.get("verdictReason", "")]
    return "right", []


def agrees(case, answer, verdict):
    if answer in ("refused", "crashes"):
        return verdict in ("refused", "unsound")
    if not case.defined:
        return verdict == "unsound"
    if answer == "wrong":
        return verdict in ("wrong", "unsound")
    if answer == "runs":  # nothing to compare with
        return verdict in ("right", "wrong") or case.feeds is not None and verdict == "unsound"
    return verdict == "right"


def counts(case, answer, text):
    """False: the model is refused for something that it was not drawn for (an attribute, say)."""
    if case.feeds is not None or answer != "refused":
        return True
    return "NOT_IMPLEMENTED" in text or "Type Error: Type 'tensor(" in text or "bound to different types" in text


def judged(quantgate, models):
    """QuantGate's result of each model, None where the file could not be read."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, model in enumerate(models):
            paths.append(os.path.join(folder, f"{i}.onnx"))
            with open(paths[-1], "wb") as file:
                file.write(model)
        run = subprocess.run([quantgate, "check", *paths, "--target", TARGET, "--format", "json", "--quiet"],
                             capture_output=True, text=True, check=False)
        if run.returncode > 2:
            sys.exit(f"quantgate check: exit code {run.returncode}: {run.stderr}")
        reports = json.loads(run.stdout)
        reports = reports if isinstance(reports, list) else [reports]
        by_path = {report["model"]["path"]: report["results"][0] for report in reports}
        return [by_path.get(path) for path in paths]


def files(quantgate, oracle):
    """Real models: what loads is not rejected unless it was broken on purpose, what does not is. Prints those that
    differ, and returns whether there are none."""
    paths = sorted(path for path in DATA.rglob("*.onnx"))
    models = [path.read_bytes() for path in paths]
    good = 0
    loaded = 0
    for path, model, result in zip(paths, models, judged(quantgate, models)):
        answer, text, _ = oracle.ask(model, None, {})
        verdict = "unsound" if result is None else said(result)[0]
        loads = answer == "runs"
        loaded += loads
        same = verdict not in ("refused", "unsound") or path.name.startswith("bad.") if loads else verdict in ("refused", "unsound")
        good += same
        if not same:
            print(f"      {path.name}: {answer}; QuantGate: {verdict}; {text[:150]}")
    print(f"real models: {len(paths)}, {loaded} load, {good} agree")
    return good == len(paths)


def movements(quantgate, oracle, count, seed):
    """Graphs in which dequantized tensors are moved: whether QuantGate says rightly whether they load, where it says it."""
    models = [model.SerializeToString() for model in moved.drawn(count, seed)]
    agreed = unknown = 0
    for model, result in zip(models, judged(quantgate, models)):
        answer, text, _ = oracle.ask(model, None, {})
        verdict, codes = ("unsound", ["unreadable"]) if result is None else said(result)
        if verdict == "unknown":
            unknown += 1
            continue
        same = (answer == "runs") == (verdict == "right")
        agreed += same
        if not same:
            print(f"      moved: {answer}; QuantGate: {verdict} {','.join(codes)}; {text[:150]}")
    print(f"moved tensors: {len(models)} graphs, {unknown} not known, of the others {agreed} agree")
    return agreed >= GOAL * (len(models) - unknown)


def main():
    quantgate, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    verbose = len(sys.argv) > 4
    oracle = Oracle()
    table = collections.defaultdict(collections.Counter)
    unlike = collections.Counter()
    example = {}
    total = agreed = floats = floats_agreed = 0
    batch = []

    def judge():
        nonlocal total, agreed, floats, floats_agreed
        for (family, case, model, answer, text, kinds), result in zip(batch, judged(quantgate, [b[2] for b in batch])):
            verdict, codes = ("unsound", ["unreadable"]) if result is None else said(result)
            same = agrees(case, answer, verdict)
            total += 1
            agreed += same
            table[family][same] += 1
            if kinds is not None and result is not None and verdict == "right" and answer == "right":
                in_float = any(f["code"] == "CV205" for f in result["findings"])
                floats += 1
                floats_agreed += in_float == kinds
                if in_float != kinds:
                    unlike[case.family, f"in float: {kinds}", str(in_float), case.label[:60]] += 1
                    example[case.family, f"in float: {kinds}", str(in_float), case.label[:60]] = ""
            if not same:
                key = case.family, answer, f"{verdict} {','.join(codes)}", case.label[:70]
                unlike[key] += 1
                example[key] = text[text.find("] :") + 3:][:150].replace("/onnxruntime_src/onnxruntime/", "")
                if verbose:
                    name = f"/tmp/unlike-{total}.onnx"
                    with open(name, "wb") as file:
                        file.write(model)
                    example[key] += f" {name}"
        batch.clear()

    if processor.saturates():
        print(processor.NOTE)
    real = files(quantgate, oracle)
    moves = movements(quantgate, oracle, max(count // 5, 1), seed)
    for family, case in cases.drawn(count, seed):
        model = case.model.SerializeToString()
        answer, text, kinds = oracle.ask(model, case.feeds, case.expected, case.quantized_output)
        if not counts(case, answer, text):
            continue
        batch.append((family, case, model, answer, text, kinds))
        if len(batch) == BATCH:
            judge()
    judge()
    for (family, answer, verdict, label), n in unlike.most_common():
        print(f"{n:4}  {family}: {answer}; QuantGate: {verdict}; drawn: {label or 'plain'}; {example[family, answer, verdict, label]}")
    for family, row in sorted(table.items()):
        print(f"{family:16} {sum(row.values()):6} cases {row[False]:5} differ")
    print(f"groups that run in float: {floats} asked, {floats_agreed} agree")
    print(f"agreement: {agreed} of {total} ({100 * agreed / max(total, 1):.2f} %), seed {seed}")
    return 0 if real and moves and agreed >= GOAL * total and floats_agreed >= GOAL * floats else 1


if __name__ == "__main__":
    sys.exit(main())
