"""What is asked of the command line is what it takes, and the sentences are those of the records."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.job_state import JobState
from app.models import wording
from app.models.words import PullQueue, Where, hub_id, list_words, pull_words, quantize_words, remove_words
from engine.cli import parser
from engine.process.jobs import JobProgress
from engine.process.shelf import DEFAULT_RESERVE_BYTES, Fit
from tests.app.models.shelves import BEGUN, BOTH, FULL, HALF, NEITHER, PARTLY, WHOLE, fit


def test_the_command_line_takes_every_request(tmp_path: Path) -> None:
    where = Where((str(tmp_path), "/gone"), "https://mirror.example", 3.5)
    for words in (
        list_words(where),
        pull_words(("maker/A", "maker/B"), where),
        remove_words("maker/A", where),
        quantize_words("maker/A", tmp_path / "a-4bit"),
    ):
        progress = ["--progress", "json"] if words[1] in ("pull", "quantize", "remove") else []
        args = parser().parse_args([*words, *progress])
        assert args.command == "models" and args.verb == words[1]
        assert "/gone" not in words
    listed = parser().parse_args(list_words(where))
    assert (listed.folder, listed.endpoint, listed.reserve_gb) == ([tmp_path], "https://mirror.example", 3.5)
    assert parser().parse_args(list_words(Where())).reserve_gb == DEFAULT_RESERVE_BYTES / 1024**3


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("maker/Name-4bit", "maker/Name-4bit"),
        ("  https://huggingface.co/maker/Name/tree/main ", "maker/Name"),
        ("https://mirror.example/maker/Name/", "maker/Name"),
        ("name", ""),
        ("", ""),
        ("maker/na me", ""),
        ("../etc", ""),
    ],
)
def test_hub_ids(typed: str, found: str) -> None:
    assert hub_id(typed) == found


def test_the_queue_holds_each_once() -> None:
    queue = PullQueue()
    assert queue.add(("a/b", "c/d"), running=("a/b",)) and not queue.add(("c/d",))
    assert queue.next() == ("c/d",) and queue.next() == ()


def test_sentences_of_what_is_on_disk(qapp: object) -> None:
    assert wording.facts(WHOLE) == "Model · qwen3 · 4-bit · 2.30 GB · Apache-2.0 · Hugging Face cache"
    assert wording.facts(FULL) == "Model · llama · full precision · 9.00 GB · your folder"
    assert wording.facts(PARTLY) == "Drafter B · DFlash · size unknown · Hugging Face cache"
    assert wording.fit_line(fit()) == "Fits: 4.0 of 16.0 GB"
    assert wording.fit_line(fit("tight", 13.5)) == "Tight now: 13.5 of 16.0 GB"
    assert wording.fit_line(fit("too large", 20)) == "Too large: 20.0 of 16.0 GB"
    assert wording.fit_line(Fit()) == "Whether it fits isn't known"
    assert "target weights: 3.5 GB" in wording.fit_details(fit())
    assert "8,192 tokens" in wording.fit_details(fit())


def test_sentences_of_pairs(qapp: object) -> None:
    assert wording.pair_title(HALF) == "Small + Drafter"
    assert wording.pair_facts(HALF).startswith("B · DFlash · block 16 · size unknown and 900 MB")
    assert wording.pair_missing(HALF) == "The drafter is missing."
    assert wording.pair_missing(BOTH) == "" and "Apache-2.0, MIT" in wording.pair_facts(BOTH)
    missing = wording.pair_missing(NEITHER)
    assert missing.startswith("Neither half is on this disk.") and "No 4-bit version" in missing


def test_progress_says_amount_speed_and_time_left(qapp: object) -> None:
    state = JobState("pull", 0.0)
    for message in BEGUN:
        state.apply(message)
    assert wording.job_line(state) == "300 MB of 900 MB · 20.0 MB/s · 30 s left · model.safetensors"
    assert wording.job_line(JobState("pull", 0.0)) == "Getting ready…"
    unknown = JobProgress(stage="x", done=5e6, total=0, unit="bytes")
    state.apply(msgspec.structs.replace(unknown, stage="maker/Drafter"))
    assert wording.job_line(state).startswith("5 MB")
