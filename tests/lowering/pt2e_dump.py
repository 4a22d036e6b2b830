"""A `quantgate.pt2e-dump/1` (an annotated graph written as JSON) as quantgate.v1.Graph."""
import functools
import gzip
import json

import torch
from quantgate.v1 import graph_pb2, spec_pb2, types_pb2


def data_type(name):
    return types_pb2.DataType.Value('DATA_TYPE_' + name.upper()) if name else 0


@functools.lru_cache(None)
def schema(target):
    """Argument names of an operator, None when it has no schema."""
    parts = target.split('.')
    if len(parts) != 3:
        return None
    try:
        return [argument.name for argument in
                getattr(getattr(getattr(torch.ops, parts[0]), parts[1]), parts[2])._schema.arguments]
    except (AttributeError, RuntimeError):
        return None


class Converter:
    def __init__(self, dump, stage):
        self.dump = dump
        self.graph = graph_pb2.Graph(origin=graph_pb2.Graph.PT2E, stage=stage)
        self.nodes = dump['graph']['nodes']
        self.values = {}
        self.ids = {}
        self.symbols = {}
        self.specs = {}
        self.observed = {}
        if stage == types_pb2.STAGE_CALIBRATED:
            qparams = dump['qparams']
            self.observed = {tuple(place): qparams['observers'][index] for place, index in qparams['at']}

    def symbol(self, text):
        if text not in self.symbols:
            self.graph.symbols.append(text)
            self.symbols[text] = len(self.graph.symbols)
        return self.symbols[text]

    def convert(self):
        for node in self.nodes:
            if node['op'] != 'output':
                self.values[node['name']] = len(self.values) + 1
            if node['op'] not in ('placeholder', 'get_attr') and (node['op'] != 'output' or node.get('annotation')):
                self.ids[node['name']] = len(self.ids) + 1
        for node in self.nodes:
            if node['op'] != 'output':
                self.add_value(node)
        for node in self.nodes:
            if node['name'] in self.ids:
                self.add_node(node)
            if node['op'] == 'output':
                self.graph.outputs.extend(self.values[name] for name in references(node.get('args', [])))
        return self.graph

    def add_value(self, node):
        value = self.graph.values.add(name=node['name'])
        out = (node.get('out') or [None])[0] if node.get('out_kind', 'tensor') == 'tensor' else None
        out = node.get('tensor') or out
        if out and 'shape' in out:
            value.dtype = data_type(out.get('dtype'))
            value.has_shape = True
            value.dims.extend(size if isinstance(size, int) else -1 for size in out['shape'])
        if node['op'] == 'placeholder':
            self.graph.inputs.append(self.values[node['name']])
        tensor = node.get('tensor')
        if tensor:
            count = 1
            for size in tensor['shape']:
                count *= size
            value.constant.stored_bytes = -1
            if isinstance(tensor.get('min'), (int, float)):
                value.constant.statistics.min, value.constant.statistics.max = tensor['min'], tensor['max']
                value.constant.statistics.count = count
            numbers = tensor.get('values', [tensor['value']] if 'value' in tensor else [])
            if all(isinstance(number, int) for number in numbers):
                value.constant.ints.extend(numbers)
            elif all(isinstance(number, (int, float)) for number in numbers):
                value.constant.reals.extend(numbers)
        annotation = node.get('annotation') or {}
        if annotation.get('output') is not None:
            value.spec = self.spec(annotation['output'], (node['name'],))
        users = [self.ids[name] for name in node.get('users', []) if name in self.ids]
        if users != sorted(users):
            value.users.extend(dict.fromkeys(users))

    def add_node(self, node):
        target = node['target'] if node['op'] == 'call_function' else node['op']
        out = self.graph.nodes.add(name=node['name'], op=self.symbol(target))
        if node['op'] != 'output':
            out.outputs.append(self.values[node['name']])
        names = schema(target)
        arguments = list(enumerate(node.get('args', [])))
        for name, value in (node.get('kwargs') or {}).items():
            arguments.append((names.index(name) if names and name in names else len(arguments), value))
        inputs, positions = [], []
        for position, value in sorted(arguments, key=lambda pair: pair[0]):
            found = references(value)
            members = value if isinstance(value, list) else [value]
            only = found and all(member is None or isinstance(member, dict) and 'node' in member for member in members)
            for member in members:
                if isinstance(member, dict) and 'node' in member:
                    inputs.append(member['node'])
                    positions.append(position)
                elif member is None and only:
                    inputs.append(None)
                    positions.append(position)
            if not only:
                name = names[position] if names and position < len(names) else (
                    'index' if target == 'operator.getitem' and position == 1 else f'arg{position}')
                self.add_attribute(out, name, value)
        out.inputs.extend(self.values.get(name, 0) for name in inputs)
        if positions != list(range(len(positions))):
            out.input_args.extend(positions)
        asked = (self.dump.get('quantizer') or {}).get('args', {}).get('block_size_map') or {}
        out.asked_block_size.extend(asked.get(node['name'], []))
        annotation = node.get('annotation')
        if not annotation:
            return
        out.annotated = bool(annotation.get('annotated'))
        out.no_implicit_sharing = annotation.get('allow_implicit_sharing') is False
        specs = {name: self.spec(spec, (name, node['name'])) for name, spec in annotation.get('inputs') or []}
        out.input_specs.extend(specs.get(name, 0) for name in inputs)
        implied = {}
        for name in inputs:
            if name in specs:
                implied.setdefault(name, specs[name])
        if list(implied.items()) != list(specs.items()):
            for name, spec in specs.items():
                out.input_spec_map.add(value=self.value_id(name), spec=spec)

    def value_id(self, name):
        if name not in self.values:
            self.values[name] = len(self.graph.values) + 1
            self.graph.values.add(name=name, foreign=True)
        return self.values[name]

    def add_attribute(self, out, name, value):
        attribute = graph_pb2.Attribute(name=self.symbol(name))
        if value is None:
            return
        if isinstance(value, bool):
            attribute.b = value
        elif isinstance(value, int):
            attribute.i = value
        elif isinstance(value, float):
            attribute.f = value
        elif isinstance(value, str):
            attribute.s = value
        elif isinstance(value, dict) and 'dtype' in value:
            attribute.dtype = data_type(value['dtype'])
        elif isinstance(value, dict) and 'float' in value:
            attribute.f = float(value['float'])
        elif isinstance(value, list):
            members = [-1 if isinstance(member, dict) else member for member in value]
            if all(isinstance(member, int) for member in members):
                attribute.ints.values.extend(int(member) for member in members)
            elif all(isinstance(member, (int, float)) for member in members):
                attribute.floats.values.extend(members)
            else:
                attribute.strings.values.extend(str(member) for member in members)
        else:
            attribute.s = str(value)
        out.attributes.append(attribute)

    def place(self, place, out):
        out.value = self.value_id(place[0])
        if len(place) > 1:
            out.consumer = self.ids.get(place[1], 0)

    def spec(self, index, place):
        message = spec_pb2.Spec()
        if index is None:
            message.kind = spec_pb2.Spec.EXPLICIT_NONE
        else:
            self.fill(self.dump['graph']['specs'][index], message)
            observed = self.observed.get(place)
            if observed:
                self.fill_observed(observed, message)
        key = message.SerializeToString(deterministic=True)
        if key not in self.specs:
            self.graph.specs.append(message)
            self.specs[key] = len(self.graph.specs)
        return self.specs[key]

    def fill(self, spec, message):
        message.kind = {'quantization': spec_pb2.Spec.PLAIN, 'fixed': spec_pb2.Spec.FIXED,
                        'derived': spec_pb2.Spec.DERIVED, 'shared': spec_pb2.Spec.SHARED}[spec['kind']]
        if spec['kind'] == 'shared':
            self.place(spec['with'], message.shared_with)
            return
        for place in spec.get('derived_from', []):
            self.place(place, message.derived_from.add())
        message.dtype = data_type(spec.get('dtype'))
        for name, field in (('quant_min', 'quant_min'), ('quant_max', 'quant_max'), ('ch_axis', 'axis'),
                            ('is_dynamic', 'is_dynamic')):
            if spec.get(name) is not None:
                setattr(message, field, spec[name])
        if spec.get('qscheme'):
            message.qscheme = spec_pb2.Spec.QScheme.Value(spec['qscheme'].upper())
        observer = spec.get('observer') or {}
        arguments = observer.get('args') or {}
        if 'class' in observer:
            message.observer = self.symbol(observer['class'])
        scale, zero_point = spec.get('scale', arguments.get('scale')), spec.get('zero_point', arguments.get('zero_point'))
        if isinstance(scale, (int, float)):
            message.qparams.scales.append(scale)
            message.qparams.zero_points.append(zero_point or 0)
        if arguments.get('block_size'):
            message.block_size.extend(arguments['block_size'])
        elif observer.get('class') == 'INT4WeightObserver':
            # The dump cuts off what NNCF is told of the weight; this is what it takes by itself.
            message.block_size.extend([1, 128])

    def fill_observed(self, observed, message):
        scale = observed.get('scale')
        if scale is None:
            return
        scales = scale.get('data') if isinstance(scale, dict) else [scale]
        if not scales:
            return
        del message.qparams.scales[:], message.qparams.zero_points[:]
        message.qparams.scales.extend(float(s) for s in scales)
        zero = observed.get('zero_point')
        zeros = zero.get('data') if isinstance(zero, dict) else [zero or 0]
        message.qparams.zero_points.extend(zeros * len(scales) if zeros and len(zeros) == 1 else zeros or [])
        if len(scales) > 1 and not message.block_size:
            message.qparams.axes.append(observed.get('axis') or 0)


def references(value):
    if isinstance(value, dict):
        return [value['node']] if 'node' in value else []
    return [name for member in value for name in references(member)] if isinstance(value, list) else []


def load(path):
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        return json.load(file)


def to_graph(dump, calibrated=False):
    return Converter(dump, types_pb2.STAGE_CALIBRATED if calibrated else types_pb2.STAGE_ANNOTATED).convert()
