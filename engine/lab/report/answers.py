"""The five questions, answered in conditional sentences that are made of the numbers.

Pure: ``Facts`` in, ``Answer`` out, in the language of ``t``. A sentence is said only where its figures are there; where
they are missing the answer says that it wasn't tested. A speedup whose interval holds 1 is never called a gain.
"""

from __future__ import annotations

from engine.lab.report.answer import Answer
from engine.lab.report.facts import Facts
from engine.lab.report.gain import limits, source
from engine.lab.report.price import cost, seen
from engine.lab.report.right import lossless
from engine.trace.export.words import Translate


def answers(facts: Facts, t: Translate) -> tuple[Answer, ...]:
    return (lossless(facts, t), source(facts, t), limits(facts, t), cost(facts, t), seen(facts, t))
