// The Chinese texts of the page's frame (header and bar of modes), of the pipeline mode, and of the parts that
// all modes share.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Chinese translations of words that several parts of the page use
  Cancel: "取消",
  Undo: "撤销",
  Add: "添加",
  Edit: "编辑",
  Save: "保存",
  Remove: "删除",
  Close: "关闭",
  Copy: "复制",
  Run: "运行",
  Stop: "停止",
  Reload: "重新加载",
  Time: "时间",
  Value: "值",
  Kind: "类型",
  All: "全部",

  // Chinese translations of the texts of modes/pipeline/Pipeline.svelte
  result: "结果",
  "Height of the script": "脚本窗格的高度",
  "Width of the editors": "编辑器的宽度",

  // Chinese translations of the texts of panes/ComparePane.svelte
  "{low} to {high} in 90 % of {rounds}": "{rounds}中有 90% 在 {low} 到 {high} 之间",
  "{n} rounds": "{n} 轮",
  "Distribution of the times of {title}": "{title}的用时分布",
  Compare: "对比",
  "Keep this run": "保留本次运行",
  "Only rows that differ": "只看有差异的行",
  "Keep this run instead": "改为保留本次",
  End: "结束",
  "Measuring …": "测量中…",
  Benchmark: "基准测试",
  "Benchmark both": "两者都测",
  "Keep this run, then change the script: the table marks every row and value that differs. Benchmark runs the script for 3 seconds.":
    "先保留本次运行，再修改脚本：表格会标出所有不同的行和值。“基准测试”会运行脚本 3 秒。",
  "this script": "当前脚本",
  "this run's script": "本次运行的脚本",
  "the kept run's script": "所保留运行的脚本",
  "This script takes {percent} % less time.": "当前脚本用时少 {percent}%。",
  "This script takes {percent} % more time.": "当前脚本用时多 {percent}%。",
  "Time by statement, over {points}": "各语句的用时占比（{points}）",
  "{n} points": "{n} 个数据点",
  "Row {n} is the same in both runs.": "第 {n} 行在两次运行中相同。",
  "The kept run has no such row.": "保留的运行中没有这一行。",
  Differs: "差异",
  "kept run": "保留的运行",
  "this run": "本次运行",
  outcome: "处理结果",
  name: "名称",
  time: "时间",
  absent: "不存在",
  tag: "标签",
  "What differs: {parts}": "差异：{parts}",
  "{part} in {rows}": "{part}（{rows}）",
  "{n} rows": "{n} 行",
  ", ": "，",
  "error: {error}": "错误：{error}",
  "{outcome}, no match": "{outcome}，未匹配",
  "No row differs from the kept run": "所有行都与保留的运行相同",
  "{n} rows differ": "{n} 行有差异",
  "{n} gone": "{n} 行消失",
  "of the rows that the page holds": "仅统计本页面已载入的行",

  // Chinese translations of the texts of panes/DraftList.svelte
  "New name of {title}": "{title} 的新名称",
  "open now · {about}": "当前打开 · {about}",
  "More for {title}": "{title} 的更多操作",
  More: "更多",
  Rename: "重命名",
  Duplicate: "复制一份",
  "Save as zip": "存为 zip",
  Delete: "删除",
  "Drafts are kept in this browser, from the first edit on: the {n} that were changed last.":
    "从第一次编辑起，草稿保存在此浏览器中：保留最近修改的 {n} 份。",
  "This browser does not keep drafts.": "此浏览器不保存草稿。",
  Untitled: "未命名",

  // Chinese translations of the texts of panes/Examples.svelte
  "The other examples could not be loaded. Open the menu again to try once more.":
    "其他示例加载失败。重新打开菜单可重试。",

  // Chinese translations of the texts of panes/Functions.svelte
  Functions: "函数",
  "Search the functions": "搜索函数",
  "Search {n} functions": "搜索 {n} 个函数",
  "Close the functions": "关闭函数列表",
  "Close (Esc)": "关闭（Esc）",
  "Functions that were found": "找到的函数",
  "No function is about that.": "没有相关函数。",
  Insert: "插入",
  "{type}, optional": "{type}，可选",
  Example: "示例",
  "input {text}": "输入 {text}",
  "{key} is removed": "{key} 已删除",

  // Chinese translations of the texts of panes/Header.svelte
  playground: "演练场",
  "Name of this draft": "此草稿的名称",
  Examples: "示例",
  Drafts: "草稿",
  "New draft": "新建草稿",
  "empty script, empty input": "空脚本，空输入",
  "Open a zip": "打开 zip",
  "a saved project; dropping it on the page does the same": "已保存的项目；也可以直接拖到页面上",
  "Zip of a project": "项目的 zip 文件",
  "this project, as files": "把此项目存为文件",
  "The list could not be loaded. Open the menu again to try once more.": "列表加载失败。重新打开菜单可重试。",
  "Run (Ctrl+Enter)": "运行（Ctrl+Enter）",
  Share: "分享",
  "Copy a link that holds this project": "复制包含此项目的链接",
  Settings: "设置",
  "The settings could not be loaded. Open them again to try once more.": "设置加载失败。重新打开可重试。",
  "Help and keyboard": "帮助与快捷键",
  "Help and keyboard (F1)": "帮助与快捷键（F1）",
  "Colours: system": "配色：跟随系统",
  "Colours: light": "配色：浅色",
  "Colours: dark": "配色：深色",

  // Chinese translations of the texts of panes/Help.svelte
  Playground: "演练场",
  "Write a script, give it logs or points, and see what comes out. It is the same library that the agent runs, compiled for this page; nothing you type or drop leaves it. Hover over a function to read what it does.":
    "编写脚本，输入日志或数据点，查看输出结果。这里运行的库与 agent 中的相同，只是为本页面编译；你输入或拖入的内容不会离开本页面。把鼠标悬停在函数上，可以阅读其说明。",
  "run the script": "运行脚本",
  "stop a run": "停止运行",
  "go to the script; in Grok to the expression, in Convert to the body":
    "转到脚本；在 Grok 中转到表达式，在“转换”中转到请求体",
  "go to the input; in Grok to the lines, in Convert to the forms":
    "转到输入；在 Grok 中转到日志行，在“转换”中转到各格式",
  "go to the result; in Grok to the details": "转到结果；在 Grok 中转到详情",
  "complete: functions, keys, grok patterns": "补全：函数、键、grok 模式",
  "format the script": "格式化脚本",
  "take the chosen completion": "采用选中的补全项",
  "change to what a hint says, where there is only one": "只有一条建议时，按建议修改",
  "in the script: set or remove a breakpoint": "在脚本中：设置或删除断点",
  "in the script: run the steps of the chosen point to this line": "在脚本中：把所选数据点单步运行到此行",
  "in the steps: forward, back, over, back over; Enter runs to a breakpoint":
    "在步骤中：前进、后退、单步跳过、反向跳过；Enter 运行到断点",
  "in the script: show the points behind the number of this line": "在脚本中：显示此行计数对应的数据点",
  "next mistake; in Grok the next line that does not match": "下一处错误；在 Grok 中为下一条未匹配的行",
  "search in an editor": "在编辑器中搜索",
  "comment lines, or take the mark away": "添加或取消行注释",
  "leave the script editor: there, Tab alone indents": "离开脚本编辑器（其中单按 Tab 为缩进）",
  "in the table: choose a point": "在表格中：选择数据点",
  "on a script's tab: rename it": "在脚本标签页上：重命名",
  "open {title}": "打开“{title}”",
  "this help": "打开此帮助",

  // Chinese translations of the texts of panes/InputPane.svelte
  Input: "输入",
  "Form of the input": "输入的格式",
  Category: "类别",
  source: "来源",
  "Name of the points that are made of log lines": "由日志行生成的数据点的名称",
  "starts with": "首行匹配",
  "Regular expression that the first line of a message matches": "匹配每条消息首行的正则表达式",
  "Wrap long lines": "自动换行",
  "Reference tables, in which scripts look rows up": "引用表，供脚本查找其中的行",
  Tables: "引用表",
  "Open a file": "打开文件",
  File: "文件",
  "File to read": "要读取的文件",
  "This looks like {suggested}, but it is read as {form}.": "内容像是“{suggested}”，但目前按“{form}”读取。",
  "Read as {form}": "按“{form}”读取",
  "Keep the form": "保持格式",
  "Keep {form}": "仍按“{form}”读取",
  "The tables could not be loaded. Press Tables twice to try once more.": "引用表加载失败。点击两次“引用表”可重试。",
  "{size}, read in pieces by a worker; it does not leave this page.": "{size}，由 worker 分块读取；不会离开本页面。",
  "Back to text": "返回文本",
  "Log lines": "日志行",
  "Multi-line logs": "多行日志",
  "Line protocol": "行协议",
  "Paste log lines: each one becomes a point. Or drop a file anywhere.":
    "粘贴日志行：每行成为一个数据点。也可以把文件拖到页面任意位置。",
  "Paste logs whose messages have several lines. Or drop a file anywhere.":
    "粘贴一条消息占多行的日志。也可以把文件拖到页面任意位置。",
  "Paste points, such as\ncpu,host=web-1 load=0.71 1763719200000000000":
    "粘贴数据点，例如\ncpu,host=web-1 load=0.71 1763719200000000000",
  'Paste points, such as\n[{"measurement": "cpu", "fields": {"load": 0.71}}]':
    '粘贴数据点，例如\n[{"measurement": "cpu", "fields": {"load": 0.71}}]',

  // Chinese translations of the texts of panes/Lower.svelte
  "About the point": "数据点详情",
  "Keep this input and what the script makes of it as a test": "把此输入和脚本的处理结果保存为测试",
  "Keep as test": "存为测试",
  "The steps could not be loaded. Choose the tab again to try once more.": "步骤加载失败。重新选择此标签页可重试。",
  "The comparison could not be loaded. Choose the tab again to try once more.":
    "对比加载失败。重新选择此标签页可重试。",
  "The tests could not be loaded. Choose the tab again to try once more.": "测试加载失败。重新选择此标签页可重试。",
  Fields: "字段",
  Steps: "步骤",
  Tests: "测试",
  "{n} of {all} fail": "{n}/{all} 失败",

  // Chinese translations of the texts of panes/PipelineStart.svelte
  "Paste logs or points": "粘贴日志或数据点",
  "Log lines, line protocol or JSON. Each line or point becomes a row, and the script runs over it.":
    "日志行、行协议或 JSON。每行日志或每个数据点成为结果中的一行，由脚本逐行处理。",
  "Anywhere on this page: text, or text packed with gzip or zstd. It is read here and goes nowhere.":
    "拖到页面任意位置：文本，或用 gzip、zstd 压缩的文本。文件只在本页面读取，不会上传。",
  "File to start with": "要打开的文件",

  // Chinese translations of the texts of panes/PointDetail.svelte
  "The selected point": "所选数据点",
  "Not a point": "不是数据点",
  "Point {n}": "数据点 {n}",
  error: "错误",
  "created, {category}": "新生成，{category}",
  "line {n}": "第 {n} 行",
  "copy as": "复制为",
  "This form cannot say it: no field is left": "此格式无法表示：没有剩余字段",
  "Copy the point as {form}": "复制数据点（{form}）",
  "Point {n} as {form} was": "数据点 {n}（{form}）",
  at: "位于",
  "called from": "调用自",
  "this grok does not match:": "此 grok 未匹配：",
  "See in the Grok mode how far this row matches, and what would help":
    "在“Grok”模式中查看此行匹配到何处，以及如何改进",
  "Open in Grok": "在 Grok 中打开",
  Change: "修改",
  Key: "键",
  changed: "已修改",
  empty: "空",
  "… {n} characters in all": "…共 {n} 个字符",
  "Corrections for this category": "按此类别所做的修正",
  added: "已添加",
  removed: "已删除",
  same: "未变",

  // Chinese translations of the texts of panes/PointGrid.svelte
  "Sort by {title}": "按 {title} 排序",
  "Points; arrow keys choose one": "数据点；用方向键选择",
  Number: "序号",
  Outcome: "处理结果",
  "Differs from the kept run": "与保留的运行不同",
  "differs from the kept run": "与保留的运行不同",
  "See in the Grok mode why": "在“Grok”模式中查看原因",
  "A grok did not match this line, another one did": "有一个 grok 未匹配此行，但另一个匹配了",
  "one grok did not match": "有一个 grok 未匹配",
  "{now}\nkept run: {was}": "{now}\n保留的运行：{was}",
  kept: "已保留",
  dropped: "已丢弃",
  created: "新生成",
  refused: "已拒绝",
  "dropped, no match": "已丢弃，未匹配",
  "no match": "未匹配",

  // Chinese translations of the texts of panes/ResultFilters.svelte
  "Which points are shown": "显示哪些数据点",
  "No match in line {n}": "第 {n} 行未匹配",
  "Reached line {n}": "执行到第 {n} 行",
  ", remove this filter": "，移除此筛选",
  "All points count. The page shows the first rows that are asked for. Save gives them all.":
    "计数包含全部数据点。页面只显示符合条件的前若干行，点击“保存”可得到全部。",
  "{n} found": "找到 {n} 行",
  "Search all rows": "搜索所有行",
  "Search the rows": "搜索行",
  Columns: "列",
  "Sort by": "排序",
  input: "输入",
  "largest first": "从大到小",
  Kept: "保留",
  Dropped: "丢弃",
  Created: "生成",
  "No match": "未匹配",
  Errors: "错误",
  "searching all rows …": "正在搜索所有行…",
  "{n} of the first rows": "已载入的行中有 {n} 行",
  "the first {n} are shown": "显示前 {n} 行",

  // Chinese translations of the texts of panes/ResultPane.svelte
  Result: "结果",
  "Views of the result": "结果的视图",
  "Runs again over the whole input and saves all points that are kept.": "对全部输入重新运行，并保存所有保留的数据点。",
  "hint: {hint}": "建议：{hint}",
  "Run all": "全部运行",
  "Height of the table": "表格的高度",
  "The input holds no points yet.": "输入中还没有数据点。",
  "Press {run} or {keys}: what the script makes of the input appears here.":
    "点击“{run}”或按 {keys}，脚本处理输入的结果会显示在这里。",
  "No row is what you look for.": "没有符合条件的行。",
  "Show all rows": "显示所有行",
  Table: "表格",

  // Chinese translations of the texts of panes/ScriptPane.svelte
  Script: "脚本",
  Scripts: "脚本列表",
  "This one runs. Double click or F2 renames it.": "此脚本会被运行。双击或按 F2 重命名。",
  "Called with use(). Double click or F2 renames it.": "由 use() 调用。双击或按 F2 重命名。",
  "has an error": "有错误",
  "Remove {name}": "删除 {name}",
  "Add a script": "添加脚本",
  "All functions, to read and to insert": "浏览并插入函数",
  "Format (Shift+Alt+F)": "格式化（Shift+Alt+F）",
  Format: "格式化",
  "Script {name}": "脚本 {name}",
  'Write a script, for example\ngrok(_, "%{IP:client} %{WORD:method} %{NUMBER:ms:float}")':
    '编写脚本，例如\ngrok(_, "%{IP:client} %{WORD:method} %{NUMBER:ms:float}")',
  "The functions could not be loaded. Close the list and open it again to try once more.":
    "函数加载失败。关闭列表后重新打开可重试。",
  "The script has a mistake; it is formatted once it can be read.": "脚本有错误；改正后才能格式化。",

  // Chinese translations of the texts of panes/Settings.svelte
  "As this browser": "跟随浏览器",
  "Time zone": "时区",
  "{zone} (this browser)": "{zone}（此浏览器）",
  "For times that name no zone of their own.": "用于本身不带时区的时间。",
  "There is no zone of this name.": "没有这个名称的时区。",
  Clock: "时钟",
  running: "走动中",
  "Stop now": "定在此刻",
  "Let run": "恢复走动",
  "A fixed moment makes every run give the same times.": "固定时刻后，每次运行得到的时间都相同。",
  "Write it as 2025-11-21T10:00:00Z.": "请写成 2025-11-21T10:00:00Z 的形式。",
  "Steps per point": "每个数据点的步数",
  "A script that takes more ends with an error. 0 switches the limit off.":
    "超过此步数的脚本会报错结束。0 表示不限制。",
  "Run after each change": "每次修改后自动运行",
  "Keep this page for use without a network": "存储本页面，供离线使用",
  "Browsers do this only over HTTPS and on the machine that serves the page.":
    "浏览器只在 HTTPS 或提供本页面的机器上支持此功能。",
  "The page needs its server. Drafts stay in this browser.": "本页面需要连接服务器。草稿保存在此浏览器中。",
  "Its files are stored in a moment.": "页面文件即将开始存储。",
  "A new version of this page is ready.": "本页面有新版本。",
  "Its files are being stored.": "正在存储页面文件。",
  "Its files are stored. Only the country database is stored when a script uses it.":
    "页面文件已存储。国家数据库在脚本用到时才存储。",
  "Its files could not be stored. The next visit tries again.": "页面文件存储失败。下次访问时重试。",

  // Chinese translations of the texts of panes/StatusBar.svelte
  "Result of the run": "运行结果",
  "Loading the country database for geoip: {size}": "正在加载 geoip 的国家数据库：{size}",
  "Progress of the run": "运行进度",
  "running …": "运行中…",
  "{percent} % of {size}": "{size} 的 {percent}%",
  "{n} tests fail": "{n} 个测试失败",
  "{points} without a match of grok": "{points}未被 grok 匹配",
  "Speed of the last run": "上次运行的速度",
  Points: "数据点",
  "Decoding {decoding}, script {running}, with the counts of reached lines":
    "解码 {decoding}，脚本 {running}，含行覆盖计数",
  "Points per second": "每秒数据点数",
  "{n} points/s": "{n} 个数据点/秒",
  Throughput: "吞吐量",
  "Time per point": "每个数据点用时",
  "clock at {time}": "时钟定在 {time}",
  "{errors} in the script": "脚本中有 {errors}",
  "{n} errors": "{n} 个错误",
  "{n} of {points} failed": "{points}中有 {n} 个出错",
  "No errors in the script": "脚本没有错误",
  "{said}: {message}": "{said}：{message}",
  "{n} kept": "保留 {n} 个",
  "{n} dropped": "丢弃 {n} 个",
  "{n} created": "生成 {n} 个",
  "{n} refused": "拒绝 {n} 个",
  "{n} without a match of grok": "未被 grok 匹配 {n} 个",
  "{n} failed": "出错 {n} 个",
  "{points}: {parts}": "{points}：{parts}",
  "none kept": "没有保留任何数据点",

  // Chinese translations of the texts of panes/StepsPane.svelte
  "Steps of the point": "数据点的步骤",
  "before the first of {n} steps": "第一步之前，共 {n} 步",
  "after the last step": "最后一步之后",
  "step {n} of {all}, {place}": "第 {n} 步，共 {all} 步，{place}",
  "Statements that ran": "已执行的语句",
  "the point comes in": "数据点输入",
  "more steps ran than are shown": "还有步骤未显示",
  "the point goes out": "数据点输出",
  "State at this step": "此步的状态",
  "Variables of {script}": "{script} 的变量",
  Variables: "变量",
  Point: "数据点",
  "Point at this step": "此步的数据点",
  "A grok of this statement does not match.": "此语句中的 grok 未匹配。",
  "To the start": "到开头",
  "Back to a breakpoint": "退回到断点",
  "Back over": "反向跳过",
  "Step back": "后退一步",
  "Step, and into": "单步进入",
  "Step over": "单步跳过",
  "Step out": "单步跳出",
  "To the next breakpoint": "到下一个断点",
  "To the end": "到末尾",
  "branch {n}": "分支 {n}",
  "created {name}": "生成 {name}",

  // Chinese translations of the texts of panes/StorageNotice.svelte
  "Your edits are not kept. {why}": "你的修改没有保存。{why}",
  "Try again": "重试",
  "The browser does not let this page store anything, as in some private windows.":
    "浏览器不允许本页面存储任何内容，某些隐私窗口就是如此。",
  "Another tab holds the drafts in an older form. When you close or reload that tab, drafts are kept again.":
    "另一个标签页以旧格式占用着草稿。关闭或重新加载那个标签页后，草稿会恢复保存。",
  "Another tab runs a newer version of this page. Reload this tab, and drafts are kept again.":
    "另一个标签页正在运行本页面的新版本。重新加载此标签页后，草稿会恢复保存。",
  "The browser has no more space for this page. Delete drafts or free some space; the page tries again by itself.":
    "浏览器没有更多空间给本页面。请删除草稿或释放空间；本页面会自动重试。",
  "The store of the browser does not work. The page tries again by itself.": "浏览器的存储无法使用。本页面会自动重试。",
  " The browser says: {reason}": "浏览器的信息：{reason}",

  // Chinese translations of the texts of panes/TestsPane.svelte
  "Show as list": "显示为列表",
  "Edit as YAML": "编辑 YAML",
  Import: "导入",
  Export: "导出",
  "File of tests": "测试文件",
  "Tests as YAML": "YAML 格式的测试",
  passes: "通过",
  fails: "失败",
  "Expect what the script does now": "以脚本当前的结果为预期",
  Accept: "接受",
  " the result of {name}": " {name} 的结果",
  "Remove the test {name}": "删除测试 {name}",
  "(expected)": "（预期）",
  "A test keeps an input and what the script makes of it, and runs with every change. Choose a row and press {keep}, or import the YAML of {command}.":
    "测试保存一份输入和脚本的处理结果，并在每次修改后运行。选择一行并点击“{keep}”，或导入 {command} 的 YAML。",
  "{tests}, all pass": "{tests}，全部通过",
  "{n} tests": "{n} 个测试",
  "{tests}, {failed} fails": "{tests}，{failed} 个失败",
  "{tests}, {failed} fail": "{tests}，{failed} 个失败",
  "{name} is too large for tests: at most 1 MB.": "{name} 作为测试文件过大：最多 1 MB。",
  "Saved as {name}. Beside its script, millrace pipeline test runs it.":
    "已保存为 {name}。放在脚本旁边，即可用 millrace pipeline test 运行。",

  // Chinese translations of the texts of panes/TextResult.svelte
  "{points} as {form} were": "{points}（{form}）",
  "Result as {form}": "结果（{form}）",

  // Chinese translations of the texts of panes/tables/FileFacts.svelte
  "Go to its place": "转到所在位置",
  "Copy call": "复制调用",
  " of {name}": "：{name}",
  "And {n} more.": "还有 {n} 个。",

  // Chinese translations of the texts of panes/tables/TablesPane.svelte
  "Reference tables": "引用表",
  "Files of tables": "引用表文件",
  "Add an example table": "添加示例表",
  "Add files of tables": "添加引用表文件",
  "Add files": "添加文件",
  "Back to the input": "返回输入",
  "Files of tables to add": "要添加的引用表文件",
  "The page could not load its code for tables. Reload the page to try again.":
    "引用表的代码加载失败。重新加载页面可重试。",
  "A reference table adds facts to points: a script looks a value up, such as a port, and the other cells of the row become fields. {call} does it.":
    "引用表为数据点补充信息：脚本按某个值（例如端口）查到一行，该行的其他单元格成为字段。写法：{call}。",
  "Start with an example table": "从示例表开始",
  "The files are JSON, as an agent loads them. They stay in this browser with the draft, and go into its zip and, while small, its links. A project takes 100 files and 4 million characters.":
    "文件为 JSON，与 agent 加载的相同。文件随草稿保存在此浏览器中，并包含在 zip 里；较小时也包含在链接里。一个项目最多 100 个文件、400 万个字符。",
  Replace: "替换",
  "Characters of all files of the project together": "项目所有文件的总字符数",
  " characters": "个字符",
  "File in place of {name}": "替换 {name} 的文件",
  "The call": "调用代码",
  "The file has {size}, which is too large to edit here. Replace it by another file.":
    "文件大小为 {size}，过大，无法在此编辑。请用其他文件替换。",
  "Tables of {name}": "{name} 的引用表",

  // Chinese translations of the texts of state/session.svelte.ts
  "The page could not load its code for the Grok mode.": "“Grok”模式的代码加载失败。",

  // Chinese translations of words that several parts of the page use
  Type: "类型",
  "{n} lines": "{n} 行",

  // Chinese translations of words that several parts of the page use
  Search: "搜索",
  "{n} scripts": "{n} 个脚本",
  Query: "查询",
  "The script did not come to an end.": "脚本没有结束。",

  // Chinese translations of the texts of App.svelte, modes/modes.ts, modes/Rail.svelte
  "{mode} · Millrace playground": "{mode} · Millrace 演练场",
  "{mode} could not be loaded. Your text is kept.": "“{mode}”加载失败。你的文本已保留。",
  "Drop the file: it is read here and goes nowhere.": "松开即可放入：文件只在本页面读取，不会上传。",
  "The help could not be loaded.": "帮助加载失败。",
  Pipeline: "流水线",
  "Write a script, give it logs or points, and see what comes out.": "编写脚本，输入日志或数据点，查看结果。",
  "Find an expression for log lines, see why a line does not match, and use it in the script.":
    "为日志行找到表达式，查看某行为何不匹配，并用到脚本中。",
  Convert: "转换",
  "Paste points in one form, see them in the others, with errors, corrections and sizes.":
    "粘贴一种格式的数据点，查看其他格式，以及错误、修正和大小。",
  Sharding: "分片",
  "Write routing rules, see which header each point gets, which target, and why.":
    "编写路由规则，查看每个数据点得到的请求头、发往的目标及原因。",
  "Ask questions about the points of the pipeline, of a file or of the platform, as table, logs or chart.":
    "查询流水线、文件或平台的数据点，以表格、日志或图表显示。",
  Explore: "探索",
  "See what the points hold, as log lines and charts, by clicks: no query language needed.":
    "点击即可用日志行和图表查看数据点的内容，无需查询语言。",
  Dashboards: "仪表板",
  "See what a platform holds, as charts that refresh themselves.": "以自动刷新的图表查看平台中的数据。",
  Connect: "连接",
  "See the scripts of the agent that serves this page, what they do to live points, and save scripts to it.":
    "查看提供本页面的 agent 的脚本及其对实时数据点的处理，并把脚本保存到 agent。",
  Modes: "模式",

  // Texts of parts/
  Panes: "窗格",
  Paste: "粘贴",
  "Open an example": "打开示例",
  "Drop a file": "拖放文件",
  "Choose a file": "选择文件",

  // Texts of offline/
  "A new version of this page is ready. Your drafts stay.": "本页面有新版本。你的草稿会保留。",
  Later: "稍后",

  // Texts of editor/
  gives: "得到",
  "A pattern that a script defines:": "脚本定义的模式：",
  "A pattern of the built-in library:": "内置库的模式：",
  "A tag, in the point that is selected:": "标签，在所选数据点中：",
  "A field of kind {kind}, in the point that is selected:": "类型为 {kind} 的字段，在所选数据点中：",
  "Change to {text} (Ctrl+.)": "改为 {text}（Ctrl+.）",
  "{percent} % of the time": "占总用时的 {percent}%",
  "grok matched {n} of {points}. Click (Alt+G) for the other {others}":
    "grok 匹配了 {points}中的 {n} 个。点击（Alt+G）查看其余 {others} 个",
  "grok matched all of {points}": "grok 匹配了全部 {points}",
  "branch {n}: {count}": "分支 {n}：{count}",
  "No point reached this line": "没有数据点到达这一行",
  "{points} of {all} reached this line. Click (Alt+G) for them": "{all} 个中有 {points}到达这一行。点击（Alt+G）查看",
  "Every point reached this line": "所有数据点都到达这一行",
  "{message}, at run time for {points}": "{message}，运行时出现在 {points}中",
  Find: "查找",
  next: "下一个",
  previous: "上一个",
  all: "全部",
  "match case": "区分大小写",
  regexp: "正则表达式",
  "by word": "全字匹配",
  replace: "替换",
  "replace all": "全部替换",
  close: "关闭",
  "current match": "当前匹配",
  "on line": "所在行",
  "replaced match on line $": "已替换第 $ 行的匹配",
  "replaced $ matches": "已替换 $ 处匹配",
  "Go to line": "跳转到行",
  go: "跳转",
  Diagnostics: "诊断",
  "No diagnostics": "没有诊断",
  Completions: "补全",
  "A breakpoint (F9)": "断点（F9）",
  "The step that is shown": "当前显示的步骤",

  // Texts of state/analysis/
  "The script has changed since this run. Run it again, then open the row in the Grok mode.":
    "本次运行之后脚本已修改。请重新运行，再在“Grok”模式中打开此行。",
  "The key {key} held no text when this grok ran.": "这个 grok 运行时，键 {key} 中没有文本。",
  "The tests did not end within 10 seconds, so they were stopped.": "测试在 10 秒内没有结束，已停止。",
  "This row has no input of its own, so it cannot become a test.": "此行没有自己的输入，不能存为测试。",
  "The test is added.": "已添加测试。",
  "The test expects the present result.": "测试已改以当前结果为预期。",
  "The test is removed.": "已删除测试。",
  "The tests are read from the file.": "已从文件读取测试。",
  "it took too long": "用时过长",
  "The tests stay as they are: {problem}.": "测试保持不变：{problem}。",
  "This row is not a point, so no statement ran for it.": "此行不是数据点，没有对它执行语句。",
  "The script did not come to this point within 20 seconds.": "脚本在 20 秒内没有运行到此数据点。",

  // Chinese translations of the texts of state/storage/draft-edits.ts, state/storage/draft-keeper.svelte.ts and
  // state/project.ts
  "Another tab has it open: rename it there.": "此草稿已在另一个标签页中打开：请在那里重命名。",
  "{title} is among the drafts.": "{title} 已在草稿中。",
  "{when} · {scripts} · {size} of input": "{when} · {scripts} · 输入 {size}",
  "drafts are not kept": "草稿不会保存",
  "not edited yet": "尚未编辑",
  "draft changed": "草稿有修改",
  "draft saved": "草稿已保存",
  "It does not answer.": "它没有响应。",
  "It was closed.": "它已关闭。",

  // Chinese translations of the texts of state/example.ts, state/examples.ts
  "access log: grok, types, status by code": "访问日志：grok、类型、由状态码得到状态",
  "error log: names of levels, optional parts": "错误日志：级别名称、可选部分",
  "slow log: entries of several lines, SQL masked": "慢日志：多行条目、SQL 脱敏",
  "stack traces: several lines that belong together": "堆栈跟踪：多行组成一条消息",
  "container logs as JSON: paths, time, noise dropped": "JSON 容器日志：路径、时间、丢弃噪声",
  "RFC 3164 and 5424 in one script": "一个脚本处理 RFC 3164 和 5424",
  "a short format: roles and marks by table": "简短格式：用对照表转换角色和标记",
  "spans as JSON points: slow ones marked": "JSON 数据点形式的 span：标出慢的 span",
  "line protocol: tags, units, values dropped": "行协议：标签、单位、丢弃部分值",
  "events as JSON: one becomes two": "JSON 事件：一个变成两个",

  // Chinese translations of the texts of state/refer-tables/, worker/refer-tables/table-files.ts
  "{name} has the text of {file}.": "{name} 的内容已换成 {file}。",
  "A file needs a name without slashes, of at most 95 characters.": "文件名不能含斜杠，最多 95 个字符。",
  "There is a file {name} already.": "已有文件 {name}。",
  "{name} is removed.": "已删除 {name}。",
  "{n} of {most} million": "{n} / {most} 百万",
  "A project holds at most {limit} of tables. Nothing was changed; an agent takes more.":
    "一个项目的引用表最多{limit}。未做任何更改；agent 可以容纳更多。",
  "{name} is too large: a project holds {limit} of tables.": "{name} 过大：一个项目的引用表最多{limit}。",
  "{name} is not UTF-8 text, so it was not read.": "{name} 不是 UTF-8 文本，没有读取。",
  "100 files and 4 million characters": " 100 个文件、400 万个字符",

  // Chinese translations of the texts of state/result.ts, worker/client.ts
  "Stopped: the script did not come to an end. Its worker was ended and a new one has started.":
    "已停止：脚本没有结束。它的 worker 已终止，新的 worker 已启动。",
  "Stopped at point {n}: the script did not come to an end. Its worker was ended and a new one has started.":
    "停在第 {n} 个数据点：脚本没有结束。它的 worker 已终止，新的 worker 已启动。",
  "Press Run to give it as long as it takes.": "点击“运行”可不限时间地运行。",
  "The run failed: {message}": "运行失败：{message}",
  "the worker could not be started": "无法启动 worker",
  "A sample: the first {n} points of {size}.": "样本：{size} 中的前 {n} 个数据点。",
  "Stopped after {n} points.": "在 {n} 个数据点后停止。",
  "Stopped after {n} points: runs that start by themselves are short.": "在 {n} 个数据点后停止：自动运行有时间限制。",
  "{lines} could not be read as points. The agent would refuse the whole body with them.":
    "有 {lines}无法读成数据点。agent 会因此拒绝整个请求体。",
  "Read element by element. As one body it would be refused: {notice}":
    "已逐个元素读取。作为一个请求体会被拒绝：{notice}",

  // Chinese translations of the texts of state/session.svelte.ts
  "from the run before": "上一次运行的结果",
  "from before your last change": "最近一次修改之前的结果",
  "from before your last change: press Run": "最近一次修改之前的结果：请点击“运行”",
  "from before your last change: the script has an error": "最近一次修改之前的结果：脚本有错误",
  "A script needs a name without slashes.": "脚本名不能含斜杠。",
  "There is a script {name} already.": "已有脚本 {name}。",
  "The draft {title} is deleted.": "已删除草稿“{title}”。",
  "{name} is of another form: a new draft holds it, the old one is among the drafts.":
    "{name} 是另一种格式：已放入新草稿，原来的在草稿列表中。",
  "pasted text": "粘贴的文本",
  "Point {n} and the grok of {place} are open in the Grok mode.": "已在“Grok”模式中打开数据点 {n} 和 {place} 的 grok。",
  "Stopped: nothing was saved.": "已停止：没有保存任何内容。",
  "Saved as {name}, {size}.": "已保存为 {name}，{size}。",
  "This project is too large for a link, which holds 2 MB. A zip holds it, or fewer samples fit.":
    "此项目超过了链接的 2 MB 上限。可以存为 zip，或减少样本。",
  "Some programs cut links of that length.": "有些程序会截断这么长的链接。",
  "Link copied, {size}. It holds script and input; no server stores them.":
    "已复制链接，{size}。其中包含脚本和输入；没有服务器存储它们。",
  "The link, {size}, stands in the address bar.": "链接（{size}）在地址栏中。",
  "The page could not load its code for zips.": "处理 zip 的代码加载失败。",
  "{what} copied.": "已复制：{what}。",
  "The browser does not let this page use the clipboard.": "浏览器不允许本页面使用剪贴板。",
  "The query is in the editor, in place of the one before.": "查询已放入编辑器，替换了原来的查询。",

  // Texts of state/share.ts
  "The link has the form {version}, which this page does not know. A newer version of the playground opens it.":
    "链接的格式是 {version}，本页面不识别。请用更新版本的演练场打开。",
  "The link is damaged: it was perhaps cut on its way.": "链接已损坏：可能在传送中被截断。",

  // Texts of state/text.ts
  "{time}/point": "{time}/点",

  // Chinese translations of the texts of state/project-zip/
  "The dropped file {name} is not in it.": "其中不含拖入的文件 {name}。",
  "Nothing was saved.": "没有保存任何内容。",
  "The zip has {size}, which is too much.": "zip 大小为 {size}，过大。",
  "{title} is open, from {file}.": "已从 {file} 打开“{title}”。",
  "All else is there.": "其余内容均已读取。",
  "The file could not be read.": "无法读取该文件。",
  "Your project stays open.": "仍打开原来的项目。",
  "And {entries}.": "{entries}。",
  "{n} more entries": "还有 {n} 项",
  "Not taken: {list}.": "未采用：{list}。",
  "The zip would have {n} files, and at most {most} are allowed.": "zip 会有 {n} 个文件，最多允许 {most} 个。",
  "{name} is too large for a zip: {size}.": "{name} 过大，不能放入 zip：{size}。",
  "The project is too large for a zip: more than {size}.": "项目过大，不能放入 zip：超过 {size}。",
  "The zip has {size}, and at most {most} are read.": "zip 大小为 {size}，最多读取 {most}。",
  "a second entry of this name": "同名的第二项",
  "The zip unfolds to more than {size}, at {name}.": "zip 解压到 {name} 时超过 {size}。",
  "its name leaves the folder, or has characters that names of files may not have":
    "其名称指向文件夹之外，或含有文件名不允许的字符",
  "it is encrypted": "已加密",
  "it is compressed by method {method}, which is not read": "使用了不支持的压缩方法 {method}",
  "it has {size}, and at most {most} are read": "大小为 {size}，最多读取 {most}",
  "The zip has the form ZIP64, which is not read.": "zip 是 ZIP64 格式，不支持读取。",
  "The zip has {n} entries, and at most {most} are read.": "zip 有 {n} 项，最多读取 {most} 项。",
  "The zip is damaged: its directory ends at entry {n} of {all}.": "zip 已损坏：目录在第 {n} 项（共 {all} 项）处中断。",
  "The zip has an entry, number {n}, whose name is too long or damaged.": "zip 的第 {n} 项的名称太长或已损坏。",
  "The file is no zip, or its end is missing.": "该文件不是 zip，或缺少结尾。",
  "its header is damaged": "其头部已损坏",
  "its bytes are missing": "其数据不完整",
  "its compressed bytes are damaged": "其压缩数据已损坏",
  "it unfolds to another size than the zip says": "解压后的大小与 zip 中的记录不同",
  "its check sum is wrong": "其校验和不正确",
  "no part of the project names it": "项目中没有引用它",
  "The zip has no readable project.json, so it is no project of this page.":
    "zip 中没有可读的 project.json，因此不是本页面的项目。",
  "project.json is no JSON: {message}.": "project.json 不是 JSON：{message}。",
  "project.json does not describe a project of this page.": "project.json 描述的不是本页面的项目。",
  "project.json has no version, so the zip cannot be read.": "project.json 没有版本号，无法读取该 zip。",
  "project.json has version {own}, and this page reads version {version}. Use a newer page.":
    "project.json 的版本是 {own}，本页面读取的版本是 {version}。请使用更新的页面。",
  "{file}: the zip has no such entry, or it was left out; {path} is empty":
    "{file}：zip 中没有该项，或未采用；{path} 为空",
  script: "脚本",
  "scripts: there is none, so the project has an empty one": "scripts：没有脚本，因此项目有一个空脚本",
  "file of tables": "引用表文件",
  "a project holds at most {limit} of tables": "一个项目的引用表最多{limit}",
  "a second {what} of this name": "同名的第二个{what}",
  "{path} is no {what}": "{path} 不是{what}",
  "{path} cannot be {said}; {used} is used": "{path} 不能是 {said}；改用 {used}",
  "it is not UTF-8 text": "不是 UTF-8 文本",
};
