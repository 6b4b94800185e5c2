"""The native core, at the best instruction-set level this processor has.

The C++ sources in `core/` are compiled once for each level (baseline, v3 with AVX2, v4 with AVX-512); this module
loads one of them and takes its names. `zeroply.levels` decides which.
"""

import importlib

from zeroply import levels

_module = importlib.import_module(f"zeroply._core.core_{levels.chosen()}")
globals().update({name: value for name, value in vars(_module).items() if not name.startswith("_")})
