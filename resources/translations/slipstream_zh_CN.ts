<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
    <message>
        <source>Version {n}</source>
        <translation>版本 {n}</translation>
    </message>
    <message>
        <source>See, by looking, whether speculative decoding helps on your Mac. Nothing leaves this computer.</source>
        <translation>一眼看清推测解码在您的 Mac 上是否有用。数据不会离开这台电脑。</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>View</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Panes Run</source>
        <translation>窗格运行方式</translation>
    </message>
    <message>
        <source>Open Recent</source>
        <translation>打开最近的轨迹</translation>
    </message>
    <message>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <source>Open Trace…</source>
        <translation>打开轨迹…</translation>
    </message>
    <message>
        <source>Close Window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Quit Slipstream</source>
        <translation>退出 Slipstream</translation>
    </message>
    <message>
        <source>Trace…</source>
        <translation>轨迹…</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Perfetto…</source>
        <translation>Perfetto…</translation>
    </message>
    <message>
        <source>HTML Report…</source>
        <translation>HTML 报告…</translation>
    </message>
    <message>
        <source>Markdown…</source>
        <translation>Markdown…</translation>
    </message>
    <message>
        <source>Leave Text Out</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <source>Edit Last Prompt</source>
        <translation>修改上一条提示</translation>
    </message>
    <message>
        <source>Clear Conversation</source>
        <translation>清空对话</translation>
    </message>
    <message>
        <source>Undo Clear</source>
        <translation>撤销清空</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>偏好设置…</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>System Language</source>
        <translation>系统语言</translation>
    </message>
    <message>
        <source>Token Origins and Legend</source>
        <translation>词元来源与图例</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>System Prompt</source>
        <translation>系统提示</translation>
    </message>
    <message>
        <source>Bigger Text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller Text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Usual Text Size</source>
        <translation>默认文字大小</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>全屏幕</translation>
    </message>
    <message>
        <source>Send or Run Again</source>
        <translation>发送或重新运行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run Last Prompt Again</source>
        <translation>重新运行上一条提示</translation>
    </message>
    <message>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <source>Same Sampling in All Panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <source>In Turn, Round by Round</source>
        <translation>逐轮交替</translation>
    </message>
    <message>
        <source>One after the Other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <source>Minimise</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Pane {n}</source>
        <translation>窗格 {n}</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <source>Open Log Folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
</context>
<context>
    <name>ArmCommands</name>
    <message>
        <source>An answer is being written: stop it, then change the settings.</source>
        <translation>正在写回答：请先停止，再修改设置。</translation>
    </message>
    <message>
        <source>An answer is being written: stop it, then change the model.</source>
        <translation>正在写回答：请先停止，再更换模型。</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>打开模型文件夹</translation>
    </message>
</context>
<context>
    <name>ArmDialog</name>
    <message>
        <source>Settings of {pane}</source>
        <translation>{pane} 的设置</translation>
    </message>
    <message>
        <source>Drafting</source>
        <translation>起草</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Reset to Defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>No drafter model is named: choose its folder, or another kind of drafter.</source>
        <translation>没有指定草稿模型：请选择其文件夹，或换一种草稿来源。</translation>
    </message>
    <message>
        <source>Same sampling in all panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <source>Only panes that sample alike can be compared token by token.</source>
        <translation>只有采样相同的窗格才能逐词元比较。</translation>
    </message>
    <message>
        <source>None (baseline)</source>
        <translation>无（基线）</translation>
    </message>
    <message>
        <source>Look-up in the text</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <source>Small model</source>
        <translation>小模型</translation>
    </message>
    <message>
        <source>Look-up, then small model</source>
        <translation>先查找，后小模型</translation>
    </message>
    <message>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <source>Drafter model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Folder or hub id of a model with the same vocabulary</source>
        <translation>词表相同的模型的文件夹或 Hub 编号</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>One a line</source>
        <translation>每行一个</translation>
    </message>
    <message>
        <source>{n} bits</source>
        <translation>{n} 位</translation>
    </message>
    <message>
        <source>the model's own</source>
        <translation>模型自身精度</translation>
    </message>
    <message>
        <source>until it stops</source>
        <translation>直到自行停止</translation>
    </message>
    <message>
        <source>all tokens</source>
        <translation>全部词元</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块长</translation>
    </message>
    <message>
        <source>Rows the target verifies at once: its last token and up to block − 1 drafts.</source>
        <translation>目标模型一次验证的行数：上一个词元加上最多“块长 − 1”个草稿。</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选数</translation>
    </message>
    <message>
        <source>Candidates a position keeps, for drafters that choose among several.</source>
        <translation>每个位置保留的候选数，供会在多个候选中选择的草稿模型使用。</translation>
    </message>
    <message>
        <source>Confidence at least</source>
        <translation>最低置信度</translation>
    </message>
    <message>
        <source>A drafter that says how sure it is ends its block before the first less certain position; 0 is off.</source>
        <translation>会给出置信度的草稿模型在第一个低于此值的位置之前结束草稿块；0 表示关闭。</translation>
    </message>
    <message>
        <source>Go on without the drafter while it costs more than it brings</source>
        <translation>草稿模型得不偿失时暂时停用</translation>
    </message>
    <message>
        <source>The pane says so when it happens.</source>
        <translation>发生时窗格会说明。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 is greedy: always the most likely token.</source>
        <translation>0 为贪心：总取概率最大的词元。</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Keep the most likely tokens that together have this probability; 1 is off.</source>
        <translation>保留累计概率达到此值的最可能词元；1 为关闭。</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Keep this many of the most likely tokens; 0 keeps all.</source>
        <translation>只保留这么多个最可能的词元；0 为全部保留。</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Drop tokens less likely than this share of the most likely one; 0 is off.</source>
        <translation>去掉概率低于最大概率此比例的词元；0 为关闭。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Above 1, tokens that were used become less likely; 1 is off.</source>
        <translation>大于 1 时，用过的词元概率降低；1 为关闭。</translation>
    </message>
    <message>
        <source>Repetition window</source>
        <translation>重复窗口</translation>
    </message>
    <message>
        <source>How many of the last tokens the penalty looks at.</source>
        <translation>惩罚所看的最近词元数。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed draws the same tokens again.</source>
        <translation>相同的种子会再次抽到相同的词元。</translation>
    </message>
    <message>
        <source>Most tokens</source>
        <translation>最多词元</translation>
    </message>
    <message>
        <source>Length of an answer at most; −1 goes on until the model stops.</source>
        <translation>回答的最大长度；−1 为直到模型自行停止。</translation>
    </message>
    <message>
        <source>Stop strings</source>
        <translation>停止串</translation>
    </message>
    <message>
        <source>The text ends before the first of them; \n stands for a line break.</source>
        <translation>文本在最先出现的停止串之前结束；\n 表示换行。</translation>
    </message>
    <message>
        <source>Cache precision</source>
        <translation>缓存精度</translation>
    </message>
    <message>
        <source>Fewer bits for keys and values save memory and may change the text.</source>
        <translation>键和值用更少的位可省内存，但可能改变文本。</translation>
    </message>
    <message>
        <source>Rounds per timing</source>
        <translation>计时间隔（轮）</translation>
    </message>
    <message>
        <source>Every n-th round waits between draft and verify, so that their times can be told apart.</source>
        <translation>每 n 轮在起草与验证之间等待一次，以便分开计时。</translation>
    </message>
    <message>
        <source>Choose a drafter model</source>
        <translation>选择草稿模型</translation>
    </message>
</context>
<context>
    <name>ArmSwitch</name>
    <message>
        <source>Show the rounds of {arm}</source>
        <translation>显示 {arm} 的轮次</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Trace “{name}”, read only</source>
        <translation>轨迹“{name}”，只读</translation>
    </message>
    <message>
        <source>Show at Once</source>
        <translation>立即全部显示</translation>
    </message>
    <message>
        <source>Replay at True Speed</source>
        <translation>按真实速度回放</translation>
    </message>
    <message>
        <source>Ask Again from Here</source>
        <translation>从这里继续提问</translation>
    </message>
    <message>
        <source>Continue this conversation with the engine; the trace itself stays as it is.</source>
        <translation>用引擎继续这段对话；轨迹本身不变。</translation>
    </message>
    <message>
        <source>Close Trace</source>
        <translation>关闭轨迹</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Reading the prompt: {done} of {total} tokens</source>
        <translation>正在读入提示：{done} / {total} 个词元</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Loading {what}</source>
        <translation>正在载入 {what}</translation>
    </message>
</context>
<context>
    <name>ColumnFooter</name>
    <message>
        <source>accept</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Share of drafts accepted at each position, of those the target looked at there (n)</source>
        <translation>各位置上目标模型看过的草稿（n）中被接受的比例</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Ask…</source>
        <translation>提问…</translation>
    </message>
    <message>
        <source>Ask both…</source>
        <translation>同时问两个…</translation>
    </message>
    <message>
        <source>Ask all…</source>
        <translation>同时问所有…</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Prompts by task, to compare like with like</source>
        <translation>按任务分类的提示，便于同类相比</translation>
    </message>
    <message>
        <source>System prompt, for all panes</source>
        <translation>系统提示，用于所有窗格</translation>
    </message>
    <message>
        <source>You are a helpful assistant.</source>
        <translation>你是一个乐于助人的助手。</translation>
    </message>
</context>
<context>
    <name>Conversation</name>
    <message>
        <source>An answer is being written: stop it first.</source>
        <translation>正在写回答：请先停止。</translation>
    </message>
    <message>
        <source>The conversation was cleared.</source>
        <translation>对话已清空。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>The changed prompt will replace the last one.</source>
        <translation>修改后的提示将替换上一条。</translation>
    </message>
    <message>
        <source>Keep Both</source>
        <translation>两条都保留</translation>
    </message>
</context>
<context>
    <name>EngineLink</name>
    <message>
        <source>The engine speaks protocol {theirs}, this window {ours}; install both from one version.</source>
        <translation>引擎使用协议 {theirs}，本窗口使用 {ours}；请安装同一版本的两者。</translation>
    </message>
    <message>
        <source>The engine did not start within {n} s; its log says why.</source>
        <translation>引擎在 {n} 秒内没有启动；原因见其日志。</translation>
    </message>
    <message>
        <source>The engine has not answered for {n} s; wait for it, or restart it and ask again.</source>
        <translation>引擎已有 {n} 秒没有回应；请等待，或重启引擎后再问。</translation>
    </message>
    <message>
        <source>The engine could not start (exit status {code}); its log says why.</source>
        <translation>引擎无法启动（退出状态 {code}）；原因见其日志。</translation>
    </message>
    <message>
        <source>The engine crashed (signal {code}); the text so far is kept.</source>
        <translation>引擎崩溃（信号 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <source>The engine stopped (exit status {code}); the text so far is kept.</source>
        <translation>引擎停止（退出状态 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <source>The engine could not be started: {program} can't be run.</source>
        <translation>引擎无法启动：{program} 不能运行。</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Target model: {name}</source>
        <translation>目标模型：{name}</translation>
    </message>
    <message>
        <source>The model that writes the text, in all panes</source>
        <translation>在所有窗格中写出文本的模型</translation>
    </message>
    <message>
        <source>{name} (embedded)</source>
        <translation>{name}（内置）</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>End the run within a round; its text stays</source>
        <translation>在一轮之内结束运行；文本保留</translation>
    </message>
    <message>
        <source>Send the prompt, or run the last one again where none is written</source>
        <translation>发送提示；没有写提示时重新运行上一条</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <source>cut off by a stop or the token limit</source>
        <translation>因停止符或词元上限被截断</translation>
    </message>
    <message>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <source>the look-up found no match</source>
        <translation>查找未命中</translation>
    </message>
    <message>
        <source>the drafter proposed no more</source>
        <translation>草稿模型没有更多提议</translation>
    </message>
    <message>
        <source>the token limit is near</source>
        <translation>接近词元上限</translation>
    </message>
    <message>
        <source>the context is nearly full</source>
        <translation>上下文将满</translation>
    </message>
    <message>
        <source>the drafter is resting because it costs more than it brings</source>
        <translation>草稿模型得不偿失，暂时停用</translation>
    </message>
    <message>
        <source>the drafter was not confident enough</source>
        <translation>草稿模型信心不足</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Target's choice</source>
        <translation>目标模型的选择</translation>
    </message>
    <message>
        <source>Target's p</source>
        <translation>目标概率 p</translation>
    </message>
    <message>
        <source>Drafter's q</source>
        <translation>草稿概率 q</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>差距</translation>
    </message>
    <message>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <source>{used} of {requested}</source>
        <translation>{used} / {requested}</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Round {round} of turn {turn}: {accepted} of {width} drafts accepted, {emitted} tokens emitted</source>
        <translation>第 {turn} 回合第 {round} 轮：接受 {width} 个草稿中的 {accepted} 个，输出 {emitted} 个词元</translation>
    </message>
    <message>
        <source>Position {position}: no draft was reached here yet</source>
        <translation>位置 {position}：还没有草稿到达这里</translation>
    </message>
    <message>
        <source>Position {position}: of {reached} drafts the target looked at here, {accepted} were accepted ({share})</source>
        <translation>位置 {position}：目标模型在此看过 {reached} 个草稿，接受了 {accepted} 个（{share}）</translation>
    </message>
    <message>
        <source>So few rounds make a rough number</source>
        <translation>轮次太少，数值仅供参考</translation>
    </message>
    <message>
        <source>{rounds} rounds, none with drafts</source>
        <translation>{rounds} 轮，均无草稿</translation>
    </message>
    <message>
        <source>{rounds} rounds · {accepted} of {drafted} drafts accepted a round</source>
        <translation>{rounds} 轮 · 每轮接受 {accepted} / {drafted} 个草稿</translation>
    </message>
</context>
<context>
    <name>HeatmapPanel</name>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>A round is one run of the target: it judges a block of drafted tokens at once</source>
        <translation>一轮即目标模型的一次前向：一次判定一整块草稿词元</translation>
    </message>
    <message>
        <source>Show the rounds as a table</source>
        <translation>以表格显示轮次</translation>
    </message>
    <message>
        <source>Acceptance heatmap</source>
        <translation>接受热图</translation>
    </message>
    <message>
        <source>Table of rounds</source>
        <translation>轮次表</translation>
    </message>
    <message>
        <source>Overview of all rounds</source>
        <translation>全部轮次概览</translation>
    </message>
    <message>
        <source>All rounds: the longer the bar, the more drafts were accepted. Press to go there</source>
        <translation>全部轮次：条越长，接受的草稿越多。点按即可跳转</translation>
    </message>
    <message>
        <source>Means over the rounds that drafted; the target's own token of each round not counted</source>
        <translation>对有草稿的轮次取平均；不计每轮目标模型自己的词元</translation>
    </message>
    <message>
        <source>This run has no drafter, so there are no drafts to accept. Choose a drafter to see its rounds here.</source>
        <translation>本次运行没有草稿模型，因此没有可接受的草稿。选择一个草稿模型即可在此看到它的轮次。</translation>
    </message>
    <message>
        <source>Each round becomes a row here: which drafts the target accepted, and how likely it held them.</source>
        <translation>每一轮在此成为一行：目标模型接受了哪些草稿，以及它认为这些草稿有多大可能。</translation>
    </message>
    <message>
        <source>following</source>
        <translation>跟随中</translation>
    </message>
    <message>
        <source>↓ newest</source>
        <translation>↓ 最新</translation>
    </message>
    <message>
        <source>Stay with the newest round (End)</source>
        <translation>停留在最新一轮（End）</translation>
    </message>
    <message>
        <source>Follow the newest round</source>
        <translation>跟随最新一轮</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Send the prompt</source>
        <translation>发送提示</translation>
    </message>
    <message>
        <source>New line in the prompt</source>
        <translation>在提示中换行</translation>
    </message>
    <message>
        <source>Last prompt, in an empty editor</source>
        <translation>上一条提示（编辑框为空时）</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>One run of the target and what it decided: it judges a block of drafted tokens from left to right and adds one token of its own.</source>
        <translation>目标模型的一次前向及其决定：它从左到右判定一块草稿词元，并加上一个自己的词元。</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <source>Tokens after the first, divided by the time this pane itself worked on them. While another pane has its turn, this pane's clock stands still.</source>
        <translation>首词元之后的词元数除以本窗格自己的用时。轮到其他窗格时，本窗格的时钟停走。</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>Speed of a pane divided by the speed of the first pane. Below 1 the pane is slower.</source>
        <translation>某窗格的速度除以第一个窗格的速度。小于 1 表示更慢。</translation>
    </message>
    <message>
        <source>Per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <source>Emitted tokens divided by target forwards, the bonus token included. A baseline has 1.</source>
        <translation>输出词元数除以目标模型前向次数，含附赠词元。基线为 1。</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Accepted drafts divided by all drafts. It is a share of the drafts, not of the text.</source>
        <translation>接受的草稿数除以全部草稿数。它是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <source>Accepted, correction, bonus, plain</source>
        <translation>接受、纠正、附赠、普通</translation>
    </message>
    <message>
        <source>Where a token came from: a draft that was kept; the target's own token where it refused a draft; its own token after a block that was kept whole; its own token in a round without drafts.</source>
        <translation>词元从何而来：被保留的草稿；目标模型拒绝草稿处自己的词元；整块保留之后自己的词元；无草稿轮次中自己的词元。</translation>
    </message>
    <message>
        <source>Rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <source>Rounds in which at least one draft was dropped and the caches went back to the last kept token.</source>
        <translation>至少丢弃一个草稿、缓存退回到最后保留词元的轮次。</translation>
    </message>
    <message>
        <source>Near-tie</source>
        <translation>近似平局</translation>
    </message>
    <message>
        <source>Two choices of the target lie closer together than the noise of its arithmetic, so that one token or several at once may tip the choice. It is no fault of the acceptance rule.</source>
        <translation>目标模型的两个选择相差小于运算噪声，一次算一个词元还是多个都可能改变选择。这不是接受规则的错误。</translation>
    </message>
</context>
<context>
    <name>HistoryLine</name>
    <message>
        <source>{size} in use by the models, {seconds} s before the newest sample</source>
        <translation>模型占用 {size}，最新采样前 {seconds} 秒</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Drafted, and kept by the target.</source>
        <translation>由草稿提出并被目标模型保留。</translation>
    </message>
    <message>
        <source>correction</source>
        <translation>纠正</translation>
    </message>
    <message>
        <source>The target's own token where it refused a draft.</source>
        <translation>目标模型拒绝草稿处自己的词元。</translation>
    </message>
    <message>
        <source>bonus</source>
        <translation>附赠</translation>
    </message>
    <message>
        <source>The target's own token after a block whose every draft was kept.</source>
        <translation>整块草稿全部保留之后目标模型自己的词元。</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <source>accepted, p 0 to 1</source>
        <translation>接受，p 从 0 到 1</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <source>target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>caches</source>
        <translation>键值缓存</translation>
    </message>
    <message>
        <source>drafter state</source>
        <translation>草稿状态</translation>
    </message>
    <message>
        <source>engine, rest</source>
        <translation>引擎其余</translation>
    </message>
    <message>
        <source>allocator</source>
        <translation>分配器缓存</translation>
    </message>
    <message>
        <source>other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>free</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Weights of the target, the model whose text you read</source>
        <translation>目标模型的权重，您读到的文字由它决定</translation>
    </message>
    <message>
        <source>Weights of the drafter, the small model that proposes tokens</source>
        <translation>草稿模型的权重，这个小模型负责提议词元</translation>
    </message>
    <message>
        <source>Keys and values of the tokens read so far; they grow with the conversation</source>
        <translation>已读词元的键和值，随对话增长</translation>
    </message>
    <message>
        <source>What the drafter keeps between rounds: its own caches and its transition cache</source>
        <translation>草稿模型在各轮之间保留的内容：自身缓存与转移缓存</translation>
    </message>
    <message>
        <source>Everything else the engine holds: results in progress and the program itself</source>
        <translation>引擎占用的其余部分：计算中的结果与程序本身</translation>
    </message>
    <message>
        <source>Memory the engine has given up but keeps at hand, to use it again without asking</source>
        <translation>引擎已不用但仍留在手边的内存，可直接再用而无需重新申请</translation>
    </message>
    <message>
        <source>What the system and the other programs use</source>
        <translation>系统与其他程序占用的内存</translation>
    </message>
    <message>
        <source>What the machine could still give away without swapping</source>
        <translation>无需交换即可再分配的内存</translation>
    </message>
    <message>
        <source>{part} {size}: {explanation}</source>
        <translation>{part} {size}：{explanation}</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Unified memory: processor and graphics share it, so models and programs compete for it</source>
        <translation>统一内存：处理器与图形共用，模型和程序会争用它</translation>
    </message>
    <message>
        <source>In use by all programs, of what the machine has</source>
        <translation>所有程序已用的内存 / 本机内存</translation>
    </message>
    <message>
        <source>models, last 2 minutes</source>
        <translation>模型占用，最近 2 分钟</translation>
    </message>
    <message>
        <source>Memory in use by the models: weights, caches and results in progress</source>
        <translation>模型占用的内存：权重、缓存与计算中的结果</translation>
    </message>
    <message>
        <source>The most that the models used at once, the dashed line</source>
        <translation>模型曾同时占用的最大值，即虚线</translation>
    </message>
    <message>
        <source>How much memory models and caches take appears here once a model is loaded.</source>
        <translation>加载模型后，这里显示模型和缓存占用多少内存。</translation>
    </message>
    <message>
        <source>Parts of memory</source>
        <translation>内存各部分</translation>
    </message>
    <message>
        <source>Memory of the models, last 2 minutes</source>
        <translation>模型占用的内存，最近 2 分钟</translation>
    </message>
    <message>
        <source>peak {size}</source>
        <translation>峰值 {size}</translation>
    </message>
    <message>
        <source>{used} of {total} GB</source>
        <translation>{used} / {total} GB</translation>
    </message>
    <message>
        <source>Memory is getting tight: the system may slow down. Close programs you don't need.</source>
        <translation>内存开始紧张，系统可能变慢。请关闭不需要的程序。</translation>
    </message>
    <message>
        <source>Memory is nearly used up: close programs, or choose a smaller model.</source>
        <translation>内存即将耗尽：请关闭程序，或选择更小的模型。</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>Tokens per second of this pane's own time, the prompt's reading not counted.</source>
        <translation>按本窗格自己的用时计算的每秒词元数，不含读入提示的时间。</translation>
    </message>
    <message>
        <source>Speed of this pane divided by the speed of the first pane; below 1 it is slower.</source>
        <translation>本窗格速度除以第一个窗格的速度；小于 1 表示更慢。</translation>
    </message>
    <message>
        <source>per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <source>Tokens per forward: how many tokens each run of the target yielded, the bonus token included.</source>
        <translation>每次前向词元数：目标模型每次前向产出的词元数，含附赠词元。</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>首词元</translation>
    </message>
    <message>
        <source>Time to first token: this pane's own time from the prompt to the first token.</source>
        <translation>首词元时间：从提示到第一个词元，本窗格自己的用时。</translation>
    </message>
    <message>
        <source>forwards</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Target forwards: how often the large model ran.</source>
        <translation>目标前向：大模型运行的次数。</translation>
    </message>
    <message>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Drafter forwards: how often the drafter's model ran; look-up needs none.</source>
        <translation>草稿前向：草稿模型运行的次数；文本查找不需要。</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>Share of all drafted tokens that were kept; it is a share of the drafts, not of the text.</source>
        <translation>全部草稿词元中被保留的比例；是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <source>rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <source>Rounds in which at least one draft was dropped.</source>
        <translation>至少丢弃一个草稿的轮次。</translation>
    </message>
</context>
<context>
    <name>Pane</name>
    <message>
        <source>Settings of this pane</source>
        <translation>本窗格的设置</translation>
    </message>
    <message>
        <source>Settings of {pane}: {summary}</source>
        <translation>{pane} 的设置：{summary}</translation>
    </message>
    <message>
        <source>More for this pane</source>
        <translation>本窗格的更多操作</translation>
    </message>
    <message>
        <source>More for {pane}</source>
        <translation>{pane} 的更多操作</translation>
    </message>
    <message>
        <source>Text of {pane}</source>
        <translation>{pane} 的文本</translation>
    </message>
    <message>
        <source>The model alone answers here, one token a forward. It is what the other panes are measured against.</source>
        <translation>模型在这里独自回答，每次前向一个词元。其他窗格都与它相比。</translation>
    </message>
    <message>
        <source>The same model answers here with drafts. Accepted drafts lie on a tint; a click on a token shows its round.</source>
        <translation>同一模型在这里借助草稿回答。接受的草稿有底色；点按词元可看到它的轮次。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <source>Preferences</source>
        <translation>偏好设置</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Panes run</source>
        <translation>窗格运行</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>in turn, round by round</source>
        <translation>逐轮交替</translation>
    </message>
    <message>
        <source>one after the other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <source>In turn, heat and load drift hit all panes alike; each clock counts only its own pane's work.</source>
        <translation>交替运行时，发热与负载变化对所有窗格影响相同；每个时钟只计自己窗格的工作。</translation>
    </message>
    <message>
        <source>Keep prompts and texts in the traces of sessions</source>
        <translation>在会话轨迹中保留提示和文本</translation>
    </message>
    <message>
        <source>Without them a trace holds numbers only, and an interrupted session's text can't be restored. Traces stay on this computer.</source>
        <translation>不保留时轨迹只含数字，中断的会话也无法恢复文本。轨迹只留在这台电脑上。</translation>
    </message>
</context>
<context>
    <name>RoundTableModel</name>
    <message>
        <source>p {position}</source>
        <translation>p {position}</translation>
    </message>
    <message>
        <source>draft ms</source>
        <translation>起草 ms</translation>
    </message>
    <message>
        <source>verify ms</source>
        <translation>验证 ms</translation>
    </message>
    <message>
        <source>accept ms</source>
        <translation>判定 ms</translation>
    </message>
    <message>
        <source>commit ms</source>
        <translation>提交 ms</translation>
    </message>
    <message>
        <source>other ms</source>
        <translation>其他 ms</translation>
    </message>
    <message>
        <source>round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>emitted</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>why this width</source>
        <translation>宽度原因</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>回合</translation>
    </message>
    <message>
        <source>✓ {accepted}   × {rejected}   ( ) {never}</source>
        <translation>✓ {accepted}   × {rejected}   ( ) {never}</translation>
    </message>
</context>
<context>
    <name>Runner</name>
    <message>
        <source>The engine does not stop; restart it, the text so far is kept.</source>
        <translation>引擎没有停下；请重启，已有文本保留。</translation>
    </message>
    <message>
        <source>The engine was restarted; the text so far is kept.</source>
        <translation>引擎已重启；已有文本保留。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭提示</translation>
    </message>
</context>
<context>
    <name>TraceDesk</name>
    <message>
        <source>Open Trace</source>
        <translation>打开轨迹</translation>
    </message>
    <message>
        <source>An answer is being written: stop it, then open the trace.</source>
        <translation>正在写回答：请先停止，再打开轨迹。</translation>
    </message>
    <message>
        <source>its last line is cut off</source>
        <translation>最后一行不完整</translation>
    </message>
    <message>
        <source>without text</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <source>This trace was written without text, so its conversation can't go on: ask anew instead.</source>
        <translation>这份轨迹未保留文本，对话无法继续：请重新提问。</translation>
    </message>
    <message>
        <source>There is nothing to export yet: ask something first.</source>
        <translation>还没有可导出的内容：请先提问。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>{path} can't be written ({reason}): choose another place.</source>
        <translation>无法写入 {path}（{reason}）：请选择其他位置。</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
    <message>
        <source>Slipstream traces</source>
        <translation>Slipstream 轨迹</translation>
    </message>
    <message>
        <source>CSV tables</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <source>Perfetto traces</source>
        <translation>Perfetto 轨迹</translation>
    </message>
    <message>
        <source>HTML reports</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <source>Markdown reports</source>
        <translation>Markdown 报告</translation>
    </message>
</context>
<context>
    <name>TraceModel</name>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>First prompt</source>
        <translation>首条提示</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>窗格</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>(no text kept)</source>
        <translation>（未保留文本）</translation>
    </message>
</context>
<context>
    <name>TracesPage</name>
    <message>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Every session is written here as it happens, and stays on this computer.</source>
        <translation>每次会话都会实时记录在此，并只留在这台电脑上。</translation>
    </message>
    <message>
        <source>{size} MB</source>
        <translation>{size} MB</translation>
    </message>
    <message>
        <source>No session was recorded yet. Ask something in the chat, and it will stand here with its numbers.</source>
        <translation>还没有记录任何会话。在对话中提问，会话及其数字就会出现在这里。</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open Other…</source>
        <translation>打开其他…</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <source>Greedy texts must be equal token by token; a near-tie is a place where two choices are closer than the arithmetic's noise.</source>
        <translation>贪心解码的文本必须逐词元相等；近似平局是指两个选择相差小于运算噪声之处。</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>The engine is at work on one forward for {n} s now.</source>
        <translation>引擎的一次前向已进行 {n} 秒。</translation>
    </message>
    <message>
        <source>The session that was interrupted is back.</source>
        <translation>被中断的会话已恢复。</translation>
    </message>
    <message>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <source>An answer is still being written. Quit all the same? Its text so far is kept.</source>
        <translation>回答还在写。仍要退出吗？已有文本会保留。</translation>
    </message>
    <message>
        <source>A trace is read only: ask again from it, then change the settings.</source>
        <translation>轨迹为只读：请先从这里继续提问，再修改设置。</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <source>Duplicate Pane</source>
        <translation>复制窗格</translation>
    </message>
    <message>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <source>Remove Pane</source>
        <translation>移除窗格</translation>
    </message>
    <message>
        <source>Starting the engine…</source>
        <translation>正在启动引擎…</translation>
    </message>
    <message>
        <source>Open Log</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <source>This session is still being written: begin a new comparison first.</source>
        <translation>本次会话仍在写入：请先新建对比。</translation>
    </message>
    <message>
        <source>{name} can't be moved to the trash.</source>
        <translation>无法将 {name} 移到废纸篓。</translation>
    </message>
    <message>
        <source>{name} is neither a trace, a model folder nor a text: drop one of these.</source>
        <translation>{name} 既不是轨迹，也不是模型文件夹或文本：请拖入其中一种。</translation>
    </message>
</context>
<context>
    <name>Wording</name>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>Speculative</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>no drafter</source>
        <translation>无草稿</translation>
    </message>
    <message>
        <source>look-up</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <source>one token a forward</source>
        <translation>每次前向一个词元</translation>
    </message>
    <message>
        <source>block {n}</source>
        <translation>块长 {n}</translation>
    </message>
    <message>
        <source>{n}-bit cache</source>
        <translation>{n} 位缓存</translation>
    </message>
    <message>
        <source>both panes, same prompt</source>
        <translation>两个窗格，同一提示</translation>
    </message>
    <message>
        <source>all panes, same prompt</source>
        <translation>所有窗格，同一提示</translation>
    </message>
    <message>
        <source>sampling differs between panes</source>
        <translation>窗格间采样不同</translation>
    </message>
    <message>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <source>temperature {n}</source>
        <translation>温度 {n}</translation>
    </message>
    <message>
        <source>The verdict on the texts will stand here</source>
        <translation>文本是否一致的结论将显示在这里</translation>
    </message>
    <message>
        <source>Identical so far ({n} tokens)</source>
        <translation>目前一致（{n} 个词元）</translation>
    </message>
    <message>
        <source>Identical ({n} tokens)</source>
        <translation>完全一致（{n} 个词元）</translation>
    </message>
    <message>
        <source>Near-tie at token {n} (margin {margin})</source>
        <translation>词元 {n} 处近似平局（差距 {margin}）</translation>
    </message>
    <message>
        <source>Sampled: the texts may differ token by token</source>
        <translation>采样解码：文本可逐词元不同</translation>
    </message>
    <message>
        <source>These panes can't be compared token by token</source>
        <translation>这些窗格无法逐词元比较</translation>
    </message>
    <message>
        <source>Fault: token {n} is not the target's own choice</source>
        <translation>错误：词元 {n} 不是目标模型自己的选择</translation>
    </message>
    <message>
        <source>Differs at token {n} (margin {margin})</source>
        <translation>自词元 {n} 起不同（差距 {margin}）</translation>
    </message>
    <message>
        <source>Accepted draft</source>
        <translation>接受的草稿</translation>
    </message>
    <message>
        <source>Correction by the target</source>
        <translation>目标模型的纠正</translation>
    </message>
    <message>
        <source>Bonus token of the target</source>
        <translation>目标模型的附赠词元</translation>
    </message>
    <message>
        <source>Plain token of the target</source>
        <translation>目标模型的普通词元</translation>
    </message>
    <message>
        <source>round {n}</source>
        <translation>第 {n} 轮</translation>
    </message>
    <message>
        <source>drafted “{text}”</source>
        <translation>草稿为“{text}”</translation>
    </message>
    <message>
        <source>margin {n}</source>
        <translation>差距 {n}</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>The drafter was left out in {n} rounds: it cost more than it brought.</source>
        <translation>草稿模型在 {n} 轮中停用：得不偿失。</translation>
    </message>
    <message>
        <source>{n} s left</source>
        <translation>还需 {n} 秒</translation>
    </message>
</context>
</TS>
