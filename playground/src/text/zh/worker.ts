// The Chinese texts of the messages that the workers write: notes about scripts, patterns, tables, queries and
// files.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Chinese translations of the texts of worker/worker.ts
  "The script has an error, or is empty, so there are no steps.": "脚本有错误或为空，因此没有步骤。",
  "The input has no such point any more.": "输入中已没有这个数据点。",
  "geoip wrote nothing: the country database could not be loaded ({reason}). Press Run to try again.":
    "geoip 没有写入任何内容：国家数据库加载失败（{reason}）。点击“运行”可重试。",
  // Texts of worker/bench
  "There are no points to measure.": "没有可测量的数据点。",
  "A script has an error, so it cannot be measured.": "脚本有错误，无法测量。",
  // Texts of worker/bytes.ts
  "{name} cannot be read: {message}": "无法读取 {name}：{message}",
  // Texts of worker/check.ts
  "http_request is off in the playground: a page may not reach what an agent reaches; run the script there":
    "http_request 在演练场中不可用：页面不能访问 agent 所能访问的地址；请在 agent 上运行该脚本",
  // Texts of worker/convert
  "{character} is neither a hex digit nor a character of base64": "{character} 既不是十六进制数字，也不是 base64 字符",
  "the base64 text ends in the middle of a byte": "base64 文本在一个字节中间结束",
  "the hex text ends in the middle of a byte": "十六进制文本在一个字节中间结束",
  "{character} is no hex digit": "{character} 不是十六进制数字",
  "field {n}": "字段 {n}",
  "unknown, wire type {wire}": "未知，wire type {wire}",
  "{n} bytes": "{n} 字节",
  // Chinese translations of the texts of worker/decode.ts
  "The pattern of a first line is no regular expression: {message}": "首行的模式不是正则表达式：{message}",
  // Texts of worker/grok
  "{text} is plain text in a regular expression": "{text} 在正则表达式中是普通文本",
  "references to patterns work in grok only": "模式引用只在 grok 中有效",
  "a name has letters, digits and _, with . or - between them": "名称由字母、数字和 _ 组成，中间可以有 . 或 -",
  "a comment begins with #": "注释以 # 开头",
  "{name} has no definition": "{name} 没有定义",
  "write the name, a space, the expression": "依次写名称、空格、表达式",
  "{name} is defined above; this line does not count": "{name} 在上面已定义；这一行无效",
  "{name} hides the built-in pattern": "{name} 覆盖了同名的内置模式",
  "built-in patterns that refer to it keep the old one": "引用它的内置模式仍使用原来的定义",
  "the definition is missing": "缺少定义",
  // Chinese translations of the texts of worker/query-run
  "The query took longer than {n} seconds. Ask for a shorter time range, or for fewer groups.":
    "查询超过了 {n} 秒。请缩短时间范围或减少分组。",
  "The query could not be answered: {message}": "查询失败：{message}",
  "The script has an error, so there are no points.": "脚本有错误，因此没有数据点。",
  "Only the first points are held. Queries read nothing else.": "只保留了最前面的数据点，查询只读取这些。",
  "Only the first points are held, {n} of the input. Queries read nothing else.":
    "只保留了最前面的数据点（输入的 {n}），查询只读取这些。",
  "Stopped: the points up to there are held.": "已停止：保留了到此为止的数据点。",
  "Stopped: the points up to there are held, {n} of the input.": "已停止：保留了到此为止的数据点（输入的 {n}）。",
  "The first {n} of {all} sources are listed.": "共 {all} 个来源，列出前 {n} 个。",
  "This page comes from a server without a platform. Open the page of a running agent: npm start":
    "本页面的服务器没有平台。请打开运行中的 agent 的页面：npm start",
  "The server answered with the status {status}.": "服务器返回状态码 {status}。",
  "There is no platform to ask: {message}": "没有可查询的平台：{message}",
  "The server of this page does not answer.": "本页面的服务器没有响应。",
  "The answer of the server cannot be read: {reason}": "无法读取服务器的回答：{reason}",
  // Chinese translations of the texts of worker/refer-tables
  "Reference tables of {names} are not used: the file has an error. Open Tables, beside the input.":
    "{names} 的引用表未使用：该文件有错误。请打开输入旁边的“引用表”。",
  "Reference tables of {names} are not used: the files have errors. Open Tables, beside the input.":
    "以下文件有错误，其引用表未使用：{names}。请打开输入旁边的“引用表”。",
  "{names} and {n} more": "{names} 等，另有 {n} 个",
  "the project has no reference tables, so nothing is found: add one under Tables, beside the input":
    "项目没有引用表，因此查不到任何内容：请在输入旁边的“引用表”中添加",
  "the reference tables have errors, so nothing is found: see Tables, beside the input":
    "引用表有错误，因此查不到任何内容：请查看输入旁边的“引用表”",
  "no reference table has the name {name}; there are: {names}": "没有名为 {name} 的引用表；现有：{names}",
  "the table {table} has no column {column}; it has: {columns}": "引用表 {table} 没有列 {column}；现有：{columns}",
  "{names}, and {n} more": "{names}，另有 {n} 个",
  "there is a table {table} above, which counts: this one is not used": "上面已有引用表 {table}，以它为准：此表不使用",
  "there is a table {table} in {file}, which counts: this one is not used":
    "{file} 中已有引用表 {table}，以它为准：此表不使用",
  "the row has more or fewer cells than there are columns": "该行的单元格数与列数不同",
  "there are more or fewer types than columns": "类型数与列数不同",
  "a type is int, float, string or bool": "类型只能是 int、float、string 或 bool",
  // Texts of worker/sharding
  "Rule {n}": "规则 {n}",
  "the gateway calls its function {name} here; the page has no functions of the gateway":
    "网关在此调用它的函数 {name}；页面没有网关的函数",
  Function: "函数",
  "a text of the point, or built in": "数据点中的文本，或内置的值",
  "the point has no text of this key": "数据点中没有此键的文本值",
  "Shard keys": "分片键",
  "keys of the agent": "agent 的分片键",
  // Texts of worker/tests
  "the tests are of category {tests}, and this point is of {point}": "测试的类别是 {tests}，这个数据点的类别是 {point}",
  "a test cannot say what {keys} holds: bytes and lists have no form in YAML":
    "测试无法写出 {keys} 的值：字节和列表在 YAML 中没有对应形式",
  "a test cannot say what {keys} holds": "测试无法写出 {keys} 的值",
  "the value of {key} is too long for a test": "{key} 的值太长，不能用于测试",
  "a test cannot say what {key} holds: a value of kind {kind} has no form in YAML":
    "测试无法写出 {key} 的值：类型 {kind} 的值在 YAML 中没有对应形式",
};
