"""The look of every widget: one style sheet, one palette and one set of fonts made from a ``Theme`` and a text size.

Nothing else in the window writes style sheets. Widgets say what they are with the property ``role`` (``card``,
``primary``, ``quiet``, ...) and this file says how that looks. Sizes are multiples of 4 and 8 px; fonts are the
system's.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.paths import RESOURCES
from app.theme import GRID_PX, Theme

TEXT_SIZES = (11, 12, 13, 14, 15, 17, 19, 22)
"""Base sizes in px; 13 is the size of a Mac's controls."""
DEFAULT_TEXT_SIZE = 13


def ui_font(size_px: float, weight: QFont.Weight = QFont.Weight.Normal, tabular: bool = False) -> QFont:
    """The system's font; ``tabular`` digits all have one width, so that changing numbers don't dance."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(round(size_px))
    font.setWeight(weight)
    if tabular:
        font.setFeature(QFont.Tag.fromString("tnum"), 1)
    return font


def set_role(widget: QWidget, role: str) -> None:
    """What a widget is, for the style sheet; may change while it is shown."""
    if widget.property("role") == role:
        return
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def apply(app: QApplication, theme: Theme, size_px: int) -> None:
    """Gives the whole application this appearance."""
    app.setPalette(palette(theme))
    app.setFont(ui_font(size_px))
    app.setStyleSheet(sheet(theme, size_px))


def palette(theme: Theme) -> QPalette:
    roles = QPalette.ColorRole
    result = QPalette(QColor(theme.field), QColor(theme.window))
    for role, colour in (
        (roles.Window, theme.window),
        (roles.WindowText, theme.text),
        (roles.Base, theme.card),
        (roles.AlternateBase, theme.field),
        (roles.Text, theme.text),
        (roles.Button, theme.field),
        (roles.ButtonText, theme.text),
        (roles.BrightText, theme.on_accent),
        (roles.ToolTipBase, theme.card),
        (roles.ToolTipText, theme.text),
        (roles.Highlight, theme.accent),
        (roles.HighlightedText, theme.on_accent),
        (roles.Accent, theme.accent),
        (roles.Link, theme.accent),
        (roles.PlaceholderText, theme.quiet),
        (roles.Mid, theme.border),
        (roles.Light, theme.card),
        (roles.Dark, theme.border),
    ):
        result.setColor(role, QColor(colour))
    for role in (roles.Text, roles.ButtonText, roles.WindowText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(mixed(theme.quiet, theme.card, 0.4)))
    return result


def mixed(over: str, under: str, share_of_under: float) -> str:
    """A colour between two."""
    a, b, share = QColor(over), QColor(under), share_of_under
    return QColor.fromRgbF(
        a.redF() * (1 - share) + b.redF() * share,
        a.greenF() * (1 - share) + b.greenF() * share,
        a.blueF() * (1 - share) + b.blueF() * share,
    ).name()


def sheet(theme: Theme, size_px: int) -> str:
    g, small = GRID_PX, max(10, size_px - 2)
    hover = mixed(theme.text, theme.field, 0.94)
    pressed = mixed(theme.text, theme.field, 0.88)
    accent_hover = mixed(theme.accent, theme.text, 0.12)
    faint = mixed(theme.quiet, theme.card, 0.4)
    handle = mixed(theme.quiet, theme.card, 0.55)
    shade = "dark" if theme.is_dark else "light"
    arrows = RESOURCES / "icons"
    return f"""
QMainWindow, QDialog, QWidget[role="page"] {{ background: {theme.window}; }}
QLabel {{ background: transparent; color: {theme.text}; }}
QLabel[role="stale"] {{ color: {faint}; }}
QLabel[role="quiet"], QLabel[role="caption"] {{ color: {theme.quiet}; }}
QLabel[role="caption"] {{ font-size: {small}px; }}
QLabel:disabled, QCheckBox:disabled {{ color: {faint}; }}
QLabel[role="title"] {{ font-size: {size_px + 2}px; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: {size_px + 7}px; font-weight: 600; }}
QLabel[role="badge-pass"], QLabel[role="badge-near"], QLabel[role="badge-fail"] {{ font-size: {small}px;
    font-weight: 600; border-radius: 7px; padding: 1px 7px; }}
QLabel[role="badge-pass"] {{ background: {theme.accepted_tint}; }}
QLabel[role="badge-near"] {{ background: {mixed(theme.selection, theme.card, 0.55)}; }}
QLabel[role="badge-fail"] {{ background: {mixed(theme.warning, theme.card, 0.72)}; }}
QLabel[role="ratio"] {{ color: {theme.accent}; }}
QLabel[role="warning"], QLabel[role="slower"] {{ color: {theme.warning}; }}
QFrame[role="card"] {{ background: {theme.card}; border: 1px solid {theme.border}; border-radius: 10px; }}
QFrame[role="card"][chosen="true"] {{ border-color: {mixed(theme.accent, theme.border, 0.35)}; }}
QFrame[role="banner"] {{ background: {mixed(theme.accent, theme.window, 0.88)};
    border: 1px solid {mixed(theme.accent, theme.window, 0.7)};
    border-radius: 10px; }}
QFrame[role="notice"] {{ background: {mixed(theme.warning, theme.card, 0.93)}; border: none; border-radius: 8px; }}
QFrame[role="rule"] {{ background: {theme.border}; border: none; max-height: 1px; min-height: 1px; }}
QFrame[role="status"] {{ background: {theme.card}; border: none; border-top: 1px solid {theme.border}; }}
QFrame[role="track"] {{ background: {theme.field}; border: 1px solid {theme.border}; border-radius: 8px; }}

QPushButton, QToolButton {{ background: {theme.field}; color: {theme.text}; border: 1px solid {theme.border};
    border-radius: 7px;
    padding: 5px {g + 4}px; }}
QPushButton:hover, QToolButton:hover {{ background: {hover}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {pressed}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {faint}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {theme.accent}; }}
QPushButton[role="primary"], QPushButton:default {{ background: {theme.accent}; color: {theme.on_accent};
    border-color: {theme.accent};
    font-weight: 600; }}
QPushButton[role="primary"]:hover, QPushButton:default:hover {{ background: {accent_hover};
    border-color: {accent_hover}; }}
QPushButton[role="primary"]:focus {{ border: 1px solid {theme.text}; }}
QPushButton[role="primary"]:disabled {{ background: {mixed(theme.accent, theme.card, 0.65)}; border-color: transparent;
    color: {mixed(theme.on_accent, theme.card, 0.15)}; }}
QPushButton[role="link"] {{ background: transparent; border: 1px solid transparent; color: {theme.accent};
    padding: 2px 4px;
    border-radius: 4px; }}
QPushButton[role="link"]:hover {{ background: {mixed(theme.accent, theme.card, 0.9)}; }}
QPushButton[role="link"]:focus {{ border-color: {theme.accent}; }}
QPushButton[role="plain"], QToolButton[role="plain"] {{ background: transparent; border: 1px solid transparent;
    border-radius: 6px;
    color: {theme.quiet}; padding: 3px 6px; }}
QPushButton[role="plain"]:hover, QToolButton[role="plain"]:hover {{ background: {theme.field}; color: {theme.text}; }}
QPushButton[role="plain"]:focus, QToolButton[role="plain"]:focus {{ border-color: {theme.accent}; }}
QToolButton[role="newest"] {{ background: {theme.card}; color: {theme.accent}; border: 1px solid {theme.border};
    border-radius: 12px; padding: 3px 12px; }}
QToolButton[role="newest"]:hover {{ background: {theme.field}; }}
QToolButton[role="newest"]:focus {{ border-color: {theme.accent}; }}
QPushButton[role="segment"] {{ background: transparent; border: 1px solid transparent; border-radius: 6px;
    color: {theme.quiet};
    padding: 3px {g + 4}px; }}
QPushButton[role="segment"]:hover {{ color: {theme.text}; }}
QPushButton[role="segment"]:checked {{ background: {theme.card if not theme.is_dark else theme.border};
    color: {theme.text};
    border-color: {theme.border}; font-weight: 600; }}
QPushButton[role="segment"]:focus {{ border-color: {theme.accent}; }}
QPushButton[role="same"], QPushButton[role="near"], QPushButton[role="differs"],
    QPushButton[role="idle"] {{ border: 1px solid transparent;
    border-radius: 12px; padding: 3px 12px; text-align: left; }}
QPushButton[role="same"] {{ background: {theme.accepted_tint}; font-weight: 600; }}
QPushButton[role="near"], QPushButton[role="differs"] {{ background: {mixed(theme.warning, theme.card, 0.82)};
    font-weight: 600; }}
QPushButton[role="idle"] {{ background: transparent; color: {theme.quiet}; padding-left: 0; }}
QPushButton[role="same"]:focus, QPushButton[role="near"]:focus,
    QPushButton[role="differs"]:focus {{ border-color: {theme.accent}; }}
QToolButton::menu-indicator, QPushButton::menu-indicator {{ image: none; width: 0; }}

QTextEdit, QPlainTextEdit, QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ background: {theme.field};
    color: {theme.text};
    border: 1px solid {theme.border}; border-radius: 7px; padding: 4px {g}px;
    selection-background-color: {theme.accent};
    selection-color: {theme.on_accent}; }}
QTextEdit:focus, QPlainTextEdit:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{
    border-color: {theme.accent}; }}
QTextEdit[role="transcript"], QTextBrowser[role="reading"] {{ background: transparent; border: none;
    border-radius: 0; padding: 0; }}
QPlainTextEdit[role="composer"] {{ border-radius: 9px; padding: 7px 6px; }}
QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled, QLineEdit:disabled {{ color: {faint}; }}
QSpinBox, QDoubleSpinBox {{ padding-right: 24px; }}
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button,
    QDoubleSpinBox::down-button {{ subcontrol-origin: border; width: 20px;
    border: none; background: transparent; }}
QSpinBox::up-button, QDoubleSpinBox::up-button {{ subcontrol-position: top right; margin-top: 2px; }}
QSpinBox::down-button, QDoubleSpinBox::down-button {{ subcontrol-position: bottom right; margin-bottom: 2px; }}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{ image: url("{(arrows / f"up-{shade}.svg").as_posix()}"); width: 10px;
    height: 10px; }}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{ image: url("{(arrows / f"down-{shade}.svg").as_posix()}");
    width: 10px; height: 10px; }}
QComboBox {{ padding-right: 26px; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow {{ image: url("{(arrows / f"down-{shade}.svg").as_posix()}"); width: 10px; height: 10px; }}
QComboBox QAbstractItemView {{ background: {theme.card}; border: 1px solid {theme.border}; border-radius: 6px;
    padding: 4px; outline: none;
    selection-background-color: {theme.accent}; selection-color: {theme.on_accent}; }}
QCheckBox, QRadioButton {{ background: transparent; color: {theme.text}; spacing: {g}px; border: none;
    padding: 1px 0; }}
QCheckBox::indicator {{ width: 14px; height: 14px; border: 1px solid {faint}; border-radius: 4px;
    background: {theme.field}; }}
QCheckBox::indicator:disabled {{ border-color: {theme.border}; }}
QCheckBox::indicator:focus {{ border-color: {theme.accent}; }}
QCheckBox::indicator:checked:focus {{ border-color: {theme.text}; }}
QCheckBox::indicator:checked {{ background: {theme.accent}; border-color: {theme.accent};
    image: url("{(arrows / f"check-{shade}.svg").as_posix()}"); }}
QCheckBox::indicator:checked:disabled {{ background: {faint}; border-color: {faint}; }}
QRadioButton::indicator {{ width: 14px; height: 14px; border: 1px solid {faint}; border-radius: 8px;
    background: {theme.field}; }}
QRadioButton::indicator:focus {{ border-color: {theme.accent}; }}
QRadioButton::indicator:checked {{ border-color: {theme.accent}; background: qradialgradient(cx: 0.5, cy: 0.5,
    radius: 0.5, fx: 0.5, fy: 0.5, stop: 0 {theme.on_accent}, stop: 0.4 {theme.on_accent}, stop: 0.5 {theme.accent},
    stop: 1 {theme.accent}); }}

QMenu {{ background: {theme.card}; color: {theme.text}; border: 1px solid {theme.border}; border-radius: 8px;
    padding: 5px; }}
QMenu::item {{ padding: 5px 24px 5px 20px; border-radius: 5px; }}
QMenu::item:selected {{ background: {theme.accent}; color: {theme.on_accent}; }}
QMenu::item:disabled {{ color: {faint}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {theme.border}; margin: 5px 10px; }}
QMenu::indicator {{ width: 12px; height: 12px; margin-left: 5px; }}
QMenu::indicator:checked {{ image: url("{(arrows / f"tick-{shade}.svg").as_posix()}"); }}
QMenuBar {{ background: {theme.card}; color: {theme.text}; border: none; padding: 2px {g}px; }}
QMenuBar::item {{ padding: 4px 8px; border-radius: 5px; background: transparent; }}
QMenuBar::item:selected {{ background: {theme.field}; }}
QToolTip {{ background: {theme.card}; color: {theme.text}; border: 1px solid {theme.border}; padding: 6px 8px; }}

QToolBar {{ background: {theme.card}; border: none; border-bottom: 1px solid {theme.border}; padding: 0; spacing: 0; }}
QSplitter::handle {{ background: transparent; }}
QSplitter::handle:hover {{ background: {mixed(theme.quiet, theme.window, 0.75)}; border-radius: 2px; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {handle}; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {theme.never_reached}; border: none; border-radius: 2px; min-height: 4px;
    max-height: 4px; }}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: 2px; }}

QTableView, QTableWidget, QListView {{ background: {theme.card}; border: 1px solid {theme.border};
    border-radius: 10px; outline: none;
    gridline-color: transparent; color: {theme.text};
    selection-background-color: {mixed(theme.accent, theme.card, 0.8)};
    selection-color: {theme.text}; alternate-background-color: {theme.field}; }}
QTableView[role="traces"] {{ border: none; }}
QTableView[role="traces"]::item {{ padding: 4px {g}px; border: none; }}
QTableView[role="traces"]::item:selected {{ background: {mixed(theme.accent, theme.card, 0.82)}; color: {theme.text}; }}
QHeaderView {{ background: transparent; border: none; }}
QHeaderView::section {{ background: transparent; color: {theme.quiet}; border: none;
    border-bottom: 1px solid {theme.border};
    padding: 6px {g + 3}px; font-weight: 400; }}
QTableView[role="traces"] QHeaderView::section:vertical {{ border: none; }}
QTableCornerButton::section {{ background: transparent; border: none; border-bottom: 1px solid {theme.border}; }}
QStatusBar {{ background: {theme.window}; color: {theme.quiet}; border: none; }}
QGroupBox {{ background: {theme.card}; border: 1px solid {theme.border}; border-radius: 10px; margin-top: 24px;
    padding: {g}px; }}
QGroupBox::title {{ subcontrol-origin: margin; subcontrol-position: top left; left: 4px; top: 2px;
    color: {theme.quiet}; font-weight: 600; }}
"""
