"""Which nodes of real models the XNNPACK delegate takes, asked of LiteRT and of QuantGate."""
import json
import pathlib
import subprocess
import sys

from ai_edge_litert import interpreter as litert


def taken(path):
    """Indices of the nodes that DELEGATE nodes stand for: what lies between their inputs and outputs. And all nodes."""
    interpreter = litert.Interpreter(model_path=str(path), num_threads=1)
    interpreter.allocate_tensors()
    nodes = interpreter._get_ops_details()
    own = [node for node in nodes if node['op_name'] != 'DELEGATE']
    writer = {int(tensor): node for node in own for tensor in node['outputs']}
    indices = set()
    for delegate in (node for node in nodes if node['op_name'] == 'DELEGATE'):
        ends, left = set(map(int, delegate['inputs'])), list(map(int, delegate['outputs']))
        while left:
            tensor = left.pop()
            if tensor in ends or tensor not in writer or writer[tensor]['index'] in indices:
                continue
            indices.add(writer[tensor]['index'])
            left += [int(value) for value in writer[tensor]['inputs'] if value >= 0]
    return indices, own


def left_out(program, path):
    """Nodes of the main graph that QuantGate says are not taken."""
    output = subprocess.run([program, 'check', str(path), '-t', 'litert/xnnpack', '--format', 'json', '--quiet',
                             '--no-corrections'], capture_output=True, check=False).stdout
    findings = json.loads(output)['results'][0]['findings']
    return {finding['location']['node'] for finding in findings
            if finding['code'] == 'CV602' and not finding['location'].get('subgraph')}


def main():
    program, folder = sys.argv[1:]
    nodes = differing = 0
    for path in sorted(pathlib.Path(folder).glob('*.tflite')):
        if path.name.startswith('bad.'):
            continue
        indices, own = taken(path)
        outside = left_out(program, path)
        nodes += len(own)
        for node in own:
            is_taken = node['index'] in indices
            if is_taken == (f"#{node['index']}" not in outside):
                continue
            differing += 1
            print(f"{path.name}: {node['op_name']} #{node['index']} is {'taken' if is_taken else 'left'}, "
                  'QuantGate says otherwise')
    print(f'delegation: {nodes} nodes of real models, {differing} judged otherwise')
    return 1 if nodes == 0 or differing > nodes / 1000 else 0


if __name__ == '__main__':
    sys.exit(main())
