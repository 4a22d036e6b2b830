"""What the vendor's library says of the nodes that QuantGate's corrections concern, with all of them applied.

Usage: corrections.py BUILD LIBRARY SOC[,SOC...] EVERY MODEL...; of the models every EVERYth. A model may be gzipped.
Prints a line for each corrected node that the library refuses, why it could not be asked about others, and the count.
Nodes that QuantGate still refuses, for a fault that no correction removes, and those of graphs that stay unsound, count
apart.
"""
import collections
import functools
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

SDK = '2.51'  # of the library
SCALE = 0.01


def check(quantgate, model, target, *flags):
    """The result of a check; None: the file cannot be read."""
    done = subprocess.run([quantgate, 'check', model, '--target', target, '--format', 'json', '--quiet', *flags],
                          capture_output=True, text=True, check=False)
    if done.returncode > 2:
        raise RuntimeError(f'{model}: {done.stderr.strip()}')
    return None if done.returncode == 2 else json.loads(done.stdout)['results'][0]


def unsound(result):
    """Whether it is wrong for any backend."""
    return any(finding['effect'] == 'UNSOUND' and finding['severity'] == 'ERROR'
               for finding in result.get('findings', []))


class Numbers:
    """Scales and zero points for an annotated graph, as if it were calibrated: without them there is nothing to ask.

    Which numbers is of no consequence for what the library takes, where they are consistent; zero points are those of
    torchao's observers.
    """

    def __init__(self, graph):
        self._graph, self._specs = graph, graph['specs']
        self._known = {}

    def fill(self):
        values, nodes = self._graph['values'], self._graph['nodes']
        derived = []
        for index, value in enumerate(values, 1):
            value['spec'] = self._filled(value.get('spec', 0), value, (index, 0), derived)
        for consumer, node in enumerate(nodes, 1):
            specs = node.get('inputSpecs', [])
            for place, spec in enumerate(specs):
                value = node['inputs'][place]
                specs[place] = self._filled(spec, values[value - 1], (value, consumer), derived) if value else 0
            for entry in node.get('inputSpecMap', []):
                entry['spec'] = self._known.get((entry['value'], consumer), (entry['spec'],))[0]
        for spec, places in derived:
            self._derive(spec, places)
        self._graph['stage'] = 'STAGE_CALIBRATED'

    def _filled(self, index, value, place, derived):
        spec = self._specs[index - 1] if index else {}
        if spec.get('kind') == 'DERIVED':
            spec = dict(spec)
            self._specs.append(spec)
            derived.append((spec, [(edge['value'], edge.get('consumer', 0)) for edge in spec.get('derivedFrom', [])]))
            self._known[place] = (len(self._specs), None)
            return len(self._specs)
        if spec.get('kind') != 'PLAIN' or 'qparams' in spec or spec.get('blockSize'):
            self._known[place] = (index, spec.get('qparams'))
            return index
        axis = spec.get('axis', 0) if spec.get('qscheme', '').startswith('PER_CHANNEL') else None
        count = 1 if axis is None else int(value['dims'][axis])
        # A plain 32-bit spec is that of a bias, in units of input x weight.
        wide = spec.get('dtype') == 'DATA_TYPE_INT32' and int(spec.get('quantMax', 2**31 - 1)) > 65535
        spec = dict(spec, qparams={'scales': [SCALE * SCALE if wide else SCALE] * count,
                                   'zeroPoints': [zero_point(spec)] * count, 'axes': [] if axis is None else [axis]})
        self._specs.append(spec)
        self._known[place] = (len(self._specs), spec['qparams'])
        return len(self._specs)

    def _derive(self, spec, places):
        sources = [self._known.get(place, (0, None))[1] for place in places]
        if not all(sources):
            return  # of blocks, or of shared specs
        scales = [1.0]
        for source in sources:
            longer, shorter = sorted((scales, source['scales']), key=len, reverse=True)
            scales = [one * shorter[0] for one in longer]
        spec['qparams'] = {'scales': scales, 'zeroPoints': [0.0] * len(scales), 'axes': [0] if len(scales) > 1 else []}


def zero_point(spec):
    low = int(spec.get('quantMin', 0))
    if not spec['dtype'].startswith('DATA_TYPE_UINT') and (low < 0 or 'quantMin' not in spec):
        return 0
    bits = {'DATA_TYPE_UINT8': 8}.get(spec['dtype'], 16)
    high = int(spec.get('quantMax', 2**bits - 1))
    return (low + high) // 2 if 'SYMMETRIC' in spec['qscheme'] and 'quantMax' in spec else (low + high + 1) // 2


def concerned(result, graph):
    """The nodes that compute which the corrections are about: those themselves, and those beside Quantize nodes."""
    names = {change['location'].get('node', '') for one in result['corrections'] for change in one['changes']}
    names |= {result['findings'][index]['location'].get('node', '') for one in result['corrections']
              for index in one.get('fixes', [])}
    readers, writers = collections.defaultdict(list), {}
    for node in graph['nodes']:
        for value in node.get('inputs', []):
            readers[value].append(node)
        writers.update(dict.fromkeys(node.get('outputs', []), node))
    computing = {node['node'] for node in result['outcome']['nodes']}
    # Graphs may leave names out; reports then count from 0.
    for index, node in enumerate(graph['nodes']):
        node['name'] = node.get('name') or f'#{index}'
    found, seen, queue = set(), set(), [node for node in graph['nodes'] if node['name'] in names]
    while queue:
        node = queue.pop()
        if node['name'] in seen:
            continue
        seen.add(node['name'])
        if node['name'] in computing:
            found.add(node['name'])
            continue
        queue += [writers[value] for value in node.get('inputs', []) if value in writers]
        queue += [reader for value in node.get('outputs', []) for reader in readers[value]]
    return found


def prepared_behind_others(ask, library, cases, scratch):
    """Whether the library prepares all these operators, refused alone, when their inputs are not those of the graph."""
    behind = []
    for case in map(json.loads, cases):
        config, tensors, nodes = case['config'], [], []
        for tensor in config.get('inputs', []):
            tensors.append(tensor)
            if not tensor.get('static'):
                inner = dict(tensor, name=tensor['name'] + '/inner')
                tensors.append(inner)
                nodes.append({'op': 'Relu', 'inputs': [tensor['name']], 'outputs': [inner['name']], 'params': {}})
        inputs = [tensor['name'] + ('' if tensor.get('static') else '/inner') for tensor in config.get('inputs', [])]
        tensors += config.get('outputs', [])
        nodes.append({'op': case['op'].partition(':')[0], 'inputs': inputs, 'params': config.get('params', {}),
                      'outputs': [tensor['name'] for tensor in config.get('outputs', [])]})
        behind.append(dict(case, config={'tensors': tensors, 'nodes': nodes}))
    questions = scratch / 'behind.jsonl'
    questions.write_text(''.join(json.dumps(case) + '\n' for case in behind), encoding='utf-8')
    done = subprocess.run([ask, library, questions], capture_output=True, text=True, check=False)
    answers = [json.loads(line)['vendor'] for line in done.stdout.splitlines()]
    return len(answers) == len(behind) > 0 and all(
        answer['validate'] == answer['finalize'] == 'accept' for answer in answers)


def verdict(node, is_unsound, behind):
    """What a node counts as; behind: asks again, with other operators in front."""
    answers = node.get('answers', [])
    if node.get('refusedByVendor'):
        if node.get('refused') or is_unsound:
            return 'still'
        return 'confirmed' if behind() else 'refused'
    return 'unasked' if any(one.get('answer', 'NOT_ASKED') == 'NOT_ASKED' for one in answers) else 'confirmed'


def main():
    build, library, socs, every, *models = sys.argv[1:]
    quantgate, ask = f'{build}/quantgate', f'{build}/vendor_ask'
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for path in map(pathlib.Path, models[::int(every)]):
            model = path
            if path.suffix == '.gz':
                model = scratch / path.stem
                model.write_bytes(gzip.decompress(path.read_bytes()))
            for target in (f'qnn_htp/{soc}@{SDK}' for soc in socs.split(',')):
                fixed = scratch / 'fixed.json'
                before = check(quantgate, model, target, '--fix', fixed)
                if before is None or not before.get('corrections'):
                    continue
                counts['checks'] += 1
                counts['corrections'] += len(before['corrections'])
                graph = json.loads(fixed.read_text(encoding='utf-8'))
                if graph.get('stage') == 'STAGE_ANNOTATED':
                    Numbers(graph).fill()
                    fixed.write_text(json.dumps(graph), encoding='utf-8')
                nodes = concerned(before, graph)
                cases = scratch / 'cases.jsonl'
                cases.write_text('', encoding='utf-8')
                after = check(quantgate, fixed, target, '--no-corrections', '--confirm', '--qnn-lib', library,
                              '--confirm-cases', cases)
                refused = [line for line in cases.read_text(encoding='utf-8').splitlines()
                           if 'reject' in json.loads(line)['vendor'].values()]
                behind = functools.cache(lambda: prepared_behind_others(ask, library, refused, scratch))
                for node in after['confirmation']['nodes']:
                    if node['node'] not in nodes:
                        continue
                    counts['nodes'] += 1
                    said = verdict(node, unsound(after), behind)
                    counts[said] += 1
                    if said == 'unasked':
                        reasons[next(one.get('reason', '') for one in node['answers']
                                     if one.get('answer', 'NOT_ASKED') == 'NOT_ASKED')] += 1
                    elif said == 'refused':
                        why = next(one for one in node['answers'] if one.get('answer') not in ('ACCEPTED', 'NOT_ASKED'))
                        print(f"REFUSED {path.name} {target} {node['node']}: {why['backendOp']}: {why.get('step')}: "
                              f"{why.get('reason')}", flush=True)
    for reason, count in reasons.most_common():
        print(f'not asked: {count} nodes: {reason}')
    asked = counts['nodes'] - counts['unasked']
    print(f"corrections: {counts['corrections']} of {counts['checks']} checks, {counts['nodes']} nodes concerned, "
          f"{asked} asked, {counts['confirmed']} confirmed, {counts['refused']} refused, {counts['still']} refused by "
          "QuantGate too")
    return 0 if asked and not counts['refused'] else 1


if __name__ == '__main__':
    sys.exit(main())
