"""Sampling rules that are wrong, put into the real loop on purpose. A test that does not reject each is no test.

no residual               after a rejection the token is drawn from p, not from what q leaves of it
every draft kept          drafts are kept without asking
argmax in place of draw   the likeliest token is emitted where one should be drawn
0.05 of total variation   now and then another token takes the place of what the rule says, so often that the first
                          token's law is wrong by exactly 0.05: the size of fault that a quick plan is made to see
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine import accept
from engine.accept import Decision, Proposal
from engine.lab.faults import swapped
from engine.lab.laws import Node, own_token

PLANTED_TV = 0.05


@dataclass(frozen=True, slots=True)
class WrongRule:
    name: str
    about: str
    inject: Callable[[Node], contextlib.AbstractContextManager[None]]
    """Given p and q at the place."""
    subtle: bool = False
    """Needs all the draws that the plan has."""


def _no_residual(_: Node) -> contextlib.AbstractContextManager[None]:
    def residuals(p: mx.array, _: Proposal) -> mx.array:
        return p

    return swapped(accept, "residuals", residuals)


def _keeps_all(_: Node) -> contextlib.AbstractContextManager[None]:
    def kept(draft_p: mx.array, *_: mx.array) -> mx.array:
        return draft_p == draft_p

    return swapped(accept, "kept", kept)


def _argmax(_: Node) -> contextlib.AbstractContextManager[None]:
    real = accept.accept_sampled

    def rule(p: mx.array, proposal: Proposal, uniforms: mx.array, noise: mx.array) -> Decision:
        return real(p, proposal, uniforms, mx.zeros_like(noise))

    return swapped(accept, "accept_sampled", rule)


def planted(node: Node, tv: float = PLANTED_TV, seed: int = 0) -> contextlib.AbstractContextManager[None]:
    """With probability e = tv / (1 - p(t)) a token t is emitted in place of everything else: the first token's law is
    then (1 - e) p + e t, and lies e (1 - p(t)) = tv from p. t is a token that may be a correction here, not the
    likeliest: nothing but how often it comes is wrong.
    """
    real = accept.accept_sampled
    token = int(np.argsort(-own_token(node))[1])
    often = tv / (1 - float(node.p[token]))
    rng = np.random.default_rng(seed)

    def rule(rows: mx.array, proposal: Proposal, uniforms: mx.array, noise: mx.array) -> Decision:
        decision = real(rows, proposal, uniforms, noise)
        if rng.random() < often:
            decision.accepted, decision.next_token = mx.array(0), mx.array(token)
        return decision

    return swapped(accept, "accept_sampled", rule)


WRONG_RULES: tuple[WrongRule, ...] = (
    WrongRule("no residual", "after a rejection the token is drawn from p itself", _no_residual),
    WrongRule("every draft kept", "drafts are kept without asking p", _keeps_all),
    WrongRule("argmax in place of a draw", "the likeliest token is emitted", _argmax),
    WrongRule("0.05 of total variation", "the first token's law is wrong by 0.05", planted, subtle=True),
)
