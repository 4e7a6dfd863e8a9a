"""What came of gates: one `GateResult` each, and a `GateReport` for a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["passed", "failed", "inconclusive", "invalid", "unjudged"]

EXIT_CODES: Mapping[Status, int] = {"passed": 0, "failed": 1, "invalid": 3, "unjudged": 4, "inconclusive": 5}
SERIOUS: tuple[Status, ...] = ("invalid", "unjudged", "failed", "inconclusive")
"""The most serious first."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate's outcome; `message` gives the figure, the bar and the question ids where they matter."""

    name: str
    status: Status
    message: str
    value: float | None = None
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class GateReport:
    results: tuple[GateResult, ...]
    inconclusive: Literal["pass", "fail"]
    run: str
    base: str | None
    comparable: bool = True
    """False where no gate was looked at: `results` say why the runs cannot be used."""

    @property
    def exit_code(self) -> int:
        statuses = {result.status for result in self.results}
        for status in SERIOUS:
            if status in statuses and (status != "inconclusive" or self.inconclusive == "fail"):
                return EXIT_CODES[status]
        return 0

    @property
    def sentence(self) -> str:
        if not self.comparable:
            return f"Invalid: {' '.join(result.message for result in self.results)}"
        counts = {status: sum(r.status == status for r in self.results) for status in EXIT_CODES}
        total = len(self.results)
        if counts["passed"] == total:
            return f"{self.run} passes {'its gate' if total == 1 else f'all {total} gates'}."
        parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        if not self.exit_code:
            return (
                f"No gate failed for {self.run}: {parts} of {total}; what is undecided may pass (inconclusive: pass)."
            )
        return f"{self.run} does not pass its {'gate' if total == 1 else f'{total} gates'}: {parts}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "exit_code": self.exit_code,
            "sentence": self.sentence,
            "run": self.run,
            "base": self.base,
            "gates": [asdict(result) for result in self.results],
        }


def exit_code(reports: Iterable[GateReport]) -> int:
    """The most serious outcome of several candidates: 3, then 4, 1 and 5."""
    codes = {report.exit_code for report in reports}
    return next((EXIT_CODES[status] for status in SERIOUS if EXIT_CODES[status] in codes), 0)
