from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.trace import events as contract
from engine.trace.events import (
    Arm,
    Event,
    Failed,
    Finished,
    Header,
    Machine,
    ModelFacts,
    Prefill,
    Round,
    Settings,
    Started,
)
from engine.trace.file import TEXT_FIELDS, TraceError, Writer, parse, read, without_text
from engine.trace.metrics import measure
from tests.engine.trace.rounds import make

GOLDEN = Path(__file__).parents[2] / "golden" / "session.slipstream"
HEADER = Header(
    created="2026-01-01T00:00:00Z", app="t", machine=Machine(chip="c", memory_bytes=1, os="o", backend="cpu")
)


def write(path: Path, *events: Event, keep_text: bool = True) -> Path:
    with Writer(path, keep_text=keep_text) as writer:
        for event in (HEADER, *events):
            writer.write(event)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        read(path)
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message and str(path) in message
    return message


def test_what_was_written_is_read(tmp_path: Path) -> None:
    trace = read(GOLDEN)
    assert len(trace.events) > 100 and not trace.truncated and not trace.skipped_events
    copy = tmp_path / "copy.slipstream"
    with Writer(copy) as writer:
        for event in (trace.header, *trace.events):
            writer.write(event)
    assert copy.read_bytes() == GOLDEN.read_bytes()


def test_each_line_is_on_disk_as_soon_as_it_happened(tmp_path: Path) -> None:
    path = tmp_path / "live.slipstream"
    with Writer(path) as writer:
        for count, event in enumerate([HEADER, make("p", index=0), make("ac", 3)]):
            writer.write(event)
            assert len(read(path).events) == count


def test_a_trace_begins_with_its_only_header(tmp_path: Path) -> None:
    with Writer(tmp_path / "t.slipstream") as writer:
        with pytest.raises(ValueError, match="header"):
            writer.write(make())
        writer.write(HEADER)
        with pytest.raises(ValueError, match="header"):
            writer.write(HEADER)


# Privacy

KEPT = {
    Header: {"schema", "created", "app", "machine"},
    Started: {"arm", "spec", "target", "drafter", "labels"},
    Prefill: {"arm"},
    Round: {"arm", "width_reason", "source", "origins", "warning"},
    Finished: {"arm", "reason"},
    Failed: {"arm", "message"},
}


@pytest.mark.parametrize("kind", list(KEPT), ids=lambda kind: kind.__name__)
def test_every_field_that_can_hold_words_is_either_kept_or_left_out(kind: type[msgspec.Struct]) -> None:
    def can_hold_words(hint: Any) -> bool:
        return re.fullmatch(r"<class '(int|float|bool)'>|.*tuple\[float.*", str(hint)) is None

    words = {name for name, hint in get_type_hints(kind).items() if can_hold_words(hint)}
    assert words == KEPT[kind] | set(TEXT_FIELDS.get(kind, ()))


def secretive_session() -> list[Event]:
    secret = "S3CRET"
    facts = ModelFacts(name="m", path=f"/home/{secret}/m")
    spec = Arm(
        name="spec", target=f"/home/{secret}/m", drafter=f"/home/{secret}/d+lookup", settings=Settings(stop=(secret,))
    )
    ids = (777_001, 777_002)
    return [
        Started(arm="spec", turn=0, t_s=0, spec=spec, target=facts, drafter=facts, system=secret, prompt=secret,
                prompt_ids=ids, prompt_tokens=2),
        make("ab", 1, draft_ids=ids[:1], target_ids=ids, emitted_ids=ids, pieces=(secret, secret),
             draft_texts=(secret,), target_texts=(secret, secret), draft_p=(0.25,), draft_q=(1.0,), margins=(0.5, 1.5),
             tree_rows=3, sibling_ids=(ids[1:],), sibling_texts=((secret,),)),
        Finished(arm="spec", turn=0, t_s=1, reason="stop", tail=secret, stop=secret, output_tokens=2),
    ]  # fmt: skip


def test_without_text_nothing_said_is_in_the_file(tmp_path: Path) -> None:
    spoken = write(tmp_path / "spoken.slipstream", *secretive_session())
    silent = write(tmp_path / "silent.slipstream", *secretive_session(), keep_text=False)
    assert spoken.read_bytes().count(b"S3CRET") > 10
    assert b"S3CRET" not in silent.read_bytes() and b"777" not in silent.read_bytes()
    trace = read(silent)
    assert trace.header.has_text is False
    assert isinstance(trace.events[0], Started)
    assert (trace.events[0].spec.target, trace.events[0].spec.drafter) == ("m", "d+lookup")


def test_without_text_all_numbers_stay() -> None:
    trace = read(GOLDEN)
    for arm in ("baseline", "lookup"):
        spoken = [event for event in trace.events if getattr(event, "arm", "") == arm]
        assert measure(map(without_text, spoken)) == measure(spoken)


def test_hub_ids_are_not_folders() -> None:
    spec = Arm(name="a", target="org/model", drafter="org/drafter")
    event = without_text(Started(arm="a", turn=0, t_s=0, spec=spec, target=ModelFacts(name="m"), prompt_tokens=1))
    assert isinstance(event, Started)
    assert (event.spec.target, event.spec.drafter) == ("org/model", "org/drafter")


# Numbers and characters JSON does not have


def test_what_is_not_finite_is_recorded_and_said(tmp_path: Path) -> None:
    odd = make("ac", 2, draft_p=(math.nan, 0.5), margins=(math.inf, 1.0, 2.0), warning="hot")
    (event,) = read(write(tmp_path / "t.slipstream", odd)).events
    assert isinstance(event, Round)
    assert event.draft_p == (0.0, 0.5) and event.margins[0] > 1e300
    assert event.warning.startswith("hot; ") and "not finite" in event.warning


def test_half_characters_do_not_end_a_session(tmp_path: Path) -> None:
    (event,) = read(write(tmp_path / "t.slipstream", make("p", pieces=("a\udce9😀",)))).events
    assert isinstance(event, Round) and event.pieces == ("a?😀",)


# Damage


def test_wrong_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    assert "no trace" in refusal(tmp_path / "missing.slipstream")
    assert "is a folder" in refusal(tmp_path)
    cases = {
        "empty": b"",
        "blank": b"\n \n",
        "binary": bytes(range(256)) * 9,
        "text": b"# Readme\n",
        "json": b"[1]\n",
        "other": b'{"type":"round"}\n',
        "nested": b"[" * 100_000,
    }
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert ("is empty" if name in ("empty", "blank") else "is not a Slipstream trace") in refusal(path)
    (tmp_path / "cut").write_bytes(b'{"type":"header","schema":"slipstream-trace/1","crea')
    assert "ends inside its header" in refusal(tmp_path / "cut")


@pytest.mark.parametrize(
    "schema", ["slipstream-trace/2", "slipstream-trace/1.x", "other/1", "", 1, "slipstream-trace/10"]
)
def test_an_unknown_format_is_refused(tmp_path: Path, schema: object) -> None:
    path = tmp_path / "t.slipstream"
    fields = msgspec.to_builtins(HEADER) | {"schema": schema}
    path.write_bytes(msgspec.json.encode(fields))
    assert repr(schema) in refusal(path) and "update Slipstream" in refusal(path)


def test_a_newer_minor_version_is_read_without_what_it_added(tmp_path: Path) -> None:
    path = tmp_path / "t.slipstream"
    header = msgspec.to_builtins(HEADER) | {"schema": "slipstream-trace/1.4", "mood": "new"}
    extended = msgspec.to_builtins(make("ac", 3)) | {"mood": "new"}
    path.write_bytes(b"\n".join(map(msgspec.json.encode, [header, extended, {"type": "novelty", "x": 1}])))
    trace = read(path)
    assert (trace.events, trace.skipped_events) == ((make("ac", 3),), 1)


def test_an_unknown_event_of_this_version_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "t.slipstream")
    path.write_bytes(path.read_bytes() + b'{"type":"novelty"}\n' + msgspec.json.encode(make()))
    assert "line 2" in refusal(path)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4000))
def test_wherever_the_end_is_cut_the_whole_lines_are_read(missing: int) -> None:
    content = GOLDEN.read_bytes()
    kept = content[:-missing]
    trace = parse(kept, "cut")
    whole = kept.count(b"\n")
    complete = kept.endswith(b"\n") or content[len(kept) : len(kept) + 1] == b"\n"
    assert bool(trace.truncated) is not complete
    assert len(trace.events) == whole - 1 + (complete and not kept.endswith(b"\n"))
    assert trace.truncated in (
        "",
        f"cut ends inside line {whole + 1}: the session was interrupted while it was written.",
    )


def test_zeros_after_a_power_loss_are_a_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "t.slipstream", make())
    path.write_bytes(path.read_bytes() + bytes(50))
    assert len(read(path).events) == 1 and "line 3" in read(path).truncated


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    lines = GOLDEN.read_bytes().splitlines()
    for broken in (b"{", b'{"type":"round"}', lines[0], b"null", lines[9][:-9] + b"}"):
        path = tmp_path / "t.slipstream"
        path.write_bytes(b"\n".join([*lines[:6], broken, *lines[6:]]))
        assert "line 7" in refusal(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 10**9}, {"width": -1}, {"accepted": 3}, {"emitted_tokens": 3}, {"emitted_ids": (1,)},
        {"pieces": ("x",)}, {"draft_ids": (1,)}, {"draft_p": (0.1, 0.2, 0.3)}, {"target_ids": (1, 2)},
        {"margins": (0.1,)}, {"draft_s": -1.0}, {"t_s": 1e300}, {"turn": -1}, {"target_forwards": -1},
        {"tree_rows": 2}, {"tree_rows": 10**9}, {"sibling_ids": ((1,), ())}, {"sibling_texts": ((),)},
        {"tree_rows": 4, "sibling_ids": ((1, 2), ())},
    ],
    ids=str,
)  # fmt: skip
def test_rounds_that_cannot_be_are_damage(tmp_path: Path, changes: dict[str, Any]) -> None:
    sound = make("ac", 2)
    assert read(write(tmp_path / "sound.slipstream", sound)).events == (sound,)
    assert "line 2" in refusal(write(tmp_path / "t.slipstream", msgspec.structs.replace(sound, **changes)))


def test_line_ends_and_a_byte_order_mark_do_no_harm() -> None:
    content = b"\xef\xbb\xbf" + GOLDEN.read_bytes().replace(b"\n", b"\r\n\r\n")
    assert parse(content, "edited").events == read(GOLDEN).events


def test_ten_thousand_rounds_stay_whole(tmp_path: Path) -> None:
    rounds = [make("aac", 7, index=index, t_s=float(index)) for index in range(10_000)]
    trace = read(write(tmp_path / "long.slipstream", *rounds))
    assert trace.events == tuple(rounds)


# Places that can't be written


def test_another_kind_of_file_is_never_replaced(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("hello")
    with pytest.raises(TraceError, match="is not a trace"):
        Writer(readme)
    assert readme.read_text() == "hello"
    path = write(tmp_path / "t.slipstream", make())
    assert len(read(write(path)).events) == 0


def test_a_folder_or_a_missing_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="is a folder"):
        Writer(tmp_path)
    with pytest.raises(TraceError, match="can't be written"):
        Writer(tmp_path / "nowhere" / "t.slipstream")


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")


@full
def test_a_full_disk_is_said_once_and_the_session_goes_on() -> None:
    said: list[str] = []
    writer = Writer("/dev/full", on_error=said.append)
    for event in (HEADER, make(), make()):
        writer.write(event)
    writer.close()
    assert said == [writer.failure]
    assert "/dev/full stops here (no space left on device)" in said[0]


@full
def test_a_full_disk_is_raised_once_where_nobody_listens() -> None:
    with Writer("/dev/full") as writer:
        with pytest.raises(TraceError, match="no space left"):
            writer.write(HEADER)
        writer.write(make())


def test_writing_after_close_does_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "t.slipstream")
    writer = Writer(path)
    writer.write(HEADER)
    writer.close()
    writer.write(make())
    assert read(path).events == ()


def test_the_contract_names_its_events() -> None:
    tags = {kind.__struct_config__.tag for kind in contract.Event.__args__}
    assert tags == {"header", "started", "prefill", "round", "finished", "failed", "judged", "memory"}
