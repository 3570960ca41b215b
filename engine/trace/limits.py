"""Which settings can run at all: one place for the command line, the engine and the window."""

from __future__ import annotations

import math

from engine.trace.events import Settings

MAX_BLOCK = 64
MAX_TEMPERATURE = 100.0


def settings_problem(s: Settings) -> str:
    """What is wrong with ``s``, in one sentence; empty where nothing is."""
    for value, ok, name, must in (
        (
            s.temperature,
            0 <= s.temperature <= MAX_TEMPERATURE,
            "temperature",
            f"from 0 (greedy) to {MAX_TEMPERATURE:g}",
        ),
        (s.top_p, 0 < s.top_p <= 1, "top-p", "above 0 and at most 1 (off)"),
        (s.top_k, s.top_k >= 0, "top-k", "0 (off) or more"),
        (s.min_p, 0 <= s.min_p < 1, "min-p", "from 0 (off) to below 1"),
        (
            s.repetition_penalty,
            0 < s.repetition_penalty <= 10,
            "repetition penalty",
            "above 0 and at most 10; 1 is off",
        ),
        (
            s.repetition_window_tokens,
            0 <= s.repetition_window_tokens <= 65536,
            "repetition window",
            "from 0 to 65536 tokens",
        ),
        (s.block, 1 <= s.block <= MAX_BLOCK, "block", f"from 1 (no drafts) to {MAX_BLOCK} rows"),
        (s.candidate_width, s.candidate_width >= 1, "candidate width", "1 or more"),
        (s.confidence_threshold, 0 <= s.confidence_threshold < 1, "confidence threshold", "from 0 (off) to below 1"),
        (s.injected_layers, s.injected_layers >= -1, "number of injected layers", "-1 (as trained), 0 (none) or more"),
        (s.seed, 0 <= s.seed < 2**63, "seed", "from 0 to 2^63 - 1"),
        (s.max_tokens, s.max_tokens >= -1, "max tokens", "-1 (until the model stops) or more"),
        (s.kv_bits, s.kv_bits in (0, 4, 8), "cache precision", "0 (the model's own), 4 or 8 bits"),
        (s.timing_every, s.timing_every >= 0, "timing interval", "0 (never) or more rounds"),
    ):
        if not ok or not math.isfinite(value):
            return f"The {name} must be {must}; it is {value}."
    if any(not stop for stop in s.stop):
        return "A stop string is empty: remove it or write the text to stop at."
    return ""
