// The Chinese texts of the convert mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Texts with a number
  "{n} corrections": "{n} 处修正",
  "{n} bytes": "{n} 字节",

  // Chinese translations of the texts of modes/convert/Convert.svelte
  body: "请求体",
  forms: "格式",
  "body of {n} bytes": "请求体 {n} 字节",
  "The body could not be converted": "无法转换请求体",
  "No body yet": "还没有请求体",
  "Converting …": "正在转换…",
  "{errors}: nothing was converted": "{errors}，未转换",
  "{points} of {form} · nothing corrected": "{form}，{points} · 无修正",
  "{points} of {form} · {corrections}": "{form}，{points} · {corrections}",
  "Line {line}, column {column}: {reason}": "第 {line} 行，第 {column} 列：{reason}",
  "{state}. {finding}": "{state}。{finding}",

  // Chinese translations of the texts of modes/convert/BodyPane.svelte
  Body: "请求体",
  form: "格式",
  "detected: {form}": "检测到：{form}",
  detect: "自动检测",
  "{form}, as hex or base64": "{form}，十六进制或 base64",
  category: "类别",
  "times in": "时间单位",
  "Unit of the times in the body": "请求体中时间的单位",
  "The body is the example {title} now.": "请求体已换成示例“{title}”。",
  "Open a file, text or binary": "打开文件，文本或二进制",
  "File to convert": "要转换的文件",
  "Body to convert": "要转换的请求体",
  "Paste a body of points:\nline protocol, JSON, PBJSON,\nor protobuf as hex or base64.":
    "粘贴数据点的请求体：\n行协议、JSON、PBJSON，\n或十六进制、base64 的 protobuf。",
  "The text is longer than 2 MB. The body before it is kept; take a part of the text.":
    "文本超过 2 MB。原来的请求体已保留；请只取其中一部分。",

  // Chinese translations of the texts of modes/convert/Findings.svelte
  Findings: "检查结果",
  "List of findings": "检查结果列表",
  "What the decoder corrects in a point, and why it refuses a body, stands here.":
    "这里显示解码器对数据点的修正，以及拒绝请求体的原因。",
  "line {line}, column {column} · byte {byte}": "第 {line} 行，第 {column} 列 · 第 {byte} 字节",
  "The first {n} of {all} are shown.": "显示前 {n} 项，共 {all} 项。",
  "One error refuses the whole body: no point of it is kept. Your text stays as it is.":
    "只要有一处错误，整个请求体都会被拒绝，其中的数据点都不保留。你的文本保持不变。",
  "Nothing was corrected: {points} kept as sent, by the rules of {category}.":
    "无修正：按 {category} 的规则，{points}原样保留。",
  "point {n} · {measurement}": "数据点 {n} · {measurement}",

  // Chinese translations of the texts of modes/convert/FormCard.svelte
  "As {form}": "“{form}”格式",
  "{size} bytes, {packed} after gzip": "{size} 字节，gzip 压缩后 {packed} 字节",
  Hex: "十六进制",
  "Protobuf was, as hex,": "Protobuf（十六进制）",
  "Protobuf was, as base64,": "Protobuf（base64）",
  "{form} was": "{form}",
  "Copy {form}": "复制“{form}”",
  "Save {form}": "保存“{form}”",
  "Use {form} as body": "将“{form}”用作请求体",
  "Use this as the body": "将此内容用作请求体",
  "As body": "用作请求体",
  "{points} left out: {form} cannot express a point without a field.":
    "省略了 {points}：“{form}”无法表示没有字段的数据点。",
  "The beginning is shown. Copy and save take all of it.": "只显示开头部分。复制和保存包含全部内容。",

  // Chinese translations of the texts of modes/convert/FormsPane.svelte
  Forms: "格式",
  "Forms to show": "要显示的格式",
  "All others": "其他格式",
  "Paste a body": "粘贴请求体",
  "Line protocol, JSON, PBJSON, or protobuf as hex or base64. The form is detected.":
    "行协议、JSON、PBJSON，或十六进制、base64 的 protobuf。格式会自动检测。",
  "Anywhere on this page: text, or a binary body of protobuf, up to 1 MB. It is read here and goes nowhere.":
    "拖到页面任意位置：文本，或 protobuf 的二进制请求体，最大 1 MB。文件只在本页面读取，不会上传。",
  "The body could not be converted: {reason}. Your text is kept.": "无法转换请求体：{reason}。你的文本已保留。",
  "There are no points to show: one error refuses the whole body. Each place is marked in the body, with its reason below.":
    "没有可显示的数据点：只要有一处错误，整个请求体都会被拒绝。错误位置已在请求体中标出，原因见下方。",

  // Chinese translations of the texts of modes/convert/ProtobufView.svelte
  Bytes: "字节",
  "{n} of {bytes} shown: show more": "显示更多（已显示 {n}，共 {bytes}）",
  "bytes {from} to {to}": "第 {from} 至 {to} 字节",

  // Chinese translations of the texts of modes/convert/Sizes.svelte
  Sizes: "大小",
  Form: "格式",
  Plain: "未压缩",
  "Body, as it came": "原始请求体",

  // Chinese translations of the texts of modes/convert/converter.svelte.ts, take-file.ts
  "{file} is the body now.": "请求体已换成 {file} 的内容。",
  "The body was pasted.": "已粘贴请求体。",
  "The body is {form} now.": "请求体已换成“{form}”格式。",
  "Saved as {file}, {size}.": "已保存为 {file}，{size}。",
  "{file} has {size}; this page converts bodies of up to {limit}. Take a part of it.":
    "{file} 大小为 {size}；本页面最多转换 {limit} 的请求体。请只取其中一部分。",
  "{file} is compressed. Unpack it first.": "{file} 是压缩文件。请先解压。",

  // Chinese translations of the texts of modes/convert/forms.ts
  "unit by size": "按数值判断",
  nanoseconds: "纳秒",
  microseconds: "微秒",
  milliseconds: "毫秒",
  seconds: "秒",
  minutes: "分钟",
  hours: "小时",

  // Chinese translations of the texts of modes/convert/examples.ts
  Metrics: "指标",
  "line protocol: tags, kinds of values, a time": "行协议：标签、各类值、时间",
  "Logs that get corrected": "会被修正的日志",
  "JSON: a dot in a key, a field without a value": "JSON：键中有点号，字段没有值",
  "Two wrong lines": "两行错误",
  "line protocol that is refused, and where": "被拒绝的行协议，以及错误位置",
  "A span": "一个 span",
  "PBJSON: types, units, a tag among the fields": "PBJSON：类型、单位、字段中的标签",
  "A binary body": "二进制请求体",
  "protobuf as hex: each field marked": "十六进制的 protobuf：逐字段标出",

  // Chinese translations of the texts of modes/convert/reasons.ts
  "A measurement is not empty, has no line feed, and has at most 1,024 bytes.":
    "指标集不能为空，不能有换行符，最多 1,024 字节。",
  "A point has at most 1,024 fields and 256 tags; the first ones stay.":
    "一个数据点最多有 1,024 个字段和 256 个标签；保留前面的。",
  "A tag key has at most 256 bytes; the rest is cut.": "标签键最多 256 字节；超出部分被截断。",
  "A field key has at most 256 bytes; the rest is cut.": "字段键最多 256 字节；超出部分被截断。",
  "A tag value has at most 1,024 bytes; the rest is cut.": "标签值最多 1,024 字节；超出部分被截断。",
  "A text has at most 32 MiB; the rest is cut.": "文本最多 32 MiB；超出部分被截断。",
  "The value is too large for a signed integer of 64 bits, so the field is dropped.":
    "值超出 64 位有符号整数的范围，因此丢弃该字段。",
  "Keys have no line feed, no backslash at the end and, in most categories, no dot. Each key stays once.":
    "键不能有换行符，末尾不能有反斜杠，多数类别中不能有点号。每个键只保留一次。",
  "Points of {category} have no dots in keys; each becomes an underscore.":
    "{category} 的数据点键中不能有点号；点号改为下划线。",
  "Field keys and tag values have no line feed and no backslash at the end.":
    "字段键和标签值不能有换行符，末尾不能有反斜杠。",
  "The store has a column of this name for {category}, so the key is dropped.":
    "存储中 {category} 已有同名的列，因此丢弃该键。",
  "A key stands once in a point: a tag counts before a field, else the later one counts.":
    "一个键在数据点中只出现一次：标签优先于字段，否则以后出现的为准。",
  "A metric has no text fields and no NaN; the field is dropped.": "metric 类别不能有文本字段和 NaN；该字段被丢弃。",
  "NaN is no value; the field is dropped.": "NaN 不是有效值；该字段被丢弃。",
  "A field needs a value: text, number, boolean, or a list of one of these.":
    "字段必须有值：文本、数字、布尔值，或由其中一种组成的列表。",
  "An infinity cannot be stored; the largest number stands for it.": "无法存储无穷大；用最大的数代替。",
  "An infinity cannot be stored; the smallest number stands for it.": "无法存储负无穷大；用最小的数代替。",
  "A point of {category} always has this key; it came without it.":
    "{category} 的数据点必须有此键；收到的数据点缺少它。",
};
