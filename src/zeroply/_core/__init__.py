"""The native core, at the best instruction-set level this processor has.

The C++ sources in `core/` are compiled once per level (baseline, v3 with AVX2, v4 with AVX-512). This module loads the
level that `zeroply.levels` chooses and re-exports its names.
"""

import importlib

from zeroply import levels

_module = importlib.import_module(f"zeroply._core.core_{levels.chosen()}")
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("_")})
