"""Asks LiteRT and QuantGate about the same models and counts where they agree. See judge."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy

import compare
import runtime
from cases import random_instance
from model import write

TARGETS = ('reference', 'xnnpack')
# Files that one run of the executable judges.
BATCH = 100
GOAL = 0.99


def truth(made, answer):
    """What LiteRT makes of it: right, wrong, or refused; and why."""
    if answer.error:
        return 'refused', answer.error
    problem = compare.problem(made, answer)
    return ('wrong', problem) if problem else ('right', '')


def verdicts(executable, paths):
    """The result for each file, by target."""
    targets = [argument for target in TARGETS for argument in ('--target', f'litert/{target}')]
    for start in range(0, len(paths), BATCH):
        run = subprocess.run([executable, 'check', *paths[start:start + BATCH], *targets, '--format', 'json', '--quiet'],
                             stdout=subprocess.PIPE, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f'{executable} ended with {run.returncode}')
        reports = json.loads(run.stdout)
        for report in reports if isinstance(reports, list) else [reports]:
            yield {result['target'].split('/')[1].split('@')[0]: result for result in report['results']}


def opinion(result):
    """What QuantGate says: right, wrong, refused, unsound (either of the two), unknown; its first error."""
    errors = [finding for finding in result.get('findings', []) if finding['severity'] == 'ERROR']
    if not errors:
        return ('unknown' if result['verdict'] == 'UNKNOWN' else 'right'), ''
    effects = {finding['effect'] for finding in errors}
    text = f'{errors[0]["code"]} {errors[0]["message"]}'
    if 'REFUSED' in effects:
        return 'refused', text
    return ('wrong' if 'WRONG_NUMBERS' in effects else 'unsound'), text


def falls_back(result):
    return any(finding['effect'] == 'FALLBACK' for finding in result.get('findings', []))


def describe(made):
    case = made.case
    def tensor(each):
        if each is None:
            return '-'
        if not each.quantized:
            return f'{each.type}{list(each.shape)}'
        return f'{each.type}{list(each.shape)}*{each.scales[0]:.4g}{"..." if len(each.scales) > 1 else ""}@{each.zero_points[0]}'
    return f'{case.operator}({", ".join(tensor(each) for each in case.inputs)}) -> {", ".join(tensor(each) for each in case.outputs)}' \
           + (f' [{case.note}]' if case.note else '')


def main():
    executable, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = numpy.random.default_rng(seed)
    instances = [random_instance(rng) for _ in range(count)]
    models = [write(made.case) for made in instances]
    answers = runtime.ask([(model, made.draws, target) for target in TARGETS for model, made in zip(models, instances)])
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, model in enumerate(models):
            paths.append(os.path.join(folder, f'{number}.tflite'))
            with open(paths[-1], 'wb') as file:
                file.write(model)
        results = list(verdicts(executable, paths))
        if keep := os.environ.get('QUANTGATE_KEEP_CASES'):
            subprocess.run(['cp', '-r', folder, keep], check=True)
    disagreements = collections.Counter()
    worst = 1.0
    for position, target in enumerate(TARGETS):
        agreed = effects = rejected = delegation = accepted = 0
        for number, made in enumerate(instances):
            answer = answers[position * count + number]
            known, why = truth(made, answer)
            said, text = opinion(results[number][target])
            agrees = said != 'unknown' and (known == 'right') == (said == 'right')
            agreed += agrees
            if not agrees:
                disagreements[target, made.case.operator, f'LiteRT {known}, QuantGate {said}'] += 1
                print(f'{target} {number}: LiteRT {known} ({why[:160]}), QuantGate {said} ({text[:200]}): {describe(made)}')
            elif known != 'right':
                rejected += 1
                effects += said in (known, 'unsound')
            elif target == 'xnnpack':
                accepted += 1
                same = answer.delegated != falls_back(results[number][target])
                delegation += same
                if not same:
                    disagreements[target, made.case.operator, 'delegated' if answer.delegated else 'not delegated'] += 1
                    print(f'{target} {number}: {"delegated" if answer.delegated else "not delegated"}: {describe(made)}')
        share = agreed / count
        worst = min(worst, share)
        line = f'litert/{target}, seed {seed}: {agreed} of {count} agree ({share:.2%}); of {rejected} rejected, the effect agrees for {effects}'
        if target == 'xnnpack':
            line += f'; of {accepted} accepted, delegated or not agrees for {delegation}'
            worst = min(worst, delegation / max(accepted, 1))
        print(line)
    for (target, operator, kind), times in disagreements.most_common(40):
        print(f'  {times:5} {target} {operator}: {kind}')
    sys.exit(0 if worst >= GOAL else 1)


if __name__ == '__main__':
    main()
