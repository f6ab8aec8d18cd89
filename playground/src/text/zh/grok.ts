// The Chinese texts of the grok mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Texts with a number
  "{n} warnings": "{n} 个警告",
  "{n} patterns": "{n} 个模式",
  "{n} definitions": "{n} 个定义",

  // Chinese translations of the texts of modes/grok/Grok.svelte
  lines: "日志行",
  details: "详情",
  "{time} a line": "每行 {time}",
  "The lines could not be matched: {reason}": "无法匹配这些行：{reason}",
  "No lines yet": "还没有日志行",
  "{lines}, no expression yet": "{lines}，还没有表达式",
  "Matching …": "正在匹配…",
  "The expression has an error: nothing is matched": "表达式有错误，未进行匹配",
  "{n} of {lines} match": "{lines}中有 {n} 行匹配",
  "{n} of {lines} match · the first {checked} of {all} lines were matched":
    "{lines}中有 {n} 行匹配 · 只匹配了前 {checked} 行，共 {all} 行",

  // Chinese translations of the texts of modes/grok/DetailPane.svelte
  Details: "详情",
  "What is shown": "显示内容",
  "File of lines to match": "要匹配的日志行文件",
  "Line {n}": "第 {n} 行",
  Line: "行",
  "All lines": "所有行",
  Pieces: "片段",
  Library: "模式库",
  "Own patterns": "自定义模式",

  // Chinese translations of the texts of modes/grok/ExpressionPane.svelte
  Expression: "表达式",
  "Function that the expression is for": "使用表达式的函数",
  "Captures fields, with patterns such as %{IP:client}": "用 %{IP:client} 这样的模式捕获字段",
  "A regular expression: whether a line matches, and its groups": "正则表达式：一行是否匹配，以及其中的分组",
  "A regular expression whose matches are replaced": "正则表达式：匹配到的内容会被替换",
  "Remove white space around captured text": "去掉捕获文本首尾的空白",
  trim: "去空白",
  "The example {title} is open now.": "已打开示例“{title}”。",
  "Propose a grok expression for the lines": "为这些行推荐 grok 表达式",
  Suggest: "推荐",
  "Suggesting …": "正在推荐…",
  "Put the call into the script of the Pipeline mode": "把调用写入“流水线”模式的脚本",
  "Use in script": "用于脚本",
  "Grok expression": "Grok 表达式",
  "Regular expression": "正则表达式",
  "Replace with": "替换为",
  "$1, $name and ${name} stand for groups, $$ for $": "$1、$name 和 ${name} 代表分组，$$ 代表 $",

  // Chinese translations of the texts of modes/grok/LineTab.svelte
  "Matching line {n} …": "正在匹配第 {n} 行…",
  "Line {n} matches.": "第 {n} 行匹配。",
  "Line {n} matches, {count} captured.": "第 {n} 行匹配，捕获 {count} 项。",
  "Line {n} does not match.": "第 {n} 行不匹配。",
  "Line {n} does not match: expected {expected}, the line ends there.":
    "第 {n} 行不匹配：应为 {expected}，但该行到此结束。",
  "Line {n} does not match: expected {expected}, found {found}.": "第 {n} 行不匹配：应为 {expected}，实际是 {found}。",
  "There is no expression yet. Press {suggest} to get one for the lines, or write one above.":
    "还没有表达式。点击“{suggest}”为这些行生成一个，或在上方编写。",
  "Write an expression": "编写表达式",
  "Browse the patterns": "浏览模式",
  "The expression has an error, which stands below it. Your lines are kept.":
    "表达式有错误，错误显示在表达式下方。你的日志行已保留。",
  "There are no lines yet.": "还没有日志行。",
  "Write or paste lines": "编写或粘贴日志行",
  "Line {n} is empty. Move the cursor to a line to see what it captures.":
    "第 {n} 行是空行。把光标移到某一行，查看它捕获的内容。",
  "After replace": "替换后",
  "Line after replace": "替换后的行",
  "What line {n} captures": "第 {n} 行捕获的内容",
  Field: "字段",
  Group: "分组",
  "Marks this capture in the expression and in the lines": "在表达式和日志行中标出此捕获",
  "took no part": "未参与匹配",
  "The expression captures nothing. Write %{NAME:field} to capture what a pattern matches.":
    "表达式没有捕获内容。写 %{NAME:field} 可捕获模式匹配到的内容。",
  "The expression has no groups. Write (…) or (?P<name>…) to capture a part.":
    "表达式没有分组。写 (…) 或 (?P<name>…) 可捕获其中一部分。",
  Failed: "失败处",
  Expected: "应为",
  Found: "实际",
  "{pattern} for {field}": "{pattern}，字段 {field}",
  "{found} at column {n}": "{found}，位于第 {n} 列",
  "the end of the line": "行尾",
  "Changes that make the line match": "可使该行匹配的修改",
  "Apply change {n}: {change}": "应用修改 {n}：{change}",
  "The expression is changed.": "表达式已修改。",
  Apply: "应用",
  "No small change makes this line match.": "没有小的修改能使该行匹配。",

  // Chinese translations of the texts of modes/grok/LinesPane.svelte
  Lines: "日志行",
  "Which lines are shown": "显示哪些行",
  Matched: "匹配",
  Unmatched: "未匹配",
  "Go to the next line that does not match (F8)": "转到下一个不匹配的行（F8）",
  "Next unmatched": "下一未匹配",
  "Open a file of lines": "打开日志行文件",
  "File of lines": "日志行文件",
  "Lines to match": "要匹配的日志行",
  "Paste log lines here, one a line.\nEach is matched by itself.": "在此粘贴日志，每行一条。\n每一行单独匹配。",

  // Chinese translations of the texts of modes/grok/Start.svelte
  "Paste log lines": "粘贴日志行",
  "One or more, then press Suggest: you get an expression that matches them all.":
    "粘贴一行或多行，然后点击“推荐”，即可得到匹配所有行的表达式。",
  "Anywhere on this page: log lines as text, up to 2 MB. It is read here and goes nowhere.":
    "拖到页面任意位置：文本格式的日志行，最大 2 MB。文件只在本页面读取，不会上传。",
  "Take the {lines} of the Pipeline mode": "取用“流水线”模式的 {lines}",

  // Chinese translations of the texts of modes/grok/TableTab.svelte
  "The captures of all lines stand here, one line a row, once there are lines and an expression.":
    "有了日志行和表达式后，这里逐行显示所有行的捕获。",
  "Captures of all lines": "所有行的捕获",
  Matches: "是否匹配",
  "Go to line {n}": "转到第 {n} 行",
  matches: "匹配",
  "does not match": "不匹配",
  yes: "是",
  no: "否",
  "The first {n} of {all} lines are shown.": "显示前 {n} 行，共 {all} 行。",

  // Chinese translations of the texts of modes/grok/examples.ts
  "A strange log": "陌生的日志",
  "lines only: press Suggest": "只有日志行：点击“推荐”",
  "An access log with gaps": "有缺失的访问日志",
  "two lines do not match: see why": "有两行不匹配：看看原因",
  "a pattern of the project inside another": "项目中的模式引用另一个模式",
  "Hide card numbers": "隐藏卡号",
  "replace, with groups and a preview": "替换，带分组和预览",

  // Chinese translations of the texts of modes/grok/workbench.svelte.ts
  "The text is longer than 2 MB. The lines before it are kept; take a part of the text.":
    "文本超过 2 MB。原来的日志行已保留；请只取其中一部分。",
  "Every line matches.": "所有行都匹配。",
  "{script} calls {method} in line {line} now.": "{script} 现在在第 {line} 行调用 {method}。",

  // Chinese translations of the texts of modes/grok/take-text.ts
  "{file} is longer than 2 MB. Your patterns are kept; take a part of it.":
    "{file} 超过 2 MB。你的模式已保留；请只取其中一部分。",
  "{file} has no pattern: a line is a name, a space, an expression.": "{file} 中没有模式：每行应为名称、空格、表达式。",
  "{patterns} of {file} imported.": "已从 {file} 导入 {patterns}。",
  "{patterns} of {file} imported. {definitions} cannot be used and became comments: line {line}, {name}: {reason}":
    "已从 {file} 导入 {patterns}。{definitions}无法使用，已改为注释：第 {line} 行，{name}：{reason}",
  "{file} is longer than 2 MB. Take a part of it.": "{file} 超过 2 MB。请只取其中一部分。",
  "{file} holds the lines now.": "日志行已换成 {file} 的内容。",
  "{file} is no text in UTF-8. Unpack it first if it is compressed.":
    "{file} 不是 UTF-8 文本。如果是压缩文件，请先解压。",

  // Chinese translations of the texts of modes/grok/library
  "Search the patterns": "搜索模式",
  "Search names, descriptions, examples": "搜索名称、说明、示例",
  own: "自定义",
  "Insert {name}": "插入 {name}",
  "Insert at the cursor of the expression": "插入到表达式的光标处",
  "Patterns work in grok only": "模式只能用于 grok",
  Definition: "定义",
  Expansion: "展开",
  "Expansion of {name}": "{name} 的展开",
  "The pattern is wrong, see Own patterns.": "模式有错误，请查看“自定义模式”。",
  "No pattern has “{text}”. You can define one under Own patterns.": "没有包含“{text}”的模式。可在“自定义模式”中定义。",
  "One pattern a line: a name, a space, an expression. Use it as {use}. A call that goes into the script takes its patterns along.":
    "每行一个模式：名称、空格、表达式。用法：{use}。调用写入脚本时，会一并带上所用的模式。",
  "Read pattern files, also those of Logstash": "读取模式文件，也支持 Logstash 的文件",
  "Import files": "导入文件",
  "Pattern files to import": "要导入的模式文件",
  "{problems} in {patterns}": "{patterns}中有 {problems}",
  "{patterns}, no errors": "{patterns}，没有错误",
  "line {line}, column {column}": "第 {line} 行，第 {column} 列",

  // Chinese translations of the texts of modes/grok/marks
  "captures {names}": "捕获 {names}",
  "{lines} hidden": "已隐藏 {lines}",

  // Chinese translations of the texts of modes/grok/suggest
  "Click a part of a line to find its piece. Choose what it is, and the field that takes its value; without a name nothing is captured.":
    "点击行中的一部分，找到对应的片段。选择它的类型，以及保存其值的字段；不填名称则不捕获。",
  "show the {n} spaces between": "显示中间的 {n} 处空格",
  "Pieces of the suggested expression": "推荐表达式的片段",
  Text: "文本",
  "What it is": "类型",
  nothing: "无",
  "many values": "多个值",
  "{n} values": "{n} 个值",
  "not in every line": "不是每行都有",
  "or {text}": "或 {text}",
  "What {text} is": "{text} 的类型",
  "the piece": "此片段",
  "Field of {text}": "{text} 的字段",
  "not captured": "不捕获",
  "There is no line yet: paste one or more.": "还没有日志行：请粘贴一行或多行。",
  "An expression for {lines} is suggested.": "已推荐匹配 {lines}的表达式。",
  "No suggestion: {reason}": "无法推荐：{reason}",
  "A name has letters, digits and _.": "名称只能包含字母、数字和 _。",
  "Another piece is named {name} already.": "另一个片段已使用名称 {name}。",
};
