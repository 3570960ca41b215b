"""The rounded panel of the right column, and the type sizes its contents use.

A ``Card`` paints its own ground and border from a ``Theme`` and tells its contents when theme, language or font change.
Sizes are relative to the application's font, so that the system's choice is respected; digits are tabular, so that
changing numbers don't dance.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.theme import GRID_PX, LIGHT, Theme

RADIUS_PX = 10
MARGIN_PX = 2 * GRID_PX


def scaled(font: QFont, factor: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """``font`` in another size and weight, with tabular digits."""
    made = QFont(font)
    if font.pointSizeF() > 0:
        made.setPointSizeF(font.pointSizeF() * factor)
    else:
        made.setPixelSize(max(1, round(font.pixelSize() * factor)))
    made.setWeight(weight)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def title_font(font: QFont) -> QFont:
    return scaled(font, 1.08, QFont.Weight.DemiBold)


def small_font(font: QFont, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    return scaled(font, 0.86, weight)


class Card(QWidget):
    """Base of the panels. Subclasses override ``apply_theme``, ``apply_font`` and ``retranslate``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.setStyleSheet(card_style(theme))
        self.apply_theme(theme)
        self.update()

    def apply_theme(self, theme: Theme) -> None: ...

    def apply_font(self, font: QFont) -> None: ...

    def retranslate(self) -> None: ...

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self.apply_font(self.font())
        elif event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.setBrush(QColor(self.theme.card))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)


def quiet_label(**properties: object) -> QLabel:
    """A small label in the quiet colour."""
    label = QLabel(**properties)
    label.setObjectName("quiet")
    return label


def card_column(card: Card, spacing_px: int) -> tuple[QVBoxLayout, QHBoxLayout, QLabel]:
    """The column of a panel, with its head at the top: a title at the left, and a row for what stands beside it."""
    title = QLabel()
    head = QHBoxLayout()
    head.setSpacing(4)
    head.addWidget(title)
    head.addSpacing(4)
    column = QVBoxLayout(card)
    column.setContentsMargins(MARGIN_PX, MARGIN_PX - 6, MARGIN_PX, MARGIN_PX - 4)
    column.setSpacing(spacing_px)
    column.addLayout(head)
    return column, head, title


def card_style(theme: Theme) -> str:
    """Colours of the standard widgets that stand on a card."""
    return f"""
        QLabel {{ color: {theme.text}; background: transparent; }}
        QWidget#clear {{ background: transparent; }}
        QLabel#quiet {{ color: {theme.quiet}; }}
        QLabel#warning {{ color: {theme.warning}; }}
        QToolButton {{ color: {theme.quiet}; background: transparent; border: 1px solid transparent;
                       border-radius: 5px; padding: 2px 6px; }}
        QToolButton:hover {{ background: {theme.field}; color: {theme.text}; }}
        QToolButton:focus {{ border-color: {theme.accent}; }}
        QToolButton#behind {{ color: {theme.accent}; }}
        QToolButton#arm {{ border-color: {theme.border}; }}
        QToolButton#arm:checked {{ background: {theme.border}; color: {theme.text}; }}
        QToolButton#arm:focus {{ border-color: {theme.accent}; }}
        QTableView {{ color: {theme.text}; background: {theme.card}; alternate-background-color: {theme.field};
                      border: 1px solid {theme.border}; border-radius: 4px; gridline-color: transparent;
                      selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
        QTableView:focus {{ border-color: {theme.accent}; }}
        QScrollBar {{ background: transparent; border: none; margin: 0; }}
        QScrollBar:vertical {{ width: 10px; }}
        QScrollBar:horizontal {{ height: 10px; }}
        QScrollBar::handle {{ background: {theme.others}; border-radius: 3px; margin: 2px; }}
        QScrollBar::handle:vertical {{ min-height: 24px; }}
        QScrollBar::handle:horizontal {{ min-width: 24px; }}
        QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
        QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
        QAbstractScrollArea::corner {{ background: transparent; border: none; }}
        QHeaderView {{ background: {theme.card}; }}
        QHeaderView::section, QTableCornerButton::section {{ color: {theme.quiet}; background: {theme.card};
                      border: none; border-bottom: 1px solid {theme.border}; padding: 2px 6px; }}
        QHeaderView::section:vertical {{ border: none; }}
    """
