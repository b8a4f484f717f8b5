"""Files that are quantised already: their integers are kept, and rounded as they are, but for ties."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="takes the extra onnx")
pytest.importorskip("onnxruntime", reason="takes the extra onnx")

import volery.onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static  # noqa: E402
from volery._errors import Invalid  # noqa: E402
from volery.onnx._file import session_of  # noqa: E402


def model(nodes, shape, output, opset=17, domains=(), **constants):
    graph = helper.make_graph(
        nodes,
        "floats",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *opsets], ir_version=8)


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], name=f"{output}/{op}", **attributes)


def images(shape, count, seed=3):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(count)]


def network():
    """Convolutions by channel, a depthwise one, relus, a residual, a gate, a mean, and a softmax at the end."""
    rng, shape = np.random.default_rng(5), (1, 3, 8, 8)
    w = lambda *s: (rng.standard_normal(s) * np.sqrt(2 / np.prod(s[1:]))).astype(np.float32)  # noqa: E731
    nodes = [
        node("Conv", "x w1 b1", "c1", pads=[1, 1, 1, 1]),
        node("Relu", "c1", "r1"),
        node("Conv", "r1 w2 b2", "c2", pads=[1, 1, 1, 1], group=8),
        node("Add", "c2 r1", "s"),
        node("Relu", "s", "r2"),
        node("MaxPool", "r2", "m", kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", "m", "p"),
        node("Conv", "p w3", "c3"),
        node("Sigmoid", "c3", "g"),
        node("Mul", "m g", "h"),
        node("Conv", "h w4 b4", "c4"),
        node("GlobalAveragePool", "c4", "a"),
        node("Flatten", "a", "f"),
        node("MatMul", "f w5", "t"),
        node("Add", "t b5", "logits"),
        node("Softmax", "logits", "y"),
    ]
    constants = dict(w1=w(8, 3, 3, 3), b1=w(8, 1)[:, 0] / 4, w2=w(8, 1, 3, 3), b2=w(8, 1)[:, 0] / 4, w3=w(8, 8, 1, 1),
                     w4=w(16, 8, 1, 1), b4=w(16, 1)[:, 0] / 4, w5=w(16, 10), b5=w(10, 1)[:, 0] / 4)  # fmt: skip
    return model(nodes, shape, "y", **constants), shape


class Calibration(CalibrationDataReader):
    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        sample = next(self.samples, None)
        return None if sample is None else {"x": sample}


def quantised(tmp_path, **options):
    """The network, as onnxruntime's tool quantises it."""
    made, shape = network()
    onnx.save(made, tmp_path / "floats.onnx")
    paths = [tmp_path / "floats.onnx", tmp_path / "integers.onnx"]
    quantize_static(*paths, Calibration(images(shape, 20)), **options)
    return onnx.load(paths[1]), shape


def values(file, x):
    """All tensors of a file, as onnxruntime makes them one by one."""
    every = onnx.ModelProto()
    every.CopyFrom(file)
    names = [output for node in file.graph.node for output in node.output]
    del every.graph.output[:]
    every.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return dict(zip(names, session_of(every).run(None, {"x": x})))


@pytest.mark.parametrize(
    "kind, channels", [(QuantType.QUInt8, True), (QuantType.QInt8, False)], ids=["unsigned", "signed"]
)
def test_integers_are_those_of_the_file(tmp_path, kind, channels):
    """Each value of 8 bits, but for ties and what comes of them; weights as they are."""
    file, shape = quantised(tmp_path, activation_type=kind, weight_type=QuantType.QInt8, per_channel=channels)
    net = volery.onnx.quantise(file, images(shape, 20))
    assert [output.split("_")[0] for output in net.outputs] == ["logits"]
    stored = {t.name: numpy_helper.to_array(t) for t in file.graph.initializer}
    kept = [value.tobytes() for value in net.constants.values()]
    assert all(stored[f"w{i}_quantized"].tobytes() in kept for i in range(1, 6))
    counted = differ = 0
    for x in images(shape, 10, seed=4):
        # What the file has rounded already does not depend on the 16 bits of our input.
        theirs = values(file, values(file, x)["x_DequantizeLinear_Output"])
        ours = net.trace({"x": theirs["x_DequantizeLinear_Output"]})
        for made in file.graph.node:
            units = f"{made.output[0]}/units"
            if made.op_type == "QuantizeLinear" and units in ours:
                expected = theirs[made.output[0]].astype(int) - int(stored[made.input[2]])
                counted += expected.size
                differ += int((ours[units].integers != expected).sum())
    assert counted > 10000 and differ < 5
    found = volery.onnx.accuracy(net, images(shape, 40, seed=5))
    assert found.labels >= 39 and found.overflows == 0 and found.worst < found.largest / 50


def test_operators_of_integers(tmp_path):
    """The other way in which the tool writes the same."""
    file, shape = quantised(tmp_path, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                            quant_format=QuantFormat.QOperator, per_channel=True)  # fmt: skip
    assert {"QLinearConv", "QLinearAdd", "QLinearMul", "QLinearSigmoid"} <= {
        n.op_type for n in file.graph.node
    }
    net = volery.onnx.quantise(file, images(shape, 20))
    assert sum(value.dtype == np.int8 and value.size > 1 for value in net.constants.values()) == 5
    found = volery.onnx.accuracy(net, images(shape, 40, seed=5))
    assert found.labels >= 39 and found.worst < found.largest / 20


def test_16_bits_are_those_of_the_format(tmp_path):
    """Of activations with 16 bits only a relu is kept, which a zero at the end of them is."""
    file, shape = quantised(tmp_path, activation_type=QuantType.QUInt16, weight_type=QuantType.QInt8,
                            extra_options={"UseQDQContribOps": True})  # fmt: skip
    net = volery.onnx.quantise(file, images(shape, 20))
    assert sorted(name for name in net.constants if "table/" in name) == [
        "volery.table/Relu",
        "volery.table/Sigmoid",
    ]
    found = volery.onnx.accuracy(net, images(shape, 40, seed=5))
    assert found.labels == 40 and found.worst < found.largest / 200


def test_products_are_rounded_as_they_are(tmp_path):
    """QLinearMatMul of random scales and zeros, a scale for each column: equal, where half is not to be rounded."""
    rng, shape = np.random.default_rng(7), (40, 64)
    a, b = (rng.integers(0, 256, s).astype(np.uint8) for s in (shape, (64, 50)))
    constants = dict(sx=np.float32(1 / 128), zx=np.uint8(128), b=b, sb=rng.uniform(0.001, 0.1, 50).astype(np.float32),
                     zb=rng.integers(100, 150, 50).astype(np.uint8), sy=np.float32(0.731), zy=np.uint8(37))  # fmt: skip
    nodes = [
        node("QuantizeLinear", "x sx zx", "q"),
        node("QLinearMatMul", "q sx zx b sb zb sy zy", "p"),
        node("DequantizeLinear", "p sy zy", "y"),
    ]
    file, x = model(nodes, shape, "y", opset=21, **constants), (a.astype(np.float32) - 128) / 128
    net = volery.onnx.quantise(file, [x])
    ours = np.ldexp(net.run({"x": x})["y"].astype(float), -net.trace({"x": x})["y"].exponent)
    assert np.array_equal(np.rint(ours / constants["sy"]), values(file, x)["p"].astype(int) - 37)


@pytest.mark.parametrize(
    "nodes, says",
    [
        ([node("DynamicQuantizeLinear", "x", "q")], "'q/DynamicQuantizeLinear'.*dynamic quantisation"),
        (
            [node("Abs", "x", "a"), node("QuantizeLinear", "x s", "q")],
            "by channel are supported of constants",
        ),
        (
            [node("ReduceMax", "x", "t", keepdims=0), node("QuantizeLinear", "x t", "q")],
            "dynamic quantisation",
        ),
        ([node("QuantizeLinear", "x t", "q"), node("DequantizeLinear", "q t z", "d")], "with another zero"),
        ([node("QuantizeLinear", "x none", "q")], "a scale is not positive"),
    ],
)
def test_refused(nodes, says):
    if nodes[0].op_type == "DynamicQuantizeLinear":
        nodes[0].output.extend(["s", "z"])
        nodes = [*nodes, node("DequantizeLinear", "q s z", "y")]
        constants = {}
    else:
        last = nodes[-1].output[0]
        nodes = [*nodes, node("DequantizeLinear", "q t", "y") if last == "q" else node("Identity", "d", "y")]
        constants = dict(s=np.ones(4, np.float32), z=np.uint8(3), none=np.float32(0))
        if nodes[0].op_type != "ReduceMax":
            constants["t"] = np.float32(1)
    with pytest.raises(Invalid, match=says):
        volery.onnx.quantise(model(nodes, (2, 4), "y", **constants), images((2, 4), 1))
