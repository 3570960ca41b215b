"""The memory gauge: what the unified memory holds now, and the engine's part of it over the last two minutes.

Samples may come at any rate: the newest is painted at most every ``REFRESH_MS``, and spoken to screen readers at most
once a second. The warning colour appears only while the system reports memory pressure, or where what is about to be
loaded leaves other programs too little.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.card import Card, card_column, quiet_label, scaled, small_font, title_font
from app.gauges.bar import PartsLegend, StackedBar
from app.gauges.history import HistoryLine, MarkKind
from app.gauges.parts import GB, Part, parts_of, size_text, used_bytes
from app.gauges.wording import name, plan, too_large
from app.said import Said
from app.theme import GRID_PX, Theme
from engine.process.protocol import Estimate
from engine.trace.events import MemorySample

REFRESH_MS = 100
LEAST_LINE_PX = 44
"""Lower than this the history says nothing, and its room goes to the legend."""
SPOKEN_EVERY_MS = 1000


class MemoryPanel(Card):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sample: MemorySample | None = None
        self._parts: list[Part] = []
        self._plan: Estimate | None = None
        self._build()
        self._refresher = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._refresher.timeout.connect(self.refresh)
        self._speaker = QTimer(self, singleShot=True, interval=SPOKEN_EVERY_MS)
        self._speaker.timeout.connect(self._speak)
        self.apply_font(self.font())
        self.retranslate()
        self.set_theme(self.theme)

    def sizeHint(self) -> QSize:
        return QSize(350, self.minimumSizeHint().height() + 2 * GRID_PX)

    # What the window calls

    def add_sample(self, sample: MemorySample) -> None:
        self._sample = sample
        self.line.history.add(sample.t_s, sample.active_bytes)
        self.line.peak_bytes = max(sample.peak_bytes, sample.active_bytes)
        if not self._refresher.isActive():
            self._refresher.start()

    @property
    def sample(self) -> MemorySample | None:
        """The newest."""
        return self._sample

    def show_plan(self, plan: Estimate | None) -> None:
        """What is about to be loaded, until it is there; None where nothing is."""
        if plan is not self._plan:
            self._plan = plan
            self.refresh()

    def mark(self, said: Said, kind: MarkKind) -> None:
        """Something happened to the memory now."""
        self.line.history.mark(said, kind)
        self.refresh()

    def clear(self) -> None:
        self._sample = None
        self.line.clear_history()
        self.refresh()

    def apply_theme(self, theme: Theme) -> None:
        for part in (self.bar, self.legend):
            part.theme = theme
            part.update()
        self.line.set_theme(theme)

    # Building

    def _build(self) -> None:
        whole, header, self.title = card_column(self, GRID_PX)
        self.total = quiet_label()
        self.pressure = QLabel(wordWrap=True)
        self.pressure.setObjectName("warning")
        self.coming = QLabel(wordWrap=True)
        self.bar = StackedBar()
        self.legend = PartsLegend()
        self.since = quiet_label()
        self.peak = quiet_label()
        self.line = HistoryLine()
        self.empty = quiet_label(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

        header.addStretch()
        header.addWidget(self.total)
        caption = QHBoxLayout()
        caption.addWidget(self.since)
        caption.addStretch()
        caption.addWidget(self.peak)
        whole.addWidget(self.bar)
        whole.addWidget(self.coming)
        whole.addWidget(self.pressure)
        whole.addWidget(self.legend)
        whole.addLayout(caption)
        whole.addWidget(self.line, 1)
        whole.addWidget(self.empty, 1)
        whole.addStretch(0)

    def apply_font(self, font: QFont) -> None:
        self.title.setFont(title_font(font))
        self.total.setFont(scaled(font, 1.0))
        for label in (self.since, self.peak, self.pressure, self.coming):
            label.setFont(small_font(font))
        self.legend.forget_widths()
        self._fit_height()

    def retranslate(self) -> None:
        self.title.setText(self.tr("Memory"))
        self.title.setToolTip(
            self.tr("Unified memory: processor and graphics share it, so models and programs compete for it")
        )
        self.total.setToolTip(self.tr("In use by all programs, of what the machine has"))
        self.since.setText(self.tr("models, last 2 minutes"))
        self.since.setToolTip(self.tr("Memory in use by the models: weights, caches and results in progress"))
        self.peak.setToolTip(self.tr("The most that the models used at once, the dashed line"))
        self.empty.setText(self.tr("How much memory models and caches take appears here once a model is loaded."))
        self.bar.setAccessibleName(self.tr("Parts of memory"))
        self.line.setAccessibleName(self.tr("Memory of the models, last 2 minutes"))
        self.setAccessibleName(self.tr("Memory"))
        self.legend.forget_widths()
        self.refresh()

    # Showing

    def refresh(self) -> None:
        """Show the newest sample."""
        self._refresher.stop()
        sample = self._sample
        self._parts = parts_of(sample) if sample else self._parts_before()
        self.bar.set_parts(self._parts)
        self.legend.set_parts(self._parts)
        self.legend.setVisible(sample is not None)
        self.empty.setVisible(sample is None)
        self.line.show_history()
        self.total.setText(self._total_text() if sample else "")
        self.peak.setText(self.tr("peak {size}").format(size=size_text(self.line.peak_bytes, 2)))
        self._show_pressure(sample.pressure if sample else "normal")
        self._show_plan()
        self._fit_height()
        if not self._speaker.isActive():
            self._speaker.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def minimumSizeHint(self) -> QSize:
        """Everything in full at the present width."""
        self.ensurePolished()
        legend = self.legend.needed_px() if self._sample else 4 * self.fontMetrics().height()
        return QSize(240, self._fixed_px() + legend + self._history_px())

    def _fixed_px(self) -> int:
        """Margins, heading, bar and warning, with the gap under each."""
        margins = self.layout().contentsMargins()
        rows = [self.title.sizeHint().height(), self.bar.sizeHint().height()]
        room = self.width() - margins.left() - margins.right()
        rows += [label.heightForWidth(room) for label in (self.coming, self.pressure) if not label.isHidden()]
        return margins.top() + margins.bottom() + sum(row + GRID_PX for row in rows)

    def _history_px(self) -> int:
        return GRID_PX + self.since.sizeHint().height() + GRID_PX + LEAST_LINE_PX

    def _fit_height(self) -> None:
        """The history gives way to the legend where there is no room for both."""
        if self._sample is None:
            has_room = False
        else:
            room = self.height() - self._fixed_px()
            self.legend.set_room(room)
            has_room = self.legend.height() + self._history_px() <= room
        for widget in (self.since, self.peak, self.line):
            widget.setVisible(has_room)
        self.updateGeometry()

    def _total_text(self) -> str:
        assert self._sample is not None
        said = self.tr("{used} of {total} GB")
        return said.format(used=f"{used_bytes(self._parts) / GB:.1f}", total=f"{self._sample.machine_bytes / GB:.1f}")

    def _parts_before(self) -> list[Part]:
        """Nothing was measured yet: the machine as it was weighed for the first load."""
        if self._plan is None:
            return []
        fit = self._plan.fit
        empty = MemorySample(
            t_s=0.0,
            machine_bytes=fit.machine_bytes,
            available_bytes=fit.available_bytes,
            process_bytes=0,
            active_bytes=0,
            allocator_bytes=0,
            peak_bytes=0,
        )
        return parts_of(empty)

    def _show_plan(self) -> None:
        estimate = self._plan
        self.coming.setVisible(estimate is not None)
        self.bar.set_plan(estimate.new_bytes if estimate else 0, estimate is None or estimate.fit.verdict == "fits")
        if estimate is not None:
            over = estimate.fit.verdict == "too large" or estimate.new_bytes > estimate.fit.available_bytes
            self.coming.setText(too_large(estimate) if over else plan(estimate))
            set_name(self.coming, "quiet" if estimate.fit.verdict == "fits" else "warning")

    def _show_pressure(self, pressure: str) -> None:
        texts = {
            "warn": self.tr("Memory is getting tight: the system may slow down. Close programs you don't need."),
            "critical": self.tr("Memory is nearly used up: close programs, or choose a smaller model."),
        }
        text = texts.get(pressure, "")
        self.pressure.setText(text)
        self.pressure.setVisible(bool(text))
        set_name(self.total, "warning" if text else "quiet")

    def _speak(self) -> None:
        coming = self.coming.text() if self._plan else ""
        if self._sample is None:
            self.setAccessibleDescription(f"{coming} {self.empty.text()}".strip())
            return
        listed = ", ".join(f"{name(part.kind)} {size_text(part.size_bytes)}" for part in self._parts)
        warning = self.pressure.text()
        said = " ".join(f"{self._total_text()}: {listed}. {self.peak.text()}. {coming} {warning}".split())
        self.setAccessibleDescription(said)
        self.bar.setAccessibleDescription(listed)
        self.line.setAccessibleDescription("; ".join((self.peak.text(), *self.line.said_of_marks())))


def set_name(label: QLabel, name: str) -> None:
    """The style knows labels of a card by their names."""
    if label.objectName() != name:
        label.setObjectName(name)
        label.style().unpolish(label)
        label.style().polish(label)
