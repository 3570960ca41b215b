"""What the marks under tokens mean, drawn with the marks themselves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.style import set_role
from app.theme import Theme
from engine.trace.events import Origin


class Swatch(QWidget):
    def __init__(self, origin: Origin, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._origin = origin
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(16, 14)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(1, 2, 14, 10)
        if self._origin == "accepted":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.accepted_tint))
            painter.drawRoundedRect(rect, 3, 3)
        elif self._origin == "correction":
            painter.setPen(QPen(QColor(self._theme.correction), 1.8))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        elif self._origin == "bonus":
            pen = QPen(QColor(self._theme.bonus), 1.8, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([1.4, 1.4])
            painter.setPen(pen)
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.end()


class Legend(QWidget):
    ORIGINS: tuple[Origin, ...] = ("accepted", "correction", "bonus")

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        self._swatches: list[Swatch] = []
        self._labels: dict[Origin, QLabel] = {}
        for origin in self.ORIGINS:
            swatch, label = Swatch(origin, theme, self), QLabel(self)
            set_role(label, "caption")
            row.addWidget(swatch)
            row.addWidget(label)
            row.addSpacing(8)
            self._swatches.append(swatch)
            self._labels[origin] = label
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        for swatch in self._swatches:
            swatch.set_theme(theme)

    def retranslate(self) -> None:
        texts: dict[Origin, tuple[str, str]] = {
            "accepted": (self.tr("accepted"), self.tr("Drafted, and kept by the target.")),
            "correction": (self.tr("correction"), self.tr("The target's own token where it refused a draft.")),
            "bonus": (
                self.tr("bonus"),
                self.tr("The target's own token after a block whose every draft was kept."),
            ),
        }
        for origin, (text, tip) in texts.items():
            self._labels[origin].setText(text)
            self._labels[origin].setToolTip(tip)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
