"""The embedded pair, tried as a user would: an engine process, one prompt, both arms, the verdict.

One try shows at once that the program can start itself again, that messages pass both ways, that the model loads, that
both loops decode and that their texts agree.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from engine.arms import SCHEMES, ArmError, parse_arms
from engine.commands.compare import report
from engine.process.client import EngineClient, EngineDied, RequestRefused
from engine.process.protocol import Reply
from engine.trace.events import Event, Failed, Finished, MemorySample, Prefill, Round, Settings, Started

TOKENS = 64
SILENCE_S = 120.0
PROMPT = "Why is the sky blue? Explain it in three sentences."

Finding = tuple[bool, str, str]


def embedded_drafter() -> str:
    """A trained drafter that comes along, E before A, which drafts row by row; otherwise the n-gram table."""
    for name in reversed(SCHEMES):
        try:
            parse_arms([name])
        except ArmError:
            continue
        return name
    return "table"


def watched(replies: Iterator[Reply], kill: Callable[[], None], silence_s: float) -> Iterator[Reply]:
    """The replies. An engine that says nothing for so long, in a kernel that never ends, is killed."""
    while True:
        alarm = threading.Timer(silence_s, kill)
        alarm.daemon = True
        alarm.start()
        try:
            reply = next(replies, None)
        finally:
            alarm.cancel()
        if reply is None:
            return
        yield reply


def tryout(fix: str, client: type[EngineClient] = EngineClient, silence_s: float = SILENCE_S) -> Finding:
    """``fix``: what helps where the program itself is broken."""
    arms = parse_arms(["baseline", embedded_drafter()], Settings(max_tokens=TOKENS))
    try:
        with client() as engine:
            replies = list(watched(engine.ask(PROMPT, arms), engine.process.kill, silence_s))
    except (EngineDied, TimeoutError) as error:
        return False, f"{error}", fix
    except RequestRefused as error:
        return False, f"The engine refused the embedded pair: {error}", fix
    events: list[Event] = [
        reply for reply in replies if isinstance(reply, (Started, Prefill, Round, Finished, Failed, MemorySample))
    ]
    failed = next((event.message for event in events if isinstance(event, Failed)), "")
    if failed:
        return False, failed, fix
    result = report(arms, events)
    if len(result["arms"]) < len(arms):
        return False, "an arm gave no answer", fix
    base, drafted = result["arms"]
    tokens = len(drafted["ids"])
    forwards = drafted["metrics"]["target_forwards"]
    status = result["verdict"]["status"]
    detail = (
        f"{len(base['ids'])} and {tokens} tokens with baseline and {drafted['arm']}, "
        f"{tokens} tokens in {forwards} forwards, verdict: {status}"
    )
    well = status in ("identical", "near-tie") and tokens > forwards
    return well, detail, "report this list: the drafter's text must equal the model's own, in fewer forwards"
