"""Money: a price table in a file, and a budget that calls are booked against before they are made."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from chunking.errors import ConfigError
from eval.complaints import complaint

BUNDLED = Path(__file__).with_name("prices.yaml")


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class _Table(RootModel[dict[str, Price]]):
    pass


@dataclass(frozen=True)
class Prices:
    table: Mapping[str, Price]

    def cost(self, model: str | None, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Dollars, 0 where no token was used, None for a model without a price."""
        if not prompt_tokens and not completion_tokens:
            return 0.0
        price = self.of(model)
        return None if price is None else (prompt_tokens * price.input + completion_tokens * price.output) / 1e6

    def of(self, model: str | None) -> Price | None:
        """Price of the longest entry that the model's name, with or without its provider, is or begins with."""
        full = model or ""
        for name in (full, full.split(":", 1)[-1], full.rsplit("/", 1)[-1]):
            entries = [entry for entry in self.table if name == entry or name.startswith(f"{entry}-")]
            if entries:
                return self.table[max(entries, key=len)]
        return self.table.get("*")


def load_prices(path: str | Path | None = None) -> Prices:
    """The table at `path`, else at CRAG_PRICES, else the bundled one. Raises ConfigError."""
    file = Path(path or os.environ.get("CRAG_PRICES") or BUNDLED)
    try:
        return Prices(_Table.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")) or {}).root)
    except OSError as error:
        raise ConfigError(f"The price table {file} cannot be read ({error.strerror}); correct --prices.") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"The price table {file} is not YAML: {error}.") from None
    except ValidationError as error:
        told = complaint(error, lambda _: list(Price.model_fields))
        raise ConfigError(f"The price table {file}, {told}") from None


def require_price(prices: Prices, model: str) -> None:
    """Raises ConfigError where money is limited and the model has no price."""
    if prices.of(model) is None:
        raise ConfigError(f"--max-cost needs a price for {model}: add it to a table and name that with --prices.")


class BudgetSpentError(Exception):
    """The next call could exceed the limit. A value of the run, not a failure: it stops and can be resumed."""


@dataclass
class Budget:
    """Never exceeds `limit` (dollars; None: no limit): what a call may cost at most is booked until it is settled.

    A call that finds the rest booked waits for those calls to settle before it gives up.
    """

    limit: float | None = None
    spent: float = 0.0
    _booked: list[float] = field(default_factory=list)
    """What each call in progress may cost. Not a sum: rounding would leave it a hair above zero."""
    _settled: asyncio.Condition = field(default_factory=asyncio.Condition)

    @asynccontextmanager
    async def booked(self, most: Callable[[], float]) -> AsyncIterator[None]:
        """Run one call that may cost `most()`, which is asked again while the call waits for others to settle.

        Report the real cost with `spend` inside. Raises BudgetSpentError.
        """
        if self.limit is None:
            yield
            return
        async with self._settled:
            await self._settled.wait_for(lambda: self._fits(most()) or not self._booked)
            booked = most()
            if not self._fits(booked):
                raise BudgetSpentError
            self._booked.append(booked)
        try:
            yield
        finally:
            async with self._settled:
                self._booked.remove(booked)
                self._settled.notify_all()

    @property
    def rest(self) -> float:
        """All that is left."""
        return 0.0 if self.limit is None else max(0.0, self.limit - self.spent)

    def spend(self, cost: float) -> None:
        self.spent += cost

    def _fits(self, most: float) -> bool:
        # At a limit of 0 free calls still run.
        return self.limit is not None and self.spent + sum(self._booked) + most <= self.limit
