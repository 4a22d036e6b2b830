"""Every builtin operator in every version up to LAST: does LiteRT find a kernel, and does QuantGate say the same?"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

from model import Case, Tensor, write
from runtime import RESOLVERS

LAST = 15
NO_OPERATORS = ('CUSTOM', 'DELEGATE', 'PLACEHOLDER_FOR_GREATER_OP_CODES')


def finds_kernel(model, resolver):
    try:
        litert.Interpreter(model_content=model, experimental_op_resolver_type=RESOLVERS[resolver], num_threads=1)
        return True
    except ValueError as error:  # what else is wrong with the model is for others to say
        return not re.search('find op for builtin|unresolved', str(error))


def judged(program, paths, resolver):
    """By path: version findings."""
    reports = subprocess.run([program, 'check', *paths, '-t', f'litert/{resolver}', '--format', 'json', '--quiet',
                              '--no-corrections'], capture_output=True, check=False).stdout
    reports = json.loads(reports)
    reports = reports if isinstance(reports, list) else reports.get('reports', [reports])
    return {report['model']['path']: any(finding['code'] == 'EN601' for finding in report['results'][0]['findings'])
            for report in reports}


def main():
    asked = wrong = 0
    names = {number: name for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)}
    with tempfile.TemporaryDirectory() as folder:
        for _, name in sorted(names.items()):
            if name in NO_OPERATORS:
                continue
            models = {}
            for version in range(1, LAST + 1):
                tensor = Tensor('FLOAT32', (1, 2))
                path = pathlib.Path(folder) / f'{version}.tflite'
                path.write_bytes(write(Case(name, [tensor], [tensor], None, version)))
                models[str(path)] = version
            for resolver in RESOLVERS:
                found = {path: finds_kernel(pathlib.Path(path).read_bytes(), resolver) for path in models}
                reported = judged(sys.argv[1], list(models), resolver)
                for path, version in models.items():
                    asked += 1
                    # An operator without any kernel is another rule's.
                    if any(found.values()) and reported.get(path) == found[path]:
                        wrong += 1
                        print(f'litert/{resolver}: {name} version {version}: LiteRT '
                              f'{"has" if found[path] else "lacks"} it, QuantGate says otherwise')
    print(f'{asked} versions of operators: {wrong} judged otherwise')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
