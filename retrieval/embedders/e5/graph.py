"""The encoder as an onnx graph of fused operators: token ids of one text in, its mean hidden state out.

One text a run, on purpose: without padding there is no attention mask (which switches onnxruntime to a slower
attention), and int8's activation scale is the text's own, so that a vector never depends on its batch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.embedders.e5.weights import BLOCK, Weights

BUILDER_VERSION = 1
_CONTRIB = "com.microsoft"


class _Builder:
    """Collects nodes and initializers; every method returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []

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


def write_graph(weights: Weights, precision: str, path: Path) -> None:
    """Write `path` and, beside it, `path`.data, which onnxruntime maps instead of reading.

    Input ``ids`` int64 (1, length), output ``mean`` float32 (1, hidden). `precision` fp32 keeps the decoded
    weights, int8 quantises them by column (symmetric) and the activations per text.
    """
    import onnx
    from onnx import TensorProto, helper

    b = _Builder()
    matmul = {"fp32": _matmul_fp32, "int8": _matmul_int8}[precision]
    x = _embedding(b, weights)
    for layer in range(weights.shape.layers):
        x = _layer(b, weights, f"l{layer}", x, matmul)
    axis = b.constant("token_axis", np.array([1], np.int64))
    b.nodes.append(helper.make_node("ReduceMean", [x, axis], ["mean"], keepdims=0))
    graph = helper.make_graph(
        b.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "length"])],
        [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, weights.shape.hidden])],
        b.initializers,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_CONTRIB, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.save_model(model, str(path), save_as_external_data=True, location=f"{path.name}.data", size_threshold=1024)


def _embedding(b: _Builder, weights: Weights) -> str:
    """Word vectors stay in their 4-bit blocks (54 MB, not 384) and are decoded as they are looked up."""
    from onnx import TensorProto, helper

    shape = weights.shape
    nibbles, scales = weights.blocks("emb.word", shape.hidden)
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
    places = weights.vector("emb.pos").reshape(shape.positions, shape.hidden)
    kind = weights.vector("emb.type").reshape(shape.token_types, shape.hidden)[0]
    first = b.constant("first", np.array([0], np.int64))
    length = b.node("Shape", ["ids"], start=1, end=2)
    position = b.node("Slice", [b.constant("position", places + kind), first, length, first])
    gain, bias = (b.constant(f"emb.ln.{k}", weights.vector(f"emb.ln.{k}")) for k in "wb")
    summed = b.node("Add", [words, position])
    return str(b.node("LayerNormalization", [summed, gain, bias], epsilon=shape.epsilon, axis=-1))


def _layer(b: _Builder, weights: Weights, layer: str, x: str, matmul: Any) -> str:
    shape = weights.shape

    def vector(name: str) -> str:
        return b.constant(f"{layer}.{name}", weights.vector(f"{layer}.{name}"))

    def normed(residual: str, update: str, norm: str, bias: str) -> str:
        inputs = [residual, update, vector(f"{norm}.w"), vector(f"{norm}.b"), vector(bias)]
        return b.fused("SkipLayerNormalization", inputs, epsilon=shape.epsilon)

    joined = np.concatenate([weights.matrix(f"{layer}.{k}.w", shape.hidden) for k in "qkv"], axis=1)
    biases = b.constant(f"{layer}.qkv.b", np.concatenate([weights.vector(f"{layer}.{k}.b") for k in "qkv"]))
    parts = b.node("Split", [matmul(b, f"{layer}.qkv", x, joined)], outputs=3, axis=2, num_outputs=3)
    attention = b.fused("MultiHeadAttention", [*parts, biases], num_heads=shape.heads)
    output = matmul(b, f"{layer}.ao", attention, weights.matrix(f"{layer}.ao.w", shape.hidden))
    x = normed(x, output, "aln", "ao.b")
    inner = matmul(b, f"{layer}.fi", x, weights.matrix(f"{layer}.fi.w", shape.hidden))
    inner = b.fused("BiasGelu", [inner, vector("fi.b")])
    outer = matmul(b, f"{layer}.fo", inner, weights.matrix(f"{layer}.fo.w", shape.feed_forward))
    return normed(x, outer, "oln", "fo.b")


def _matmul_fp32(b: _Builder, name: str, x: str, matrix: NDArray[np.float32]) -> str:
    return str(b.node("MatMul", [x, b.constant(f"{name}.w", matrix)]))


def _matmul_int8(b: _Builder, name: str, x: str, matrix: NDArray[np.float32]) -> str:
    scale = (np.abs(matrix).max(axis=0) / 127).astype(np.float32)
    quantised = np.rint(matrix / scale).astype(np.int8)
    zero = np.zeros(len(scale), np.int8)
    constants = [b.constant(f"{name}.{k}", v) for k, v in (("w", quantised), ("scale", scale), ("zero", zero))]
    return b.fused("DynamicQuantizeMatMul", [x, *constants])
