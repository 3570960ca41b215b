"""Every persisted setting of the window, in one list. Nothing is read from or written to QSettings under another
name.
"""

from __future__ import annotations

from enum import StrEnum


class Key(StrEnum):
    GEOMETRY = "window/geometry"
    PAGE_SPLITTER = "window/page-splitter"
    SIDE_SPLITTER = "window/side-splitter"
    PANES_SPLITTER = "window/panes-splitter"
    SHOW_LEGEND = "view/legend"
    SHOW_ROUNDS = "view/rounds"
    SHOW_MEMORY = "view/memory"
    SHOW_SYSTEM_PROMPT = "view/system-prompt"
    APPEARANCE = "view/appearance"
    LANGUAGE = "view/language"
    TEXT_SIZE = "view/text-size"
    ARMS = "arms/list"
    SAME_SAMPLING = "arms/same-sampling"
    ORDER = "arms/order"
    RECENT_TARGETS = "arms/recent-targets"
    SYSTEM_PROMPT = "chat/system-prompt"
    TRACE_TEXT = "traces/keep-text"
    RECENT_TRACES = "traces/recent"
    EXPORT_WITHOUT_TEXT = "traces/export-without-text"
    OPEN_SESSION = "traces/open-session"
    EXPORT_DIR = "traces/export-directory"
    LAB_LABS = "lab/labs"
    LAB_PLAN = "lab/plan"
    LAB_DIR = "lab/directory"
    LAB_RUNS = "lab/runs-elsewhere"
    TRAIN_SCHEME = "train/scheme"
    TRAIN_HOURS = "train/tenths-of-an-hour"
    TRAIN_PROMPTS = "train/prompts"
    TRAIN_DIR = "train/directory"
    DRAFTER_FOLDERS = "train/folders"
    TRAIN_TARGETS = "train/targets"
    TRAIN_UNFINISHED = "train/unfinished"
    MODEL_FOLDERS = "models/folders"
    ENDPOINT = "models/endpoint"
    MEMORY_RESERVE_GB = "models/memory-reserve"
    PAGE = "window/page"
    WELCOMED = "window/welcomed"
