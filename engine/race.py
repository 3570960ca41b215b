"""Several arms on one prompt, in turn on one thread, event by event.

Arms go A B, B A, ... and the arm whose text is shortest goes next (``paced``): all write the same part of the text at
the same time, so heat and load that drift hit all alike, however many tokens an arm emits a round. Each has its own
caches and a clock that counts its own work only, so sharing the machine costs an arm nothing on paper. ``sequential``
runs one arm after the other instead: each shows the pace that it has by itself.

A race never raises for an arm's own fault: that arm ends with ``Failed``, the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import mlx.core as mx

from engine import decode
from engine.branches import check_target
from engine.chat import prompt_ids, render
from engine.drafters.base import Branching
from engine.models.errors import ModelError
from engine.process.protocol import Turn
from engine.sampling import Sampler
from engine.session import ArmState
from engine.text import TextStream
from engine.trace.events import Event, Failed, Finished, FinishReason, Round, Started
from engine.trace.limits import settings_problem
from engine.trace.of_round import own_s

Order = Literal["interleaved", "sequential"]


class PromptError(ValueError):
    """The prompt can't be run. One sentence: what, where, what to do."""


class Halted(RuntimeError):
    """Something outside of the race wants it to end at once. One sentence for the user."""


def go_on(halted: Callable[[], str]) -> bool:
    """True; raises ``Halted`` otherwise."""
    if reason := halted():
        raise Halted(reason)
    return True


def race(
    arms: Sequence[ArmState],
    prompt: str,
    *,
    turn: int = 0,
    system: str = "",
    history: dict[str, tuple[Turn, ...]] | None = None,
    raw: bool = False,
    order: Order = "interleaved",
    cancelled: Callable[[], bool] = lambda: False,
    halted: Callable[[], str] = lambda: "",
) -> Iterator[Event]:
    """Run the arms; yields their events as they happen. ``cancelled`` is asked before every step, and so is ``halted``:
    a sentence ends every arm with it as a failure, its text kept and its caches let go.
    """
    began_s = time.perf_counter()
    mx.reset_peak_memory()
    runs = [
        run_arm(arm, prompt, turn=turn, system=system, history=(history or {}).get(arm.spec.name, ()), raw=raw,
                began_s=began_s, cancelled=cancelled, halted=halted)
        for arm in arms
    ]  # fmt: skip
    if order == "sequential":
        for run in runs:
            yield from run
        return
    yield from paced(runs, backwards=bool(turn % 2))


def paced(runs: Sequence[Iterator[Event]], backwards: bool = False) -> Iterator[Event]:
    """Events of all runs; of those whose text is shortest each takes one step, in an order that turns every time.

    Going round by round instead, the arm that emits more a round is done while the machine is still fresh; a drift is
    then taken for speed. Texts that end at different lengths leave the longer one alone for its rest.
    """
    order = list(range(len(runs)))
    if backwards:
        order.reverse()
    tokens = [0] * len(runs)
    active = set(order)
    while active:
        least = min(tokens[at] for at in active)
        for at in [at for at in order if at in active and tokens[at] == least]:
            event = next(runs[at], None)
            if event is None:
                active.discard(at)
                continue
            if isinstance(event, Round):
                tokens[at] += event.emitted_tokens
            yield event
        order.reverse()


def rendered(arm: ArmState, prompt: str, system: str, history: Sequence[Turn], raw: bool) -> list[int]:
    """Token ids of a prompt and what precedes it. Raises ``PromptError``."""
    tokenizer = arm.target.tokenizer
    try:
        text = prompt if raw else render(tokenizer, system, history, prompt)
        return list(prompt_ids(tokenizer, text, arm.last_ids if history else (), raw=raw))
    except Exception as error:
        # A chat template is a program of the checkpoint's: it may refuse a system prompt, or be wrong.
        raise PromptError(_no_prompt(arm.target.facts.name, error)) from error


def check_prompt(arm: ArmState, prompt: str, ids: Sequence[int]) -> None:
    """Raise ``PromptError`` for a prompt that can't be run."""
    if not prompt.strip() or not ids:
        raise PromptError("The prompt is empty: write something to answer.")
    holds = arm.target.facts.context_tokens
    if holds and len(ids) >= holds:
        raise PromptError(
            f"The prompt has {len(ids)} tokens with its conversation, but {arm.target.facts.name} holds {holds} "
            "and needs room to answer: shorten it or begin a new conversation."
        )


def run_arm(
    arm: ArmState,
    prompt: str,
    *,
    turn: int,
    system: str,
    history: Sequence[Turn],
    raw: bool,
    began_s: float,
    cancelled: Callable[[], bool],
    halted: Callable[[], str] = lambda: "",
) -> Iterator[Event]:
    """One arm on one prompt: ``Started``, ``Prefill`` ..., ``Round`` ..., then ``Finished`` or ``Failed``."""
    spec, target, settings = arm.spec, arm.target, arm.spec.settings

    def since() -> float:
        return time.perf_counter() - began_s

    try:
        if problem := settings_problem(settings):
            raise PromptError(problem)
        ids = rendered(arm, prompt, system, history, raw)
        check_prompt(arm, prompt, ids)
        if settings.tree and isinstance(arm.drafter, Branching):
            check_target(target, arm.caches)
        cached = arm.reuse(ids)
        run = decode.Run(
            arm=spec.name,
            turn=turn,
            target=target,
            caches=arm.caches,
            tokens=list(ids),
            held_tokens=cached,
            settings=settings,
            sampler=Sampler(settings),
            text=TextStream(target.tokenizer, settings.stop),
            began_s=began_s,
            drafter=arm.drafter,
        )
    except (PromptError, ModelError) as error:
        yield Failed(arm=spec.name, turn=turn, t_s=since(), message=str(error))
        return
    except Exception as error:  # noqa: BLE001
        yield Failed(arm=spec.name, turn=turn, t_s=since(), message=_sentence(error))
        return
    yield Started(
        arm=spec.name,
        turn=turn,
        t_s=since(),
        spec=spec,
        target=target.facts,
        drafter=arm.drafter_facts,
        system=system,
        prompt=prompt,
        prompt_ids=tuple(ids),
        prompt_tokens=len(ids),
        cached_tokens=cached,
        columns=settings.block - 1 if arm.drafter else 0,
    )
    reason: FinishReason = "length"
    prefill_s = first_s = rounds_s = 0.0
    failed = False
    try:
        steps = decode.prefill(run)
        while run.room_tokens > 0 and not cancelled() and go_on(halted) and (progress := next(steps, None)) is not None:
            prefill_s = progress.prefill_s
            yield progress
        if run.room_tokens > 0 and not cancelled():
            arm.guard.fallback = settings.fallback
            rounds = decode.speculate(run, arm.guard) if arm.drafter else decode.baseline(run)
            while not cancelled() and go_on(halted) and (round_ := next(rounds, None)) is not None:
                rounds_s += own_s(round_)
                first_s = first_s or prefill_s + rounds_s
                yield round_
        reason = run.reason or ("cancelled" if cancelled() else "length")
    except Halted as error:
        failed = True
        arm.reset()
        arm.last_ids = []
        yield Failed(arm=spec.name, turn=turn, t_s=since(), message=str(error))
        return
    except Exception as error:  # noqa: BLE001
        # Whatever went wrong inside, the caches may hold half a block: begin anew next time.
        failed = True
        arm.reset()
        arm.last_ids = []
        yield Failed(arm=spec.name, turn=turn, t_s=since(), message=_sentence(error))
        return
    finally:
        # Also where the consumer stops half-way: between two events the caches are whole.
        if not failed:
            arm.held, arm.last_ids = run.held, list(run.tokens)
    yield Finished(
        arm=spec.name,
        turn=turn,
        t_s=since(),
        reason=reason,
        tail=run.text.finish(),
        stop=run.text.stopped,
        output_tokens=run.emitted_tokens,
        time_to_first_token_s=first_s,
        own_s=prefill_s + rounds_s,
    )


def _no_prompt(model: str, error: Exception) -> str:
    return (
        f"The conversation can't be put into the form that {model} expects ({_first_line(error)}): "
        "leave out the system prompt, or choose another model."
    )


def _sentence(error: Exception) -> str:
    return f"The engine stopped this arm: {_first_line(error)}. Its text so far is kept."


def _first_line(error: Exception) -> str:
    first = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    return f"{type(error).__name__}{': ' + first if first else ''}"
