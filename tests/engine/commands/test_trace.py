from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import pytest

from engine.commands import trace as command
from engine.trace.export import to_csv, to_html, to_markdown, to_perfetto
from engine.trace.file import Writer, read
from engine.trace.metrics import measure, summary
from engine.trace.session import by_arm, events_of, group, ids_of, text_of
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import greedy, make

GOLDEN = str(sessions.GOLDEN)


def slipstream(*words: str) -> int:
    parser = argparse.ArgumentParser(prog="slipstream")
    command.add_parser(parser.add_subparsers(dest="command", required=True))
    args = parser.parse_args(["trace", *words])
    assert args.run is command.run
    return command.run(args)


def write(path: Path, *events: object) -> str:
    with Writer(path) as writer:
        for event in (sessions.header(), *events):
            writer.write(event)  # type: ignore[arg-type]
    return str(path)


# show


def test_show_prints_figures_bars_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert slipstream("show", GOLDEN) == 0
    out = capsys.readouterr().out
    trace = read(GOLDEN)
    arms = {
        name: measure(e for x in turns for e in events_of(x)) for name, turns in by_arm(group(trace.events)).items()
    }
    speeds = next(line for line in out.splitlines() if line.startswith("Speed ")).split()
    assert [speeds[1], speeds[3]] == [f"{arms[name].tokens_per_s:.1f}" for name in ("baseline", "lookup")]
    m = arms["lookup"]
    for k, (share, n) in enumerate(zip(m.conditional_by_position, m.reached_by_position, strict=True), start=1):
        line = next(line for line in out.splitlines() if line.strip().startswith(f"{k} ") and "█" in line)
        assert share is not None and line.endswith(f"{share:.2f}  n {n}")
        assert line.count("█") == int(round(share * command.BAR_CELLS * 8) / 8)
    assert f"lookup: identical ({m.emitted} tokens)" in out


def test_show_json_names_what_compare_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert slipstream("show", GOLDEN, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    turns = by_arm(group(read(GOLDEN).events))
    assert [arm["arm"] for arm in printed["arms"]] == list(turns)
    for arm in printed["arms"]:
        entries = turns[arm["arm"]]
        assert arm["metrics"] == summary(measure(event for entry in entries for event in events_of(entry)))
        assert [turn["ids"] for turn in arm["turns"]] == [ids_of(entry) for entry in entries]
        assert [turn["text"] for turn in arm["turns"]] == [text_of(entry) for entry in entries]
        assert [turn["finish_reason"] for turn in arm["turns"]] == ["stop", "length"]
    assert printed["verdict"]["status"] == "identical" and printed["verdict"]["first_difference"] is None
    assert printed["verdicts"].keys() == {"lookup"}


def test_show_takes_the_worst_verdict_of_several_arms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = [*greedy([1, 2]), *greedy([1, 2], arm="good"), *greedy([1, 3], arm="bad")]
    assert slipstream("show", write(tmp_path / "t.slipstream", *arms), "--json") == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert (verdict["status"], verdict["first_difference"], verdict["margin"]) == ("fail", 1, 2.0)


@pytest.mark.parametrize("name", sessions.ALL)
def test_show_copes_with_any_trace_and_obeys_none(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "t.slipstream", *sessions.ALL[name]().events)
    assert slipstream("show", path) == 0
    assert slipstream("show", path, "--json") == 0
    assert "\x1b" not in capsys.readouterr().out


def test_show_says_that_a_trace_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(write(tmp_path / "t.slipstream", make("p", index=0)))
    path.write_bytes(path.read_bytes() + b'{"type":"ro')
    assert slipstream("show", str(path)) == 0
    assert "ends inside line 3" in capsys.readouterr().out


# export


@pytest.mark.parametrize(
    ("kind", "name", "convert"),
    [
        ("csv", "s.csv", to_csv),
        ("perfetto", "s.perfetto.json", to_perfetto),
        ("html", "s.html", to_html),
        ("md", "s.md", to_markdown),
    ],
)
def test_export_writes_beside_the_trace(
    kind: str, name: str, convert: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.slipstream"
    shutil.copy(GOLDEN, path)
    assert slipstream("export", str(path), "--to", kind) == 0
    assert capsys.readouterr().out == f"{tmp_path / name}\n"
    assert (tmp_path / name).read_text(encoding="utf-8") == convert(read(path))  # type: ignore[operator]


def test_export_takes_a_place_and_a_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    assert slipstream("export", GOLDEN, "--to", "html", "-o", str(out), "--language", "zh_CN") == 0
    assert out.read_text(encoding="utf-8") == to_html(read(GOLDEN), "zh_CN")
    capsys.readouterr()
    assert slipstream("export", GOLDEN, "--to", "md", "-o", "-") == 0
    assert capsys.readouterr().out == to_markdown(read(GOLDEN))


# diff


def test_diff_tells_same_from_different(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write(tmp_path / "one.slipstream", *greedy([1, 2, 3]))
    two = write(tmp_path / "two.slipstream", *greedy([1, 2, 4]))
    assert slipstream("diff", one, one) == 0
    assert "arm base, turn 1: same ids (3 tokens)" in capsys.readouterr().out
    assert slipstream("diff", one, two) == 1
    assert 'arm base, turn 1: differs at token 2: 3 " w3" → 4 " w4"' in capsys.readouterr().out


def test_diff_without_ids_is_not_called_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = write(tmp_path / "silent.slipstream", *sessions.silent().events)
    assert slipstream("diff", GOLDEN, silent) == 1
    assert "token ids were left out of a trace" in capsys.readouterr().out


# wrong requests


@pytest.mark.parametrize(
    "words",
    [
        ("show", "{missing}"),
        ("show", "{folder}"),
        ("export", "{missing}", "--to", "csv"),
        ("export", GOLDEN, "--to", "csv", "-o", "{folder}"),
        ("export", GOLDEN, "--to", "csv", "-o", "{missing}/x/y.csv"),
        ("export", GOLDEN, "--to", "csv", "-o", GOLDEN),
        ("diff", GOLDEN, "{missing}"),
    ],
    ids=str,
)
def test_a_wrong_request_is_one_line_and_status_2(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sessions.GOLDEN.read_bytes()
    places = {"missing": str(tmp_path / "missing"), "folder": str(tmp_path)}
    assert slipstream(*(word.format(**places) for word in words)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("slipstream trace: ") and err.count("\n") == 1
    assert sessions.GOLDEN.read_bytes() == before


@pytest.mark.parametrize(
    "words", [(), ("export", GOLDEN), ("export", GOLDEN, "--to", "pdf"), ("diff", GOLDEN)], ids=str
)
def test_an_incomplete_request_is_status_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        slipstream(*words)
    assert caught.value.code == 2
    assert capsys.readouterr().err
