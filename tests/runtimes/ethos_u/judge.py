"""Asks Vela and QuantGate about the same models and counts where they agree. See judge."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy

import vela
from changes import random_case
from files import write

ACCELERATORS = ('ethos-u55-128', 'ethos-u65-256', 'ethos-u85-256')
# Files that one run of the executable judges.
BATCH = 100
GOAL = 0.98
SECONDS = 20


def reports(executable, paths, targets):
    """The report of each file."""
    arguments = [argument for target in targets for argument in ('--target', f'ethos_u/{target}')]
    for start in range(0, len(paths), BATCH):
        run = subprocess.run([executable, 'check', *paths[start:start + BATCH], *arguments, '--format', 'json', '--quiet'],
                             stdout=subprocess.PIPE, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f'{executable} ended with {run.returncode}')
        made = json.loads(run.stdout)
        yield from made if isinstance(made, list) else [made]


def errors(result):
    return [finding for finding in result.get('findings', []) if finding['severity'] == 'ERROR']


def opinion(result):
    """What QuantGate says: npu, cpu, error or unknown; and the finding that says so."""
    found = errors(result)
    status = 'error'
    if not found:
        found = [finding for finding in result.get('findings', []) if finding['effect'] == 'FALLBACK']
        status = 'cpu' if found else 'unknown' if result['verdict'] == 'UNKNOWN' else 'npu'
    return status, f'{found[0]["code"]} {found[0]["message"]}' if found else ''


def answer(path, accelerator, thought):
    """Vela's answer. Where QuantGate thought otherwise it is asked twice: its status is 'unsteady' where the two differ (what it
    reads outside of its memory), or where it came to no end."""
    first = vela.ask(path, accelerator, SECONDS)
    if first.error == f'signal {vela.TIME_IS_UP}':
        return 'unsteady', ''
    if first.status != thought:
        second = vela.ask(path, accelerator, SECONDS)
        if (first.status, first.error) != (second.status, second.error):
            return 'unsteady', ''
    return first.status, first.error or ' '.join(first.reasons)


def describe(case):
    def tensor(each):
        if each is None:
            return '-'
        text = f'{each.type}{list(each.signature or each.shape)}' + ('=' if each.data is not None else '')
        if each.quantized:
            text += f'*{each.scales[0]:.4g}' if each.scales else '*-'
            text += f'x{len(each.scales)}' if len(each.scales) > 1 else ''
            text += f'@{each.zero_points[0] if each.zero_points else "-"}'
        return text
    fields = f' {case.options[1]}' if case.options and case.options[1] else ''
    return f'({", ".join(map(tensor, case.inputs))}) -> {", ".join(map(tensor, case.outputs))}{fields}'


def main():
    executable, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    cases = [random_case(numpy.random.default_rng([seed, number])) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, case in enumerate(cases):
            paths.append(os.path.join(folder, f'{number}.tflite'))
            with open(paths[-1], 'wb') as file:
                file.write(write(case))
        if keep := os.environ.get('QUANTGATE_KEEP_CASES'):
            subprocess.run(['cp', '-r', folder, keep], check=True)
        said = list(reports(executable, paths, ACCELERATORS))
        # What the rules that know no target say of each file.
        anywhere = [{finding['code'] for finding in errors(report['results'][0])} for report in reports(executable, paths, ())]
        agreed, asked, unsound, unsteady = (collections.Counter() for _ in range(4))
        kinds = collections.Counter()
        for number, case in enumerate(cases):
            results = {result['target'].split('/')[1].split('@')[0]: result for result in said[number]['results']}
            for accelerator in ACCELERATORS:
                thought, finding = opinion(results[accelerator])
                known, why = answer(paths[number], accelerator, thought)
                if known == 'unsteady':
                    unsteady[accelerator] += 1
                    continue
                if thought == 'error' and known != 'error' and {each['code'] for each in errors(results[accelerator])} <= anywhere[number]:
                    unsound[accelerator] += 1
                    continue
                asked[accelerator] += 1
                agreed[accelerator] += known == thought
                if known != thought:
                    kinds[case.operator, f'Vela {known}, QuantGate {thought}'] += 1
                    print(f'{accelerator} {number} {case.operator} [{case.note}]: Vela {known} ({why[:160]}), '
                          f'QuantGate {thought} ({finding[:200]}): {describe(case)}', flush=True)
    for (operator, kind), times in kinds.most_common():
        print(f'  {times:5} {operator}: {kind}')
    for accelerator in ACCELERATORS:
        print(f'ethos_u/{accelerator}, seed {seed}: {agreed[accelerator]} of {asked[accelerator]} agree '
              f'({agreed[accelerator] / max(asked[accelerator], 1):.2%}); not counted: {unsound[accelerator]} that Vela takes and rules of '
              f'any target call unsound, {unsteady[accelerator]} without a steady answer')
    share = agreed.total() / max(asked.total(), 1)
    print(f'{share:.2%} agree')
    sys.exit(0 if share >= GOAL else 1)


if __name__ == '__main__':
    main()
