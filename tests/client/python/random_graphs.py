"""Random annotated torch.fx graphs, and what torchao itself says of their sharing groups.

Every graph follows from its seed alone. In about a third, calls read values in lists of lists, dicts and slices. About
a third are adversarial: references to places that have no spec, circles, annotations of another graph's nodes, named as
this graph's or not, keys that are no input of their node.
"""
import copy
import operator
import random

import torch
from torchao.quantization.pt2e.observer import (HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver,
                                                PlaceholderObserver)
from torchao.quantization.pt2e.prepare import (_get_edge_or_node_to_group_id, _get_edge_or_node_to_qspec,
                                               _get_obs_or_fq_map)
from torchao.quantization.pt2e.quantizer import (DerivedQuantizationSpec, FixedQParamsQuantizationSpec,
                                                 QuantizationAnnotation, QuantizationSpec, SharedQuantizationSpec)

ATEN = torch.ops.aten
PER_TENSOR = [torch.per_tensor_affine, torch.per_tensor_symmetric]
# Of which no observer but a placeholder is made.
RARE_TYPES = [torch.int2, torch.uint4, torch.int16, torch.uint16, torch.int64, torch.float16, torch.bfloat16,
              torch.float8_e4m3fn, torch.float8_e5m2]


def derive(observers):
    return torch.ones(1), torch.zeros(1, dtype=torch.int32)


class Generator:
    def __init__(self, seed):
        self.choice = random.Random(seed)
        self.adversarial = self.choice.random() < 0.3
        self.nests = self.choice.random() < 0.3
        self.graph = torch.fx.Graph()
        self.other = torch.fx.Graph()
        self.stranger = self.other.placeholder(self.choice.choice(['stranger', 'input0', 'relu']))
        self.readers = {}

    # ---- structure ----

    def build(self):
        choice = self.choice
        values = [self.graph.placeholder(f'input{i}') for i in range(choice.randint(1, 3))]
        root = torch.nn.Module()
        for i in range(choice.randint(0, 2)):
            root.register_buffer(f'weight{i}', torch.ones(2, 3))
            values.append(self.graph.get_attr(f'weight{i}'))
        for _ in range(choice.randint(2, choice.choice([6, 14, 30]))):
            values += self.call(values)
        values += [values[-1]] if choice.random() < 0.1 else []
        results = tuple(choice.sample(values[-3:], choice.randint(1, min(3, len(values)))))
        output = self.graph.output(self.nested(lambda: choice.choice(results), 2) if self.nests else results)
        for node in self.graph.nodes:
            node.meta['val'] = torch.empty(2, 3, device='meta') if node is not output else None
        self.change_orders(list(self.graph.nodes))
        module = torch.fx.GraphModule(root, self.graph)
        self.annotate(list(module.graph.nodes))
        if self.adversarial and choice.random() < 0.05:
            module = copy.deepcopy(module)
        return module

    def call(self, values):
        choice = self.choice
        # Recent values are read more often, one value now and then by many.
        def pick():
            return values[0] if choice.random() < 0.15 else choice.choice(values[-6:])

        if self.nests and choice.random() < 0.4:
            return [self.nesting_call(pick)]
        kind = choice.random()
        if kind < 0.35:
            return [self.graph.call_function(ATEN.add.Tensor, (pick(), pick()))]
        if kind < 0.6:
            return [self.graph.call_function(ATEN.relu.default, (pick(),))]
        if kind < 0.75:
            return [self.graph.call_function(ATEN.cat.default, ([pick() for _ in range(choice.randint(1, 4))], 1))]
        if kind < 0.85:
            return [self.graph.call_function(ATEN.clamp.Tensor, (pick(),), {'max': pick()})]
        if kind < 0.93:
            pair = self.graph.call_function(ATEN.topk.default, (pick(), 1))
            return [pair] + [self.graph.call_function(operator.getitem, (pair, i))
                             for i in range(choice.randint(1, 2))]
        return [self.graph.call_function(ATEN.linear.default, (pick(), pick(), pick()))]

    def nesting_call(self, pick):
        choice = self.choice
        if choice.random() < 0.2:
            return self.graph.call_function(operator.getitem, (pick(), self.nested(pick, choice.randint(1, 3))))
        args = tuple(self.nested(pick, choice.randint(0, 3)) for _ in range(choice.randint(1, 3)))
        keywords = choice.sample(['size', 'dim', 'other'], choice.choice([0, 0, 1, 2]))
        kwargs = {keyword: self.nested(pick, choice.randint(0, 3)) for keyword in keywords}
        if choice.random() < 0.2:
            return self.graph.call_method('view', (pick(), *args), kwargs)
        # Of some the schema has fewer arguments, or none that are called so.
        target = choice.choice([ATEN.stack.default, ATEN.index.Tensor, ATEN.relu.default, torch.add])
        return self.graph.call_function(target, args, kwargs)

    def nested(self, pick, depth):
        """An argument with values at most so deep, or with none."""
        choice = self.choice
        if depth == 0:
            return choice.choice([None, 1, 'text']) if choice.random() < 0.2 else pick()

        def member():
            return self.nested(pick, choice.randint(0, depth - 1))

        kind = choice.random()
        if kind < 0.4:
            return [member() for _ in range(choice.randint(0, 3))]
        if kind < 0.55:
            return tuple(member() for _ in range(choice.randint(0, 3)))
        if kind < 0.8:
            return {key: member() for key in choice.sample(['b', 'a', 'c'], choice.randint(0, 3))}
        return slice(member(), member(), member())

    def change_orders(self, nodes):
        """Makes users register in another order than that of the graph."""
        for node in nodes:
            if node.op == 'call_function' and self.choice.random() < 0.15 and node.all_input_nodes:
                old = self.choice.choice(node.all_input_nodes)
                node.replace_input_with(old, self.choice.choice(nodes[:nodes.index(node)]))

    # ---- annotations ----

    def annotate(self, nodes):
        choice = self.choice
        pool = [self.plain() for _ in range(choice.randint(1, 3))]
        density = choice.choice([0.4, 0.7, 0.95])
        annotated = [node for node in nodes if choice.random() < density]
        # Places first: a reference may lead to any of them.
        keys, outputs = {}, set()
        for node in annotated:
            inputs = [value for value in node.all_input_nodes if choice.random() < 0.85]
            carries = node.op not in ('placeholder', 'get_attr') or choice.random() < 0.5
            if choice.random() < 0.2:
                choice.shuffle(inputs)
            if self.adversarial and carries and choice.random() < 0.08:
                inputs.append(choice.choice([self.stranger, choice.choice(nodes)]))
            keys[node] = list(dict.fromkeys(inputs))
            if choice.random() < 0.7:
                outputs.add(node)
        self.places = [(key, node) for node in annotated for key in keys[node]] + [n for n in annotated if n in outputs]
        self.order = {node: index for index, node in enumerate(nodes)}
        for node in annotated:
            spec_map = {key: self.spec((key, node), pool) for key in keys[node]}
            output = self.spec(node, pool) if node in outputs else None
            annotation = QuantizationAnnotation(input_qspec_map=spec_map, output_qspec=output)
            annotation.allow_implicit_sharing = choice.choice([True] * 14 + [False, None])
            annotation._annotated = choice.random() < 0.9
            node.meta['quantization_annotation'] = annotation

    def spec(self, place, pool):
        choice, kind = self.choice, self.choice.random()
        if kind < 0.05 and isinstance(place, tuple):
            return None
        if kind < 0.3:
            return SharedQuantizationSpec(self.reference(place))
        if kind < 0.36:
            scale = choice.choice([1 / 256, 1 / 128, 1.0, 1, float('nan')])
            return FixedQParamsQuantizationSpec(torch.uint8, scale, choice.choice([0, 128, 0.0]), 0, 255,
                                                choice.choice(PER_TENSOR))
        if kind < 0.42:
            return DerivedQuantizationSpec([self.reference(place) for _ in range(choice.randint(1, 2))], derive,
                                           torch.int32, -2**31, 2**31 - 1, choice.choice(PER_TENSOR),
                                           choice.choice([None, 0]))
        return copy.copy(choice.choice(pool)) if kind < 0.7 else choice.choice(pool)

    def rare(self):
        choice = self.choice
        return QuantizationSpec(choice.choice(RARE_TYPES), PlaceholderObserver, choice.choice([None, 0, 0.0]),
                                choice.choice([None, 15]), choice.choice([None, *PER_TENSOR]),
                                choice.choice([None, 0, 1]), choice.choice([True, False, None]))

    def plain(self):
        choice = self.choice
        if choice.random() < 0.2:
            return self.rare()
        dtype, low, high = choice.choice([(torch.int8, -128, 127), (torch.int8, -127, 127), (torch.uint8, 0, 255),
                                          (torch.int32, 0, 65535), (torch.uint8, None, None),
                                          *[(torch.quint8, None, None), (torch.qint8, None, None)] * self.adversarial])
        observer, axis, scheme = choice.choice([
            (MinMaxObserver, None, torch.per_tensor_affine), (MinMaxObserver, None, torch.per_tensor_symmetric),
            (HistogramObserver, None, torch.per_tensor_affine), (HistogramObserver, 0, torch.per_tensor_affine),
            (PerChannelMinMaxObserver, 0, torch.per_channel_symmetric),
            (PerChannelMinMaxObserver, 1, torch.per_channel_symmetric)])
        if dtype is torch.int32 and observer is PerChannelMinMaxObserver:
            dtype, low, high = torch.int8, -128, 127
        constructor = observer.with_args(eps=choice.choice([2**-12, 2**-16]))
        return QuantizationSpec(dtype, constructor, low, high, scheme, axis, choice.choice([False, False, None]))

    def reference(self, place):
        choice = self.choice
        if self.adversarial and choice.random() < 0.06:
            # A place without spec, perhaps, or one that does not exist, or the place itself.
            nodes = list(self.order)
            return choice.choice([(self.stranger, choice.choice(nodes)), choice.choice(nodes), place, self.stranger,
                                  (choice.choice(nodes), choice.choice(nodes))])
        node = place[1] if isinstance(place, tuple) else place
        if self.adversarial and choice.random() < 0.2:
            return choice.choice(self.places)
        # What quantizers write: an earlier place, most often of the same node or of its inputs.
        earlier = [other for other in self.places if other is not place and other != place
                   and self.at(other) < self.at(place)]
        near = [other for other in earlier if (other[1] if isinstance(other, tuple) else other) is node]
        return choice.choice(near if near and choice.random() < 0.7 else earlier or [place[0] if isinstance(
            place, tuple) else (node.all_input_nodes or [node])[0]])

    def at(self, place):
        """Where a place stands in the order in which torchao meets it, roughly: edges of a node before its value."""
        return (self.order[place[1]], 0) if isinstance(place, tuple) else (self.order[place], 1)


def name(place):
    return [place[0].name, place[1].name] if isinstance(place, tuple) else [place.name]


def torchao_answer(module):
    """{'groups': lists of places in id order, 'error': None or what torchao raises}."""
    specs = _get_edge_or_node_to_qspec(module)
    try:
        ids = _get_edge_or_node_to_group_id(specs)
    except KeyError as error:
        return {'groups': [], 'error': ['KeyError', named(error.args[0])]}
    except RecursionError:
        return {'groups': [], 'error': ['RecursionError']}
    groups = [[] for _ in range(max(ids.values(), default=-1) + 1)]
    for place in specs:
        groups[ids[place]].append(name(place))
    return {'groups': groups, 'error': observer_error(ids, specs)}


def observer_error(ids, specs):
    try:
        _get_obs_or_fq_map(ids, specs, False)
    except KeyError as error:
        return ['KeyError', named(error.args[0])]
    except AssertionError as error:
        return ['AssertionError', str(error).split("'")[1]]
    return None


def named(place):
    return '({}, {})'.format(*name(place)) if isinstance(place, tuple) else place.name


def graph_of(seed):
    return Generator(seed).build()
