"""Comparisons for people and machines.

    render_html(comparison, *, sweep=None, gates=()) -> str    one self-contained offline page
    render_markdown(comparison, *, gates=()) -> str            a summary for a pull request
    render_invalid(gates) -> str                                 the same where the runs cannot be compared
    render_junit(gates) -> str                                   JUnit XML of `eval.gates.GateReport`

Nothing here decides anything: every figure comes from `eval.compare`, `eval.sweep` and `eval.gates`.
"""

from __future__ import annotations

from eval.report.html import render_html
from eval.report.junit import render_junit
from eval.report.markdown import render_invalid, render_markdown

__all__ = ["render_html", "render_invalid", "render_junit", "render_markdown"]
