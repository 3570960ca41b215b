from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from app.theme import DARK as DARK_THEME
from app.theme import LIGHT as LIGHT_THEME
from engine.trace.export import style, to_html
from engine.trace.export.charts import nice_ceiling, points
from engine.trace.export.figures import reports
from engine.trace.export.words import LANGUAGES
from engine.trace.file import Trace
from engine.trace.session import text_of
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import make

VOID = {"meta", "br"}
KINDS = {"a": "accepted", "c": "corrections", "b": "bonuses", "p": "plain"}


class Page(HTMLParser):
    """Well-formedness, every tag with its attributes, and the answers with their token spans."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.answers: list[str] = []
        self.spans: list[dict[str, int]] = []
        self._depth = 0
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if attributes.get("class") == "answer":
            self._depth = len(self.open) + 1
            self.answers.append("")
            self.spans.append(dict.fromkeys(KINDS, 0))
        elif self._depth and tag == "span":
            self.spans[-1][attributes["class"]] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if len(self.open) < self._depth:
            self._depth = 0

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.answers[-1] += data


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sessions.ALL)
def test_a_page_is_well_formed_and_needs_nothing_else(name: str, language: str) -> None:
    source = to_html(sessions.ALL[name](), language)
    page = Page(source)
    assert source.startswith("<!doctype html>")
    assert {tag for tag, _ in page.tags} <= {
        "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "div", "section",
        "article", "span", "b", "dl", "dt", "dd", "ul", "li", "svg", "path", "text", "circle", "table", "thead",
        "tbody", "tr", "th", "td", "small", "footer", "br",
    }  # fmt: skip
    names = {attribute for _, attributes in page.tags for attribute in attributes}
    assert not names & {"src", "href", "action", "srcset"} and not any(each.startswith("on") for each in names)
    assert "url(" not in source and "@import" not in source
    assert dict(page.tags)["html"]["lang"] == language.replace("_", "-")


def test_what_a_trace_says_stays_text() -> None:
    source = to_html(sessions.hostile())
    assert "<script" not in source and "alert(1)" in source
    assert "\x00" not in source and "\x1b" not in source
    (answer,) = Page(source).answers
    assert answer == sessions.HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd") * 3


def test_coloured_tokens_add_up_to_the_numbers_and_their_text_to_the_answer() -> None:
    trace = sessions.golden()
    page = Page(to_html(trace))
    arms = reports(trace.events)
    panes = [(arm, entry) for turn in (0, 1) for arm in arms for entry in arm.turns if entry.turn == turn]
    assert page.answers == [text_of(entry) for _, entry in panes]
    for arm in arms:
        mine = [spans for spans, (other, _) in zip(page.spans, panes, strict=True) if other.name == arm.name]
        for letter, field in KINDS.items():
            assert sum(spans[letter] for spans in mine) == getattr(arm.metrics, field)


def cells(page: Page) -> dict[str, int]:
    """Cells of the heatmaps by class; the legend's own samples left out."""
    count: dict[str, int] = {}
    for tag, attributes in page.tags:
        kind = attributes.get("class", "")
        if tag == "path" and (re.fullmatch(r"a\d", kind) or kind in ("rejected", "never")):
            figures = attributes["d"].count("h") // 2
            count[kind] = count.get(kind, 0) + figures
    for kind in count:
        count[kind] -= 1
    return count


def test_heatmap_cells_add_up_to_the_drafts() -> None:
    trace = sessions.golden()
    (arm,) = [arm for arm in reports(trace.events) if arm.metrics.drafted]
    count = cells(Page(to_html(trace)))
    accepted = sum(n for kind, n in count.items() if kind[0] == "a")
    assert accepted == arm.metrics.accepted
    assert count["rejected"] == arm.metrics.corrections
    assert accepted + count["rejected"] + count["never"] == arm.metrics.drafted


def test_more_rounds_do_not_mean_more_elements_in_the_charts() -> None:
    short, long = (Page(to_html(sessions.long(rounds))) for rounds in (300, 10_000))
    paths = [sum(tag == "path" for tag, _ in page.tags) for page in (short, long)]
    assert paths[0] == paths[1]
    assert cells(long)["a4"] > 10_000


def test_left_out_texts_are_said() -> None:
    page = to_html(sessions.silent())
    assert page.count("The texts were left out of this trace.") == 4
    assert "sky" not in page


def test_a_failure_stands_where_the_answer_would() -> None:
    assert "ended: failed: Out of memory." in to_html(sessions.broken())


def test_slower_is_said_as_plainly_as_faster() -> None:
    def page(verify_s: float) -> str:
        base = [make("p", arm="baseline", index=index, verify_s=0.1) for index in range(3)]
        spec = [make("p", arm="spec", index=index, verify_s=verify_s) for index in range(3)]
        return to_html(sessions.trace_of(*base, *spec))

    assert '<b class="ratio slower">0.50×</b>' in page(0.2)
    assert '<b class="ratio">2.00×</b>' in page(0.05)


def test_a_fault_is_a_fault_on_the_page() -> None:
    base = [make("p", arm="baseline", target_ids=(10,), margins=(2.0,))]
    spec = [make("p", arm="spec", emitted_ids=(9,), target_ids=(9,), margins=(2.0,))]
    assert '<p class="verdict fail"><span>Differs at token 0 (margin 2)</span></p>' in to_html(
        sessions.trace_of(*base, *spec)
    )


@pytest.mark.parametrize(("colours", "theme"), [(style.LIGHT, LIGHT_THEME), (style.DARK, DARK_THEME)])
def test_the_page_wears_the_colours_of_the_window(colours: dict[str, str], theme: object) -> None:
    assert colours == {name: getattr(theme, name) for name in colours}


def test_both_appearances_define_every_colour_in_use() -> None:
    used = set(re.findall(r"var\(--(\w+)\)", style.stylesheet()))
    for colours in (style.LIGHT, style.DARK):
        assert used == {*colours, *(f"a{step}" for step in range(style.STEPS))}


def test_the_progress_line_keeps_its_ends() -> None:
    (arm,) = reports(sessions.long(5_000).events)
    line = points(arm.turns)
    assert len(line) < 1_100
    assert (line[0], line[-1][1]) == ((0.0, 0), arm.metrics.emitted)


@pytest.mark.parametrize(
    ("value", "ceiling"), [(0.0, 1), (0.7, 0.8), (1, 1), (1.1, 1.2), (9.9, 10), (132, 160), (38571, 40000)]
)
def test_axes_end_on_round_numbers(value: float, ceiling: float) -> None:
    assert nice_ceiling(value) == pytest.approx(ceiling)


def test_a_trace_cut_short_says_so() -> None:
    trace = sessions.golden()
    cut = Trace(header=trace.header, events=trace.events[:40], truncated="x ends inside line 42.")
    assert "x ends inside line 42." in to_html(cut) and "still running" in to_html(cut)
