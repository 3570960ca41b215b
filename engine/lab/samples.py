"""Whether samples are fit to measure with: the checker of ``resources/prompts/lab.json`` and of users' own files.

Repeated filler makes any drafter look good, near duplicates count one case twice, and a wrong label moves a result into
a layer it doesn't belong to: each is refused with one sentence that names the sample. The product's own file must also
hold every value of every layer; a user's file needn't (``complete=False``), and what it lacks is said to be not tested.

Lengths are counted in units, a Latin word or a CJK character each, so that they don't depend on a tokenizer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import msgspec

from engine.lab.plan import LAYERS, Sample, read_samples
from engine.lab.result import LabError

SHORT_UNITS = 40
MEDIUM_UNITS = 200
"""``short`` up to the first, ``medium`` up to the second, ``long`` beyond."""
LEAST_IN_LAYER = 4
LEAST_SAMPLES = 60
UNLABELLED = "other"
"""Task and format of a user's prompt that says nothing about them."""

GRAM = 4
LEAST_DISTINCT_GRAMS = 0.7
LEAST_GRAMS = 12
MOST_SAME_LINES = 4
SHINGLE = 3
MOST_ALIKE = 0.5
MIXED_SHARE = 0.12
"""Both scripts have at least this share of the units of a mixed prompt, and neither less than this of another's."""

CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005-\u3007"
UNIT = re.compile(rf"[{CJK}]|[^\W_{CJK}]+(?:['’\-][^\W_{CJK}]+)*")
IS_CJK = re.compile(rf"[{CJK}]")
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)

ASKS: dict[str, dict[str, str]] = {
    "task": {
        "cloze": r"_{2,}",
        "summary": r"summar|list the decisions|概括|总结|摘要",
        "code": r"\bcode\b|function|class\b|script|query|configuration|代码|函数|编程|脚本|程序",
        "question": r"[?？]",
        "edit": r"rewrite|correct|translate|改写|改正|翻译|修改",
        "extract": r"json|table|extract|表格|提取|整理",
    },
    "format": {
        "list": r"\blists?\b|one a line|steps|列表|步骤|列出|清单",
        "table": r"\btable\b|表格",
        "code": r"\bcode\b|function|class\b|script|query|代码|函数",
        "json": r"json",
    },
}
"""Words one of which a prompt of that label says somewhere."""


def units(text: str) -> list[str]:
    return [unit.lower() for unit in UNIT.findall(text)]


def length_of(prompt: str) -> str:
    count = len(units(prompt))
    return "short" if count <= SHORT_UNITS else "medium" if count <= MEDIUM_UNITS else "long"


def language_of(prompt: str) -> str:
    """By the script of what stands outside code blocks."""
    counted = units(FENCE.sub(" ", prompt)) or units(prompt)
    words = [unit for unit in counted if not unit.isdigit()]
    if not words:
        return "en"
    share = sum(1 for word in words if IS_CJK.match(word)) / len(words)
    return "zh" if share > 1 - MIXED_SHARE else "en" if share < MIXED_SHARE else "mixed"


def problems(samples: Sequence[Sample], complete: bool = True) -> list[str]:
    """What is wrong, one sentence each; empty where the samples are fit."""
    found = [problem for sample in samples for problem in of_one(sample)]
    found += same_names(samples)
    found += duplicates(samples)
    if complete:
        found += missing(samples)
    return found


def of_one(sample: Sample) -> list[str]:
    if not sample.prompt.strip():
        return [f"Sample '{sample.name}' is empty: write a prompt."]
    found = []
    if why := filler(sample.prompt):
        found.append(f"Sample '{sample.name}' is filler: {why}. Repeated text makes any drafter look good.")
    for kind, values in LAYERS.items():
        value = sample.layer(kind)
        if value not in values and not (value == UNLABELLED and kind in ASKS):
            found.append(f"Sample '{sample.name}' has {kind} '{value}': choose one of {', '.join(values)}.")
    for kind, measured in (("length", length_of(sample.prompt)), ("language", language_of(sample.prompt))):
        if sample.layer(kind) in LAYERS[kind] and sample.layer(kind) != measured:
            found.append(
                f"Sample '{sample.name}' is labelled {sample.layer(kind)}, but its {kind} is {measured} "
                f"({len(units(sample.prompt))} words and characters)."
            )
    for kind, words in ASKS.items():
        pattern = words.get(sample.layer(kind))
        if pattern and not re.search(pattern, sample.prompt, re.IGNORECASE):
            found.append(f"Sample '{sample.name}' is labelled {kind} {sample.layer(kind)}, but doesn't ask for it.")
    return found


def filler(prompt: str) -> str:
    """Why a prompt is repetitive, or nothing."""
    listed = units(prompt)
    grams = [tuple(listed[i : i + GRAM]) for i in range(len(listed) - GRAM + 1)]
    if len(grams) >= LEAST_GRAMS:
        share = len(set(grams)) / len(grams)
        if share < LEAST_DISTINCT_GRAMS:
            return f"only {100 * share:.0f} % of its runs of {GRAM} words differ"
    elif listed and len(listed) >= 6 and len(set(listed)) / len(listed) < 0.5:
        return f"it has {len(set(listed))} different words among {len(listed)}"
    lines = Counter(line.strip() for line in prompt.splitlines() if len(units(line)) >= 3)
    if lines:
        line, count = lines.most_common(1)[0]
        if count >= MOST_SAME_LINES:
            return f"the line '{line[:40]}' stands there {count} times"
    return ""


def shingles(prompt: str) -> frozenset[tuple[str, ...]]:
    listed = units(prompt)
    size = min(SHINGLE, max(1, len(listed)))
    return frozenset(tuple(listed[i : i + size]) for i in range(len(listed) - size + 1))


def duplicates(samples: Sequence[Sample]) -> list[str]:
    """Pairs of which the smaller prompt has half its runs of words in common with the other."""
    sets = [(sample.name, shingles(sample.prompt)) for sample in samples]
    found = []
    for (first, a), (second, b) in combinations(sets, 2):
        least = min(len(a), len(b))
        if least and len(a & b) / least >= MOST_ALIKE:
            share = 100 * len(a & b) / least
            found.append(f"Samples '{first}' and '{second}' are near duplicates ({share:.0f} % alike): keep one.")
    return found


def same_names(samples: Sequence[Sample]) -> list[str]:
    counted = Counter(sample.name for sample in samples)
    return [
        f"{count} samples are named '{name}': give each a name of its own."
        for name, count in counted.items()
        if count > 1
    ]


def missing(samples: Sequence[Sample]) -> list[str]:
    found = []
    if len(samples) < LEAST_SAMPLES:
        found.append(f"There are {len(samples)} samples: {LEAST_SAMPLES} are the least.")
    for kind, values in LAYERS.items():
        counted = Counter(sample.layer(kind) for sample in samples)
        found += [
            f"{kind.capitalize()} '{value}' has {counted[value]} samples: {LEAST_IN_LAYER} are the least."
            for value in values
            if counted[value] < LEAST_IN_LAYER
        ]
    return found


def absent(samples: Sequence[Sample]) -> dict[str, tuple[str, ...]]:
    """By kind, the values of a layer that no sample has: what a run on these samples says nothing about."""
    return {
        kind: lacking
        for kind, values in LAYERS.items()
        if (lacking := tuple(value for value in values if all(sample.layer(kind) != value for sample in samples)))
    }


def read_own(file: Path) -> tuple[Sample, ...]:
    """A user's file: a JSON list as ``lab.json`` is, JSON lines with at least ``prompt``, or text, one prompt a line.

    Raises ``LabError``, also where the samples aren't fit.
    """
    samples = read_samples(file) if file.suffix == ".json" else from_lines(file)
    if found := problems(samples, complete=False):
        more = f" {len(found) - 1} more of the kind." if len(found) > 1 else ""
        raise LabError(f"{file}: {found[0]}{more}")
    return samples


class Line(msgspec.Struct, frozen=True, kw_only=True):
    prompt: str
    name: str = ""
    task: str = UNLABELLED
    format: str = UNLABELLED


def from_lines(file: Path) -> tuple[Sample, ...]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise LabError(f"{file} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{file} is no text in UTF-8: save it as such.") from error
    samples = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if file.suffix == ".jsonl":
            try:
                entry = msgspec.json.decode(line.encode(), type=Line)
            except (msgspec.DecodeError, ValueError) as error:
                raise LabError(f"{file}, line {number}: {error}. Each line is an object with 'prompt'.") from error
        else:
            entry = Line(prompt=line.strip())
        samples.append(
            Sample(
                name=entry.name or f"line {number}", prompt=entry.prompt, length=length_of(entry.prompt),
                task=entry.task, language=language_of(entry.prompt), format=entry.format,
            )
        )  # fmt: skip
    if not samples:
        raise LabError(f"{file} holds no prompts: write one a line.")
    return tuple(samples)
