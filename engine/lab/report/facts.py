"""What the report reasons with: records without behaviour, taken from the labs' results by ``engine.lab.report.read``.

A lab that was not run is None here, never a row of zeros. Figures carry their interval; one without is one unit's.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.trace.events import Arm, Machine, ModelFacts


class Figure(Struct, frozen=True, kw_only=True):
    value: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval; None where one unit alone was measured."""
    units: int = 0


NOTHING = Figure()


class Check(Struct, frozen=True, kw_only=True):
    name: str
    ok: bool
    detail: str = ""


class LosslessArm(Struct, frozen=True, kw_only=True):
    arm: str
    status: str
    """``pass``, ``near-tie``, ``fail``."""
    tokens: int = 0
    """Emitted and checked."""
    near_ties: int = 0
    largest_gap: float | None = None
    detail: str = ""
    """Where it fails: in the lab's own words."""


class LosslessFacts(Struct, frozen=True, kw_only=True):
    status: str
    arms: tuple[LosslessArm, ...] = ()
    bound: float | None = None
    """Largest gap that this machine's own noise explains."""
    controls: tuple[Check, ...] = ()
    """Planted faults; ``ok`` where the check caught them."""
    crossed: tuple[Check, ...] = ()
    """Again after one condition changed: precision, block length, prefix cache, candidates."""
    samples: int = 0


class SampledConfig(Struct, frozen=True, kw_only=True):
    arm: str
    config: str
    draws: int = 0
    tests: int = 0
    smallest_p: float | None = None
    """Of its tests, after Holm's correction over the whole family."""
    tv_bound: float | None = None
    rejected: bool = False


class SampledFacts(Struct, frozen=True, kw_only=True):
    status: str
    tests: int = 0
    rejected: tuple[str, ...] = ()
    """Tests that show a departure after Holm's correction."""
    draws: int = 0
    tv_bound: float | None = None
    """A pass shows that total variation is at most this."""
    detectable_tv: float | None = None
    """A fault of this size would have been found."""
    configs: tuple[SampledConfig, ...] = ()
    acceptance: tuple[Check, ...] = ()
    """Measured acceptance against the sum of min(p, q)."""
    controls: tuple[Check, ...] = ()


class Layer(Struct, frozen=True, kw_only=True):
    """One arm on the samples of one layer."""

    kind: str
    layer: str
    samples: int = 0
    speedup: Figure = NOTHING
    accepted_length: Figure = NOTHING
    traces: tuple[str, ...] = ()


class Position(Struct, frozen=True, kw_only=True):
    position: int
    n: int
    conditional: Figure = NOTHING
    survival: Figure = NOTHING


class ProfileArm(Struct, frozen=True, kw_only=True):
    arm: str
    samples: int = 0
    speedup: Figure = NOTHING
    accepted_length: Figure = NOTHING
    tokens_per_forward: Figure = NOTHING
    wasted_share: Figure = NOTHING
    draft_share: Figure = NOTHING
    decay: str = "undecided"
    """``falls``, ``flat``, ``undecided``."""
    positions: tuple[Position, ...] = ()
    layers: tuple[Layer, ...] = ()
    void: int = 0
    """Samples whose speed counts for nothing: they repeat themselves or are too short."""


class CurvePoint(Struct, frozen=True, kw_only=True):
    x: float
    speedup: Figure = NOTHING
    accepted_length: Figure = NOTHING
    kv_bytes: float | None = None
    """Largest caches of the target."""
    state_bytes: float | None = None
    """Largest caches and tables of the drafter."""
    peak_bytes: float | None = None
    """Of the whole process, all arms of the race."""
    void: str = ""
    traces: tuple[str, ...] = ()


class Curve(Struct, frozen=True, kw_only=True):
    """One arm along one axis of the sweep."""

    arm: str
    axis: str
    points: tuple[CurvePoint, ...]
    base: float | None = None
    """The arm's own value."""
    knee: float | None = None
    knee_support: float | None = None
    knee_at_end: bool = False
    vanishes: float | None = None
    """First value where the arm is slower than its baseline."""
    surely: float | None = None
    """First value where even the interval's upper end is."""


class Parts(Struct, frozen=True, kw_only=True):
    """Factors of one arm's speedup over ``against``; their product with ``rest`` is the measured one."""

    arm: str
    against: str
    accepted_length: Figure = NOTHING
    draft: Figure = NOTHING
    verify: Figure = NOTHING
    overhead: Figure = NOTHING
    predicted: Figure = NOTHING
    measured: Figure = NOTHING
    rest: Figure = NOTHING


class Load(Struct, frozen=True, kw_only=True):
    """So many requests in flight."""

    requests: float
    throughput: Figure = NOTHING
    """Speedup of tokens a second over the batched baseline."""
    per_token: Figure = NOTHING
    """Speedup of the time per token: above 1 a reader sees text sooner."""
    rows_per_forward: float | None = None
    batching: Figure = NOTHING
    """What batching alone brings the target: its throughput over its own with one request."""
    void: str = ""


class LoadCurve(Struct, frozen=True, kw_only=True):
    arm: str
    regime: Literal["queueing", "batching"]
    points: tuple[Load, ...]
    break_even: float | None = None
    """Fewest requests in flight from which on the arm is slower than the baseline in the same engine."""
    surely: bool = False
    late_from: float | None = None
    """Fewest requests from which on a reader sees text later than from the baseline."""


class Arrivals(Struct, frozen=True, kw_only=True):
    """Requests that come by themselves: 95th percentiles of what they wait for."""

    arm: str
    regime: str
    kind: str
    """``poisson``, ``burst`` ..."""
    load: float
    """Share of what the baseline can do."""
    per_s: float | None = None
    requests: int = 0
    wait_s: float | None = None
    first_token_s: float | None = None
    gap_s: float | None = None
    """Between two texts that a reader sees."""
    lanes_mean: float | None = None
    void: str = ""


class ConcurrencyFacts(Struct, frozen=True, kw_only=True):
    curves: tuple[LoadCurve, ...]
    rows_equal: bool | None = None
    """Each row of a batch gives the ids that it gives alone, near ties apart."""
    rows_detail: str = ""
    arrivals: tuple[Arrivals, ...] = ()


class StabilityFacts(Struct, frozen=True, kw_only=True):
    status: str
    checks: tuple[Check, ...] = ()
    rounds: int = 0
    """Of the arms' own long run, whose slope follows."""
    slope_bytes_per_1000_rounds: float | None = None
    grows: bool | None = None


class ArmFacts(Struct, frozen=True, kw_only=True):
    spec: Arm
    target: ModelFacts | None = None
    drafter: ModelFacts | None = None

    @property
    def drafts(self) -> bool:
        return self.spec.drafter != "none"


class LabFacts(Struct, frozen=True, kw_only=True):
    lab: str
    status: str
    seconds: float
    began: str
    traces: tuple[str, ...] = ()
    not_tested: tuple[str, ...] = ()


class Facts(Struct, frozen=True, kw_only=True):
    machine: Machine
    app: str = ""
    versions: dict[str, str] = {}
    plan: str = ""
    samples: tuple[str, ...] = ()
    tokens: int = 0
    seed: int = 0
    arms: tuple[ArmFacts, ...] = ()
    """The target alone first."""
    labs: tuple[LabFacts, ...] = ()
    unfinished: dict[str, str] = {}
    """Labs that could not be run, and why."""
    mixed: bool = False
    """Results of different machines or programs lie in one directory."""
    lossless: LosslessFacts | None = None
    sampled: SampledFacts | None = None
    profile: tuple[ProfileArm, ...] = ()
    curves: tuple[Curve, ...] = ()
    parts: tuple[Parts, ...] = ()
    concurrency: ConcurrencyFacts | None = None
    stability: StabilityFacts | None = None
