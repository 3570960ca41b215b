"""Writes ``session.slipstream``: a scripted session with plausible numbers, the same bytes every time.

Two arms, ``baseline`` and ``lookup``, answer two turns, interleaved round by round. The second turn ends at its token
limit inside a block. Nothing here is a measurement: tests that read the file recompute whatever they expect from it.

    python -m tests.golden.make_session
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from engine.trace.events import (
    Arm,
    Event,
    Finished,
    Header,
    Machine,
    MemorySample,
    ModelFacts,
    Origin,
    Prefill,
    Round,
    Settings,
    Started,
)
from engine.trace.file import Writer

PATH = Path(__file__).with_name("session.slipstream")
MIB = 1024 * 1024
TARGET = ModelFacts(
    name="SmolLM2-135M-Instruct",
    architecture="llama",
    bits=4,
    group_size=32,
    held_as="float32",
    weights_bytes=538 * MIB,
    context_tokens=8192,
    vocabulary=49152,
    layers=30,
    hidden_size=576,
)
TURNS = (
    (
        "Explain why the sky is blue in three sentences.",
        "The| sky| is| blue| because| of| a| process| called| Rayleigh| scattering|.| The| shorter| waves| of| blue|"
        " and| violet| light| are| scattered| far| more| strongly| than| the| longer| waves| of| red| light|.| Our|"
        " eyes| are| more| sensitive| to| blue| than| to| violet|,| so| the| whole| sky| looks| blue|.|\n|At|"
        " sunset| the| light| crosses| a| longer| path| of| air|,| and| most| of| the| blue| light| is| gone| before|"
        " it| arrives|. |🌅|",
    ),
    (
        "再用中文说一遍，附一段代码。",
        "天空|是|蓝色|的|，|因为|空气|分子|把|波长|较短|的|蓝光|散射|得|更|强|。|\n|```python|\n|for| wave| in| (|"
        "'blue|', 'red|'):|\n|    if| wave| <| 'c|':|\n|        print|(wave|)|  #| <b>|短波</b>| &| 长波|"
        "\n|```|\n|太阳|落山|时|，|蓝光|已经|散|去|，|天空|变红|。|🌇|👩‍🚀|",
    ),
)
LIMITS = (-1, 56)
BLOCK = 8


@dataclass
class Script:
    """One arm on one turn."""

    arm: Arm
    turn: int
    tokens: list[str]
    random: random.Random
    position: int = 0
    index: int = 0
    own_s: float = 0.0
    context: int = 0
    events: list[Event] = field(default_factory=list)


def token_id(piece: str) -> int:
    """A stable stand-in for a tokenizer."""
    value = 0
    for byte in piece.encode():
        value = (value * 257 + byte + 1) % 49_000
    return 17 + value


def next_round(script: Script, t_s: float) -> Round:
    """Verify a block of look-up drafts, or decode one token."""
    rng, block = script.random, script.arm.settings.block
    drafting = script.arm.drafter == "lookup" and script.index > 0
    left = len(script.tokens) - script.position
    wanted = block - 1 if drafting else 0
    found = 0 if not drafting or rng.random() < 0.3 else rng.choice([3, 5, 7, 7])
    width = max(0, min(found, wanted, left - 1 if script.turn == 0 else wanted))
    kept = 0
    while kept < width and rng.random() < 0.88 - 0.02 * kept:
        kept += 1
    own: Origin = "plain" if width == 0 else "bonus" if kept == width else "correction"
    origins: list[Origin] = [*["accepted"] * kept, own]
    origins = origins[: left if script.turn else min(left, kept + 1)]
    kept = origins.count("accepted")
    pieces = script.tokens[script.position : script.position + len(origins)]
    truth = script.tokens[script.position : script.position + width + 1]
    rows = [truth[row] if row < len(truth) else " the" for row in range(width + 1)]
    drafts = [rows[row] if row < kept else " of" if rows[row] != " of" else " in" for row in range(width)]
    if len(origins) == kept:
        drafts = rows[:width]
    verify_s = 0.070 + 0.0016 * width + rng.uniform(0, 0.004)
    draft_s = 0.00021 + 0.00002 * width if drafting else 0.0
    parts = dict(
        draft_s=draft_s, verify_s=verify_s, accept_s=0.00012, commit_s=0.00008 + 0.00001 * width, other_s=0.0004
    )
    spent = sum(parts.values())
    cache = (script.context + len(origins)) * 46_080
    result = Round(
        arm=script.arm.name,
        turn=script.turn,
        index=script.index,
        t_s=round(t_s + spent, 6),
        context_tokens=script.context,
        requested_width=wanted,
        width=width,
        width_reason=""
        if width == wanted
        else "no match"
        if found == 0
        else "drafter"
        if found == width
        else "max tokens",
        source="lookup" if width else "",
        draft_ids=tuple(map(token_id, drafts)),
        draft_q=(1.0,) * width,
        draft_p=tuple(
            round(rng.uniform(0.45, 0.99) if row < kept else rng.uniform(0.001, 0.2), 4) for row in range(width)
        ),
        target_ids=tuple(map(token_id, rows)),
        margins=tuple(round(rng.uniform(0.02, 6.0), 4) for _ in rows),
        accepted=kept,
        emitted_ids=tuple(map(token_id, pieces)),
        emitted_tokens=len(pieces),
        origins=tuple(origins),
        pieces=tuple(pieces),
        draft_texts=tuple(drafts),
        target_texts=tuple(rows),
        **{name: round(value, 6) for name, value in parts.items()},
        split=True,
        drafter_forwards=0,
        active_bytes=562 * MIB + cache,
        allocator_bytes=24 * MIB,
        peak_bytes=611 * MIB + cache,
        kv_bytes=cache,
        drafter_state_bytes=script.context * 16 if drafting else 0,
    )
    script.position += len(origins)
    script.context += len(origins)
    script.index += 1
    script.own_s += spent
    return result


def session() -> list[Event]:
    machine = Machine(
        chip="Example CPU", memory_bytes=8 << 30, os="Linux 6.1", backend="cpu", cores=2, python="3.12", mlx="0.32.4"
    )
    events: list[Event] = [Header(created="2026-11-29T12:00:00+00:00", app="slipstream 1.0.0", machine=machine)]
    t_s, context = 0.0, 31
    for turn, (prompt, answer) in enumerate(TURNS):
        tokens = [piece for piece in answer.split("|") if piece]
        if LIMITS[turn] > 0:
            tokens = tokens[: LIMITS[turn]]
        settings = Settings(block=BLOCK, max_tokens=LIMITS[turn])
        scripts = []
        for number, name in enumerate(("baseline", "lookup")):
            arm = Arm(name=name, drafter="lookup" if name == "lookup" else "none", settings=settings)
            script = Script(arm, turn, tokens, random.Random(7 * turn + number), context=context)
            scripts.append(script)
            cached = 0 if turn == 0 else context - 22
            events.append(
                Started(
                    arm=name,
                    turn=turn,
                    t_s=round(t_s, 6),
                    spec=arm,
                    target=TARGET,
                    system="You are a helpful assistant.",
                    prompt=prompt,
                    prompt_ids=tuple(range(100, 100 + context)),
                    prompt_tokens=context,
                    cached_tokens=cached,
                    columns=BLOCK - 1 if name == "lookup" else 0,
                )
            )
            script.own_s = 0.004 * (context - cached)
            t_s += script.own_s
            events.append(
                Prefill(
                    arm=name,
                    turn=turn,
                    t_s=round(t_s, 6),
                    processed_tokens=context,
                    total_tokens=context,
                    prefill_s=round(script.own_s, 6),
                )
            )
        first: dict[str, float] = {}
        step = 0
        while any(script.position < len(script.tokens) for script in scripts):
            order = scripts if step % 2 == 0 else scripts[::-1]
            for script in order:
                if script.position < len(script.tokens):
                    result = next_round(script, t_s)
                    events.append(result)
                    t_s = result.t_s
                    first.setdefault(script.arm.name, script.own_s)
                    if script.position == len(script.tokens):
                        events.append(ended(script, t_s, first[script.arm.name]))
            if step % 8 == 0:
                events.append(sample(t_s, step))
            step += 1
        context += len(tokens) + 22
        t_s += 2.5
    return events


def ended(script: Script, t_s: float, first_s: float) -> Finished:
    return Finished(
        arm=script.arm.name,
        turn=script.turn,
        t_s=t_s,
        reason="length" if script.turn else "stop",
        output_tokens=script.position,
        time_to_first_token_s=round(first_s, 6),
        own_s=round(script.own_s, 6),
    )


def sample(t_s: float, step: int) -> MemorySample:
    return MemorySample(
        t_s=t_s,
        machine_bytes=8 << 30,
        available_bytes=(6 << 30) - step * MIB,
        process_bytes=780 * MIB,
        active_bytes=575 * MIB + step * MIB // 4,
        allocator_bytes=24 * MIB,
        peak_bytes=640 * MIB,
        target_weights_bytes=538 * MIB,
        kv_bytes=12 * MIB + step * MIB // 8,
    )


def main() -> None:
    with Writer(PATH) as writer:
        for event in session():
            writer.write(event)


if __name__ == "__main__":
    main()
