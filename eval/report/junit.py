"""Gates as JUnit XML, so that a CI server lists each of them as a test."""

from __future__ import annotations

from xml.etree import ElementTree

from eval.gate_report import GateReport
from eval.report.printable import printable


def render_junit(gates: GateReport) -> str:
    """`failed` gates are failures, invalid and unjudged ones errors; undecided ones are skipped unless they fail."""
    undecided = "failure" if gates.inconclusive == "fail" else "skipped"
    title = f"crag gates: {gates.run}" + (f" against {gates.base}" if gates.base else "")
    elements = {"failed": "failure", "invalid": "error", "unjudged": "error", "inconclusive": undecided}
    kinds = [elements.get(result.status) for result in gates.results]
    suite = ElementTree.Element(
        "testsuite",
        name=printable(title),
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
    )
    for result, kind in zip(gates.results, kinds, strict=True):
        case = ElementTree.SubElement(suite, "testcase", classname="gates", name=printable(result.name))
        if kind is None:
            ElementTree.SubElement(case, "system-out").text = printable(result.message)
        else:
            ElementTree.SubElement(case, kind, message=printable(result.message), type=result.status)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
