"""Networks of integers: the definition against onnxruntime and the fixtures, what it refuses, and how floats become one."""

import json
import pathlib
import struct
from collections import Counter

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="takes the extra onnx")
pytest.importorskip("onnxruntime", reason="takes the extra onnx")

import volery.onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from volery._errors import Invalid  # noqa: E402
from volery.onnx import _file  # noqa: E402

FIXTURES = pathlib.Path(__file__).parents[2] / "onnx/tests/fixtures"
NAMES = ["attention", "convolution", "dense", "series", "transformer", "wide"]


def records(path):
    """Name, exponent and integers of each tensor of a file ``.values``."""
    data, at, found = path.read_bytes(), 0, {}
    while at < len(data):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        exponent, rank = struct.unpack_from("<iB", data, at + 2 + length)
        shape = struct.unpack_from(f"<{rank}I", data, at + 7 + length)
        at += 7 + length + 4 * rank
        found[name] = exponent, np.frombuffer(data, "<i8", int(np.prod(shape)), at).reshape(shape)
        at += found[name][1].nbytes
    return found


@pytest.mark.parametrize("name", NAMES)
def test_fixtures(name):
    """Every integer of every node is the one that the file has."""
    net = volery.onnx.Network(FIXTURES / f"{name}.q.onnx")
    expected = records(FIXTURES / f"{name}.values")
    tensors = net.trace({name: expected[name][1] for name in net.inputs})
    made = [node.output[0] for node in net.graph.node if node.op_type != "DequantizeLinear"]
    assert list(expected) == [*net.inputs, *made]
    for name, (exponent, integers) in expected.items():
        assert np.array_equal(tensors[name].integers, integers), name
        assert tensors[name].table or tensors[name].exponent == exponent, name


@pytest.mark.parametrize("name", NAMES)
def test_sums_are_those_of_onnx(name):
    """Each node between two roundings, alone and in float64, which holds its integers, by onnx's own evaluator."""
    net = volery.onnx.Network(FIXTURES / f"{name}.q.onnx")
    values = records(FIXTURES / f"{name}.values")
    tensors = net.trace({name: values[name][1] for name in net.inputs})
    for node in net.graph.node:
        if node.op_type.endswith("izeLinear") or node.domain:
            continue
        given = {name: net.constants[name] for name in node.input if name in net.constants}
        for name in set(tensors).intersection(node.input):
            given[name] = np.ldexp(tensors[name].integers.astype(np.float64), -tensors[name].exponent)
            if name in net.indices:
                given[name] = tensors[name].integers
        (expected,) = ReferenceEvaluator(node).run(None, given)
        made = tensors[node.output[0]]
        assert np.array_equal(made.integers, np.ldexp(expected, made.exponent)), node.name


@pytest.mark.parametrize("name", NAMES)
def test_public_graphs(name, tmp_path):
    """The same network, once it has its weights."""
    model, list_of = tmp_path / "net.arch.onnx", tmp_path / "net.weights.npy"
    whole = volery.onnx.Network(FIXTURES / f"{name}.q.onnx")
    whole.split(model, list_of)
    public, weights = volery.onnx.Network(model), np.load(list_of)
    expected = records(FIXTURES / f"{name}.values")
    sample = {name: expected[name][1] for name in whole.inputs}
    with pytest.raises(Invalid, match="weights are apart from this graph"):
        public.run(sample)
    for given in (weights, list_of):
        joined = volery.onnx.Network(model, given)
        assert joined.inputs == whole.inputs == public.inputs
        for output, integers in whole.run(sample).items():
            assert np.array_equal(joined.run(sample)[output], integers)
    facts, others = public.info(), whole.info()
    assert (facts.pop("weights_apart"), others.pop("weights_apart")) == (True, False) and facts == others
    # Rust reads the graph, and asks for as many weights.
    ports = {port["name"]: port for port in volery.circuit_info(str(model))["inputs"]}
    assert list(ports) == [*whole.inputs, "weights"] and ports["weights"]["width"] == len(weights)
    with pytest.raises(Invalid, match="a public graph already"):
        public.split(model, list_of)


def test_public_graphs_that_are_refused(tmp_path):
    whole = onnx.load(FIXTURES / "dense.q.onnx")
    whole.graph.initializer.append(numpy_helper.from_array(np.array(7, np.int64), "secret"))
    function = whole.functions[0]
    for part in (whole, whole.graph, whole.graph.node[0], function, function.node[0]):
        part.doc_string = "secret"
    whole.metadata_props.add(key="secret", value="secret")
    volery.onnx.Network(whole).split(tmp_path / "net.arch.onnx", tmp_path / "net.weights.npy")
    model, weights = onnx.load(tmp_path / "net.arch.onnx"), np.load(tmp_path / "net.weights.npy")
    assert b"secret" not in model.SerializeToString()
    for given, says in [
        (weights[1:], "has to be 269 integers"),
        (weights.astype(float), "is float64"),
        (weights + 40000, "'w1' has an entry of more than 16 bits"),
    ]:
        with pytest.raises(Invalid, match=says):
            volery.onnx.Network(model, given)
    with pytest.raises(Invalid, match="this file has its weights"):
        volery.onnx.Network(FIXTURES / "dense.q.onnx", weights)
    changes = [
        (lambda m: m.metadata_props[-1].__setattr__("value", "here"), "volery.weights is here"),
        (lambda m: m.graph.input.append(m.graph.input[0]), "'x' stands behind weights"),
        (
            lambda m: m.graph.input[1].type.tensor_type.__setattr__("elem_type", TensorProto.INT64),
            "'w1' is not",
        ),
        (
            lambda m: m.graph.input[1].type.tensor_type.shape.dim[0].__setattr__("dim_value", 0),
            "'w1': a dimension",
        ),
        (
            lambda m: m.graph.initializer.append(numpy_helper.from_array(np.ones(12, np.int8), "b1")),
            "weight 'b1' is in the file",
        ),
    ]
    for change, says in changes:
        changed = onnx.ModelProto.FromString(model.SerializeToString())
        change(changed)
        with pytest.raises(Invalid, match=says):
            volery.onnx.Network(changed)


def test_info():
    """The figures that Rust has for these files."""
    facts = volery.onnx.Network(FIXTURES / "transformer.q.onnx").info()
    assert facts["total"] == {"roundings": 304, "lookups": 48, "maxima": 4}
    assert facts["inputs"] == [{"name": "ids", "shape": [1, 4], "index": True}]
    assert facts["outputs"] == [{"name": "out", "shape": [1, 4, 8], "exponent": 4}]
    assert facts["tables"][1] == {"name": "Div_Erf_Add_Mul", "rows": 1024, "lookups": 32}
    bits = Counter()
    for weight in facts["weights"]:
        bits[weight["bits"]] += weight["count"]
    assert bits == {16: 66, 24: 134, 32: 6} and len(facts["public"]) == 13
    assert facts["public"][0]["value"] == 6 and facts["nodes"]["QuantizeLinear"] == 15
    facts = volery.onnx.Network(FIXTURES / "convolution.q.onnx").info()
    assert facts["outputs"][1] == {"name": "class", "shape": [1], "index": True}
    assert facts["total"]["maxima"] == 33


def network(nodes, shape=(1, 4), exponent=0, output="y", **constants):
    """A network of one input x, whose integers are ``x/q`` and ``h``; constants of ``s…`` are scales."""
    scale = np.float32(2.0**-exponent)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x/q"], name="input"),
        helper.make_node("DequantizeLinear", ["x/q", "scale"], ["h"], name="held"),
        *nodes,
    ]
    constants = {"scale": scale, "zero": np.int16(0), **constants}
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid(domain, 1) for domain in ("volery.table", "volery.wide")]
    opsets.append(helper.make_opsetid("", 21))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    helper.set_model_props(model, {"volery.format": "1"})
    return model


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=f"the {op}", **attributes)


def rounded(source, scale="coarse"):
    return [
        node("QuantizeLinear", f"{source} {scale} zero", "y/q"),
        node("DequantizeLinear", f"y/q {scale}", "y"),
    ]


def test_half_goes_up():
    net = volery.onnx.Network(network(rounded("h"), shape=(1, 8), exponent=1, coarse=np.float32(1)))
    x = np.array([[-5, -4, -3, -2, -1, 0, 1, 3]])
    assert net.run({"x": x})["y"].tolist() == [[-2, -2, -1, -1, 0, 0, 1, 2]]
    # Real numbers are rounded alike on their way in, and only numbers that fit.
    assert net.quantised({"x": x / 4})["x"].tolist() == [[-2, -2, -1, -1, 0, 0, 1, 2]]
    for bad in (np.nan, np.inf, 1e9):
        with pytest.raises((Invalid, volery.onnx.Overflow), match="'x'"):
            net.run({"x": np.full((1, 8), bad)})


def test_overflow_says_where():
    net = volery.onnx.Network(network([node("Add", "h h", "s"), *rounded("s")], coarse=np.float32(1)))
    assert net.run({"x": np.array([[0, 1, 16383, -16384]])})["y"][0, 3] == -32768
    with pytest.raises(
        volery.onnx.Overflow, match="'the QuantizeLinear': the value 32,768 at .0, 2. needs 17 bits"
    ) as raised:
        net.run({"x": np.array([[0, 1, 16384, -16384]])})
    error = raised.value
    assert (error.node, error.place, error.value) == ("the QuantizeLinear", (0, 2), 32768)


def test_keys_have_as_many_bits_as_their_table():
    function = helper.make_node("f", ["h"], ["t"], name="the f", domain="volery.table")
    table = {"volery.table/f": np.arange(256, dtype=np.int16) - 7}
    net = volery.onnx.Network(network([function, *rounded("t")], coarse=np.float32(1), **table))
    assert net.run({"x": np.array([[-128, -1, 0, 127]])})["y"].tolist() == [[-7, 120, 121, 248]]
    with pytest.raises(volery.onnx.Overflow, match="'the f': the key 128 at .0, 1. needs 9 bits"):
        net.run({"x": np.array([[0, 128, 0, 0]])})


def wide(x="h", powers="powers", name="f"):
    return [helper.make_node(name, [x, "coarse", powers], ["w"], name="the wide", domain="volery.wide")]


@pytest.mark.parametrize("rows, base, least", [(128, 2, 128), (384, 4, 128)])
def test_leading_bits_and_powers(rows, base, least):
    """T[⌊V / β^k⌋ − m₀] · w + a, by the definition, and no value below the first power or beyond the last."""
    table = np.random.default_rng(2).integers(-99999, 99999, rows).astype(np.int32)
    powers = np.array([[0, 0], [5, 7], [-3, 1 << 40]])
    constants = {"volery.wide/f": table, "powers": powers, "coarse": np.float32(1)}
    net = volery.onnx.Network(network([*wide(), *rounded("h")], shape=(1, 6), **constants))
    first, end = least * base, least * base**3
    x = np.array([[first, first + base - 1, first + base, first * base - 1, first * base, end - 1]])
    k = np.array([1, 1, 1, 1, 2, 2])
    expected = table[x // base**k - least].astype(np.int64) * powers[k, 0] + powers[k, 1]
    made = net.trace({"x": x})["w"]
    assert np.array_equal(made.integers, expected)
    assert (made.exponent, made.bound, made.degree, made.held) == (
        0,
        int(np.abs(table).max()) * 3 + (1 << 40),
        1,
        False,
    )
    for value in (first - 1, end, 0, -first):
        with pytest.raises(
            volery.onnx.Overflow, match=f"'the wide': the value {value:,} at .0, 5. is not from {first:,} to"
        ):
            net.trace({"x": np.array([[*x[0, :5], value]])})


ROWS = np.array([[1, 0]] * 3)
WIDES = [
    (wide(), {"volery.wide/f": np.ones(128, np.int32), "powers": ROWS}, None),
    (wide(), {"powers": ROWS}, "'the wide'.*no table of int32"),
    (wide(), {"volery.wide/f": np.ones(128, np.int16), "powers": ROWS}, "no table of int32"),
    (wide(), {"volery.wide/f": np.ones(64, np.int32), "powers": ROWS}, "has 64 rows"),
    (wide(), {"volery.wide/f": np.ones(3 << 15, np.int32), "powers": ROWS}, "has 98304 rows"),
    (
        wide(),
        {"volery.wide/f": np.ones(128, np.int32), "powers": ROWS[:, :1]},
        "'powers' is no table of int64",
    ),
    (wide(), {"volery.wide/f": np.ones(128, np.int32), "powers": 0 * ROWS}, "'powers' has rows"),
    (
        wide(),
        {"volery.wide/f": np.ones(128, np.int32), "powers": [[1, 0], [0, 0]]},
        "without a factor behind",
    ),
    (wide(), {"volery.wide/f": np.ones(128, np.int32), "powers": [[1, 0]] * 50}, "rows beyond 2.59"),
    (wide(), {"volery.wide/f": np.ones(1 << 15, np.int32), "powers": [[1, 0]] * 45}, "rows beyond 2.59"),
    (wide(), {"volery.wide/f": np.ones(128, np.int32), "powers": [[1 << 59, 0]]}, "may reach 2.59"),
    (
        [*wide(), node("Max", "w h", "m")],
        {"volery.wide/f": np.ones(128, np.int32), "powers": ROWS},
        "it reads sums",
    ),
]


@pytest.mark.parametrize("nodes, constants, says", WIDES)
def test_wide_functions_that_are_refused(nodes, constants, says):
    model = network([*nodes, *rounded("h")], coarse=np.float32(1), **constants)
    if says is None:
        volery.onnx.Network(model).run({"x": np.full((1, 4), 200)})
        return
    with pytest.raises(Invalid, match=says):
        volery.onnx.Network(model).run({"x": np.full((1, 4), 200)})


def test_rows_by_indices():
    """Rows of a weight that an input names; an index beyond them is an overflow of the node."""
    gather = [
        helper.make_node("DequantizeLinear", ["w", "scale"], ["v"], name="weight"),
        node("Gather", "v i", "e"),
        node("ReduceMax", "y axes", "z", keepdims=1),
    ]
    model = network([*gather[:2], *rounded("e"), gather[2]], output="z", w=np.arange(12, dtype=np.int16).reshape(6, 2),
                    coarse=np.float32(1), axes=np.array([1]))  # fmt: skip
    model.graph.input.append(helper.make_tensor_value_info("i", TensorProto.INT64, (3,)))
    net, x = volery.onnx.Network(model), np.zeros((1, 4), int)
    tensors = net.trace({"x": x, "i": np.array([5, 0, 2])})
    assert tensors["e"].integers.tolist() == [[10, 11], [0, 1], [4, 5]] and tensors["e"].degree == 2
    for index in (6, -1):
        with pytest.raises(
            volery.onnx.Overflow, match=f"'the Gather': the index {index} at .1. is none of 6 rows"
        ):
            net.run({"x": x, "i": np.array([0, index, 0])})
    with pytest.raises(Invalid, match="'i' is an index, and has values that are no integers"):
        net.run({"x": x, "i": np.array([0.5, 1, 0])})
    model.graph.output[0].name = "i"
    with pytest.raises(Invalid, match="'i' is not rounded"):
        volery.onnx.Network(model).run({"x": x, "i": np.array([0, 1, 0])})


W = np.ones((4, 4), np.int8)
WEIGHT = [helper.make_node("DequantizeLinear", ["w", "scale"], ["v"], name="weight")]
F = helper.make_node("f", ["h"], ["t"], name="the f", domain="volery.table")
TABLE = {"volery.table/f": np.zeros(256, np.int16)}
SUM = node("Add", "h h", "s")
REFUSED = [
    (rounded("h"), {"coarse": np.float32(0.3)}, "no power of two"),
    (rounded("h"), {"coarse": np.float32(0.5)}, "shift by -1"),
    (rounded("h"), {"coarse": np.float32(2.0**33)}, "shift by 33"),
    (rounded("h"), {"zero": np.int16(1)}, "zero point"),
    (rounded("h"), {"coarse": np.ones(4, np.float32)}, "rank 0"),
    ([node("DequantizeLinear", "x/q coarse", "y")], {"coarse": np.float32(2)}, "another than the one"),
    ([node("Relu", "h", "r"), *rounded("r")], {}, "'the Relu'.*format has not"),
    ([node("Gemm", "h h", "g", alpha=2.0), *rounded("g")], {}, "alpha=2.0"),
    ([node("Add", "h h", "y")], {}, "output 'y' is not rounded"),
    ([SUM, node("Max", "s s", "y")], {}, "it reads sums"),
    ([*rounded("h"), node("Max", "h y", "m")], {"coarse": np.float32(2)}, "several exponents"),
    ([node("ArgMax", "h", "i"), node("Add", "i h", "y")], {}, "nobody, may read"),
    ([node("Mul", "h h", "a"), node("Mul", "a h", "b"), *rounded("b")], {}, "product of three"),
    ([F, *rounded("t")], {}, "no table"),
    ([F, node("Add", "t h", "y")], TABLE, "'the f'.*read by one QuantizeLinear"),
    (
        [SUM, helper.make_node("f", ["s"], ["t"], name="g", domain="volery.table"), *rounded("t")],
        TABLE,
        "reads a sum",
    ),
    ([*WEIGHT, node("Mul", "h v", "m"), *rounded("m")], {"w": np.full(4, 1 << 23, np.int32)}, "24 bits"),
    ([*WEIGHT, node("MatMul", "h v", "m"), *rounded("m")], {"w": W.astype(np.int64)}, "int64"),
    ([node("Add", "h v", "s"), *WEIGHT, *rounded("s")], {"w": W}, "'the Add'.*'v'"),
    ([*WEIGHT, node("Add", "h v", "s"), *rounded("s")], {"w": W}, None),
]


@pytest.mark.parametrize("nodes, constants, says", REFUSED)
def test_refusals(nodes, constants, says):
    def run():
        volery.onnx.Network(network(nodes, **{"coarse": np.float32(1), **constants})).run(
            {"x": np.zeros((1, 4), int)}
        )

    if says is None:
        run()
        return
    with pytest.raises(Invalid, match=says):
        run()


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda m: m.opset_import[0].__setattr__("version", 2), "opsets"),
        (lambda m: m.opset_import[2].__setattr__("version", 22), "opsets"),
        (lambda m: m.metadata_props[0].__setattr__("value", "2"), "volery.format is 2"),
        (lambda m: m.graph.input[0].type.tensor_type.shape.dim[0].__setattr__("dim_value", 0), "no number"),
        (
            lambda m: m.graph.input[0].type.tensor_type.__setattr__("elem_type", TensorProto.UINT8),
            "no float32",
        ),
        (
            lambda m: m.graph.input[0].type.tensor_type.__setattr__("elem_type", TensorProto.INT32),
            "'x' is an index, and read by anything but Gather",
        ),
        (lambda m: m.graph.initializer[0].dims.append(2), "'scale': 4 bytes do not fit .2."),
        (lambda m: m.graph.initializer[1].__setattr__("data_type", TensorProto.DOUBLE), "'zero': of a type"),
        (lambda m: m.graph.node.append(m.graph.node[0]), "'x' is read by anything but one"),
    ],
)
def test_files_that_are_refused(change, says):
    model = network(rounded("h"), coarse=np.float32(1))
    volery.onnx.Network(model)
    change(model)
    with pytest.raises(Invalid, match=says):
        volery.onnx.Network(model)


@pytest.mark.parametrize("pads, says", [([0, 2, 0, 0], "as long as the kernel"), ([0, 1, 0, 1], None)])
def test_windows_have_something_to_take(pads, says):
    net = volery.onnx.Network(
        network([node("MaxPool", "h", "y", kernel_shape=[1, 2], pads=pads)], shape=(1, 1, 1, 2))
    )
    if says is None:
        assert net.run({"x": np.array([[[[-3, -2]]]])})["y"].tolist() == [[[[-3, -2, -2]]]]
        return
    with pytest.raises(Invalid, match=says):
        net.run({"x": np.zeros((1, 1, 1, 2), int)})


@pytest.mark.parametrize("last, says", [("MatMul", "'the MatMul'.*2.64"), ("Add", "'the Add 2'.*2.64")])
def test_bounds_are_those_of_types(last, says):
    """A sum that 16-bit inputs and these weights may bring beyond 2^59 is refused, whatever they are."""
    fine = [node("DequantizeLinear", "b fine", "c"), *WEIGHT]
    added = node("Add", "m c", "s")
    added.name += " 2"
    nodes = {
        "MatMul": [*fine, node("Add", "h c", "t"), node("MatMul", "t v", "s"), *rounded("s")],
        "Add": [*fine, node("MatMul", "h v", "m"), added, *rounded("s")],
    }[last]
    constants = dict(w=np.ones((4, 4), np.int32), b=np.ones(4, np.int8), coarse=np.float32(1))
    with pytest.raises(Invalid, match=says):
        net = volery.onnx.Network(network(nodes, fine=np.float32(2.0**-24), **constants))
        net.run({"x": np.zeros((1, 4), int)})
    net = volery.onnx.Network(network(nodes, fine=np.float32(2.0**-8), **constants))
    assert net.run({"x": np.array([[1, 2, 3, 4]])})["y"].tolist() == [[10] * 4]


def floats(nodes, shape, output, opset=17, **constants):
    # Names of nodes are theirs alone.
    nodes = [onnx.NodeProto.FromString(made.SerializeToString()) for made in nodes]
    for i, made in enumerate(nodes):
        made.name += f" {i}" if made.name in [other.name for other in nodes[:i]] else ""
    graph = helper.make_graph(
        nodes,
        "floats",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def samples(shape, count, seed=3):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(count)]


def test_quantise(tmp_path):
    """Batch norm is folded, one formula at two places is one table, a last softmax is left out, and labels stay."""
    rng = np.random.default_rng(5)
    swish = lambda x, n: [node("Sigmoid", x, f"s{n}"), node("Mul", f"{x} s{n}", f"h{n}")]  # noqa: E731
    nodes = [
        node("Conv", "x w1 b1", "c1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c1 gamma beta mean var", "n1"),
        *swish("n1", 1),
        node("Conv", "h1 w2", "c2", group=4),
        node("Add", "c2 b2", "n2"),
        *swish("n2", 2),
        node("GlobalAveragePool", "h2", "p"),
        node("Flatten", "p", "f"),
        node("Gemm", "f w3", "logits"),
        node("Softmax", "logits", "probabilities"),
    ]
    for i, made in enumerate(nodes):
        made.name += f" {i}"
    part = lambda *shape: rng.standard_normal(shape) / 2  # noqa: E731
    constants = dict(w1=part(4, 2, 3, 3), b1=part(4), gamma=part(4), beta=part(4), mean=part(4), var=part(4) ** 2 + 1, w2=part(4, 1, 2, 2),
                     b2=part(4, 1, 1), w3=part(4, 5))  # fmt: skip
    model = floats(nodes, (1, 2, 5, 5), "probabilities", **constants)
    net = volery.onnx.quantise(model, samples((1, 2, 5, 5), 20), out=tmp_path / "net.q.onnx")
    assert net.outputs == ["logits"]
    kinds = [n.op_type for n in net.graph.node if not n.op_type.endswith("izeLinear")]
    assert kinds == ["Conv", "Sigmoid_Mul", "Conv", "Sigmoid_Mul", "ReduceSum", "Mul", "Reshape", "Gemm"]
    assert sum(name.startswith("volery.table/") for name in net.constants) == 1
    found = volery.onnx.accuracy(net, samples((1, 2, 5, 5), 20, seed=4))
    assert (
        (found.labels, found.overflows) == (20, 0)
        and found.worst < found.largest / 1000
        and 2 < found.room < 6
    )
    # The file is the network, for us and for onnxruntime, which rounds a tie to even.
    assert net.accuracy(samples((1, 2, 5, 5), 20, seed=4)) == found
    (x,), again = samples((1, 2, 5, 5), 1, seed=6), volery.onnx.Network(tmp_path / "net.q.onnx")
    ours = again.trace({"x": x})["logits"]
    assert np.array_equal(ours.integers, net.run({"x": x})["logits"])
    assert np.array_equal(ours.integers, net.run(x)["logits"])
    theirs = _file.session_of(again.model).run(None, {"x": x})[0]
    assert np.abs(np.ldexp(ours.integers.astype(float), -ours.exponent) - theirs).max() < found.largest / 1000
    # Inputs beyond the room are an error that names the node.
    with pytest.raises(volery.onnx.Overflow, match="'x': input"):
        net.run({"x": 9 * x})


def test_sums_are_rounded_before_they_are_multiplied():
    """Two products in a row, and one table for all of relu, whatever the ranges."""
    nodes = [
        node("Relu", "x", "r"),
        node("MatMul", "r v", "a"),
        node("MatMul", "a w", "b"),
        node("Relu", "b", "c"),
        node("MatMul", "c w", "d"),
        node("Relu", "d", "e"),
        node("Add", "e c", "f"),
        node("MatMul", "f w", "y"),
    ]
    for i, made in enumerate(nodes):
        made.name += f" {i}"
    w = 3 * np.random.default_rng(9).standard_normal((4, 4))
    net = volery.onnx.quantise(floats(nodes, (1, 4), "y", w=w, v=40 * w), samples((1, 4), 50))
    assert sum(name.startswith("volery.table/") for name in net.constants) == 1
    read = {n.output[0]: n.op_type for n in net.graph.node}
    gemms = [read[n.input[0]] for n in net.graph.node if n.op_type == "Gemm"]
    # The third reads rounded values, the last a sum of such.
    assert gemms == ["DequantizeLinear"] * 3 + ["Add"]
    found = volery.onnx.accuracy(net, samples((1, 4), 20, seed=4))
    assert (found.labels, found.overflows) == (20, 0) and found.worst < found.largest / 1000


@pytest.mark.parametrize(
    "nodes",
    [
        [node("PRelu", "x slope", "y")],
        [node("MatMul", "x w", "a"), node("Min", "a x", "y")],
        [node("MatMul", "x w", "a"), node("Tanh", "x", "t"), node("Sum", "a x t", "y")],
        [node("ReduceMin", "x", "y", axes=[1])],
        [node("Pow", "x two", "s"), node("ReduceSumSquare", "s", "y", axes=[1])],
        [node("Gemm", "x w", "y", transA=1)],
    ],
)
def test_rewritten(nodes):
    """Operators that become others in a row."""
    constants = dict(slope=[0.5, 0.25, -1, 0], w=np.eye(4)[::-1] - 0.5, two=2)
    net = volery.onnx.quantise(floats(nodes, (4, 4), "y", **constants), samples((4, 4), 20))
    found = volery.onnx.accuracy(net, samples((4, 4), 20, seed=4))
    assert found.overflows == 0 and found.worst < found.largest / 1000


@pytest.mark.parametrize(
    "nodes, says",
    [
        (
            [node("Einsum", "x x", "y", equation="abij,abij->abij")],
            "'the Einsum' .Einsum.: not supported yet; until=",
        ),
        (
            [
                node("Neg", "x", "n"),
                node("Div", "x n", "d"),
                node("Relu", "d", "r"),
                node("TopK", "r k", "y"),
            ],
            "TopK",
        ),
        ([node("MatMul", "x x", "m"), node("Mod", "m x", "y", fmod=1)], "a function has one tensor"),
        (
            [node("Where", "k x low", "m"), node("Tanh", "m", "y")],
            "masked by constants, .* before a softmax only",
        ),
    ],
)
def test_quantise_refuses_by_name(nodes, says):
    if nodes[-1].op_type == "TopK":
        nodes = [*nodes[:-1], helper.make_node("TopK", ["r", "k"], ["y", "i"], name="top")]
    model = floats(nodes, (1, 1, 3, 3), "y", k=[0], low=-1e9)
    if nodes[-1].op_type != "Einsum":
        kind = np.int64 if nodes[-1].op_type == "TopK" else bool
        model.graph.initializer[0].CopyFrom(
            numpy_helper.from_array(np.array([nodes[-1].op_type == "TopK"], kind), "k")
        )
    with pytest.raises(Invalid, match=says):
        volery.onnx.quantise(model, samples((1, 1, 3, 3), 1))


def test_until_and_stacked_samples():
    model = floats([node("Relu", "x", "r"), node("Hardmax", "r", "y")], (1, 1, 2, 2), "y")
    net = volery.onnx.quantise(model, {"x": np.concatenate(samples((1, 1, 2, 2), 3))}, until="r")
    (x,) = samples((1, 1, 2, 2), 1)
    assert np.array_equal(net.run({"x": x})["r"], np.maximum(net.quantised({"x": x})["x"], 0))
    with pytest.raises(Invalid, match="no samples"):
        volery.onnx.quantise(model, [], until="r")


def spread(shape, count, seed=3):
    """Samples of unlike sizes, with a mean."""
    rng = np.random.default_rng(seed)
    draw = lambda: np.exp(rng.uniform(-1, 1)) * rng.standard_normal(shape) + rng.uniform(-1, 1)  # noqa: E731
    return [draw().astype(np.float32) for _ in range(count)]


def close(model, inputs, others, within=200):
    """The network of a model, which is close to it."""
    net = volery.onnx.quantise(model, inputs)
    found = volery.onnx.accuracy(net, others)
    assert found.overflows == 0 and found.worst < found.largest / within, found
    return net


def kinds(net):
    return [n.op_type for n in net.graph.node if not n.op_type.endswith("izeLinear")]


CENTRED = [node("ReduceMean", "x", "m", axes=[2]), node("Sub", "x m", "c")]
VARIANCE = [*CENTRED, node("Mul", "c c", "q"), node("ReduceMean", "q", "v", axes=[2])]
RAISED = [node("Add", "v epsilon", "e"), node("Sqrt", "e", "d")]
SCALED = [node("Mul", "t g", "s"), node("Add", "s b", "y")]
NORMS = {
    "fused": [node("LayerNormalization", "x g b", "y", epsilon=1e-4)],
    "squared": [*CENTRED, node("Pow", "c two", "q"), VARIANCE[3], *RAISED, node("Div", "c d", "t"), *SCALED],
    "of squares": [
        node("ReduceSum", "x axis", "sum"),
        node("Mul", "sum inverse", "m"),
        node("Mul", "x x", "xx"),
        node("ReduceSum", "xx axis", "sums"),
        node("Mul", "sums inverse", "mm"),
        node("Mul", "m m", "m2"),
        node("Sub", "mm m2", "v0"),
        node("Max", "zero v0", "v"),
        *RAISED,
        node("Reciprocal", "d", "r"),
        node("Mul", "r g", "rg"),
        node("Sub", "x m", "c"),
        node("Mul", "c rg", "s"),
        node("Add", "s b", "y"),
    ],
    "batch": [
        *VARIANCE,
        *RAISED,
        node("Reciprocal", "d", "r"),
        node("Mul", "r g", "rg"),
        node("Mul", "x rg", "xs"),
        node("Mul", "m rg", "ms"),
        node("Sub", "b ms", "shift"),
        node("Add", "xs shift", "y"),
    ],
}


@pytest.mark.parametrize("nodes", NORMS.values(), ids=NORMS)
def test_norms_are_one_network_however_they_are_spelled(nodes):
    """n · x − Σx by the root of n · Σx² − (Σx)²: no mean is rounded."""
    rng, shape = np.random.default_rng(3), (2, 3, 24)
    constants = dict(
        g=rng.uniform(0.5, 2, 24), b=rng.uniform(-1, 1, 24), epsilon=1e-4, two=2, zero=0, inverse=1 / 24
    )
    model = floats(nodes, shape, "y", **constants)
    model.graph.initializer.append(numpy_helper.from_array(np.array([2]), "axis"))
    net = close(model, spread(shape, 20), spread(shape, 20, seed=4))
    variance = ["ReduceSum", "Mul", "ReduceSum", "Mul", "Mul", "Sub"]
    assert sorted(kinds(net)) == sorted(
        [*variance, "Add", "Sqrt_Reciprocal", "Mul", "Sub", "Mul", "Mul", "Add"]
    )


def rounded_values(net, x):
    """How many values are rounded by a shift, with its length, and not looked up."""
    tensors, counts = net.trace({"x": x}), Counter()
    for n in net.graph.node:
        if n.op_type == "QuantizeLinear" and n.input[0] in tensors and not tensors[n.input[0]].table:
            shift = tensors[n.input[0]].exponent - tensors[n.output[0]].exponent
            counts["long" if shift > 16 else "short"] += tensors[n.output[0]].integers.size
    return counts


def test_factors_of_norms_go_into_products():
    """What products and a residual read is rounded once, before factors and summands of channels."""
    nodes = [
        node("LayerNormalization", "x g b", "n"),
        node("MatMul", "n v", "q"),
        node("MatMul", "n w", "k"),
        node("Add", "k c", "d"),
        node("Tanh", "d", "t"),
        node("MatMul", "t v", "m"),
        node("Add", "m n", "s"),
        node("Add", "s q", "y"),
    ]
    rng, shape = np.random.default_rng(3), (8, 16)
    v, w = rng.standard_normal((2, 16, 16)) / 4
    constants = dict(g=rng.uniform(0.5, 2, 16), b=rng.uniform(-1, 1, 16), v=v, w=w, c=rng.uniform(-1, 1, 16))
    net = close(floats(nodes, shape, "y", **constants), spread(shape, 20), spread(shape, 20, seed=4), 1000)
    # The input and the norm, which takes a root of 32 bits; the key of tanh, and the output.
    assert rounded_values(net, spread(shape, 1)[0]) == {"short": 3 * 128, "long": 128}
    # A row by itself is rounded twice, since its weights are many more.
    net = close(floats(nodes, (1, 16), "y", **constants), spread((1, 16), 20), spread((1, 16), 20, seed=4))
    assert rounded_values(net, spread((1, 16), 1)[0]) == {"short": 4 * 16, "long": 16}


@pytest.mark.parametrize("op", ["Reciprocal", "Sqrt", "Pow", "Log"])
def test_powers_keep_their_bits(op):
    """15 bits of relative precision of what is 2^15 apart; of a logarithm as many of its range."""
    nodes = [
        node("ReduceSum", "x axis", "s", keepdims=1),
        node(op, "s half" if op == "Pow" else "s", "r"),
        node("Add", "x r", "y"),
    ]
    model = floats(nodes, (600, 2), "y", half=-0.5)
    model.graph.initializer.append(numpy_helper.from_array(np.array([1]), "axis"))
    x = np.geomspace(1, 2.0**13, 1200).reshape(600, 2).astype(np.float32)
    net = volery.onnx.quantise(model, [x])
    tensors = net.trace({"x": x})
    (made,) = (n for n in net.graph.node if n.domain == "volery.wide")
    v, r = (
        np.ldexp(t.integers.astype(float), -t.exponent)
        for t in (tensors[made.input[0]], tensors[made.output[0]])
    )
    expected = {"Reciprocal": 1 / v, "Sqrt": v**0.5, "Pow": v**-0.5, "Log": np.log(v)}[op]
    unit = np.abs(expected).max() if op == "Log" else expected
    assert np.abs((r - expected) / unit).max() < 2.0**-15 and v.max() / v.min() > 4000


@pytest.mark.parametrize(
    "nodes",
    [
        [node("Softmax", "x", "p", axis=-1), node("MatMul", "p w", "y")],
        [node("LogSoftmax", "x", "p"), node("Mul", "p g", "y")],
        [node("Add", "x mask", "z"), node("Softmax", "z", "p"), node("MatMul", "p w", "y")],
        [node("InstanceNormalization", "x c c", "y")],
        [node("LpNormalization", "x", "n"), node("LpNormalization", "x", "m", p=1), node("Add", "n m", "y")],
        [node("ReduceL2", "x", "y", axes=[1])],
        [node("Softplus", "x", "s"), node("MatMul", "x w", "a"), node("Div", "a s", "y")],
        [node("Sub", "x far", "z"), node("MatMul", "x w", "a"), node("Div", "a z", "y")],
        [node("ReduceSumSquare", "x", "s", axes=[2]), node("Pow", "s half", "r"), node("Mul", "x r", "y")],
        [node("LRN", "x", "y", size=3, alpha=0.5)],
    ],
)  # fmt: skip
def test_divisions(nodes):
    """What divides by a tensor, or by a root of one."""
    rng, shape = np.random.default_rng(3), (1, 4, 4, 4) if nodes[0].op_type == "LRN" else (1, 4, 16)
    mask = np.where(np.tri(4, 16, 12), rng.uniform(-1, 1, (4, 16)), -np.inf)
    model = floats(nodes, shape, "y", w=rng.standard_normal((16, 16)), g=rng.uniform(1, 2, 16), c=rng.uniform(1, 2, 4),
                   far=8, half=-0.5, mask=mask)  # fmt: skip
    close(model, spread(shape, 30), spread(shape, 20, seed=4))


def test_rows_that_indices_name():
    """An embedding, and one-hot rows by comparison that are multiplied: both are rows, of 16 bits and no shift."""
    rng = np.random.default_rng(8)
    nodes = [
        node("Gather", "w i", "a"),
        node("Unsqueeze", "i last", "u"),
        node("Equal", "u all", "o"),
        node("Cast", "o", "hot", to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["hot", "w"], ["b"], name="hot"),
        helper.make_node("Add", ["b", "bias"], ["c"], name="bias"),
        node("Tanh", "c", "t"),
        helper.make_node("Add", ["a", "t"], ["y"], name="both"),
    ]
    model = floats(nodes, (2, 3), "y", w=rng.standard_normal((7, 5)), bias=rng.standard_normal(5))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("i", TensorProto.INT32, (2, 3)))
    model.graph.initializer.append(numpy_helper.from_array(np.array([2]), "last"))
    model.graph.initializer.append(numpy_helper.from_array(np.arange(7, dtype=np.int32), "all"))
    draw = lambda: rng.integers(0, 7, (2, 3))  # noqa: E731
    net = close(model, [draw() for _ in range(9)], [draw() for _ in range(9)], 1000)
    assert sorted(kinds(net)) == ["Add", "Gather", "Gather", "Tanh"] and net.indices == {"i"}
    q = next(n for n in net.graph.node if n.name == "c/round")
    shifts = [net.trace({"i": draw()})[name].exponent for name in (q.input[0], q.output[0])]
    assert shifts[0] == shifts[1]


def test_command_line(tmp_path, capsys):
    """What ``volery model quantise`` runs."""
    from volery.onnx.__main__ import main

    network, calibration, out = (str(tmp_path / name) for name in ("net.onnx", "samples.npz", "net.q.onnx"))
    model = floats([node("Gemm", "x w", "h"), node("Relu", "h", "y")], (1, 4), "y", w=np.eye(4)[::-1] * 0.5)
    onnx.save(model, network)
    np.savez(calibration, x=np.concatenate(samples((1, 4), 12)))
    typed = ["quantise", network, "--calibrate", calibration, "--out", out]
    assert main(typed) == 0
    said = capsys.readouterr().out
    assert "labels       equal in 12 of 12, on the samples of calibration" in said and "room " in said
    net = volery.onnx.Network(out)
    assert list(net.inputs) == ["x"] and sorted(path.name for path in tmp_path.iterdir()) == [
        "net.onnx", "net.q.onnx", "samples.npz"
    ]  # fmt: skip
    assert main([*typed, "--force", "--test", calibration, "--room", "8", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["weights"], report["accuracy"]["held_out"]) == (16, True)
    assert 8 <= report["accuracy"]["room_left"] < 16 and report["accuracy"]["first_overflow"] is None
    assert volery.onnx.Network(out).inputs["x"][1] == net.inputs["x"][1] - 1
    absent = ["quantise", network, "--calibrate", "absent.npz", "--out", str(tmp_path / "new")]
    none = ["architecture", "lenet", "--out", str(tmp_path / "new")]
    for arguments, words in [
        (typed, "give --force to replace it"),
        ([*typed, "--force", "--room", "x"], "argument --room: invalid float value: 'x'"),
        ([*typed, "--force", "--bits", "7"], "bits= is from 8 to 16"),
        (absent, "absent.npz"),
        (none, "no architecture 'lenet': there are lenet5, resnet18"),
        (["quantise", out, *typed[2:], "--force"], "quantised already"),
    ]:
        assert main([*arguments, "--json"]) == 2
        told = capsys.readouterr()
        assert words in told.err and told.err.startswith("volery: ") and told.err.count("\n") == 1
        assert words in json.loads(told.out)["error"]


@pytest.mark.parametrize("name, weights", [("lenet5", 61706), ("bert-tiny", 25408)])
def test_architectures(tmp_path, capsys, name, weights):
    """Networks with random weights, whose values keep their size, and an input for each."""
    from volery.onnx.__main__ import main

    out, given = str(tmp_path / "net.q.onnx"), str(tmp_path / "x.npy")
    assert main(["architecture", name, "--out", out, "--input", given, "--seed", "3", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["weights"] == weights and report["accuracy"]["held_out"]
    assert report["accuracy"]["overflows"] == 0 and report["accuracy"]["labels_equal"] == 1
    net, x = volery.onnx.Network(out), np.load(given)
    (y,) = net.run({"x": x}).values()
    assert 2**9 < np.abs(y).max() < 2**15
    # The seed decides, on weights and on the input.
    model = volery.onnx.architectures.model(name, 3)
    assert model == volery.onnx.architectures.model(name, 3) != volery.onnx.architectures.model(name, 4)
    assert np.array_equal(x, volery.onnx.architectures.samples(name, 4, 3)[-1])
