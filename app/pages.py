"""The pages of the window, in the order of the header. A page more is one line in ``PAGES`` and one in ``titles``.

A page's key is its name everywhere: ``window.show_page(key)``, the action ``<key>_page`` and its place in the menus.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.i18n import translate
from app.lab.desk import make_lab
from app.models.desk import make_models
from app.train.desk import make_train

if TYPE_CHECKING:
    from app.window import Window


@dataclass(frozen=True, slots=True)
class PageSpec:
    key: str
    make: Callable[[Window], QWidget]
    """Gives the page, connected with what it needs of the window; called once, when the window's other parts exist."""


PAGES = (
    PageSpec("chat", lambda window: window.chat),
    PageSpec("lab", make_lab),
    PageSpec("traces", lambda window: window.traces),
    PageSpec("models", make_models),
    PageSpec("train", make_train),
)
KEYS = tuple(spec.key for spec in PAGES)


def titles() -> dict[str, str]:
    """By key, in the present language."""
    return {
        "chat": translate("Pages", "Chat"),
        "lab": translate("Pages", "Lab"),
        "traces": translate("Pages", "Traces"),
        "models": translate("Pages", "Models"),
        "train": translate("Pages", "Train"),
    }
