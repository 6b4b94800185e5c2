"""The report of `make demo`: one HTML file that explains what was made, with boards, games to step through and charts.

It refers to nothing outside itself, follows the reader's light or dark setting and fits a phone.
"""

from zeroply.demo_report.boards import board, stepper
from zeroply.demo_report.charts import Curve, Rated, line_chart, rating_chart
from zeroply.demo_report.page import DemoReport

__all__ = ["Curve", "DemoReport", "Rated", "board", "line_chart", "rating_chart", "stepper"]
