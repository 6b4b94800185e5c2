"""Search: evaluations, alpha-beta and exact endings. A new evaluation is a function and a line below."""

from zeroply.registry import Registry
from zeroply.search.evaluation import Evaluation, Limit, Memory, Mode, SearchResult

__all__ = ["EVALUATIONS", "Evaluation", "Limit", "Memory", "Mode", "SearchResult"]

EVALUATIONS: Registry[Evaluation] = Registry("evaluation", context=("game",), group="evaluations")
for _name in (
    "pieces",
    "positional",
    "mobility",
    "wpc",
    "ntuple",
    "pattern",
    "iagno",
    "lines",
    "liberties",
    "distance",
    "net",
):
    EVALUATIONS.lazy(_name, f"zeroply.search.evaluations:{_name}")
