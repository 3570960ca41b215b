"""What the lab's page adds to the exported page's style: two languages in one file, cards of answers, curves."""

from __future__ import annotations

from engine.trace.export.style import stylesheet as page_stylesheet

RULES = """
.switch{position:absolute;opacity:0;pointer-events:none}
.languages{display:flex;justify-content:flex-end;gap:6px;max-width:1180px;margin:0 auto;padding:16px 24px 0}
.languages label{padding:4px 12px;border:1px solid var(--border);border-radius:999px;font-size:13px;cursor:pointer;
 color:var(--quiet)}
main{padding-top:16px}
.said{display:none}
#show-en:checked~.said.en,#show-zh:checked~.said.zh{display:block}
#show-en:checked~.languages .en,#show-zh:checked~.languages .zh{color:var(--text);border-color:var(--accent);
 font-weight:600}
#show-en:focus-visible~.languages .en,#show-zh:focus-visible~.languages .zh{outline:2px solid var(--accent);
 outline-offset:2px}
a{color:var(--accent);text-underline-offset:3px}
.fit{max-width:620px}
.lead{margin:14px 0 0;max-width:76ch}
.advice{border-left:4px solid var(--others)}
.advice.use{border-left-color:var(--drafter)}
.advice.care{border-left-color:var(--target)}
.advice.dont{border-left-color:var(--warning)}
.advice h3{font-size:17px}
.advice dl{margin:12px 0 0;display:grid;grid-template-columns:max-content 1fr;gap:6px 16px;font-size:14px}
.advice dt{color:var(--quiet)}
.advice dd{margin:0}
.answer-card{margin-bottom:12px}
.answer-card h3{font-size:16px}
.answer-card ul{margin:10px 0 0;padding-left:20px}
.answer-card li{margin:4px 0}
.answer-card li::marker{color:var(--quiet)}
.tone{font-weight:600;white-space:nowrap}
.tone::before{content:"\\25CF";margin-right:7px;font-size:11px}
.tone.good{color:var(--drafter)}.tone.mixed{color:var(--target)}.tone.bad{color:var(--warning)}
.tone.mixed::before{content:"\\25D0"}.tone.bad::before{content:"\\2715"}.tone.open::before{content:"\\25CB"}
.broad{grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr))}
.reference{stroke:var(--quiet);stroke-dasharray:3 3;fill:none}
.knee{stroke:var(--accent);stroke-width:1.4;stroke-dasharray:5 4;fill:none}
.range{stroke-width:2.4;fill:none;stroke:var(--others)}
.dot{fill:var(--others)}
.range.above{stroke:var(--drafter)}.dot.above{fill:var(--drafter)}
.range.below{stroke:var(--warning)}.dot.below{fill:var(--warning)}
.thin{stroke-width:1.2;fill:none;opacity:.75}
.point{fill:var(--card);stroke-width:2}
.name.line0 text{fill:var(--others)}.name.line1 text{fill:var(--accent)}.name.line2 text{fill:var(--drafter)}
.name.line3 text{fill:var(--correction)}
.name text{stroke:none}
.gains{fill:var(--drafter)}.costs{fill:var(--warning)}
.state{white-space:nowrap;font-weight:600}
.state.ok::before{content:"\\2713";margin-right:6px;color:var(--drafter)}
.state.bad{color:var(--warning)}
.state.bad::before{content:"\\2715";margin-right:6px}
.state.changed::before{content:"\\25B6";margin-right:6px;font-size:10px}
details{margin-top:10px;font-size:13px}
summary{cursor:pointer;color:var(--quiet)}
details p{overflow-wrap:anywhere;margin-top:6px}
ul.plain{margin:0;padding-left:20px}
@media (max-width:640px){.advice dl{grid-template-columns:1fr;gap:0 0}.advice dd{margin-bottom:8px}}
@media print{.languages{display:none}}
""".replace("\n ", "").strip()


def stylesheet() -> str:
    return f"{page_stylesheet()}\n{RULES}"
