"""Rounds for tests: by hand, and drawn by hypothesis from everything the contract allows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.trace.events import Origin, Round, Settings


def make(origins: str = "p", width: int = 0, **changes: Any) -> Round:
    """A round from one letter a token (a, c, b, p); ids count up from 10 unless given."""
    names: dict[str, Origin] = {"a": "accepted", "c": "correction", "b": "bonus", "p": "plain"}
    listed = tuple(names[letter] for letter in origins)
    ids = changes.pop("emitted_ids", tuple(range(10, 10 + len(listed))))
    fields: dict[str, Any] = dict(
        arm="spec",
        turn=0,
        index=1,
        t_s=1.0,
        context_tokens=5,
        requested_width=width,
        width=width,
        source="lookup" if width else "",
        accepted=origins.count("a"),
        emitted_ids=ids,
        emitted_tokens=len(listed),
        origins=listed,
        pieces=tuple(f" w{token}" for token in ids),
        verify_s=0.1,
    )
    return Round(**(fields | changes))


def greedy(tokens: list[int], margin: float = 2.0, own: list[int] | None = None, arm: str = "base") -> list[Round]:
    """A baseline that emits these tokens, one a round; ``own`` are the argmaxes of its rows."""
    own = tokens if own is None else own
    return [
        make("p", arm=arm, index=index, emitted_ids=(token,), target_ids=(choice,), margins=(margin,))
        for index, (token, choice) in enumerate(zip(tokens, own, strict=True))
    ]


SECONDS = st.integers(0, 1000).map(lambda value: value / 1000)
BYTES = st.integers(0, 1 << 40)


@st.composite
def drawn_round(draw: st.DrawFn, index: int, turn: int) -> Round:
    width = 0 if index == 0 else draw(st.integers(0, 5))
    kept = draw(st.integers(0, width))
    own: Origin = "plain" if width == 0 else "bonus" if kept == width else "correction"
    origins: list[Origin] = [*["accepted"] * kept, own]
    if draw(st.booleans()):
        origins = origins[: draw(st.integers(0, len(origins)))]
    return Round(
        arm="spec",
        turn=turn,
        index=index,
        t_s=float(index),
        context_tokens=index,
        requested_width=width + draw(st.integers(0, 2)),
        width=width,
        width_reason=draw(st.sampled_from(["", "no match", "drafter"])),
        source=draw(st.sampled_from(["lookup", "autoregressive"])) if width else "",
        accepted=origins.count("accepted"),
        emitted_tokens=len(origins),
        origins=tuple(origins),
        draft_s=draw(SECONDS),
        verify_s=draw(SECONDS),
        accept_s=draw(SECONDS),
        commit_s=draw(SECONDS),
        other_s=draw(SECONDS),
        split=draw(st.booleans()),
        target_forwards=draw(st.integers(0, 2)),
        drafter_forwards=draw(st.integers(0, 5)),
        active_bytes=draw(BYTES),
        peak_bytes=draw(BYTES),
        kv_bytes=draw(BYTES),
        fallback=draw(st.booleans()),
        near_tie=draw(st.booleans()),
        warning=draw(st.sampled_from(["", "slow", "hot"])),
    )


@st.composite
def drawn_rounds(draw: st.DrawFn) -> list[Round]:
    """Rounds of up to three turns."""
    return [
        draw(drawn_round(index, turn))
        for turn in range(draw(st.integers(0, 3)))
        for index in range(draw(st.integers(1, 6)))
    ]


GREEDY = Settings()
SAMPLING = Settings(temperature=0.7)
