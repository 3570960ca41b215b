"""The licence of a model is read from its card; the embedded one's is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.demo import NAME
from engine.models.licence import EMBEDDED, licence


@pytest.mark.parametrize(
    ("card", "found"),
    [
        ('---\nlanguage: en\nlicense: "mit"\n---\n# A model\n', "mit"),
        ("---\nlanguage: en\n---\nlicense: mit\n", ""),
        ("# A model\nlicense: mit\n", ""),
        (None, ""),
    ],
)
def test_as_the_head_of_the_card_states_it(card: str | None, found: str, tmp_path: Path) -> None:
    if card is not None:
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
    assert licence(tmp_path) == found


def test_the_embedded_models_is_known(tmp_path: Path) -> None:
    assert licence(tmp_path / NAME) == EMBEDDED
