"""The cases of onnx itself, one node each: quantised by their own input, and close to their output, or refused."""

import warnings
from importlib.resources import files

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="takes the extra onnx")
pytest.importorskip("onnxruntime", reason="takes the extra onnx")

import onnx.backend.test.data  # noqa: E402
import volery.onnx  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402
from volery._errors import Invalid  # noqa: E402

# Functions so steep, or of so wide a range, that 16 bits are not enough for a part in 500.
STEEP = {
    "test_log",
    "test_tan",
    "test_logsoftmax_large_number_expanded",
    "test_logsoftmax_large_number_expanded_ver18",
}


def floats(case):
    """The case as a network of its first input of floats, or of its first two for operators of two tensors."""
    model, (inputs, outputs) = onnx.ModelProto(), case.data_sets[0]
    model.CopyFrom(case.model)
    names = [value.name for value in case.model.graph.input]
    arrays = all(isinstance(value, np.ndarray) for value in [*inputs, *outputs])
    if not arrays or not outputs or outputs[0].dtype != np.float32 or len(inputs) != len(names):
        return None
    varying = [i for i, value in enumerate(inputs) if value.dtype == np.float32 and value.size]
    both = {"Add", "Sub", "Mul", "Div", "Max", "Concat", "MatMul", "Sum"}
    varying = varying[: 1 + bool(both.intersection(node.op_type for node in model.graph.node))]
    if not varying:
        return None
    del model.graph.input[:]
    for i, (name, value) in enumerate(zip(names, inputs)):
        if i in varying:
            model.graph.input.append(case.model.graph.input[i])
        else:
            model.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    return model, {names[i]: inputs[i] for i in varying}, outputs


@pytest.mark.onnx_long
def test_conformance():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    close, refused, far = 0, 0, set()
    for case in cases:
        if (made := floats(case)) is None:
            continue
        model, sample, outputs = made
        try:
            net = volery.onnx.quantise(model, [sample])
        except Invalid:
            refused += 1
            continue
        tensors = net.trace(sample)
        for expected, name in zip(outputs, net.outputs):
            # Another name is that of the tensor before a softmax.
            if name in [output.name for output in case.model.graph.output]:
                ours = np.ldexp(tensors[name].integers.astype(float), -tensors[name].exponent)
                assert ours.shape == expected.shape, case.name
                if np.abs(ours - expected).max() > np.abs(expected).max() / 500:
                    far.add(case.name)
        close += 1
    assert far <= STEEP
    # Of onnx 1.23: the first may only grow, and the second shrink.
    assert close >= CLOSE and refused <= REFUSED, (close, refused)


CLOSE, REFUSED = 685, 358


# The architectures of the package, with weights of one value: roundings, lookups and maxima of a query.
ARCHITECTURES = {
    "bvlc_alexnet": (1515624, 1514624, 110976),
    "densenet121": (36567784, 15667456, 200704),
    "inception_v1": (5620376, 4368832, 1261072),
    "inception_v2": (5256392, 3724000, 492352),
    "resnet50": (9611752, 9608704, 200704),
    "shufflenet": (3447224, 2544864, 75264),
    "squeezenet": (3164176, 2589352, 330176),
    "vgg19": (14861288, 14860288, 1530368),
    "zfnet512": (4129032, 4128032, 335232),
}


@pytest.mark.onnx_long
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_architectures(name):
    path = files(onnx.backend.test.data) / "light" / f"light_{name}.onnx"
    model = onnx.load(str(path))
    weights = {weight.name for weight in model.graph.initializer}
    [given] = [value for value in model.graph.input if value.name not in weights]
    shape = [dimension.dim_value or 1 for dimension in given.type.tensor_type.shape.dim]
    sample = np.random.default_rng(0).standard_normal(shape).astype("f4")
    total = volery.onnx.quantise(str(path), {given.name: sample}).info()["total"]
    assert (total["roundings"], total["lookups"], total["maxima"]) == ARCHITECTURES[name]
