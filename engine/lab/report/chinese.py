"""The lab's report in Chinese, by its English text."""

from __future__ import annotations

CHINESE = {
    "en": "zh",
    # Codes
    "plan quick": "快速计划",
    "plan full": "完整计划",
    "lab lossless": "无损性",
    "lab sampling": "采样无损性",
    "lab profile": "草稿剖析",
    "lab sweep": "参数扫描",
    "lab attribution": "收益来源",
    "lab concurrency": "并发",
    "lab stability": "稳定性",
    "status pass": "通过",
    "status near-tie": "近乎并列",
    "status fail": "未通过",
    "status measured": "已测量",
    "status stopped": "提前停止",
    "regime queueing": "逐个处理请求（排队）",
    "regime batching": "一次前向处理多个请求（批处理）",
    "layer short": "短文本",
    "layer medium": "中等长度",
    "layer long": "长文本",
    "layer cloze": "完形填空",
    "layer open": "开放写作",
    "layer summary": "摘要",
    "layer question": "问答",
    "layer edit": "改写",
    "layer extract": "信息提取",
    "layer en": "英文",
    "layer zh": "中文",
    "layer mixed": "中英混合",
    "layer plain": "普通文本",
    "layer list": "列表",
    "layer table": "表格",
    "layer code": "代码",
    "layer json": "JSON",
    "layer other": "未标注",
    "task": "任务",
    "language": "语言",
    "format": "格式",
    "length": "长度",
    "source": "草稿来源",
    "block length": "块长",
    "candidate width": "候选宽度",
    "injected layers": "注入层数",
    "temperature": "温度",
    "text before the prompt (tokens)": "提示词之前的文本（词元）",
    # Composition
    ", ": "、",
    "{first} and {last}": "{first}和{last}",
    "{kind} {layer}": "{kind}“{layer}”",
    "{n} tokens of text before the prompt": "提示词之前有 {n} 个词元的文本",
    "{axis} {value}": "{axis} {value}",
    "On {chip} ({backend}), with {n} samples and answers of up to {tokens} tokens": (
        "在 {chip}（{backend}）上，{n} 个样本、回答最长 {tokens} 个词元的条件下"
    ),
    # Questions
    "Is the text still the target's own?": "输出是否仍是目标模型自己的文本？",
    "Where does the gain come from?": "收益从哪里来？",
    "When does the gain vanish?": "收益在什么条件下消失？",
    "What does it cost?": "代价是什么？",
    "Can a failure be seen?": "失败能否被看见？",
    "Not tested.": "未测试。",
    "Losslessness was not tested here: nothing below says that the text is the target's own.": (
        "这里没有测试无损性：下面的任何内容都不能说明输出是目标模型自己的文本。"
    ),
    "Yes, as far as was tested.": "是，在已测试的范围内。",
    "No: a check failed.": "否：有检查未通过。",
    "Not shown: a planted fault was not caught.": "未能证明：有植入的故障没有被发现。",
    "Not known: the check was stopped early.": "未知：检查被提前停止。",
    "Yes but for near ties.": "是，近乎并列处除外。",
    "{where}, every one of the {tokens} tokens that {arm} emitted is the target's own choice.": (
        "{where}，{arm} 输出的 {tokens} 个词元全部是目标模型自己的选择。"
    ),
    "{where}, {n} of the {tokens} tokens that {arm} emitted differ from the target's choice one row at a "
    "time, each where its first two choices are nearer ({gap}) than this machine's own noise ({bound}).": (
        "{where}，{arm} 输出的 {tokens} 个词元中有 {n} 个与目标模型逐行计算的选择不同，且都在前两个选择的差距（"
        "{gap}）小于本机自身噪声（{bound}）之处。"
    ),
    "{where}, {arm} changes the text: {detail}": "{where}，{arm} 改变了文本：{detail}",
    "{where}, {arm} differs from the target alone at near ties only: {detail}": (
        "{where}，{arm} 只在近乎并列处与目标模型不同：{detail}"
    ),
    "see the table of losslessness.": "见无损性表格。",
    "Under {names} it does not hold.": "在 {names} 条件下不成立。",
    "It holds again under {n} changed conditions: {names}.": "在 {n} 种改变后的条件下仍然成立：{names}。",
    "The check did not notice {names}: it is blind there, and a pass proves nothing about it.": (
        "检查没有发现 {names}：它对此视而不见，通过并不能证明什么。"
    ),
    "The check noticed all {n} faults that were planted to test it.": "检查发现了为检验它而植入的全部 {n} 个故障。",
    "With sampling, {n} of {tests} tests show that the text is not distributed as the target's own: {names}.": (
        "采样时，{tests} 项检验中有 {n} 项表明文本分布与目标模型不同：{names}。"
    ),
    "With sampling, {draws} draws in {tests} tests show no departure from the target's distribution.": (
        "采样时，{tests} 项检验共 {draws} 次抽样，未发现偏离目标模型的分布。"
    ),
    " A departure of more than {tv} in total variation is excluded (99 % confidence, over the tests' bins).": (
        "总变差超过 {tv} 的偏离可以排除（99 % 置信度，就检验所用的分组而言）。"
    ),
    "Acceptance is not what p and q promise in {names}: drafts are wasted there.": (
        "在 {names} 中接受率与 p、q 所允诺的不符：那里有草稿被浪费。"
    ),
    "{arm}: {length} tokens a drafting round, the target's own included, of which drafting takes {share} "
    "of the time; the speedup is {speedup}. What each part brings was not taken apart.": (
        "{arm}：每个草稿轮得到 {length} 个词元（含目标模型自己的），起草占时间的 {share}；加速比为 {speedup}。各"
        "部分的贡献没有拆分。"
    ),
    "Neither profile nor attribution was run here.": "这里没有运行剖析，也没有运行收益来源分析。",
    "No gain can be told from noise.": "没有能与噪声区分的收益。",
    "There is no gain: every drafter is slower than the target alone.": "没有收益：每个草稿器都比仅用目标模型慢。",
    "Not known: too few samples.": "未知：样本太少。",
    "from longer acceptance ({names})": "更长的接受长度（{names}）",
    "from cheaper rounds ({names})": "更便宜的轮次（{names}）",
    "The gain comes {where}.": "收益来自{where}。",
    "; ": "；",
    "There is a gain ({names}).": "存在收益（{names}）。",
    "{where}, {arm} against {against}: {measured} measured. Accepted length brings {length}; drafting "
    "costs {draft}, verifying more rows {verify}, everything else {overhead}.": (
        "{where}，{arm} 相对 {against}：实测 {measured}。接受长度带来 {length}；起草的代价为 {draft}，验证更多行"
        "为 {verify}，其余为 {overhead}。"
    ),
    "The parts predict {predicted}; {rest} of the measured speed is not explained by them.": (
        "各部分预测为 {predicted}；实测速度中有 {rest} 无法由它们解释。"
    ),
    "The parts predict {predicted}, within {rest} of what was measured.": (
        "各部分预测为 {predicted}，与实测相差不超过 {rest}。"
    ),
    "{arm}: the interval holds 1, so this gain can't be told from noise.": (
        "{arm}：区间包含 1，因此这一收益无法与噪声区分。"
    ),
    "Rows of a batch do not give the ids that they give alone: the batch changes the text.": (
        "批中各行给出的词元与单独运行时不同：批处理改变了文本。"
    ),
    "Neither profile, sweep nor concurrency gave figures here.": "剖析、扫描和并发都没有给出数值。",
    "It turns into a loss: {names}.": "会变成损失：{names}。",
    "Nowhere that was tested.": "在已测试的范围内没有消失。",
    "There was no gain to vanish, or it can't be told from noise.": "没有可消失的收益，或收益无法与噪声区分。",
    "{arm} on {layer}": "{arm} 在{layer}上",
    "{arm} at {place}": "{arm} 在{place}",
    "{arm} with {n} or more requests at once": "{arm} 在同时 {n} 个或更多请求时",
    "{arm} gains on {layers}.": "{arm} 在以下文本上有收益：{layers}。",
    "{arm} loses on {layers}: the target alone is faster there.": (
        "{arm} 在以下文本上有损失：{layers}；那里仅用目标模型更快。"
    ),
    "{arm}: no difference that can be told from noise on {layers}.": (
        "{arm}：在以下文本上的差别无法与噪声区分：{layers}。"
    ),
    " ({share} of the samples drawn anew agree)": "（重新抽取样本时 {share} 得到同一结果）",
    "{arm}: speed still rises at {place}, the largest that was tested{support}: the best lies there or beyond.": (
        "{arm}：在测试的最大值{place}处速度仍在上升{support}：最佳值在此处或更远。"
    ),
    "{arm}: beyond {place} nothing more is gained{support}.": "{arm}：超过{place}之后不再有收益{support}。",
    "{arm}: from {place} on it is slower than the target alone.": "{arm}：从{place}起比仅用目标模型慢。",
    "{arm}: at {place} it looks slower than the target alone, within noise.": (
        "{arm}：在{place}处看起来比仅用目标模型慢，但在噪声范围内。"
    ),
    "{arm}, {axis}: {values} count for nothing, because the text repeats itself there or is too short.": (
        "{arm}，{axis}：{values} 不计入，因为那里的文本自我重复或太短。"
    ),
    "{arm}: requests that wait in line only wait; the speedup of each stays at about {speedup}.": (
        "{arm}：排队的请求只是等待；每个请求的加速比保持在约 {speedup}。"
    ),
    "{arm}: with {n} or more requests at once, batched together, it is slower than the batched target alone.": (
        "{arm}：从同时 {n} 个请求起，合批运行时比合批的目标模型慢。"
    ),
    "{arm}: with {n} or more requests at once, batched together, it looks slower than the batched target alone, within "
    "noise.": ("{arm}：同时 {n} 个请求合批运行时，看起来比合批的目标模型慢，但在噪声范围内。"),
    "{arm}: up to {n} requests at once, batched together, its throughput stays above that of the batched "
    "target alone.": ("{arm}：同时至多 {n} 个请求合批运行时，吞吐始终高于合批的目标模型。"),
    "{arm}: throughput against the batched target is {first} at {a} and {last} at {b} requests at once.": (
        "{arm}：相对合批的目标模型，吞吐在 {a} 个请求时为 {first}，在 {b} 个请求时为 {last}。"
    ),
    "{arm}: with {n} or more requests at once a reader sees text later than from the batched target alone.": (
        "{arm}：从同时 {n} 个请求起，读者看到文本的时间晚于合批的目标模型。"
    ),
    "{arm}: at {n} requests throughput rises while each request waits longer for a token: that gain is "
    "the batch's, not the drafter's.": (
        "{arm}：{n} 个请求时吞吐上升，而每个请求等待每个词元的时间变长：这一收益来自批处理，不来自草稿器。"
    ),
    "{arm}: its drafter takes {size}, {share} of the target's weights.": (
        "{arm}：草稿器占用 {size}，为目标模型权重的 {share}。"
    ),
    "{arm}: its drafter belongs to this target; another target, or a new version of it, needs another drafter.": (
        "{arm}：草稿器只适配这个目标模型；更换目标模型或其新版本都需要另一个草稿器。"
    ),
    "{arm}: it holds no weights and needs no training; it works with any target.": (
        "{arm}：没有权重，不需要训练，可用于任何目标模型。"
    ),
    "{arm}: drafting takes {share} of the decode time; {wasted} of the drafts are dropped.": (
        "{arm}：起草占解码时间的 {share}；{wasted} 的草稿被丢弃。"
    ),
    "{arm}: the target's caches take up to {kv} in the sweep, the drafter's own {state}; all arms of a race and the "
    "weights together {peak}.": (
        "{arm}：扫描中目标模型的缓存最多占用 {kv}，草稿器自身 {state}；一次比赛的各路连同权重共 {peak}。"
    ),
    "drafter's state": "草稿器状态",
    "Over {n} rounds memory grew by {size} per 1,000 rounds: long sessions will run out of it.": (
        "{n} 轮中内存每 1000 轮增长 {size}：长时间运行会耗尽内存。"
    ),
    "Over {n} rounds memory did not grow (slope {size} per 1,000 rounds).": (
        "{n} 轮中内存没有增长（斜率为每 1000 轮 {size}）。"
    ),
    "No lab gave figures of memory or of drafting time.": "没有实验给出内存或起草时间的数值。",
    "Memory grows without end.": "内存不断增长。",
    "Memory for the drafter, and time for drafting.": "草稿器占用内存，起草占用时间。",
    "Little memory, and time for drafting.": "少量内存，以及起草的时间。",
    "{n} traces hold each round's drafts, what was accepted, where it was rejected and what it cost: "
    "every figure here can be followed to the rounds behind it.": (
        "{n} 个记录文件保存了每一轮的草稿、接受情况、被拒位置和耗时：这里的每个数值都可以追溯到背后的轮次。"
    ),
    "Of {n} disturbances these were not handled: {names}.": "{n} 种干扰中，以下未被正确处理：{names}。",
    "All {n} disturbances (odd inputs, cancels, time-outs, long runs) ended as they should, and the "
    "state afterwards was the same as before.": (
        "全部 {n} 种干扰（异常输入、取消、超时、长时运行）都正常结束，之后的状态与之前相同。"
    ),
    "No lab left traces to look into.": "没有实验留下可查看的记录。",
    "A disturbance was not handled.": "有干扰未被正确处理。",
    "Yes: by position, by request and by kind of text.": "能：可按位置、按请求、按文本种类查看。",
    "By position, by request and by kind of text; disturbances were not tested.": (
        "可按位置、按请求、按文本种类查看；没有测试干扰。"
    ),
    "{arm}: conditional acceptance falls along the block (from {first} at position 1 to {last} at "
    "position {k}): later positions don't know what earlier ones chose.": (
        "{arm}：条件接受率沿块下降（位置 1 为 {first}，位置 {k} 为 {last}）：后面的位置不知道前面选了什么。"
    ),
    "{arm}: conditional acceptance stays flat along the block (from {first} at position 1 to {last} at "
    "position {k}): what falls is only the chance of getting that far.": (
        "{arm}：条件接受率沿块保持平坦（位置 1 为 {first}，位置 {k} 为 {last}）：下降的只是到达那里的机会。"
    ),
    "{arm}: whether conditional acceptance falls along the block can't be told from so few rounds.": (
        "{arm}：轮次太少，无法判断条件接受率是否沿块下降。"
    ),
    "{arm}: at position {k}, the first such, fewer than {limit} of the drafts that are reached are kept.": (
        "{arm}：位置 {k} 是第一个被检验到的草稿中保留不到 {limit} 的位置。"
    ),
    "{arm}: acceptance is longest on {best} ({high}) and shortest on {worst} ({low}).": (
        "{arm}：接受长度在{best}上最长（{high}），在{worst}上最短（{low}）。"
    ),
    # Advice
    "Measured speedup: {speedup} over {n} samples.": "实测加速比：{speedup}（{n} 个样本）。",
    "Whether the text stays the target's own was not shown here.": "这里没有证明文本仍是目标模型自己的。",
    "Don't use {arm} here: it does not keep what it promises.": "不要在此使用 {arm}：它没有兑现承诺。",
    "Use {arm} here.": "可在此使用 {arm}。",
    "Use {arm} here, within limits.": "可在此使用 {arm}，但有限制。",
    "Don't use {arm} here: the target alone is faster.": "不要在此使用 {arm}：仅用目标模型更快。",
    "Use {arm} for some kinds of text only.": "只对某些文本使用 {arm}。",
    "Nothing can be recommended about {arm}: its gain can't be told from noise.": (
        "对 {arm} 无法给出建议：其收益无法与噪声区分。"
    ),
    "Nothing can be recommended about {arm}: its speed was not measured.": "对 {arm} 无法给出建议：没有测量其速度。",
    "Not measured: only the weights are known.": "未测量：只知道权重的大小。",
    "It changes the text.": "它改变了文本。",
    "With sampling, its text is not distributed as the target's own.": "采样时，其文本的分布与目标模型不同。",
    "Memory grows while it runs.": "运行时内存不断增长。",
    "{n} and more requests at once": "同时 {n} 个及更多请求",
    "{place} and more": "{place}及以上",
    "the largest that was tested, and the fastest ({speedup})": "测试过的最大值，也是最快的（{speedup}）",
    "the smallest that is within 2 % of the fastest ({speedup})": "与最快者相差 2 % 以内的最小值（{speedup}）",
    "use it for": "适用",
    "not for": "不适用",
    "undecided": "无法判断",
    "block": "块长",
    "No arm with a drafter was measured: nothing can be recommended.": "没有测量任何带草稿器的一路：无法给出建议。",
    # Page
    "Slipstream lab report": "Slipstream 实验报告",
    "Every sentence below is made of measured figures and holds under their conditions alone: this "
    "machine, these models, these samples. Intervals are 95 % over samples. What can't be told from "
    "noise is said to be so.": (
        "下面的每句话都由实测数值生成，且只在其条件下成立：这台机器、这些模型、这些样本。区间为对样本的 95 % 区间"
        "。无法与噪声区分的，都会说明。"
    ),
    "Results of different machines or program versions lie in this directory: run the labs again.": (
        "此目录中混有不同机器或不同程序版本的结果：请重新运行各项实验。"
    ),
    "Recommendation": "建议",
    "Five questions": "五个问题",
    "Evidence": "依据",
    "What was not tested": "没有测试的内容",
    "Conditions": "条件",
    "Labs": "各项实验",
    "Plan": "计划",
    "Samples": "样本",
    "Longest answer": "最长回答",
    "{n} tokens": "{n} 个词元",
    "Seed": "随机种子",
    "Figures": "数值",
    "{n} traces": "{n} 个记录文件",
    # Sections
    "verdict": "结论",
    "tokens checked": "检查的词元",
    "near ties": "近乎并列",
    "largest gap": "最大差距",
    "noise of this machine: {bound}": "本机噪声：{bound}",
    "Greedy: token by token": "贪心：逐词元",
    "After one change": "改变一个条件之后",
    "holds": "成立",
    "does not hold": "不成立",
    "condition": "条件",
    "Planted faults": "植入的故障",
    "noticed": "已发现",
    "not noticed": "未发现",
    "fault": "故障",
    "each must be noticed, or a pass means nothing": "每一个都必须被发现，否则通过没有意义",
    "tests, Holm's correction over all": "检验数（全部经 Holm 校正）",
    "draws": "抽样次数",
    "total variation is at most": "总变差至多为",
    "total variation that would have been found": "能够发现的总变差",
    "tests": "检验数",
    "smallest p": "最小 p 值",
    "total variation at most": "总变差至多",
    "By configuration": "按配置",
    "p after Holm's correction": "经 Holm 校正的 p 值",
    "One place of one text was drawn from; elsewhere p and q are others, but the rule is the same.": (
        "只在一段文本的一个位置上抽样；其它位置的 p 和 q 不同，但规则相同。"
    ),
    "Faults of less than {tv} of total variation may pass unseen in the weakest of the tests.": (
        "总变差小于 {tv} 的故障可能在最弱的检验中不被发现。"
    ),
    "Sampling: by distribution": "采样：按分布",
    "Acceptance against the sum of min(p, q)": "接受率与 min(p, q) 之和的比较",
    "agrees": "一致",
    "differs": "不一致",
    "configuration": "配置",
    "conditional": "条件接受率",
    "survival": "存活率",
    "share of drafts kept": "保留的草稿比例",
    "all samples (n {n})": "全部样本（n {n}）",
    "Speedup by kind of text": "按文本种类的加速比",
    "speedup {speedup} · {length} tokens a drafting round · drafting {draft} of the time · {wasted} of "
    "drafts dropped": ("加速比 {speedup} · 每个草稿轮 {length} 个词元 · 起草占时间的 {draft} · {wasted} 的草稿被丢弃"),
    "Speedup over the target alone": "相对仅用目标模型的加速比",
    "reached": "被检验",
    "Speedup along {axis}": "加速比随{axis}的变化",
    "speedup": "加速比",
    "knee": "拐点",
    "keys and values": "键值缓存",
    "* the arm's own value": "* 这一路自己的值",
    "accepted length": "接受长度",
    "everything else": "其余",
    "measured": "实测",
    "predicted": "预测",
    "unexplained": "未解释",
    "Factors of the speedup": "加速比的各个因子",
    "factor": "因子",
    "factors; above 1 they bring speed, below 1 they cost it": "因子：大于 1 带来速度，小于 1 消耗速度",
    "{arm} against {against}": "{arm} 相对 {against}",
    "each row of a batch gives the ids it gives alone": "批中每一行给出的词元与单独运行时相同",
    "Requests that come by themselves": "自行到达的请求",
    "95th percentiles": "第 95 百分位",
    "load": "负载",
    "wait": "等待",
    "between texts": "两次输出之间",
    "requests a forward": "每次前向的请求数",
    "batching alone": "仅合批的收益",
    "served queueing": "排队",
    "served batching": "合批",
    "arrivals poisson": "泊松到达",
    "arrivals burst": "突发到达",
    "Batched rows": "合批的各行",
    "check": "检查",
    "throughput": "吞吐",
    "time per token": "每词元时间",
    "Speedup by requests in flight": "加速比随并发请求数的变化",
    "requests in flight": "并发请求数",
    "break-even": "盈亏平衡点",
    "rows per forward": "每次前向的行数",
    "against the target alone, same engine": "相对同一引擎中的目标模型",
    "{n} rounds, memory {size} per 1,000 rounds": "{n} 轮，内存每 1000 轮 {size}",
    "Disturbances": "干扰",
    "as it should": "正常",
    "not handled": "未正确处理",
    "case": "情形",
    "could not be run": "无法运行",
    "lab": "实验",
    "status": "状态",
    "took": "耗时",
    "began": "开始于",
    "traces": "记录",
    # Not tested
    "Other machines, other models, other loads: figures don't carry over.": (
        "其它机器、其它模型、其它负载：数值不能外推。"
    ),
    "The quality of the text itself: what is checked is that it is the target's own.": (
        "文本本身的质量：检查的只是它是否为目标模型自己的文本。"
    ),
    "Splitting a model over several machines: not applicable to one machine.": "把模型切分到多台机器：不适用于单机。",
    "No sample with {kind} {layer} was measured ({lab}).": "没有测量{kind}为“{layer}”的样本（{lab}）。",
    "{n} of {whole} samples were left out for lack of time ({lab}).": (
        "因时间不足，{whole} 个样本中有 {n} 个未测（{lab}）。"
    ),
    "{arm} was not disturbed: the full plan does that.": "{arm} 没有受到干扰测试：完整计划会做。",
    "The long run ({run}) had time for {n} of {whole} rounds.": "长时运行（{run}）只来得及做 {whole} 轮中的 {n} 轮。",
    "{target} in {precision} was not tested: {why}.": "没有测试 {precision} 精度的 {target}：{why}。",
    "A context of {n} tokens was not swept: the target holds less, or there is too little text.": (
        "没有扫描 {n} 个词元的上下文：目标模型容不下，或文本不够。"
    ),
    "Stopped early: {n} of {whole} {what} fitted into the time ({lab}).": (
        "提前停止：{whole} 项{what}中有 {n} 项来得及完成（{lab}）。"
    ),
    "Not disturbed for lack of time: {names}.": "因时间不足而未做的干扰：{names}。",
    "what checks": "检查",
    "what disturbances": "干扰",
    "what draws": "抽样",
    "Each number of requests in flight was measured once: repeats take the full plan.": (
        "每种并发请求数只测量了一次：完整计划会重复。"
    ),
    "Prompts of more than {prompt} tokens and answers of more than {answer} were not served.": (
        "没有服务超过 {prompt} 个词元的提示词和超过 {answer} 个词元的回答。"
    ),
    "For lack of time these were left out: {names}.": "因时间不足未做：{names}。",
    "Several requests in one batch are the concurrency lab's matter.": "一个批中的多个请求由并发实验负责。",
    "Sharding over several machines has no counterpart here.": "多机切分在这里没有对应。",
    "The engine's own process was not disturbed.": "引擎自身的进程没有受到干扰测试。",
    "empty input and output": "空输入与空输出",
    "over-long prompts": "超长提示词",
    "temperatures": "温度",
    "block sizes": "块长",
    "special characters": "特殊字符",
    "mixed languages": "混合语言",
    "stop in the first round": "第一轮就停止",
    "end of the context": "上下文末尾",
    "hostile drafters": "有敌意的草稿器",
    "cancel storm": "连续取消",
    "a reader goes away": "读者离开",
    "soak": "长时运行",
    "soak, small random model": "长时运行（随机小模型）",
    "engine: cancelled before it begins": "引擎：开始之前取消",
    "engine: cancelled in the middle": "引擎：中途取消",
    "engine: its client gives up": "引擎：客户端放弃",
    "engine: nonsense for a request": "引擎：无意义的请求",
    "engine: ended in the middle": "引擎：中途被终止",
    "engine: its client goes away": "引擎：客户端离开",
    "prefix cache off": "关闭前缀缓存",
    "every accepted length": "每一种接受长度",
    "row by row": "逐行计算",
    "{arm} was not swept: the full plan does that.": "{arm} 没有扫描：完整计划会扫描。",
    "Attribution holds for the arm's own block length.": "收益来源只对这一路自己的块长成立。",
    "{lab} could not be run: {why}": "{lab}无法运行：{why}",
    "{lab} was not run.": "没有运行{lab}。",
    "{lab} was stopped early: its figures rest on what was done until then.": (
        "{lab}被提前停止：其数值只基于到那时为止的内容。"
    ),
    "{n} samples count for nothing in speed: their text repeats itself or is too short.": (
        "有 {n} 个样本的速度不计入：其文本自我重复或太短。"
    ),
    # Comparison
    "These conditions differ:": "以下条件不同：",
    "The conditions are the same.": "条件相同。",
    "{n} figures differ beyond noise or are on one side only, {same} don't.": (
        "{n} 个数值的差别超出噪声或只在一方出现，{same} 个没有。"
    ),
    "Two lab reports": "两份实验报告",
    "What differs in the conditions": "条件的差别",
    "Two figures are called different where their 95 % intervals don't overlap.": (
        "两个数值的 95 % 区间不重叠时才称为不同。"
    ),
    "the same": "相同",
    "B is higher": "B 更高",
    "B is lower": "B 更低",
    "within noise": "在噪声范围内",
    "only in A": "只在 A 中",
    "only in B": "只在 B 中",
    "tokens per forward": "每次前向词元数",
    "draft share of time": "起草耗时占比",
    "dropped drafts": "被丢弃的草稿",
    "queueing": "排队",
    "batching": "批处理",
}
