"""Run the benchmarks: ``python -m tests.bench [NAME ...]``, all without names. One is a module here with `main`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.bench


def main(names: list[str]) -> int:
    known = sorted(module.name for module in pkgutil.iter_modules(tests.bench.__path__) if module.name != "__main__")
    if unknown := [name for name in names if name not in known]:
        print(f"no benchmark {', '.join(unknown)}: choose among {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        print(f"== {name}", flush=True)
        importlib.import_module(f"tests.bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
