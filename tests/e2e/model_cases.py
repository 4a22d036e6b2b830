#!/usr/bin/env python3
"""What `quantgate check FILE` says of real and of deliberately broken models, against what their maker wrote down.

Usage: model_cases.py QUANTGATE FOLDER    FOLDER has cases.jsonl and the models: tests/data/onnx, /tflite, /pt2
A good file has no ERROR; a broken one has a finding of the family, severity and place that its case names, and the exit
code that goes with it; flipped bits may be anything but a crash. Cases for particular targets are not judged here.
"""
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

FAMILIES = {
    'FI': 'file-integrity limit model-version schema tensor-size external-data duplicate-name dtype-mismatch '
          'qparams-missing qparams-inconsistent',
    'GS': 'graph-empty graph-dangling graph-order graph-cycle constness constant-value op-attributes qdq-structure '
          'qdq-pair-mismatch',
    'CV': 'unknown-op',
    'NR': 'qparams-range weight-range',
    'AX': 'qparams-shape qparams-axis block-size granularity',
    'DT': 'bitwidth dtype-combo',
    'FX': 'bias-scale fixed-qparams',
    'QS': 'weight-symmetry zero-point',
    'SH': 'shared-mismatch',
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}
SEVERITY = {'error': 'ERROR', 'warning': 'WARNING', 'note': 'INFO'}


def names_of(location):
    # A .pt2 case may say which operator it means, as the file writes it.
    return {str(location.get(key)) for key in ('node', 'value')} | {f'torch.ops.{location.get("op")}'}


def wrong_with(case, code, findings, stderr):
    """None, or what is not as the case says."""
    if code not in (0, 1, 2):
        return f'exit code {code}: {stderr.strip()[-200:]}'
    if code == 2 and not (stderr.startswith('error[') and stderr.count('\n') == 1):
        return f'exit code 2 without one clear line: {stderr!r}'
    if (case.get('mutation') or '').startswith('bitflips'):
        return None
    if case['good']:
        return None if code == 0 else f'a good file ends with {code}: {stderr or findings[:2]}'
    for expected in case['expect']:
        if not expected['when'].startswith('any target'):
            continue
        family, where = FAMILY_OF[expected['class']], expected['where']
        places = {str(where[key]) for key in ('node', 'tensor', 'value') if key in where}
        # Operators of LiteRT have no names.
        if 'op_index' in where:
            places.add(f'#{where["op_index"]}')
        found = any(f['code'].startswith(family) and f['severity'] == SEVERITY[expected['severity']]
                    and (places & names_of(f['location']) or not places) for f in findings)
        unreadable = code == 2 and stderr.startswith(f'error[{family}')
        # A member that cannot be read, or has no bounds, ends the reading of its archive; the line names it.
        named = 'member' in where and where['member'] in stderr
        if not found and not (unreadable and (where.get('file') or named)):
            return f'{expected} is not among {[(f["code"], f["severity"], f["location"]) for f in findings]} {stderr}'
        if (code != 0) != (expected['severity'] == 'error'):
            return f'exit code {code} for severity {expected["severity"]}'
    return None


def main():
    quantgate, folder = sys.argv[1:]
    cases = [json.loads(line) for line in open(os.path.join(folder, 'cases.jsonl'))]

    def judge(case):
        start = time.monotonic()
        done = subprocess.run([quantgate, 'check', os.path.join(folder, case['file']), '--format', 'json', '--quiet'],
                              capture_output=True, text=True, errors='replace', timeout=60)
        seconds = time.monotonic() - start
        findings = []
        if done.stdout:
            findings = json.loads(done.stdout)['results'][0].get('findings', [])
        return seconds, wrong_with(case, done.returncode, findings, done.stderr)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(judge, cases))
    wrong = [(case['file'], answer) for case, (_, answer) in zip(cases, answers) if answer]
    for file, answer in wrong:
        print(f'{file}: {answer}')
    print(f'{len(cases) - len(wrong)} of {len(cases)} cases as expected; the slowest took '
          f'{max(seconds for seconds, _ in answers):.2f} s')
    return 1 if wrong or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
