"""The words of exported pages, in the languages of the product.

The English text is the key. A text without a translation is shown in English; a test sees to it that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.trace.verdict import Verdict

CAVEAT = (
    "Each arm's clock counts its own work only. Tokens are counted from 0. Figures hold for this machine and this load."
)
LANGUAGES = ("en", "zh_CN")
Translate = Callable[..., str]


def translator(language: str = "en") -> Translate:
    """A function from English text, with ``{fields}``, to the text in ``language``."""
    if language not in LANGUAGES:
        raise ValueError(f"There is no language {language!r}: choose one of {', '.join(LANGUAGES)}.")
    table = CHINESE if language == "zh_CN" else {}

    def translate(text: str, **fields: Any) -> str:
        translated = table.get(text, text)
        return translated.format(**fields) if fields else translated

    return translate


def verdict_line(verdict: Verdict, t: Translate) -> str:
    """One sentence for a verdict; English keeps to ``Verdict.wording``."""
    place = t("token {index}", index=verdict.first_difference)
    if verdict.turn is not None:
        place = t("{place} of turn {turn}", place=place, turn=verdict.turn + 1)
    margin = t("no margin recorded") if verdict.margin is None else t("margin {margin}", margin=f"{verdict.margin:.3g}")
    match verdict.status:
        case "identical":
            so_far = t("Identical so far: {n} tokens") if verdict.running else t("Identical: {n} tokens")
            return so_far.format(n=verdict.tokens)
        case "near-tie":
            return t("Near-tie at {place} ({margin})", place=place, margin=margin)
        case "sampled":
            return t("Sampled: the texts are expected to differ, token by token they can't be compared")
        case "not-comparable":
            return t("Not comparable token by token")
        case _ if not verdict.own_choice:
            return t("Fault: {place} is not the target's own choice ({margin})", place=place, margin=margin)
        case _:
            return t("Differs at {place} ({margin})", place=place, margin=margin)


CHINESE = {
    "token {index}": "第 {index} 个词元",
    "{place} of turn {turn}": "第 {turn} 轮对话{place}",
    "no margin recorded": "未记录差距",
    "margin {margin}": "差距 {margin}",
    "Identical so far: {n} tokens": "目前完全一致：{n} 个词元",
    "Identical: {n} tokens": "完全一致：{n} 个词元",
    "Near-tie at {place} ({margin})": "{place}近乎并列（{margin}）",
    "Sampled: the texts are expected to differ, token by token they can't be compared": (
        "采样生成：文本本应不同，无法逐词元比较"
    ),
    "Not comparable token by token": "无法逐词元比较",
    "Fault: {place} is not the target's own choice ({margin})": "故障：{place}不是目标模型自己的选择（{margin}）",
    "Differs at {place} ({margin})": "{place}起不同（{margin}）",
    # Figures
    "Speed": "速度",
    "tokens emitted after round 0 over the arm's own time of those rounds; the prompt is not counted": (
        "第 0 轮之后输出的词元数除以这些轮次自身耗时；不含提示词处理"
    ),
    "{n} tok/s": "{n} 词元/秒",
    "Speedup": "加速比",
    "speed over that of the first arm": "与第一路速度之比",
    "First token": "首词元时间",
    "the arm's own time from the prompt to the first token, mean over turns": (
        "从提示词到首个词元的自身耗时，各轮对话取平均"
    ),
    "Tokens per forward": "每次前向词元数",
    "tokens each run of the target yielded, bonus tokens and round 0 included": (
        "目标模型每次前向得到的词元数，含奖励词元和第 0 轮"
    ),
    "Target forwards": "目标模型前向次数",
    "runs of the target, prompt chunks not counted": "目标模型运行次数，不含提示词分块",
    "Drafter forwards": "草稿模型前向次数",
    "runs of the drafter model; a look-up needs none": "草稿模型运行次数；查找式草稿不需要",
    "Emitted tokens": "输出词元",
    "accepted + corrections + bonuses + plain": "接受 + 修正 + 奖励 + 普通",
    "Drafted tokens": "草稿词元",
    "drafts that the target verified": "经目标模型验证的草稿",
    "Draft acceptance": "草稿接受率",
    "accepted over drafted: a share of the drafts, not of the text": "接受数除以草稿数：占草稿的比例，不是占文本的比例",
    "Mean accepted length": "平均接受长度",
    "1 + accepted per drafting round: the target's own token included (tau)": (
        "1 + 每个草稿轮的接受数：含目标模型自己的词元（τ）"
    ),
    "Accepted drafts per round": "每轮接受草稿数",
    "accepted per drafting round: the target's own token not included (tau - 1)": (
        "每个草稿轮的接受数：不含目标模型自己的词元（τ − 1）"
    ),
    "Wasted drafts": "浪费的草稿",
    "share of the drafts that were dropped": "被丢弃草稿所占比例",
    "Rollbacks": "回滚",
    "rounds in which at least one draft was dropped": "至少丢弃一个草稿的轮次",
    "Draft share of time": "草稿耗时占比",
    "time of drafting over the whole round, from rounds timed apart": "草稿耗时除以整轮耗时，只取分开计时的轮次",
    "Time per token": "每词元时间",
    "one over the speed": "速度的倒数",
    "Peak memory": "内存峰值",
    "largest amount the engine held at once, all arms together": "引擎同时占用的最大内存，所有各路合计",
    "Keys and values": "键值缓存",
    "largest cache of this arm's target": "本路目标模型的最大缓存",
    "Drafter state": "草稿状态",
    "largest caches and tables of this arm's drafter": "本路草稿器的最大缓存与表",
    "{n} of {whole}": "{whole} 中的 {n}",
    "{share} of {n} rounds": "{share}（{n} 轮）",
    # Page
    "Slipstream session": "Slipstream 会话",
    "target alone": "仅目标模型",
    "block {n}": "块长 {n}",
    "tree": "草稿树",
    "look-up": "查找",
    "table": "n 元表",
    "greedy": "贪心",
    "temperature {n}": "温度 {n}",
    "first token": "首词元",
    "per forward": "每次前向",
    "forwards": "次前向",
    "accepted": "接受",
    "accepted draft": "接受的草稿",
    "correction": "修正",
    "bonus": "奖励",
    "plain": "普通",
    "drafted and kept": "草稿被保留",
    "the target's own token where a draft was rejected": "草稿被拒处目标模型自己的词元",
    "the target's own token after a block kept whole": "整块保留之后目标模型自己的词元",
    "the target's own token of a round without drafts": "无草稿轮中目标模型自己的词元",
    "Text": "文本",
    "Turn {n}": "第 {n} 轮对话",
    "You": "你",
    "system": "系统",
    "{n} prompt tokens, {cached} held from before": "提示词 {n} 个词元，其中 {cached} 个沿用缓存",
    "The texts were left out of this trace.": "此记录未保存文本。",
    "nothing was written": "没有输出",
    "ended: {reason}": "结束：{reason}",
    "still running": "仍在运行",
    "stop": "自然停止",
    "length": "达到长度上限",
    "context": "上下文已满",
    "cancelled": "已取消",
    "failed": "失败",
    "Acceptance": "接受情况",
    "Rounds run to the right, draft positions downwards; a gap separates turns.": (
        "轮次自左向右，草稿位置自上而下；空隙分隔各轮对话。"
    ),
    "rejected": "拒绝",
    "never reached": "未到达",
    "accepted, by the target's p from 0 to 1": "接受，按目标模型的概率 p（0 到 1）",
    "{n} accepted": "{n} 接受",
    "{n} corrections": "{n} 修正",
    "{n} bonuses": "{n} 奖励",
    "{n} plain": "{n} 普通",
    "round": "轮次",
    "position": "位置",
    "Acceptance by position": "按位置的接受率",
    "Of the drafts that the target reached at this position, how many it kept; n is how many it reached.": (
        "在此位置被目标模型检验到的草稿中有多少被保留；n 为检验到的数量。"
    ),
    "The line is the 95 % interval, the open circle the share of all blocks that survived to here.": (
        "竖线为 95% 区间，空心圆为存活到此位置的块所占比例。"
    ),
    "Tokens over own time": "词元随自身耗时的增长",
    "Time per round": "每轮耗时",
    "Own time, milliseconds; {n} rounds a bar.": "自身耗时（毫秒）；每柱 {n} 轮。",
    "Own time, milliseconds; one round a bar.": "自身耗时（毫秒）；每柱一轮。",
    "draft": "草稿",
    "verify": "验证",
    "draft and verify, not timed apart": "草稿与验证（未分开计时）",
    "accept, commit, other": "接受、提交及其他",
    "Numbers": "数值",
    "Figure": "指标",
    "Environment": "环境",
    "Recorded": "记录时间",
    "Program": "程序",
    "Machine": "机器",
    "Memory": "内存",
    "System": "系统",
    "Backend": "后端",
    "Versions": "版本",
    "Notes": "备注",
    "Arm": "路",
    "Target": "目标模型",
    "Drafter": "草稿器",
    "Warnings": "警告",
    "{n} cores": "{n} 核",
    "{n} bits, held as {held}": "{n} 比特，以 {held} 存放",
    CAVEAT: ("每路的时钟只计自身工作。词元从 0 开始计数。数值只对这台机器和这次负载成立。"),
    "This trace holds no rounds.": "此记录没有任何轮次。",
}
