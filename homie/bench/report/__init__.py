"""`homie report`: one HTML page of one or several runs, and a recording of an episode for the Rerun viewer."""

from homie.bench.report.page import MEBIBYTE, Report, report

__all__ = ["MEBIBYTE", "Report", "report"]
