"""Traces for other programs and for people. Each export is a pure function; the caller writes the file."""

from __future__ import annotations

from engine.trace.export.csv import to_csv
from engine.trace.export.html import to_html
from engine.trace.export.markdown import to_markdown
from engine.trace.export.perfetto import to_perfetto

__all__ = ["to_csv", "to_html", "to_markdown", "to_perfetto"]
