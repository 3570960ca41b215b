"""About, the keys, what the numbers mean, and what to do when something doesn't work."""

from __future__ import annotations

from html import escape
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QTextBrowser, QVBoxLayout, QWidget

from app.actions import MENUS, TOP, Actions
from app.paths import RESOURCES
from app.style import set_role
from app.versions import as_text, versions
from engine import __version__
from engine.trace.events import Machine

translate = QCoreApplication.translate
DOCS = RESOURCES.parent / "docs"


class HelpDialog(QDialog):
    """A page of text to read beside the window."""

    def __init__(self, title: str, html: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        heading = QLabel(title)
        set_role(heading, "heading")
        self.text = QTextBrowser()
        set_role(self.text, "reading")
        self.text.setAccessibleName(title)
        self.text.setOpenExternalLinks(True)
        self.text.setHtml(html)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(heading)
        column.addWidget(self.text, 1)
        column.addWidget(buttons)
        self.resize(560, 560)

    @classmethod
    def keyboard(cls, actions: Actions, parent: QWidget) -> HelpDialog:
        rows = []
        for menu in TOP:
            for name in MENUS[menu]:
                if name in actions.by_name and actions[name].isVisible():
                    keys = actions[name].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                    if keys:
                        rows.append((actions[name].text().rstrip("…"), keys))
        rows += [
            (translate("HelpDialog", "Send the prompt"), "Return"),
            (translate("HelpDialog", "New line in the prompt"), "Shift+Return"),
            (translate("HelpDialog", "Last prompt, in an empty editor"), "↑"),
        ]
        body = "".join(
            f"<tr><td style='padding:3px 32px 3px 0'>{escape(text)}</td><td>{escape(keys)}</td></tr>"
            for text, keys in rows
        )
        return cls(translate("HelpDialog", "Keyboard"), f"<table>{body}</table>", parent)

    @classmethod
    def troubleshooting(cls, language: str, parent: QWidget) -> HelpDialog:
        dialog = cls(translate("HelpDialog", "Troubleshooting"), "", parent)
        # The page's own title stands above it already.
        _, _, body = guide(language).read_text(encoding="utf-8").partition("\n")
        dialog.text.setMarkdown(body)
        spread(dialog.text.document())
        dialog.resize(680, 620)
        return dialog

    @classmethod
    def definitions(cls, parent: QWidget) -> HelpDialog:
        body = "".join(f"<p><b>{escape(term)}</b><br>{escape(text)}</p>" for term, text in definitions())
        return cls(translate("HelpDialog", "What the Numbers Mean"), body, parent)


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget, machine: Machine | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Slipstream"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name, version, text = QLabel("Slipstream"), QLabel(self.tr("Version {n}").format(n=__version__)), QLabel()
        set_role(name, "heading")
        set_role(version, "quiet")
        text.setText(
            self.tr("See, by looking, whether speculative decoding helps on your Mac. Nothing leaves this computer.")
        )
        text.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        names = {"System": self.tr("System"), "Chip": self.tr("Chip")}
        for row, (part, value) in enumerate(versions(machine)[1:]):
            left, right = QLabel(names.get(part, part)), QLabel(value)
            set_role(left, "quiet")
            right.setWordWrap(True)
            right.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(right, row, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.setAutoDefault(False)
        copy.setToolTip(self.tr("Copies these versions, for a report"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(as_text(machine)))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 28, 32, 20)
        column.setSpacing(8)
        for label in (name, version, text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(8)
        column.addLayout(grid)
        column.addSpacing(8)
        column.addWidget(buttons)
        self.setFixedWidth(440)


def spread(document: QTextDocument) -> None:
    """Room between paragraphs, and more above headings: Markdown comes without."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        form.setTopMargin(14 if form.headingLevel() else 0)
        form.setBottomMargin(8)
        cursor.setPosition(block.position())
        cursor.setBlockFormat(form)
        block = block.next()
    cursor.endEditBlock()


def guide(language: str) -> Path:
    """The page on what to do when something doesn't work, in this language; it lies beside the program on disk."""
    return DOCS / ("troubleshooting.zh.md" if language == "zh_CN" else "troubleshooting.md")


def definitions() -> list[tuple[str, str]]:
    """Terms and what they mean, in one or two sentences each."""
    return [
        (
            translate("HelpDialog", "Round"),
            translate(
                "HelpDialog",
                "One run of the target and what it decided: it judges a block of drafted tokens from left to "
                "right and adds one token of its own.",
            ),
        ),
        (
            translate("HelpDialog", "Tokens per second"),
            translate(
                "HelpDialog",
                "Tokens after the first, divided by the time this pane itself worked on them. While another pane "
                "has its turn, this pane's clock stands still.",
            ),
        ),
        (
            translate("HelpDialog", "Ratio"),
            translate(
                "HelpDialog", "Speed of a pane divided by the speed of the first pane. Below 1 the pane is slower."
            ),
        ),
        (
            translate("HelpDialog", "Per forward"),
            translate(
                "HelpDialog", "Emitted tokens divided by target forwards, the bonus token included. A baseline has 1."
            ),
        ),
        (
            translate("HelpDialog", "Accepted"),
            translate(
                "HelpDialog", "Accepted drafts divided by all drafts. It is a share of the drafts, not of the text."
            ),
        ),
        (
            translate("HelpDialog", "Accepted, correction, bonus, plain"),
            translate(
                "HelpDialog",
                "Where a token came from: a draft that was kept; the target's own token where it refused a "
                "draft; its own token after a block that was kept whole; its own token in a round without drafts.",
            ),
        ),
        (
            translate("HelpDialog", "Rollbacks"),
            translate(
                "HelpDialog",
                "Rounds in which at least one draft was dropped and the caches went back to the last kept token.",
            ),
        ),
        (
            translate("HelpDialog", "Near-tie"),
            translate(
                "HelpDialog",
                "Two choices of the target lie closer together than the noise of its arithmetic, so that one "
                "token or several at once may tip the choice. It is no fault of the acceptance rule.",
            ),
        ),
    ]
