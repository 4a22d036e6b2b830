"""Asking QuantGate about a graph that is kept compressed."""
import gzip
import json
import subprocess


def check(quantgate, graph, target, scratch):
    """The result of one check for one target; None: without a target."""
    model = scratch / graph.name.removesuffix('.gz')
    model.write_bytes(gzip.decompress(graph.read_bytes()))
    target = ['--target', target] if target else []
    done = subprocess.run([quantgate, 'check', model, '--format', 'json', '--quiet', *target], capture_output=True,
                          text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f'{graph.name}: {done.stderr.strip()}')
    return json.loads(done.stdout)['results'][0]
