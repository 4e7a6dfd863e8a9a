"""Tiny model folders with random weights, made by the test: real files for the real loaders of FlagEmbedding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789.,:?!-"]
_CHARACTERS = "什么是检索增强生成的重排模型如何打分火山喷发岩浆北京中国首都为这个句子表示以用于相关文章："


def tiny_encoder(folder: Path) -> Path:
    """A BERT of two layers and 32 dimensions that reads 64 tokens."""
    from transformers import BertModel

    return _save(folder, BertModel, hidden_size=32)


def tiny_cross_encoder(folder: Path) -> Path:
    from transformers import BertForSequenceClassification

    return _save(folder, BertForSequenceClassification, hidden_size=32, num_labels=1)


def _save(folder: Path, model_class: Any, **sizes: int) -> Path:
    import torch
    from transformers import BertConfig, BertTokenizerFast

    folder.mkdir(parents=True)
    letters = [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]
    vocabulary = [*_WORDS, *letters, *dict.fromkeys(_CHARACTERS)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary),
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
        **sizes,
    )
    model_class(config).save_pretrained(folder)
    return folder
