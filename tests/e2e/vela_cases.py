"""Single operators that Vela was asked about, judged for the same accelerators.

Usage: vela_cases.py QUANTGATE FOLDER. Each line of FOLDER/cases.jsonl names a model and what Vela made of it; the report's
outcome says the same: npu is FULL, cpu is PARTIAL, ends is FAILS. A model that LiteRT's own rules call unsound is
UNKNOWN where Vela places it: there is no outcome to promise.
"""
import collections
import json
import pathlib
import subprocess
import sys

OUTCOMES = {'npu': 'FULL', 'cpu': 'PARTIAL', 'ends': 'FAILS'}
BATCH = 50


def reports(program, paths, accelerators):
    targets = [argument for each in accelerators for argument in ('--target', f'ethos_u/{each}')]
    for start in range(0, len(paths), BATCH):
        run = subprocess.run([program, 'check', *paths[start:start + BATCH], *targets, '--format', 'json', '--quiet',
                              '--no-corrections'], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f'exit code {run.returncode}: {run.stderr}')
        yield from json.loads(run.stdout)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = [json.loads(line) for line in (folder / 'cases.jsonl').read_text().splitlines()]
    accelerators = list(cases[0]['vela'])
    paths = [str(folder / case['file']) for case in cases]
    counts, wrong = collections.Counter(), 0
    for case, report in zip(cases, reports(program, paths, accelerators), strict=True):
        for result in report['results']:
            known = case['vela'][result['target'].split('/')[1].split('@')[0]]
            said = result['outcome']['kind']
            unsound = any(finding['severity'] == 'ERROR' and finding['effect'] in ('UNSOUND', 'WRONG_NUMBERS')
                          for finding in result.get('findings', []))
            promised = 'UNKNOWN' if unsound and known == 'npu' else OUTCOMES.get(known)
            fits = known == 'unstable' or said == promised
            counts[f'{known}{" and unsound" if unsound else ""}'] += 1
            if not fits:
                wrong += 1
                print(f'{case["file"]} ({case["about"]}) {result["target"]}: Vela {known}, QuantGate {said}')
    print(f'{sum(counts.values())} answers, {wrong} differ:', ', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())))
    return 1 if wrong or not counts else 0


if __name__ == '__main__':
    sys.exit(main())
