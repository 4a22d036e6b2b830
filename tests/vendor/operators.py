"""What the vendor's library says of models of one operator, beside what QuantGate says.

Usage: operators.py QUANTGATE LIBRARY EVERY MODEL...; of the models every EVERYth. Prints a line for each node that they
judge differently, why the others could not be asked about, and the count. Models that are unsound for any backend, and
nodes whose operators QuantGate does not know how to write, are not compared.
"""
import collections
import pathlib
import sys

from corrections import SDK, check, unsound

TARGET = f'qnn_htp/SM8350@{SDK}'
GOAL = 0.99


def main():
    quantgate, library, every, *models = sys.argv[1:]
    counts, reasons = collections.Counter(), collections.Counter()
    for model in models[::int(every)]:
        result = check(quantgate, model, TARGET, '--no-corrections', '--confirm', '--qnn-lib', library)
        if result is None:
            raise RuntimeError(f'{model}: cannot be read')
        if unsound(result):
            counts['unsound'] += 1
            continue
        for node in result.get('confirmation', {}).get('nodes', []):
            answers = node.get('answers', [])
            missing = [one for one in answers if one.get('answer', 'NOT_ASKED') == 'NOT_ASKED']
            if missing or not answers:
                counts['unasked'] += 1
                reasons[missing[0].get('reason', '') if missing else 'nothing is emitted'] += 1
                continue
            counts['asked'] += 1
            refused, by_vendor = bool(node.get('refused')), bool(node.get('refusedByVendor'))
            counts['refused'] += by_vendor
            counts['agree'] += refused == by_vendor
            if refused != by_vendor:
                why = next((f"{one['backendOp']}: {one.get('step')}: {one.get('reason')}" for one in answers
                            if one.get('answer') != 'ACCEPTED'), ', '.join(one['backendOp'] for one in answers))
                print(f"DIFFERS {pathlib.Path(model).name} {node['node']}: {'refused' if refused else 'taken'} by "
                      f"QuantGate: {why}", flush=True)
    for reason, count in reasons.most_common():
        print(f'not asked: {count} nodes: {reason}')
    print(f"operators: {counts['asked']} nodes asked on {TARGET}, {counts['refused']} refused by the library, "
          f"{counts['agree']} agree; {counts['unasked']} not asked, {counts['unsound']} models unsound")
    return 0 if counts['asked'] and counts['agree'] >= GOAL * counts['asked'] else 1


if __name__ == '__main__':
    sys.exit(main())
