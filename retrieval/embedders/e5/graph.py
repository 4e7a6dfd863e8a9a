"""The encoder as an onnx graph: token ids of one text in, its tokens' hidden states at two depths and their mean out.

One text a run, on purpose: without padding there is no attention mask (which switches onnxruntime to a slower
attention), and int8's activation scale is the text's own, so that a vector never depends on its batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.embedders.e5.weights import BLOCK, Floats, Weights

BUILDER_VERSION = 3
"""Raised where vectors change."""
LAYOUT = 3
"""Raised where the files change and vectors do not: a cache of vectors and an index outlive it."""
MIDDLE = 6
"""Layers below the output ``middle``, whose states tell words apart that the last ones blend, made for their mean."""
_CONTRIB = "com.microsoft"


class _Builder:
    """Collects nodes and initializers; every method returns the name of its output.

    `steps` quantises each linear layer to int8 with the given input scales; without it they stay fp32.
    """

    def __init__(self, weights: Weights, steps: Mapping[str, Floats] | None) -> None:
        self.weights = weights
        self.shape = weights.shape
        self.steps = steps
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.linear_inputs: dict[str, str] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], *, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        from onnx import helper

        names = [f"{operator}.{len(self.nodes)}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def fused(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        return str(self.node(operator, inputs, domain=_CONTRIB, **attributes))

    def result(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> None:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))

    def vector(self, name: str) -> str:
        return self.constant(name, self.weights.vector(name))

    def linear(self, name: str, x: str, matrix: Floats, bias: Floats) -> str:
        self.linear_inputs[name] = x
        if self.steps is None:
            product = self.node("MatMul", [x, self.constant(f"{name}.w", matrix)])
            return str(self.node("Add", [product, self.constant(f"{name}.b", bias)]))
        # x / step times step * matrix: steps that are high where x has outliers even out what x's one scale must span.
        step = self.steps[name]
        x = self.node("Mul", [x, self.constant(f"{name}.even", 1 / step)])
        matrix = matrix * step[:, None]
        scale = (np.abs(matrix).max(axis=0) / 127).astype(np.float32)
        parts = {"w": np.rint(matrix / scale).astype(np.int8), "scale": scale, "zero": np.zeros(len(scale), np.int8)}
        constants = [self.constant(f"{name}.{part}", value) for part, value in parts.items()]
        return self.fused("DynamicQuantizeMatMul", [x, *constants, self.constant(f"{name}.b", bias)])

    def norm(self, name: str, x: str) -> str:
        """Layer normalisation. InstanceNormalization with tokens as channels is the same arithmetic, and five times
        as fast as onnxruntime's LayerNormalization, whose sums are not vectorised."""
        x = self.node("InstanceNormalization", [x, "ones", "zeros"], epsilon=self.shape.epsilon)
        return str(self.node("Add", [self.node("Mul", [x, self.vector(f"{name}.w")]), self.vector(f"{name}.b")]))


def write_graph(weights: Weights, path: Path, *, steps: Mapping[str, Floats] | None = None) -> None:
    """Write `path` and, beside it, `path`.data, which onnxruntime maps instead of reading.

    Input ``ids`` int64 (1, length), outputs ``mean`` float32 (1, hidden), ``states`` float32 (1, length, hidden) and,
    of the same shape, ``middle``.
    Without `steps` the weights are the decoded ones in fp32; with them (see `smoothing`) weights are int8 by column
    and activations int8 by text.
    """
    _save(_encoder(weights, steps), ["mean", "states", "middle"], path)


def write_probe(weights: Weights, path: Path) -> None:
    """The fp32 graph with one output for each linear layer, of its name: the largest magnitude of each input."""
    b = _encoder(weights, None)
    axes = b.constant("probe_axes", np.array([0, 1], np.int64))
    for name, x in b.linear_inputs.items():
        b.result("ReduceMax", [b.node("Abs", [x]), axes], name, keepdims=0)
    _save(b, list(b.linear_inputs), path)


def linear_layers(weights: Weights) -> dict[str, tuple[Floats, Floats]]:
    """Matrix (inputs, outputs) and bias of each linear layer, query, key and value joined."""
    hidden, inner = weights.shape.hidden, weights.shape.feed_forward
    layers = {}
    for n in range(weights.shape.layers):
        joined = [weights.matrix(f"l{n}.{k}.w", hidden) for k in "qkv"]
        bias = np.concatenate([weights.vector(f"l{n}.{k}.b") for k in "qkv"])
        layers[f"l{n}.qkv"] = (np.concatenate(joined, axis=1), bias)
        for name, width in (("ao", hidden), ("fi", hidden), ("fo", inner)):
            layers[f"l{n}.{name}"] = (weights.matrix(f"l{n}.{name}.w", width), weights.vector(f"l{n}.{name}.b"))
    return layers


def _encoder(weights: Weights, steps: Mapping[str, Floats] | None) -> _Builder:
    b = _Builder(weights, steps)
    x = _embedding(b)
    layers = linear_layers(weights)
    for n in range(weights.shape.layers):
        parts = b.node("Split", [b.linear(f"l{n}.qkv", x, *layers[f"l{n}.qkv"])], outputs=3, axis=2, num_outputs=3)
        attention = b.fused("MultiHeadAttention", parts, num_heads=weights.shape.heads)
        update = b.linear(f"l{n}.ao", attention, *layers[f"l{n}.ao"])
        x = b.norm(f"l{n}.aln", b.node("Add", [x, update]))
        inner = b.fused("Gelu", [b.linear(f"l{n}.fi", x, *layers[f"l{n}.fi"])])
        update = b.linear(f"l{n}.fo", inner, *layers[f"l{n}.fo"])
        x = b.norm(f"l{n}.oln", b.node("Add", [x, update]))
        if n + 1 == MIDDLE:
            b.result("Identity", [x], "middle")
    b.result("Identity", [x], "states")
    b.result("ReduceMean", [x, b.constant("token_axis", np.array([1], np.int64))], "mean", keepdims=0)
    return b


def _embedding(b: _Builder) -> str:
    """Word vectors stay in their 4-bit blocks (54 MB, not 384) and are decoded as they are looked up."""
    from onnx import TensorProto, helper

    shape = b.shape
    nibbles, scales = b.weights.blocks("emb.word", shape.hidden)
    signed = (nibbles ^ 8) & 15  # the operator's int4 is two's complement, stored low nibble first
    packed = (signed[:, 0::2] | (signed[:, 1::2] << 4)).tobytes()
    b.initializers.append(helper.make_tensor("word", TensorProto.INT4, [len(nibbles), shape.hidden], packed, raw=True))
    words = b.fused(
        "GatherBlockQuantized",
        ["word", "ids", b.constant("word.scale", scales)],
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )
    places = b.weights.vector("emb.pos").reshape(shape.positions, shape.hidden)
    kind = b.weights.vector("emb.type").reshape(shape.token_types, shape.hidden)[0]
    first = b.constant("first", np.array([0], np.int64))
    length = b.node("Shape", ["ids"], start=1, end=2)
    for name, value in (("ones", 1), ("zeros", 0)):
        longest = b.constant(f"{name}.longest", np.full(shape.positions, value, np.float32))
        b.result("Slice", [longest, first, length, first], name)
    position = b.node("Slice", [b.constant("position", places + kind), first, length, first])
    return b.norm("emb.ln", b.node("Add", [words, position]))


def _save(b: _Builder, outputs: list[str], path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        b.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "length"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        b.initializers,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_CONTRIB, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.save_model(model, str(path), save_as_external_data=True, location=f"{path.name}.data", size_threshold=1024)
