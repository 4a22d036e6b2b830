#!/usr/bin/env python3
"""What `quantgate check MODEL --encodings FILE` and `quantgate import` say of real and of deliberately broken encodings.

Usage: encodings_cases.py QUANTGATE FOLDER [TARGET...]    FOLDER: tests/data/encodings
Good files have no ERROR, for the targets neither, and what is imported is what the file says, read here once more. The
file without its model is judged where it says enough by itself.
"""
import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from model_cases import wrong_with


def lines(path):
    opened = gzip.open(path, 'rt') if path.endswith('.gz') else open(path)
    return [json.loads(line) for line in opened]


def bits_of(text):
    return int(''.join(c for c in text if c.isdigit()))


def flat(numbers):
    if isinstance(numbers, list):
        return [x for part in numbers for x in flat(part)]
    return [float(numbers)]


def shape(numbers):
    return [len(numbers)] + shape(numbers[0]) if isinstance(numbers, list) else []


def stated(document):
    """name: (effective scales in any order, zero points on the unsigned grid or None) as the file has them."""
    found = {}
    if 'encodings' in document:
        for entry in document['encodings']:
            scale, points = entry.get('y_scale'), entry.get('y_zero_point', 0)
            if isinstance(scale, dict):
                factors, channel = scale['x'], scale['x_scale']
            elif 'per_block_int_scale' in entry:
                factors, channel = entry['per_block_int_scale'], flat(entry['per_channel_float_scale'])
            else:
                found[entry['name']] = (flat(scale), flat(points), entry['output_dtype'])
                continue
            # Factors have the shape of the tensor; the channel is the longer of what is not the blocks' dimension.
            sizes = shape(factors)
            axis = max((i for i in range(len(sizes)) if i != entry['axis']), key=lambda i: sizes[i])
            products = []

            def walk(part, position):
                if isinstance(part, list):
                    for i, inner in enumerate(part):
                        walk(inner, position + [i])
                else:
                    products.append(channel[position[axis]] * part)

            walk(factors, [])
            found[entry['name']] = (products, [0.0], entry['output_dtype'])
        return found
    for section in ('activation_encodings', 'param_encodings'):
        entries = document[section]
        if isinstance(entries, dict):
            for name, channels in entries.items():
                found[name] = ([c['scale'] for c in channels], [-c['offset'] for c in channels],
                               f'uint{channels[0]["bitwidth"]}')
            continue
        for entry in entries:
            scales = entry['scale']
            if entry['enc_type'] == 'LPBQ':
                blocks = len(entry['per_block_int_scale']) // len(scales)
                scales = [scales[i // blocks] * factor for i, factor in enumerate(entry['per_block_int_scale'])]
            found[entry['name']] = (scales, [-o for o in entry['offset']], f'uint{entry["bw"]}')
    return found


def imported(spec):
    qparams = spec['qparams']
    scales = qparams['scales']
    factors = qparams.get('blockScales', [])
    if factors:
        blocks = len(factors) // len(scales)
        scales = [scales[i // blocks] * factor for i, factor in enumerate(factors)]
    return scales, qparams.get('zeroPoints', [0.0])


def differs(line, spec, value, truth):
    """What of one tensor is not as the file has it; None: nothing."""
    qparams, dtype = spec['qparams'], spec['dtype'].removeprefix('DATA_TYPE_').lower()
    scales, points = imported(spec)
    true_scales, true_points, true_dtype = truth
    if sorted(scales) != sorted(true_scales):
        return f'scales {scales[:3]} for {true_scales[:3]}'
    # On the unsigned grid both.
    grid = bits_of(true_dtype)
    if 'uint' in true_dtype:
        middle = 0 if dtype.startswith('u') else 2 ** (grid - 1)
        points = [p + middle for p in points]
    if set(points) != set(true_points):
        return f'zero points {points[:3]} for {true_points[:3]}'
    axes, blocks = qparams.get('axes', []), [int(b) for b in qparams.get('blockSizes', [])]
    kind = ('lpbq' if 'blockScales' in qparams else 'block' if blocks else 'per_channel' if axes else 'per_tensor')
    if kind != line['kind']:
        return f'kind {kind}'
    if kind != 'lpbq' and bits_of(dtype) != bits_of(line['dtype']):
        return f'dtype {dtype}'
    if line['block_size'] and line['block_size'] not in blocks:
        return f'blocks {blocks}'
    if kind == 'per_channel':
        if line['axis'] is not None and axes != [line['axis']]:
            return f'axis {axes}'
        if int(value['dims'][axes[0]]) != len(scales):
            return f'axis {axes} of {value["dims"]} for {len(scales)} scales'
    if blocks and line['axis'] is not None and axes[blocks.index(line['block_size'])] != line['axis']:
        return f'blocks along {axes}'
    return None


def main():
    quantgate, folder = sys.argv[1:3]
    targets = [argument for target in sys.argv[3:] for argument in ('-t', target)]
    wrong, compared = [], 0
    with tempfile.TemporaryDirectory() as work:
        tarfile.open(os.path.join(folder, 'files.tar.xz')).extractall(work)

        def paths(file):
            path = os.path.join(work, file)
            architecture = file.removeprefix('bad.').split('.')[1 if file.startswith('bad.') else 0]
            model = os.path.join(work, 'models', architecture + '.onnx')
            return path, model if os.path.exists(model) else None

        def run(*arguments):
            return subprocess.run([quantgate, *arguments, '--quiet'], capture_output=True, text=True, errors='replace',
                                  timeout=120)

        def judge(case):
            path, model = paths(case['file'])
            answers = []
            for arguments in ([model, '--encodings', path], [path]):
                if arguments[0] is None or (arguments == [path] and not lone(case)):
                    continue
                done = run('check', *arguments, *(targets if arguments[0] == model and case['good'] else []), '--format', 'json')
                findings = []
                if done.stdout:
                    findings = [f for r in json.loads(done.stdout)['results'] for f in r.get('findings', [])]
                if case['good'] and targets:
                    errors = [f for f in findings if f['severity'] == 'ERROR']
                    answer = f'{len(errors)} errors, {errors[0]["message"]}' if errors else None
                else:
                    answer = wrong_with(case, done.returncode, findings, done.stderr)
                answers.append(answer)
            return next((a for a in answers if a), None)

        def lone(case):
            # What needs the model's names and shapes.
            needs_model = ('graph-dangling', 'qparams-axis', 'qparams-shape')
            return not any(e['class'] in needs_model or (e['class'] == 'block-size' and 'block size 0' not in e['detail'])
                           for e in case['expect'])

        cases = lines(os.path.join(folder, 'cases.jsonl'))
        for case in cases:
            # An entry that has lost its name is found by line and column alone.
            if case.get('mutation') == 'missing_name':
                case['expect'][0]['where'] = {}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, answer in zip(cases, pool.map(judge, cases)):
                if answer:
                    wrong.append((case['file'], answer))

        graphs = {}
        for line in lines(os.path.join(folder, 'qparams.jsonl.gz')):
            file = line['file']
            if file not in graphs:
                path, model = paths(file)
                out = os.path.join(work, 'graph.json')
                done = run('import', model, '--encodings', path, '-o', out)
                if done.returncode:
                    sys.exit(f'{file}: {done.stderr}')
                graph = json.load(open(out))
                graphs[file] = {v['name']: v for v in graph['values']}, graph['specs'], stated(json.load(open(path)))
            values, specs, truth = graphs[file]
            value = values[line['tensor']]
            answer = differs(line, specs[value['spec'] - 1], value, truth[line['tensor']])
            compared += 1
            if answer:
                wrong.append((file, f'{line["tensor"]}: {answer}'))
    for file, answer in wrong:
        print(f'{file}: {answer}')
    print(f'{len(cases)} cases, {compared} parameters; {len(wrong)} are not as expected')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
