"""Colours and layout of the exported page, for light and dark appearance and for paper.

Categories use the Okabe-Ito set, amounts viridis without the end that vanishes into the ground. Token origins differ by
line as well as by tint, so they can be told apart without colour.
"""

from __future__ import annotations

LIGHT = {
    "window": "#f3f3f5",
    "card": "#ffffff",
    "border": "#d9d9de",
    "text": "#1c1c1e",
    "quiet": "#636369",
    "accent": "#0a62d8",
    "accepted_tint": "#cdeee3",
    "correction": "#b84a00",
    "bonus": "#0060a8",
    "never_reached": "#e4e4e9",
    "warning": "#a33c00",
    "target": "#0072b2",
    "drafter": "#009e73",
    "others": "#8e8e93",
}
DARK = {
    "window": "#1d1d1f",
    "card": "#2a2a2c",
    "border": "#3f3f43",
    "text": "#f2f2f4",
    "quiet": "#a6a6ad",
    "accent": "#4aa3ff",
    "accepted_tint": "#1f4c3f",
    "correction": "#ff9a52",
    "bonus": "#6cb8ff",
    "never_reached": "#3d3d42",
    "warning": "#ffab66",
    "target": "#3a9bdc",
    "drafter": "#2fbf93",
    "others": "#8e8e93",
}
AMOUNTS_LIGHT = ("#7ad151", "#4cc26c", "#2ab07f", "#1e9d89", "#23888e", "#2b748e", "#34608d", "#3e4989")
AMOUNTS_DARK = ("#35608d", "#2b758e", "#228b8d", "#1fa088", "#31b57b", "#59c765", "#8ed645", "#c9e11f")
STEPS = len(AMOUNTS_LIGHT)


def variables(colours: dict[str, str], amounts: tuple[str, ...]) -> str:
    named = [f"--{name}:{colour}" for name, colour in colours.items()]
    return ";".join([*named, *(f"--a{step}:{colour}" for step, colour in enumerate(amounts))])


RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;
 font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1180px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:19px;margin:40px 0 12px}
h3{font-size:15px;margin:0;font-weight:600}
p{margin:0}
.quiet{color:var(--quiet)}
.small{font-size:13px}
.verdicts{display:flex;flex-wrap:wrap;gap:8px;margin:20px 0 16px}
.verdict{display:flex;gap:8px;align-items:baseline;padding:6px 14px;border-radius:999px;border:1px solid var(--border);
 background:var(--card);font-size:14px}
.verdict::before{content:"\\25CF";font-size:11px}
.verdict.identical{background:var(--accepted_tint);border-color:transparent}
.verdict.near-tie::before{content:"\\25D0"}
.verdict.fail{color:var(--warning);border-color:currentColor;font-weight:600}
.verdict.fail::before{content:"\\2715"}
.verdict.sampled::before,.verdict.not-comparable::before{content:"\\25CB"}
.grid{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr))}
.card{background:var(--card);border:1px solid var(--border);border-radius:10px;padding:18px 20px;min-width:0}
.card>header{display:flex;flex-wrap:wrap;gap:2px 16px;justify-content:space-between;align-items:baseline}
.big{display:flex;justify-content:space-between;align-items:baseline;gap:16px;margin:10px 0 12px;line-height:1}
.big b{font-size:40px;font-weight:640;letter-spacing:-.02em}
.big .ratio{color:var(--accent)}
.big .ratio.slower{color:var(--warning)}
.stats{display:grid;grid-template-columns:repeat(4,auto);gap:0 16px;margin:0}
.stats div{display:flex;flex-direction:column-reverse;min-width:0}
.stats dd{margin:0;font-weight:600}
.stats dt{font-size:12.5px;color:var(--quiet)}
.legend{display:flex;flex-wrap:wrap;gap:4px 22px;margin:0 0 12px;padding:0;list-style:none;font-size:13px;
 color:var(--quiet)}
.legend b{color:var(--text);font-weight:600}
.prompt{margin:0 0 12px;padding:10px 14px;border-left:3px solid var(--border);white-space:pre-wrap;
 overflow-wrap:anywhere}
.answer{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.75;max-height:34rem;overflow:auto;margin-top:10px}
.answer:focus-visible,.scroll:focus-visible,.across:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.a{background:var(--accepted_tint);border-radius:3px;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.a+.a{margin-left:1px}
.c{text-decoration:underline solid 2px var(--correction);text-underline-offset:4px;text-decoration-skip-ink:none}
.b{text-decoration:underline dotted 2px var(--bonus);text-underline-offset:4px;text-decoration-skip-ink:none}
.scroll{overflow:auto;max-height:36rem;margin-top:12px}
.across{overflow-x:auto}
.across>.fit{min-width:640px}
svg{display:block;max-width:none}
svg text{font:11px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--quiet)}
svg text.strong{fill:var(--text);font-weight:600}
.fit{width:100%;height:auto;margin-top:12px}
.axis{stroke:var(--border);fill:none}
.never{fill:var(--never_reached)}
.rejected{fill:none;stroke:var(--correction);stroke-width:1.3}
.bar{fill:var(--target);fill-opacity:.85}
.whisker{stroke:var(--text);stroke-width:1.3;fill:none}
.survival{stroke:var(--text);stroke-width:1.5;fill:var(--card)}
.t-draft{fill:var(--drafter)}.t-verify{fill:var(--target)}.t-both{fill:var(--target);fill-opacity:.5}.t-rest{fill:var(--others)}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}
.line0{stroke:var(--others)}.line1{stroke:var(--accent)}.line2{stroke:var(--drafter)}.line3{stroke:var(--correction)}
.keys{display:flex;flex-wrap:wrap;gap:2px 18px;margin-top:10px;font-size:12.5px;color:var(--quiet)}
.keys span{display:inline-flex;align-items:center;gap:6px}
.keys svg{flex:none}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:8px 14px 8px 0;border-top:1px solid var(--border);vertical-align:baseline}
thead th,tbody:first-child tr:first-child>*{border-top:0}
th{font-weight:600}
td.number{white-space:nowrap}
td.note,th small{color:var(--quiet);font-size:13px;font-weight:400}
td.wide{overflow-wrap:anywhere}
footer{margin-top:32px;color:var(--quiet);font-size:13px}
@media (max-width:640px){main{padding:24px 14px 40px}.stats{grid-template-columns:repeat(2,auto);gap:8px 16px}
 td.note{min-width:16em}}
@media print{body{background:#fff}.answer,.scroll{max-height:none;overflow:visible}.card{break-inside:avoid}
 *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
""".replace("\n ", "").strip()


def stylesheet() -> str:
    steps = "".join(f".a{step}{{fill:var(--a{step})}}" for step in range(STEPS))
    return (
        f":root{{color-scheme:light dark;{variables(LIGHT, AMOUNTS_LIGHT)}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{variables(DARK, AMOUNTS_DARK)}}}}}\n{RULES}\n{steps}"
    )
