#!/usr/bin/env python3
"""Turns annotated torch.fx graphs with torchao's recorded answers into cases for sharing_test.

usage: pt2e_convert.py FILE... > cases.txt

A FILE is (gzipped) JSON in the format quantgate.pt2e-dump/1 or quantgate.pt2e-groups/1. A case is three lines: its name;
the graph as proto3 JSON of quantgate.v1.Graph (what sharing looks at: no shapes, constants or attributes); and the
answer, groups in id order with members in annotation order: `a>n` is the edge from a into n, `n` the value,
`a>n n|m` two groups, `!` before what stopped torchao.
"""
import gzip
import json
import sys

DTYPES = {"int8": 6, "uint8": 7, "int16": 8, "uint16": 9, "int32": 10}


def references(arg):
    """Names of the nodes in an argument, lists and slices flattened."""
    if isinstance(arg, dict):
        if "node" in arg:
            yield arg["node"]
        else:
            for item in arg.values():
                yield from references(item)
    elif isinstance(arg, list):
        for item in arg:
            yield from references(item)


class Converter:
    def __init__(self, source):
        self.fx = source["nodes"]
        self.by_name = {node["name"]: node for node in self.fx}
        self.symbols, self.symbol_ids, self.specs, self.spec_ids = [], {}, [], {}
        self.source_specs = source.get("specs", [])
        # Ids first: a spec may refer to any place.
        keeps_output = self.output_is_mentioned()
        values = [n["name"] for n in self.fx if n["op"] != "output"]
        self.value_ids = {name: i + 1 for i, name in enumerate(values)}
        nodes = [n for n in self.fx if n["op"] not in ("placeholder", "get_attr")]
        self.node_list = [n for n in nodes if n["op"] != "output" or keeps_output]
        self.node_ids = {n["name"]: i + 1 for i, n in enumerate(self.node_list)}
        self.foreign = []

    def output_is_mentioned(self):
        output = [n["name"] for n in self.fx if n["op"] == "output"]
        places = [s["with"] for s in self.source_specs if s["kind"] == "shared"]
        places += [p for s in self.source_specs if s["kind"] == "derived" for p in s["derived_from"]]
        return any("annotation" in self.by_name[o] for o in output) or any(p[-1] in output for p in places)

    def symbol(self, text):
        if text not in self.symbol_ids:
            self.symbols.append(text)
            self.symbol_ids[text] = len(self.symbols)
        return self.symbol_ids[text]

    def value(self, name):
        if name not in self.value_ids:
            self.foreign.append(name)
            self.value_ids[name] = len(self.value_ids) + 1
        return self.value_ids[name]

    def place(self, place):
        reference = {"value": self.value(place[0])}
        if len(place) == 2:
            reference["consumer"] = self.node_ids[place[1]]
        return reference

    def spec(self, index):
        """Id in the graph's pool of a source spec, None being a spec of its own."""
        if index not in self.spec_ids:
            self.specs.append(self.make_spec(index))
            self.spec_ids[index] = len(self.specs)
        return self.spec_ids[index]

    def make_spec(self, index):
        if index is None:
            return {"kind": "EXPLICIT_NONE"}
        source = self.source_specs[index]
        if source["kind"] == "shared":
            return {"kind": "SHARED", "sharedWith": self.place(source["with"])}
        spec = {"kind": {"quantization": "PLAIN", "fixed": "FIXED", "derived": "DERIVED"}[source["kind"]],
                "dtype": DTYPES[source["dtype"]], "isDynamic": source["is_dynamic"]}
        for key, name in (("quant_min", "quantMin"), ("quant_max", "quantMax"), ("ch_axis", "axis")):
            if source.get(key) is not None:
                spec[name] = source[key]
        if source["qscheme"] is not None:
            spec["qscheme"] = source["qscheme"].upper()
        if source["kind"] == "fixed":
            spec["qparams"] = {"scales": [source["scale"]], "zeroPoints": [source["zero_point"]]}
        if source["kind"] == "derived":
            spec["derivedFrom"] = [self.place(p) for p in source["derived_from"]]
        if source["kind"] == "quantization" and source["observer"]:
            spec["observer"] = self.symbol(source["observer"]["class"])
        return spec

    def convert(self):
        nodes = [self.node(n) for n in self.node_list]
        values = [self.make_value(n) for n in self.fx if n["op"] != "output"]
        values += [{"name": name, "foreign": True} for name in self.foreign]
        inputs = [self.value_ids[n["name"]] for n in self.fx if n["op"] == "placeholder"]
        return {"origin": "PT2E", "stage": "STAGE_ANNOTATED", "symbols": self.symbols, "specs": self.specs,
                "values": values, "nodes": nodes, "inputs": inputs}

    def make_value(self, fx):
        value = {"name": fx["name"]}
        annotation = fx.get("annotation", {})
        if annotation.get("output") is not None:
            value["spec"] = self.spec(annotation["output"])
        if fx["op"] == "get_attr":
            value["constant"] = {}
        users = [self.node_ids[u] for u in fx.get("users") or [] if u in self.node_ids]
        if users != sorted(users):
            value["users"] = users
        return value

    def node(self, fx):
        inputs = list(references([fx.get("args", []), fx.get("kwargs", {})]))
        node = {"name": fx["name"], "op": self.symbol(fx["target"]), "inputs": [self.value(i) for i in inputs]}
        if fx["op"] != "output":
            node["outputs"] = [self.value_ids[fx["name"]]]
        annotation = fx.get("annotation")
        if annotation is None:
            return node
        specs = dict((key, self.spec(spec)) for key, spec in annotation.get("inputs", []))
        if specs:
            node["inputSpecs"] = [specs.get(name, 0) for name in inputs]
        if list(specs) != [name for name in dict.fromkeys(inputs) if name in specs]:
            node["inputSpecMap"] = [{"value": self.value(name), "spec": spec} for name, spec in specs.items()]
        if annotation.get("annotated"):
            node["annotated"] = True
        if not annotation.get("allow_implicit_sharing", True):
            node["noImplicitSharing"] = True
        return node


def answer(expected):
    groups = expected.get("groups_with_deep_stack", expected.get("groups"))
    text = "|".join(" ".join(">".join(place) for place in group) for group in groups or [])
    error = expected.get("error")
    if error is None or (groups is not None and error["phase"] != "observers"):
        return text
    return f"{text}!{error['type']} {error['message'].splitlines()[0]}"


def main():
    for path in sys.argv[1:]:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            document = json.load(file)
        for case in document.get("cases", [document]):
            if "graph" not in case or "expected" not in case:
                continue
            name = case.get("name") or path.rsplit("/", 1)[-1].split(".json")[0]
            print(name)
            print(json.dumps(Converter(case["graph"]).convert(), separators=(",", ":")))
            print(answer(case["expected"]))


if __name__ == "__main__":
    main()
