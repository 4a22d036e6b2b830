"""Writes hostile ONNX files into a folder, byte by byte: no package is needed, and none would write such files.

Usage: hostile_models.py FOLDER
"""
import os
import sys


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, payload):
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    if isinstance(payload, str):
        payload = payload.encode()
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def node(op, name, inputs, outputs):
    return field(1, b''.join(field(1, i) for i in inputs) + b''.join(field(2, o) for o in outputs) +
                 field(3, name) + field(4, op))


def value(number, name, dims=(1,), data_type=1):
    shape = b''.join(field(1, field(1, dim)) for dim in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, data_type) + field(2, shape))))


def initializer(name, data_type, dims, raw):
    return field(5, b''.join(field(1, dim) for dim in dims) + field(2, data_type) + field(8, name) + field(9, raw))


def model(graph):
    return field(1, 8) + field(8, field(2, 13)) + field(7, field(2, 'g') + graph)


def function(name, *called):
    """A model-local function that calls others, one after the other, each on its argument."""
    body = b''.join(field(7, field(1, 'a') + field(2, f'b{i}' if i else 'b') + field(4, one) + field(7, 'local'))
                    for i, one in enumerate(called))
    return field(25, field(1, name) + field(4, 'a') + field(5, 'b') + body + field(10, 'local'))


def call_model(name, *functions):
    called = field(1, field(1, 'x') + field(2, 'y') + field(4, name) + field(7, 'local'))
    return model(called + value(11, 'x') + value(12, 'y')) + b''.join(functions)


def relu_model(extra=b'', name='r', x='x', y='y'):
    return model(node('Relu', name, [x], [y]) + value(11, x) + value(12, y) + extra)


def main():
    count = 1_000_000
    nodes = b''.join(node('Relu', '', [f'v{i}'], [f'v{(i + 1) % count}']) for i in range(count))
    shared = relu_model()
    files = {
        'cycle_1m': model(nodes + value(12, 'v0')),
        'cycle_30k': model(b''.join(node('Relu', '', [f'v{i}'], [f'v{(i + 1) % 30000}']) for i in range(30000)) +
                           value(12, 'v0')),
        'dimension_2_40': relu_model(initializer('w', 1, [1 << 40], b'\0' * 4)),
        'dimensions_overflow': relu_model(initializer('w', 1, [1 << 62, 1 << 62], b'\0' * 4)),
        # The length of the graph says two gigabytes; a hundred bytes follow.
        'claims_2gb': field(1, 8) + varint(7 << 3 | 2) + varint((1 << 31) - 1) + b'\0' * 100,
        'duplicate_names': model(node('Relu', 'r', ['x'], ['y']) + node('Relu', 'r', ['x'], ['y']) +
                                 value(11, 'x') + value(12, 'y')),
        'escape_in_name': relu_model(name='\x1b[2J\x1b]0;title\x07evil', y='y\r\nerror[FAKE]: all is well'),
        'unknown_op_escape': model(node('No\x1b[31mSuch', 'n\n\n', ['x'], ['y']) + value(11, 'x') + value(12, 'y')),
        'not_utf8': shared.replace(b'Relu', b'Re\xff\xfe'),
        'function_recursion': call_model('f', function('f', 'g'), function('g', 'f')),
        'function_depth': call_model('f0', *(function(f'f{i}', f'f{i + 1}') for i in range(50))),
        'function_bomb': call_model('f0', *(function(f'f{i}', *[f'f{i + 1}'] * 10) for i in range(20))),
        'empty': b'',
        'zeros': b'\0' * 4096,
        'nesting': b''.join(field(7, b'') for _ in range(2)) + field(7, field(1, field(5, field(6, field(1, field(
            5, field(6, b''))))))),
    }
    # Bytes of a good model cut anywhere; every length and every varint is wrong in one of them.
    for end in range(1, len(shared), 7):
        files[f'cut_{end:03}'] = shared[:end]
    for name, data in files.items():
        with open(os.path.join(sys.argv[1], name + '.onnx'), 'wb') as out:
            out.write(data)


if __name__ == '__main__':
    main()
