#!/usr/bin/env python3
"""What `quantgate check MODEL --encodings FILE --fix` writes, in each version of the format: one weight of a good file
is given 16 bits, which the target does not take.

Usage: encodings_fix.py QUANTGATE FOLDER    FOLDER: tests/data/encodings
"""
import json
import os
import subprocess
import sys
import tarfile
import tempfile

TARGET = 'qnn_htp/SM8350'
FILES = ('resnet18.w8a8.v0.6.1.encodings', 'resnet18.w8a16.v1.0.0.encodings', 'resnet18.w8a16.v2.0.0.encodings')


def entries(document):
    """By tensor name; of the oldest layout, lists of channels."""
    if 'encodings' in document:
        return {entry['name']: entry for entry in document['encodings']}
    sections = document['activation_encodings'], document['param_encodings']
    if isinstance(sections[0], dict):
        return {**sections[0], **sections[1]}
    return {entry['name']: entry for section in sections for entry in section}


def widen(entry):
    """To 16 bits, of the same range."""
    if isinstance(entry, list):
        for channel in entry:
            channel.update(bitwidth=16, scale=channel['scale'] / 256, offset=-32768)
            channel.update(min=channel['scale'] * -32768, max=channel['scale'] * 32767)
    elif 'bw' in entry:
        entry.update(bw=16, scale=[s / 256 for s in entry['scale']], offset=[-32768] * len(entry['scale']))
    else:
        entry.update(output_dtype='int16', y_scale=[s / 256 for s in entry['y_scale']])


def numbers(entry):
    """Width, scales and zero points on the unsigned grid."""
    if isinstance(entry, list):
        return entry[0]['bitwidth'], [c['scale'] for c in entry], [c['offset'] for c in entry]
    if 'bw' in entry:
        return entry['bw'], entry['scale'], entry['offset']
    return entry['output_dtype'], entry['y_scale'], entry.get('y_zero_point', 0)


def main():
    quantgate, folder = sys.argv[1:3]
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        tarfile.open(os.path.join(folder, 'files.tar.xz')).extractall(work)
        model = os.path.join(work, 'models', 'resnet18.onnx')

        def check(encodings, *arguments):
            done = subprocess.run([quantgate, 'check', model, '--encodings', encodings, '-t', TARGET, '--format', 'json',
                                   '--quiet', *arguments], capture_output=True, text=True, timeout=120)
            if not done.stdout:
                sys.exit(f'{encodings}: {done.stderr}')
            return json.loads(done.stdout)['results'][0]

        for file in FILES:
            good = json.load(open(os.path.join(work, file)))
            weight = next(name for name, entry in entries(good).items()
                          if name.endswith('weight') and len(numbers(entry)[1]) > 1)
            changed = json.loads(json.dumps(good))
            widen(entries(changed)[weight])
            path, fixed = os.path.join(work, 'wide.encodings'), os.path.join(work, 'fixed.encodings')
            json.dump(changed, open(path, 'w'))
            result = check(path, '--fix', fixed)
            if result['verdict'] != 'REJECTED' or len(result.get('corrections', [])) != 1:
                wrong.append(f'{file}: {result["verdict"]} with {len(result.get("corrections", []))} corrections')
                continue
            if not check(fixed)['verdict'].startswith('ACCEPTED'):
                wrong.append(f'{file}: the corrected file is not accepted')
            written, truth = entries(json.load(open(fixed))), entries(good)
            if numbers(written[weight]) != numbers(truth[weight]):
                wrong.append(f'{file}: {numbers(written[weight])} for {numbers(truth[weight])}')
            if {name for name in truth if written[name] != truth[name]} - {weight}:
                wrong.append(f'{file}: other entries than that of {weight} changed')
    for line in wrong:
        print(line)
    print(f'{len(FILES)} files; {len(wrong)} are not as expected')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
