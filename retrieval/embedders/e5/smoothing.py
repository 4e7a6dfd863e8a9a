"""Scales that make int8 keep the vectors: SmoothQuant (Xiao et al., ICML 2023, equation 4), at build time.

A few inputs of each linear layer are ten to fifty times larger than the rest, and activations share one scale.
Dividing input j by ``max|x_j|^a / max|w_j|^(1-a)`` and multiplying its weights by the same leaves the product as it
is and evens out the inputs. Cosine to fp32 rises from .997 to .999.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from retrieval.embedders.e5.graph import linear_layers, write_probe
from retrieval.embedders.e5.weights import Floats, Weights

_STRENGTH = 0.65
"""The exponent a. Best of .5, .65, .75 and .9 by the cosine to fp32 on passages and sentences of both languages."""

TEXTS = (
    "query: 什么是校正检索增强生成?",
    "query: how does a reranker differ from an embedder",
    "query: 2023年的营业收入是多少",
    "passage: 系统先检索相关段落,再给每个段落打分;分数太低时,它会改写问题或者求助于网络搜索,最后只根据留下的证据回答。",
    "passage: A good answer quotes its sources. When nothing in the documents supports it, the honest reply is that "
    "the question cannot be answered from them, and no sentence should pretend otherwise.",
    "passage: 长江全长约6,300公里,发源于青藏高原,流经十一个省、自治区和直辖市,在上海注入东海。沿岸有重庆、武汉和南京。",
    "passage: In 1896 the engineer moved to Vienna, where she married, taught at the university (until 1914) and wrote "
    "three books about bridges; the second one, published in 1903, sold 12,500 copies.",
    "passage: | port | default |\n|---|---|\n| email_smtp_port | 587 |\n\n```yaml\nretry: {max: 3, delay_ms: 250}\n```",
    "passage: 「這座橋是誰設計的?」老人笑著回答:「沒有人知道,圖紙早就燒掉了。」",
    "passage: def area(radius): return 3.14159 * radius ** 2  # square metres",
    "passage: 他说:“不。”",
    "passage: Yes.",
)
"""What inputs look like: both languages, prose, numbers, tables, code, long and short."""


def smoothing(weights: Weights, ids: Sequence[Sequence[int]]) -> dict[str, Floats]:
    """Scale of each input of each linear layer, from running token ids through the fp32 graph.

    Scales are rounded to powers of two: exact to apply, and the same on every machine.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    with TemporaryDirectory() as folder:
        path = Path(folder) / "probe.onnx"
        write_probe(weights, path)
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        runs = [session.run(None, {"ids": np.array([row], np.int64)}) for row in ids]
        del session
    steps = {}
    for (name, (matrix, _)), *maxima in zip(linear_layers(weights).items(), *runs, strict=True):
        inputs = np.maximum(np.max(maxima, axis=0), 1e-5)
        weight = np.maximum(np.abs(matrix).max(axis=1), 1e-5)
        exponent = np.log2(inputs) * _STRENGTH - np.log2(weight) * (1 - _STRENGTH)
        steps[name] = np.exp2(np.clip(np.rint(exponent - exponent.mean()), -6, 6)).astype(np.float32)
    return steps
