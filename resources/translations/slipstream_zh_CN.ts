<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <location filename="../../app/help.py" line="70"/>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="72"/>
        <source>Version {n}</source>
        <translation>版本 {n}</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="76"/>
        <source>See, by looking, whether speculative decoding helps on your Mac. Nothing leaves this computer.</source>
        <translation>一眼看清推测解码在您的 Mac 上是否有用。数据不会离开这台电脑。</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <location filename="../../app/actions.py" line="181"/>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="182"/>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="183"/>
        <source>View</source>
        <translation>显示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="184"/>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="185"/>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="186"/>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="187"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="188"/>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="189"/>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="190"/>
        <source>Panes Run</source>
        <translation>窗格运行方式</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="191"/>
        <source>Open Recent</source>
        <translation>打开最近的轨迹</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="196"/>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="197"/>
        <source>Open Trace…</source>
        <translation>打开轨迹…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="198"/>
        <source>Close Window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="199"/>
        <source>Quit Slipstream</source>
        <translation>退出 Slipstream</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="200"/>
        <source>Trace…</source>
        <translation>轨迹…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="201"/>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="202"/>
        <source>Perfetto…</source>
        <translation>Perfetto…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="203"/>
        <source>HTML Report…</source>
        <translation>HTML 报告…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="204"/>
        <source>Markdown…</source>
        <translation>Markdown…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="205"/>
        <source>Leave Text Out</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="206"/>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="207"/>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="208"/>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="209"/>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="210"/>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="211"/>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="212"/>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="213"/>
        <source>Edit Last Prompt</source>
        <translation>修改上一条提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="214"/>
        <source>Clear Conversation</source>
        <translation>清空对话</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="215"/>
        <source>Undo Clear</source>
        <translation>撤销清空</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="216"/>
        <source>Preferences…</source>
        <translation>偏好设置…</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="217"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="218"/>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="219"/>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="220"/>
        <source>System Language</source>
        <translation>系统语言</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="223"/>
        <source>Token Origins and Legend</source>
        <translation>词元来源与图例</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="224"/>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="225"/>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="226"/>
        <source>System Prompt</source>
        <translation>系统提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="227"/>
        <source>Bigger Text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="228"/>
        <source>Smaller Text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="229"/>
        <source>Usual Text Size</source>
        <translation>默认文字大小</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="230"/>
        <source>Full Screen</source>
        <translation>全屏幕</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="231"/>
        <source>Send or Run Again</source>
        <translation>发送或重新运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="232"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="233"/>
        <source>Run Last Prompt Again</source>
        <translation>重新运行上一条提示</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="234"/>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="235"/>
        <source>Same Sampling in All Panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="236"/>
        <source>In Turn, Round by Round</source>
        <translation>逐轮交替</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="237"/>
        <source>One after the Other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="238"/>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="239"/>
        <source>Minimise</source>
        <translation>最小化</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="240"/>
        <source>Zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="242"/>
        <source>Pane {n}</source>
        <translation>窗格 {n}</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="243"/>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="244"/>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="245"/>
        <source>Open Log Folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <location filename="../../app/actions.py" line="246"/>
        <source>About Slipstream</source>
        <translation>关于 Slipstream</translation>
    </message>
</context>
<context>
    <name>ArmCommands</name>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="65"/>
        <source>An answer is being written: stop it, then change the settings.</source>
        <translation>正在写回答：请先停止，再修改设置。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="73"/>
        <source>An answer is being written: stop it, then change the model.</source>
        <translation>正在写回答：请先停止，再更换模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_commands.py" line="81"/>
        <source>Open Model Folder</source>
        <translation>打开模型文件夹</translation>
    </message>
</context>
<context>
    <name>ArmDialog</name>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="51"/>
        <source>Settings of {pane}</source>
        <translation>{pane} 的设置</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="59"/>
        <source>Drafting</source>
        <translation>起草</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="60"/>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="61"/>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="62"/>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="79"/>
        <source>Reset to Defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="141"/>
        <source>Same sampling in all panes</source>
        <translation>所有窗格采样一致</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="142"/>
        <source>Only panes that sample alike can be compared token by token.</source>
        <translation>只有采样相同的窗格才能逐词元比较。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="105"/>
        <source>No drafter is named: choose its folder, or another kind of drafter.</source>
        <translation>未指定草稿来源：请选择它的文件夹，或改用别的草稿来源。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="164"/>
        <source>One a line</source>
        <translation>每行一个</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="181"/>
        <source>{n} bits</source>
        <translation>{n} 位</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="181"/>
        <source>the model&apos;s own</source>
        <translation>模型自身精度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="204"/>
        <source>until it stops</source>
        <translation>直到自行停止</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="205"/>
        <source>all tokens</source>
        <translation>全部词元</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="206"/>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="207"/>
        <source>as trained</source>
        <translation>按训练时</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="227"/>
        <source>Block</source>
        <translation>块长</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="228"/>
        <source>Rows the target verifies at once: its last token and up to block − 1 drafts.</source>
        <translation>目标模型一次验证的行数：上一个词元加上最多“块长 − 1”个草稿。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="231"/>
        <source>Candidates</source>
        <translation>候选数</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="232"/>
        <source>Candidates a position keeps, for drafters that choose among several.</source>
        <translation>每个位置保留的候选数，供会在多个候选中选择的草稿模型使用。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="235"/>
        <source>Injected layers</source>
        <translation>注入层数</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="236"/>
        <source>Layers that receive the forming predictions before them; 0 is none.</source>
        <translation>接收前一位置形成中预测的层数；0 为不注入。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="239"/>
        <source>Confidence at least</source>
        <translation>最低置信度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="241"/>
        <source>A drafter that says how sure it is ends its block before the first less certain position; 0 is off.</source>
        <translation>会给出置信度的草稿模型在第一个低于此值的位置之前结束草稿块；0 表示关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="246"/>
        <source>Go on without the drafter while it costs more than it brings</source>
        <translation>草稿模型得不偿失时暂时停用</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="247"/>
        <source>The pane says so when it happens.</source>
        <translation>发生时窗格会说明。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="249"/>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="249"/>
        <source>0 is greedy: always the most likely token.</source>
        <translation>0 为贪心：总取概率最大的词元。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="251"/>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="252"/>
        <source>Keep the most likely tokens that together have this probability; 1 is off.</source>
        <translation>保留累计概率达到此值的最可能词元；1 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="254"/>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="254"/>
        <source>Keep this many of the most likely tokens; 0 keeps all.</source>
        <translation>只保留这么多个最可能的词元；0 为全部保留。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="256"/>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="257"/>
        <source>Drop tokens less likely than this share of the most likely one; 0 is off.</source>
        <translation>去掉概率低于最大概率此比例的词元；0 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="260"/>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="261"/>
        <source>Above 1, tokens that were used become less likely; 1 is off.</source>
        <translation>大于 1 时，用过的词元概率降低；1 为关闭。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="264"/>
        <source>Repetition window</source>
        <translation>重复窗口</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="265"/>
        <source>How many of the last tokens the penalty looks at.</source>
        <translation>惩罚所看的最近词元数。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="267"/>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="267"/>
        <source>The same seed draws the same tokens again.</source>
        <translation>相同的种子会再次抽到相同的词元。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="269"/>
        <source>Most tokens</source>
        <translation>最多词元</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="270"/>
        <source>Length of an answer at most; −1 goes on until the model stops.</source>
        <translation>回答的最大长度；−1 为直到模型自行停止。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="273"/>
        <source>Stop strings</source>
        <translation>停止串</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="274"/>
        <source>The text ends before the first of them; \n stands for a line break.</source>
        <translation>文本在最先出现的停止串之前结束；\n 表示换行。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="277"/>
        <source>Cache precision</source>
        <translation>缓存精度</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="278"/>
        <source>Fewer bits for keys and values save memory and may change the text.</source>
        <translation>键和值用更少的位可省内存，但可能改变文本。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="281"/>
        <source>Rounds per timing</source>
        <translation>计时间隔（轮）</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="282"/>
        <source>Every n-th round waits between draft and verify, so that their times can be told apart.</source>
        <translation>每 n 轮在起草与验证之间等待一次，以便分开计时。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="307"/>
        <source>At temperature 0 the most likely token is taken, so this changes nothing.</source>
        <translation>温度为 0 时总取最可能的词元，此项不起作用。</translation>
    </message>
    <message>
        <location filename="../../app/settings/arm_dialog.py" line="309"/>
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
        <location filename="../../app/chat/banner.py" line="49"/>
        <source>Trace “{name}”, read only</source>
        <translation>轨迹“{name}”，只读</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="52"/>
        <source>Show at Once</source>
        <translation>立即全部显示</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="52"/>
        <source>Replay at True Speed</source>
        <translation>按真实速度回放</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="53"/>
        <source>Ask Again from Here</source>
        <translation>从这里继续提问</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="54"/>
        <source>Continue this conversation with the engine; the trace itself stays as it is.</source>
        <translation>用引擎继续这段对话；轨迹本身不变。</translation>
    </message>
    <message>
        <location filename="../../app/chat/banner.py" line="55"/>
        <source>Close Trace</source>
        <translation>关闭轨迹</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <location filename="../../app/chat/page.py" line="263"/>
        <source>Reading the prompt: {done} of {total} tokens</source>
        <translation>正在读入提示：{done} / {total} 个词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/page.py" line="301"/>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <location filename="../../app/chat/page.py" line="302"/>
        <location filename="../../app/chat/page.py" line="353"/>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <location filename="../../app/chat/page.py" line="307"/>
        <source>Loading {what}</source>
        <translation>正在载入 {what}</translation>
    </message>
    <message>
        <location filename="../../app/chat/page.py" line="353"/>
        <source>Choose Another Drafter</source>
        <translation>换一个草稿来源</translation>
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
        <location filename="../../app/chat/composer.py" line="165"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="165"/>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="171"/>
        <source>Ask…</source>
        <translation>提问…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="171"/>
        <source>Ask both…</source>
        <translation>同时问两个…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="171"/>
        <source>Ask all…</source>
        <translation>同时问所有…</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="173"/>
        <source>Prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="174"/>
        <location filename="../../app/chat/composer.py" line="175"/>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="176"/>
        <source>Prompts by task, to compare like with like</source>
        <translation>按任务分类的提示，便于同类相比</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="177"/>
        <location filename="../../app/chat/composer.py" line="178"/>
        <source>System prompt, for all panes</source>
        <translation>系统提示，用于所有窗格</translation>
    </message>
    <message>
        <location filename="../../app/chat/composer.py" line="179"/>
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
        <location filename="../../app/conversation.py" line="106"/>
        <source>The conversation was cleared.</source>
        <translation>对话已清空。</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="106"/>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="122"/>
        <source>The changed prompt will replace the last one.</source>
        <translation>修改后的提示将替换上一条。</translation>
    </message>
    <message>
        <location filename="../../app/conversation.py" line="122"/>
        <source>Keep Both</source>
        <translation>两条都保留</translation>
    </message>
</context>
<context>
    <name>DrafterPicker</name>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="34"/>
        <source>Look-up first</source>
        <translation>先查找文本</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="38"/>
        <location filename="../../app/settings/drafter_picker.py" line="59"/>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="40"/>
        <source>Drafter folder</source>
        <translation>草稿模型文件夹</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="41"/>
        <source>Folder or hub id</source>
        <translation>文件夹或 Hub 标识</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="46"/>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="95"/>
        <source>None (baseline)</source>
        <translation>无（基线）</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="96"/>
        <source>Look-up in the text</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="98"/>
        <source>Table of frequent sequences</source>
        <translation>常见序列表</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="101"/>
        <source>Drafter folder…</source>
        <translation>草稿模型文件夹…</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="112"/>
        <source>With no other drafter there is nothing for look-up to be asked before.</source>
        <translation>没有别的草稿来源，也就谈不上先后。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="114"/>
        <source>Where look-up finds the text again it drafts; where it finds nothing the other drafter does.</source>
        <translation>文本查找命中时由它起草；未命中时由另一个草稿来源起草。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="121"/>
        <source>Copies what followed the same tokens earlier in this conversation. It has no weights.</source>
        <translation>照抄本次对话中同样词元之后的内容，不需要权重。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="123"/>
        <source>What followed most often in text of the embedded model. Made for that model alone.</source>
        <translation>内置模型文本中最常见的后续，仅适用于该模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="128"/>
        <source>A small model with the same tokenizer, or a drafter made for this target.</source>
        <translation>使用同一分词器的小模型，或为该目标模型制作的草稿模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="133"/>
        <source>Known for it: {drafters}.</source>
        <translation>已知可用：{drafters}。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="136"/>
        <source>Scheme A: a language model that drafts token by token.</source>
        <translation>方案 A：逐个词元起草的语言模型。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="138"/>
        <source>Scheme {scheme}.</source>
        <translation>方案 {scheme}。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="140"/>
        <source>This folder holds no model that is known here; opening it will say more.</source>
        <translation>此文件夹中没有这里认得的模型；打开后会有更多说明。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="141"/>
        <source>Its scheme is known once it is opened.</source>
        <translation>打开后才知道它的方案。</translation>
    </message>
    <message>
        <location filename="../../app/settings/drafter_picker.py" line="144"/>
        <source>Choose a drafter folder</source>
        <translation>选择草稿模型文件夹</translation>
    </message>
</context>
<context>
    <name>EngineLink</name>
    <message>
        <location filename="../../app/engine_link.py" line="215"/>
        <source>The engine speaks protocol {theirs}, this window {ours}; install both from one version.</source>
        <translation>引擎使用协议 {theirs}，本窗口使用 {ours}；请安装同一版本的两者。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="232"/>
        <source>The engine did not start within {n} s; its log says why.</source>
        <translation>引擎在 {n} 秒内没有启动；原因见其日志。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="241"/>
        <source>The engine has not answered for {n} s; wait for it, or restart it and ask again.</source>
        <translation>引擎已有 {n} 秒没有回应；请等待，或重启引擎后再问。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="256"/>
        <source>The engine could not start (exit status {code}); its log says why.</source>
        <translation>引擎无法启动（退出状态 {code}）；原因见其日志。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="258"/>
        <source>The engine crashed (signal {code}); the text so far is kept.</source>
        <translation>引擎崩溃（信号 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="260"/>
        <source>The engine stopped (exit status {code}); the text so far is kept.</source>
        <translation>引擎停止（退出状态 {code}）；已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/engine_link.py" line="268"/>
        <source>The engine could not be started: {program} can&apos;t be run.</source>
        <translation>引擎无法启动：{program} 不能运行。</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <location filename="../../app/header.py" line="96"/>
        <source>Target model: {name}</source>
        <translation>目标模型：{name}</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="97"/>
        <source>The model that writes the text, in all panes</source>
        <translation>在所有窗格中写出文本的模型</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="103"/>
        <source>{name} (embedded)</source>
        <translation>{name}（内置）</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="109"/>
        <source>Open Model Folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="113"/>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="114"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="123"/>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="123"/>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="130"/>
        <source>End the run within a round; its text stays</source>
        <translation>在一轮之内结束运行；文本保留</translation>
    </message>
    <message>
        <location filename="../../app/header.py" line="132"/>
        <source>Send the prompt, or run the last one again where none is written</source>
        <translation>发送提示；没有写提示时重新运行上一条</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <location filename="../../app/heatmap/wording.py" line="27"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="29"/>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="31"/>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="33"/>
        <source>cut off by a stop or the token limit</source>
        <translation>因停止符或词元上限被截断</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="35"/>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="42"/>
        <source>the look-up found no match</source>
        <translation>查找未命中</translation>
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
        <location filename="../../app/heatmap/wording.py" line="74"/>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="75"/>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="76"/>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="80"/>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="82"/>
        <source>Target&apos;s choice</source>
        <translation>目标模型的选择</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="84"/>
        <source>Target&apos;s p</source>
        <translation>目标概率 p</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="85"/>
        <source>Drafter&apos;s q</source>
        <translation>草稿概率 q</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="86"/>
        <source>Margin</source>
        <translation>差距</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="89"/>
        <source>Drafter</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="90"/>
        <source>{used} of {requested}</source>
        <translation>{used} / {requested}</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="91"/>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="93"/>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="95"/>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="116"/>
        <source>Round {round} of turn {turn}: {accepted} of {width} drafts accepted, {emitted} tokens emitted</source>
        <translation>第 {turn} 回合第 {round} 轮：接受 {width} 个草稿中的 {accepted} 个，输出 {emitted} 个词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="139"/>
        <source>Position {position}: no draft was reached here yet</source>
        <translation>位置 {position}：还没有草稿到达这里</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="140"/>
        <source>Position {position}: of {reached} drafts the target looked at here, {accepted} were accepted ({share})</source>
        <translation>位置 {position}：目标模型在此看过 {reached} 个草稿，接受了 {accepted} 个（{share}）</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="145"/>
        <source>So few rounds make a rough number</source>
        <translation>轮次太少，数值仅供参考</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="152"/>
        <source>{rounds} rounds, none with drafts</source>
        <translation>{rounds} 轮，均无草稿</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/wording.py" line="153"/>
        <source>{rounds} rounds · {accepted} of {drafted} drafts accepted a round</source>
        <translation>{rounds} 轮 · 每轮接受 {accepted} / {drafted} 个草稿</translation>
    </message>
</context>
<context>
    <name>HeatmapPanel</name>
    <message>
        <location filename="../../app/heatmap/panel.py" line="209"/>
        <location filename="../../app/heatmap/panel.py" line="222"/>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="210"/>
        <source>A round is one run of the target: it judges a block of drafted tokens at once</source>
        <translation>一轮即目标模型的一次前向：一次判定一整块草稿词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="211"/>
        <location filename="../../app/heatmap/panel.py" line="212"/>
        <source>Show the rounds as a table</source>
        <translation>以表格显示轮次</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="213"/>
        <source>Acceptance heatmap</source>
        <translation>接受热图</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="214"/>
        <source>Table of rounds</source>
        <translation>轮次表</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="215"/>
        <source>Overview of all rounds</source>
        <translation>全部轮次概览</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="217"/>
        <source>All rounds: the longer the bar, the more drafts were accepted. Press to go there</source>
        <translation>全部轮次：条越长，接受的草稿越多。点按即可跳转</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="220"/>
        <source>Means over the rounds that drafted; the target&apos;s own token of each round not counted</source>
        <translation>对有草稿的轮次取平均；不计每轮目标模型自己的词元</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="298"/>
        <source>This run has no drafter, so there are no drafts to accept. Choose a drafter to see its rounds here.</source>
        <translation>本次运行没有草稿模型，因此没有可接受的草稿。选择一个草稿模型即可在此看到它的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="300"/>
        <source>Each round becomes a row here: which drafts the target accepted, and how likely it held them.</source>
        <translation>每一轮在此成为一行：目标模型接受了哪些草稿，以及它认为这些草稿有多大可能。</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="307"/>
        <source>following</source>
        <translation>跟随中</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="307"/>
        <source>↓ newest</source>
        <translation>↓ 最新</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="308"/>
        <source>Stay with the newest round (End)</source>
        <translation>停留在最新一轮（End）</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/panel.py" line="309"/>
        <source>Follow the newest round</source>
        <translation>跟随最新一轮</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <location filename="../../app/help.py" line="51"/>
        <source>Send the prompt</source>
        <translation>发送提示</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="52"/>
        <source>New line in the prompt</source>
        <translation>在提示中换行</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="53"/>
        <source>Last prompt, in an empty editor</source>
        <translation>上一条提示（编辑框为空时）</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="59"/>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="64"/>
        <source>What the Numbers Mean</source>
        <translation>数字的含义</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="96"/>
        <source>Round</source>
        <translation>轮次</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="97"/>
        <source>One run of the target and what it decided: it judges a block of drafted tokens from left to right and adds one token of its own.</source>
        <translation>目标模型的一次前向及其决定：它从左到右判定一块草稿词元，并加上一个自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="104"/>
        <source>Tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="105"/>
        <source>Tokens after the first, divided by the time this pane itself worked on them. While another pane has its turn, this pane&apos;s clock stands still.</source>
        <translation>首词元之后的词元数除以本窗格自己的用时。轮到其他窗格时，本窗格的时钟停走。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="112"/>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="113"/>
        <source>Speed of a pane divided by the speed of the first pane. Below 1 the pane is slower.</source>
        <translation>某窗格的速度除以第一个窗格的速度。小于 1 表示更慢。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="118"/>
        <source>Per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="119"/>
        <source>Emitted tokens divided by target forwards, the bonus token included. A baseline has 1.</source>
        <translation>输出词元数除以目标模型前向次数，含附赠词元。基线为 1。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="124"/>
        <source>Accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="125"/>
        <source>Accepted drafts divided by all drafts. It is a share of the drafts, not of the text.</source>
        <translation>接受的草稿数除以全部草稿数。它是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="130"/>
        <source>Accepted, correction, bonus, plain</source>
        <translation>接受、纠正、附赠、普通</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="131"/>
        <source>Where a token came from: a draft that was kept; the target&apos;s own token where it refused a draft; its own token after a block that was kept whole; its own token in a round without drafts.</source>
        <translation>词元从何而来：被保留的草稿；目标模型拒绝草稿处自己的词元；整块保留之后自己的词元；无草稿轮次中自己的词元。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="138"/>
        <source>Rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="139"/>
        <source>Rounds in which at least one draft was dropped and the caches went back to the last kept token.</source>
        <translation>至少丢弃一个草稿、缓存退回到最后保留词元的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="145"/>
        <source>Near-tie</source>
        <translation>近似平局</translation>
    </message>
    <message>
        <location filename="../../app/help.py" line="146"/>
        <source>Two choices of the target lie closer together than the noise of its arithmetic, so that one token or several at once may tip the choice. It is no fault of the acceptance rule.</source>
        <translation>目标模型的两个选择相差小于运算噪声，一次算一个词元还是多个都可能改变选择。这不是接受规则的错误。</translation>
    </message>
</context>
<context>
    <name>HistoryLine</name>
    <message>
        <location filename="../../app/gauges/history.py" line="117"/>
        <source>{size} in use by the models, {seconds} s before the newest sample</source>
        <translation>模型占用 {size}，最新采样前 {seconds} 秒</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <location filename="../../app/chat/legend.py" line="73"/>
        <location filename="../../app/heatmap/legend.py" line="49"/>
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
        <location filename="../../app/heatmap/legend.py" line="45"/>
        <source>rejected</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="46"/>
        <source>never reached</source>
        <translation>未到达</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="47"/>
        <source>not drafted</source>
        <translation>未起草</translation>
    </message>
    <message>
        <location filename="../../app/heatmap/legend.py" line="44"/>
        <source>accepted, p 0 to 1</source>
        <translation>接受，p 从 0 到 1</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <location filename="../../app/gauges/wording.py" line="14"/>
        <source>target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="16"/>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="18"/>
        <source>caches</source>
        <translation>键值缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="20"/>
        <source>drafter caches</source>
        <translation>草稿缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="22"/>
        <source>engine, rest</source>
        <translation>引擎其余</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="24"/>
        <source>allocator</source>
        <translation>分配器缓存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="26"/>
        <source>other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="28"/>
        <source>free</source>
        <translation>可用</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="35"/>
        <source>Weights of the target, the model whose text you read</source>
        <translation>目标模型的权重，您读到的文字由它决定</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="37"/>
        <source>Weights of the drafter, the small model that proposes tokens</source>
        <translation>草稿模型的权重，这个小模型负责提议词元</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="39"/>
        <source>Keys and values of the tokens read so far; they grow with the conversation</source>
        <translation>已读词元的键和值，随对话增长</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="41"/>
        <source>Transition cache and drafter caches: what the drafter keeps between rounds</source>
        <translation>转移缓存与草稿缓存：草稿模型在各轮之间保留的内容</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="43"/>
        <source>Everything else the engine holds: results in progress and the program itself</source>
        <translation>引擎占用的其余部分：计算中的结果与程序本身</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="45"/>
        <source>Memory the engine has given up but keeps at hand, to use it again without asking</source>
        <translation>引擎已不用但仍留在手边的内存，可直接再用而无需重新申请</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="49"/>
        <source>What the system and the other programs use</source>
        <translation>系统与其他程序占用的内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="51"/>
        <source>What the machine could still give away without swapping</source>
        <translation>无需交换即可再分配的内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/wording.py" line="57"/>
        <source>{part} {size}: {explanation}</source>
        <translation>{part} {size}：{explanation}</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <location filename="../../app/gauges/panel.py" line="112"/>
        <location filename="../../app/gauges/panel.py" line="123"/>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="114"/>
        <source>Unified memory: processor and graphics share it, so models and programs compete for it</source>
        <translation>统一内存：处理器与图形共用，模型和程序会争用它</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="116"/>
        <source>In use by all programs, of what the machine has</source>
        <translation>所有程序已用的内存 / 本机内存</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="117"/>
        <source>models, last 2 minutes</source>
        <translation>模型占用，最近 2 分钟</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="118"/>
        <source>Memory in use by the models: weights, caches and results in progress</source>
        <translation>模型占用的内存：权重、缓存与计算中的结果</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="119"/>
        <source>The most that the models used at once, the dashed line</source>
        <translation>模型曾同时占用的最大值，即虚线</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="120"/>
        <source>How much memory models and caches take appears here once a model is loaded.</source>
        <translation>加载模型后，这里显示模型和缓存占用多少内存。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="121"/>
        <source>Parts of memory</source>
        <translation>内存各部分</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="122"/>
        <source>Memory of the models, last 2 minutes</source>
        <translation>模型占用的内存，最近 2 分钟</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="140"/>
        <source>peak {size}</source>
        <translation>峰值 {size}</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="182"/>
        <source>{used} of {total} GB</source>
        <translation>{used} / {total} GB</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="187"/>
        <source>Memory is getting tight: the system may slow down. Close programs you don&apos;t need.</source>
        <translation>内存开始紧张，系统可能变慢。请关闭不需要的程序。</translation>
    </message>
    <message>
        <location filename="../../app/gauges/panel.py" line="188"/>
        <source>Memory is nearly used up: close programs, or choose a smaller model.</source>
        <translation>内存即将耗尽：请关闭程序，或选择更小的模型。</translation>
    </message>
</context>
<context>
    <name>Numbers</name>
    <message>
        <location filename="../../app/chat/numbers.py" line="112"/>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="113"/>
        <source>Tokens per second of this pane&apos;s own time, the prompt&apos;s reading not counted.</source>
        <translation>按本窗格自己的用时计算的每秒词元数，不含读入提示的时间。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="117"/>
        <source>Speed of this pane divided by the speed of the first pane; below 1 it is slower.</source>
        <translation>本窗格速度除以第一个窗格的速度；小于 1 表示更慢。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="121"/>
        <source>per forward</source>
        <translation>每次前向</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="123"/>
        <source>Tokens per forward: how many tokens each run of the target yielded, the bonus token included.</source>
        <translation>每次前向词元数：目标模型每次前向产出的词元数，含附赠词元。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="127"/>
        <source>first token</source>
        <translation>首词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="128"/>
        <source>Time to first token: this pane&apos;s own time from the prompt to the first token.</source>
        <translation>首词元时间：从提示到第一个词元，本窗格自己的用时。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="130"/>
        <source>forwards</source>
        <translation>前向</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="130"/>
        <source>Target forwards: how often the large model ran.</source>
        <translation>目标前向：大模型运行的次数。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="132"/>
        <source>drafter</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="133"/>
        <source>Drafter forwards: how often the drafter&apos;s model ran; look-up needs none.</source>
        <translation>草稿前向：草稿模型运行的次数；文本查找不需要。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="136"/>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="137"/>
        <source>Share of all drafted tokens that were kept; it is a share of the drafts, not of the text.</source>
        <translation>全部草稿词元中被保留的比例；是草稿的比例，不是文本的比例。</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="139"/>
        <source>rollbacks</source>
        <translation>回滚</translation>
    </message>
    <message>
        <location filename="../../app/chat/numbers.py" line="139"/>
        <source>Rounds in which at least one draft was dropped.</source>
        <translation>至少丢弃一个草稿的轮次。</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <location filename="../../app/pages.py" line="37"/>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <location filename="../../app/pages.py" line="38"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
</context>
<context>
    <name>Pane</name>
    <message>
        <location filename="../../app/chat/pane.py" line="127"/>
        <source>Settings of this pane</source>
        <translation>本窗格的设置</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="129"/>
        <source>Settings of {pane}: {summary}</source>
        <translation>{pane} 的设置：{summary}</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="131"/>
        <source>More for this pane</source>
        <translation>本窗格的更多操作</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="132"/>
        <source>More for {pane}</source>
        <translation>{pane} 的更多操作</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="133"/>
        <source>Text of {pane}</source>
        <translation>{pane} 的文本</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="138"/>
        <source>Ask something below. The model alone answers here, one token a forward. The other panes are measured against it.</source>
        <translation>在下方提问。这里由模型独自回答，每次前向一个词元。其他窗格都以它为基准。</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="145"/>
        <source>Here a drafter guesses ahead and the same model checks the guesses. Guesses that were kept lie on a tint. Click a token to see its round.</source>
        <translation>这里由草稿来源先猜，同一模型再核对。被保留的猜测带底色。点按词元可查看它所在的轮次。</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="228"/>
        <source>Choose Another Drafter</source>
        <translation>换一个草稿来源</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="187"/>
        <source>You</source>
        <translation>您</translation>
    </message>
    <message>
        <location filename="../../app/chat/pane.py" line="190"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <location filename="../../app/settings/preferences.py" line="69"/>
        <source>Preferences</source>
        <translation>偏好设置</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="70"/>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="70"/>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="70"/>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="70"/>
        <source>Panes run</source>
        <translation>窗格运行</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="77"/>
        <location filename="../../app/settings/preferences.py" line="83"/>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="77"/>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="77"/>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="88"/>
        <source>in turn, round by round</source>
        <translation>逐轮交替</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="88"/>
        <source>one after the other</source>
        <translation>依次运行</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="91"/>
        <source>In turn, heat and load drift hit all panes alike; each clock counts only its own pane&apos;s work.</source>
        <translation>交替运行时，发热与负载变化对所有窗格影响相同；每个时钟只计自己窗格的工作。</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="93"/>
        <source>Keep prompts and texts in the traces of sessions</source>
        <translation>在会话轨迹中保留提示和文本</translation>
    </message>
    <message>
        <location filename="../../app/settings/preferences.py" line="97"/>
        <source>Without them a trace holds numbers only, and an interrupted session&apos;s text can&apos;t be restored. Traces stay on this computer.</source>
        <translation>不保留时轨迹只含数字，中断的会话也无法恢复文本。轨迹只留在这台电脑上。</translation>
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
        <location filename="../../app/runner.py" line="176"/>
        <source>The engine does not stop; restart it, the text so far is kept.</source>
        <translation>引擎没有停下；请重启，已有文本保留。</translation>
    </message>
    <message>
        <location filename="../../app/runner.py" line="181"/>
        <source>The engine was restarted; the text so far is kept.</source>
        <translation>引擎已重启；已有文本保留。</translation>
    </message>
</context>
<context>
    <name>Schemes</name>
    <message>
        <location filename="../../app/drafters/wording.py" line="22"/>
        <source>no drafter</source>
        <translation>无草稿</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="23"/>
        <source>look-up</source>
        <translation>文本查找</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="24"/>
        <source>table</source>
        <translation>序列表</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="25"/>
        <source>small model</source>
        <translation>小模型</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="26"/>
        <source>cascade</source>
        <translation>级联</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="44"/>
        <source>Without a drafter there is nothing to draft: the target alone decides each token.</source>
        <translation>没有草稿来源就没有草稿：每个词元都由目标模型决定。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="47"/>
        <source>Only schemes D and E choose among candidates; {name} keeps none.</source>
        <translation>只有方案 D 和 E 在候选中选择；{name} 不保留候选。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="48"/>
        <source>Only scheme E injects predictions into its layers; {name} does not.</source>
        <translation>只有方案 E 把预测注入各层；{name} 不注入。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="49"/>
        <source>Only scheme C and the table say how sure they are; {name} does not.</source>
        <translation>只有方案 C 和序列表给出置信度；{name} 不给出。</translation>
    </message>
    <message>
        <location filename="../../app/drafters/wording.py" line="52"/>
        <source>Only a drafter with forwards of its own is timed apart; {name} has none.</source>
        <translation>只有自带前向的草稿来源才单独计时；{name} 没有。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <location filename="../../app/status.py" line="70"/>
        <location filename="../../app/status.py" line="71"/>
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
        <location filename="../../app/traces/desk.py" line="77"/>
        <source>its last line is cut off</source>
        <translation>最后一行不完整</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="79"/>
        <source>without text</source>
        <translation>不含文本</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="145"/>
        <source>This trace was written without text, so its conversation can&apos;t go on: ask anew instead.</source>
        <translation>这份轨迹未保留文本，对话无法继续：请重新提问。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="166"/>
        <source>There is nothing to export yet: ask something first.</source>
        <translation>还没有可导出的内容：请先提问。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="178"/>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="195"/>
        <source>{path} can&apos;t be written ({reason}): choose another place.</source>
        <translation>无法写入 {path}（{reason}）：请选择其他位置。</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="201"/>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="222"/>
        <source>Slipstream traces</source>
        <translation>Slipstream 轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="223"/>
        <source>CSV tables</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="224"/>
        <source>Perfetto traces</source>
        <translation>Perfetto 轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="225"/>
        <source>HTML reports</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <location filename="../../app/traces/desk.py" line="226"/>
        <source>Markdown reports</source>
        <translation>Markdown 报告</translation>
    </message>
</context>
<context>
    <name>TraceModel</name>
    <message>
        <location filename="../../app/traces/page.py" line="75"/>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="76"/>
        <source>First prompt</source>
        <translation>首条提示</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="77"/>
        <source>Panes</source>
        <translation>窗格</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="78"/>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="79"/>
        <source>Ratio</source>
        <translation>加速比</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="80"/>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="101"/>
        <source>(no text kept)</source>
        <translation>（未保留文本）</translation>
    </message>
</context>
<context>
    <name>TracesPage</name>
    <message>
        <location filename="../../app/traces/page.py" line="240"/>
        <location filename="../../app/traces/page.py" line="253"/>
        <source>Traces</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="241"/>
        <source>Every session is written here as it happens, and stays on this computer.</source>
        <translation>每次会话都会实时记录在此，并只留在这台电脑上。</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="243"/>
        <source>{size} MB</source>
        <translation>{size} MB</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="248"/>
        <source>No session was recorded yet. Ask something in the chat, and it will stand here with its numbers.</source>
        <translation>还没有记录任何会话。在对话中提问，会话及其数字就会出现在这里。</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="250"/>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="251"/>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <location filename="../../app/traces/page.py" line="252"/>
        <source>Open Other…</source>
        <translation>打开其他…</translation>
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
    <name>Window</name>
    <message>
        <location filename="../../app/window.py" line="139"/>
        <source>The engine is at work on one forward for {n} s now.</source>
        <translation>引擎的一次前向已进行 {n} 秒。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="156"/>
        <source>The session that was interrupted is back.</source>
        <translation>被中断的会话已恢复。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="156"/>
        <source>New Comparison</source>
        <translation>新建对比</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="188"/>
        <source>An answer is still being written. Quit all the same? Its text so far is kept.</source>
        <translation>回答还在写。仍要退出吗？已有文本会保留。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="235"/>
        <source>A trace is read only: ask again from it, then change the settings.</source>
        <translation>轨迹为只读：请先从这里继续提问，再修改设置。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="249"/>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="250"/>
        <source>Copy Answer</source>
        <translation>拷贝回答</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="251"/>
        <source>Duplicate Pane</source>
        <translation>复制窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="252"/>
        <source>Add Pane</source>
        <translation>添加窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="253"/>
        <source>Remove Pane</source>
        <translation>移除窗格</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="275"/>
        <source>Starting the engine…</source>
        <translation>正在启动引擎…</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="280"/>
        <source>Open Log</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="282"/>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="284"/>
        <source>Start Again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="289"/>
        <source>Restart Engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="314"/>
        <source>This session is still being written: begin a new comparison first.</source>
        <translation>本次会话仍在写入：请先新建对比。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="316"/>
        <source>{name} can&apos;t be moved to the trash.</source>
        <translation>无法将 {name} 移到废纸篓。</translation>
    </message>
    <message>
        <location filename="../../app/window.py" line="370"/>
        <source>{name} is neither a trace, a model folder nor a text: drop one of these.</source>
        <translation>{name} 既不是轨迹，也不是模型文件夹或文本：请拖入其中一种。</translation>
    </message>
</context>
<context>
    <name>Wording</name>
    <message>
        <location filename="../../app/chat/wording.py" line="28"/>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="30"/>
        <source>Speculative</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="57"/>
        <source>one token a forward</source>
        <translation>每次前向一个词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="60"/>
        <source>block {n}</source>
        <translation>块长 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="62"/>
        <source>look-up first</source>
        <translation>先查找文本</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="64"/>
        <source>{n}-bit cache</source>
        <translation>{n} 位缓存</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="71"/>
        <source>both panes, same prompt</source>
        <translation>两个窗格，同一提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="73"/>
        <source>all panes, same prompt</source>
        <translation>所有窗格，同一提示</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="74"/>
        <source>sampling differs between panes</source>
        <translation>窗格间采样不同</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="77"/>
        <source>seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="83"/>
        <source>greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="84"/>
        <source>temperature {n}</source>
        <translation>温度 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="97"/>
        <source>The verdict on the texts will stand here</source>
        <translation>文本是否一致的结论将显示在这里</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="102"/>
        <source>Identical so far ({n} tokens)</source>
        <translation>目前一致（{n} 个词元）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="104"/>
        <source>Identical ({n} tokens)</source>
        <translation>完全一致（{n} 个词元）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="108"/>
        <source>Near-tie at token {n} (margin {margin})</source>
        <translation>词元 {n} 处近似平局（差距 {margin}）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="110"/>
        <source>Sampled: the texts may differ token by token</source>
        <translation>采样解码：文本可逐词元不同</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="112"/>
        <source>These panes can&apos;t be compared token by token</source>
        <translation>这些窗格无法逐词元比较</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="114"/>
        <source>Fault: token {n} is not the target&apos;s own choice</source>
        <translation>错误：词元 {n} 不是目标模型自己的选择</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="116"/>
        <source>Differs at token {n} (margin {margin})</source>
        <translation>自词元 {n} 起不同（差距 {margin}）</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="123"/>
        <source>Accepted draft</source>
        <translation>接受的草稿</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="124"/>
        <source>Correction by the target</source>
        <translation>目标模型的纠正</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="125"/>
        <source>Bonus token of the target</source>
        <translation>目标模型的附赠词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="126"/>
        <source>Plain token of the target</source>
        <translation>目标模型的普通词元</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="128"/>
        <source>round {n}</source>
        <translation>第 {n} 轮</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="134"/>
        <source>drafted “{text}”</source>
        <translation>草稿为“{text}”</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="137"/>
        <source>margin {n}</source>
        <translation>差距 {n}</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="146"/>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="178"/>
        <source>The drafter was left out in {n} rounds: it cost more than it brought.</source>
        <translation>草稿模型在 {n} 轮中停用：得不偿失。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="187"/>
        <source>The drafter fits this target.</source>
        <translation>草稿模型与目标模型相配。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="188"/>
        <source>Whether the drafter fits this target can&apos;t be told yet.</source>
        <translation>草稿模型与目标模型是否相配，暂时无法判断。</translation>
    </message>
    <message>
        <location filename="../../app/chat/wording.py" line="196"/>
        <source>{n} s left</source>
        <translation>还需 {n} 秒</translation>
    </message>
</context>
</TS>
