"""Facts made by hand, with known truths, for tests of what the report says. The text of data begins with §."""

from __future__ import annotations

from msgspec.structs import replace

from engine.lab.report.facts import (
    ArmFacts,
    Arrivals,
    Check,
    ConcurrencyFacts,
    Curve,
    CurvePoint,
    Facts,
    Figure,
    LabFacts,
    Layer,
    Load,
    LoadCurve,
    LosslessArm,
    LosslessFacts,
    Parts,
    Position,
    ProfileArm,
    SampledConfig,
    SampledFacts,
    StabilityFacts,
)
from engine.trace.events import Arm, Machine, ModelFacts, Settings

MACHINE = Machine(
    chip="§chip", memory_bytes=8 * 1024**3, os="§os", backend="cpu", cores=2, python="3.11", mlx="0.32.4",
    mlx_lm="0.32.2",
)  # fmt: skip
DRAFTER = "§E"
ARMS = (
    ArmFacts(spec=Arm(name="§baseline"), target=ModelFacts(name="§target", weights_bytes=100 * 1024**2)),
    ArmFacts(
        spec=Arm(name=DRAFTER, drafter="§/models/e", settings=Settings(block=8)),
        target=ModelFacts(name="§target", weights_bytes=100 * 1024**2),
        drafter=ModelFacts(name="§drafter", weights_bytes=10 * 1024**2),
    ),
)


def fig(value: float, spread: float = 0.05) -> Figure:
    return Figure(value=value, low=value - spread, high=value + spread, units=12)


GAIN, LOSS, NOISE = fig(1.5), fig(0.8), fig(1.02)


def profile(
    speedup: Figure = GAIN, layers: tuple[Layer, ...] = (), decay: str = "flat", positions: int = 4
) -> ProfileArm:
    return ProfileArm(
        arm=DRAFTER, samples=12, speedup=speedup, accepted_length=fig(3.1), tokens_per_forward=fig(2.8),
        wasted_share=fig(0.6), draft_share=fig(0.1), decay=decay,
        positions=tuple(
            Position(
                position=k, n=400 // k, conditional=fig(0.8 if decay == "flat" else 0.9 - 0.2 * k),
                survival=fig(0.8**k),
            )
            for k in range(1, positions + 1)
        ),
        layers=layers,
    )  # fmt: skip


def layer(kind: str, name: str, speedup: Figure, length: float = 3.0) -> Layer:
    return Layer(
        kind=kind, layer=name, samples=4, speedup=speedup, accepted_length=fig(length),
        traces=(f"traces/§{name}.slipstream",),
    )  # fmt: skip


LAYERS = (
    layer("task", "code", fig(1.9), 4.2),
    layer("task", "open", LOSS, 1.6),
    layer("language", "en", GAIN, 3.4),
    layer("language", "zh", NOISE, 2.1),
)


def block_curve(knee: float | None = 4.0, at_end: bool = False, surely: float | None = None) -> Curve:
    points = tuple(
        CurvePoint(x=x, speedup=fig(speed), accepted_length=fig(2.4), kv_bytes=2e6, state_bytes=1e6, peak_bytes=9e8)
        for x, speed in ((2, 1.2), (4, 1.5), (8, 1.5), (16, 1.3))
    )
    return Curve(
        arm=DRAFTER, axis="block", base=8, points=points, knee=knee, knee_support=0.8, knee_at_end=at_end,
        vanishes=surely, surely=surely,
    )  # fmt: skip


def context_curve(surely: float | None = 512.0) -> Curve:
    points = (CurvePoint(x=0, speedup=GAIN), CurvePoint(x=512, speedup=LOSS), CurvePoint(x=1024, void="§too short"))
    return Curve(arm=DRAFTER, axis="context_tokens", points=points, vanishes=surely, surely=surely)


def parts(measured: Figure = GAIN, rest: float = 1.02) -> Parts:
    return Parts(
        arm=DRAFTER, against="§baseline", accepted_length=fig(2.2), draft=fig(0.9), verify=fig(0.8), overhead=fig(0.98),
        predicted=fig(1.47), measured=measured, rest=Figure(value=rest, low=rest - 0.01, high=rest + 0.01),
    )  # fmt: skip


def loads(break_even: float | None = 8.0, surely: bool = True) -> ConcurrencyFacts:
    points = tuple(
        Load(requests=n, throughput=fig(speed), per_token=fig(speed), rows_per_forward=n)
        for n, speed in ((1, 1.5), (2, 1.3), (4, 1.1), (8, 0.9), (16, 0.7))
    )
    queue = tuple(Load(requests=n, throughput=GAIN, per_token=GAIN, rows_per_forward=1) for n in (1, 2, 4))
    return ConcurrencyFacts(
        curves=(
            LoadCurve(arm=DRAFTER, regime="queueing", points=queue),
            LoadCurve(
                arm=DRAFTER, regime="batching", points=points, break_even=break_even, surely=surely, late_from=16.0
            ),
        ),
        rows_equal=True,
        arrivals=(
            Arrivals(
                arm=DRAFTER,
                regime="batching",
                kind="poisson",
                load=0.6,
                per_s=0.2,
                requests=12,
                wait_s=0.1,
                first_token_s=0.5,
                gap_s=0.08,
                lanes_mean=2.2,
            ),
        ),
    )


CONTROLS = (Check(name="§rollback off by one", ok=True), Check(name="§stale rows", ok=True))


def lossless(status: str = "pass", controls: tuple[Check, ...] = CONTROLS) -> LosslessFacts:
    arm = LosslessArm(
        arm=DRAFTER, status=status, tokens=700, near_ties=2 if status == "near-tie" else 0,
        largest_gap=0.02 if status == "near-tie" else 0.0,
        detail="§token 7 is not the target's choice" if status == "fail" else "",
    )  # fmt: skip
    return LosslessFacts(
        status=status, arms=(arm,), bound=0.05, controls=controls, samples=12,
        crossed=(Check(name="§float32", ok=True), Check(name="§block 4", ok=status != "fail")),
    )  # fmt: skip


def sampled(rejected: tuple[str, ...] = ()) -> SampledFacts:
    return SampledFacts(
        status="fail" if rejected else "pass", tests=9, rejected=rejected, draws=45_000, tv_bound=0.03,
        detectable_tv=0.02,
        configs=(
            SampledConfig(
                arm=DRAFTER, config="§temperature 0.7", draws=5000, tests=3, smallest_p=0.4, tv_bound=0.03,
                rejected=bool(rejected),
            ),
        ),
        acceptance=(Check(name="§temperature 0.7", ok=not rejected, detail="§0.61 against 0.60"),), controls=CONTROLS,
    )  # fmt: skip


def stability(grows: bool = False, failed: bool = False) -> StabilityFacts:
    return StabilityFacts(
        status="fail" if grows or failed else "pass",
        checks=(Check(name="§empty input", ok=True), Check(name="§cancel storm", ok=not failed)),
        rounds=2000, slope_bytes_per_1000_rounds=3e6 if grows else 120.0, grows=grows,
    )  # fmt: skip


LAB_FACTS = tuple(
    LabFacts(
        lab=name, status="pass" if name in ("lossless", "sampling", "stability") else "measured", seconds=60.0,
        began="2026-11-29T10:00:00+00:00", traces=(f"traces/§{name}.slipstream",),
        not_tested=("No sample with task edit was measured.",) if name == "profile" else (),
    )
    for name in ("lossless", "sampling", "profile", "sweep", "attribution", "concurrency", "stability")
)  # fmt: skip

EMPTY = Facts(machine=MACHINE, app="slipstream 0", arms=ARMS, samples=("§sky", "§bread"), tokens=64, plan="quick")
WHOLE = replace(
    EMPTY, labs=LAB_FACTS, lossless=lossless(), sampled=sampled(), profile=(profile(layers=LAYERS),),
    curves=(block_curve(), context_curve()), parts=(parts(),), concurrency=loads(), stability=stability(),
)  # fmt: skip
