// The Chinese texts of the sharding mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // counts
  "{n} targets": "{n} 个目标",
  "{n} problems": "{n} 处问题",

  // Chinese translations of the texts of modes/sharding/Sharding.svelte
  rules: "规则",
  routes: "路由",
  "The routes could not be computed: {reason}": "无法计算路由：{reason}",
  "No rules yet": "还没有规则",
  "Computing …": "正在计算…",
  "{errors} in the texts": "文本中有 {errors}",
  "{points} to {targets}": "{points}发往 {targets}",
  "{points} to {targets} · {refused} refused": "{points}发往 {targets} · 拒绝 {refused}",
  "The text was pasted.": "已粘贴文本。",
  "File with rules or points": "规则或数据点的文件",
  Routes: "路由",
  "Take the rules of the gateway": "读取网关的规则",
  "Ask the running gateway, through the agent of this page, for its rules":
    "通过提供本页面的 agent，读取运行中网关的规则",
  "The rules and points are the example “{title}” now.": "规则和数据点已换成示例“{title}”。",
  "Paste rules or points": "粘贴规则或数据点",
  "Sink rules in JSON, rules for tags in YAML, or points in line protocol. The text decides where it goes.":
    "JSON 的投递规则、YAML 的标签规则，或行协议的数据点。按文本内容决定放入哪个编辑器。",
  "Anywhere on this page: sinker.json, tags.yaml or points, up to 2 MB. It is read here and goes nowhere.":
    "拖到页面任意位置：sinker.json、tags.yaml 或数据点，最大 2 MB。文件只在本页面读取，不会上传。",
  "The points have an error, so there are no routes. The rules are kept.": "数据点有错误，因此没有路由。规则已保留。",
  "Write some points to see their routes.": "写入一些数据点，查看它们的路由。",
  Reasons: "原因",
  Why: "原因",
  "point {n}, {measurement}": "数据点 {n}，{measurement}",

  // Chinese translations of the texts of modes/sharding/RulesPane.svelte
  "header made by": "请求头来自",
  "the gateway, by rules": "网关（按规则）",
  "the agent, by keys": "agent（按分片键）",
  "Rules for tags": "标签规则",
  "Shard keys": "分片键",
  "Global tags and customer keys of the agent, between commas": "agent 的全局标签和自定义键，用逗号分隔",
  "Sink rules": "投递规则",
  "a write goes to": "写入发往",
  "all entries that match": "所有匹配的条目",
  "the first that matches": "第一个匹配的条目",
  category: "类别",

  // Chinese translations of the texts of modes/sharding/TextPane.svelte
  "Open a text file": "打开文本文件",
  "File with {texts}": "{texts}的文件",
  "Problems of the {texts}: {problems}": "{texts}的问题：{problems}",
  warning: "警告",

  // Chinese translations of the texts of modes/sharding/Flow.svelte
  "no header": "无请求头",
  Targets: "目标",
  default: "默认",
  Refused: "已拒绝",
  "406: no entry takes them": "406：没有条目接收",
  "Write sink rules to see where the points go.": "编写投递规则，查看数据点发往何处。",
  "The sink rules have an error, so no point has a target.": "投递规则有错误，因此数据点没有目标。",
  "The first {n} of {all} points are shown; all are counted.": "显示前 {n} 个数据点，共 {all} 个；全部计入统计。",

  // Chinese translations of the texts of modes/sharding/Reasons.svelte
  holds: "成立",
  "does not hold": "不成立",
  none: "无",
  "There are no rules, so the point gets no header.": "没有规则，因此数据点没有请求头。",
  "entry {n}": "条目 {n}",

  // Chinese translations of the texts of modes/sharding/examples.ts
  "Errors to one workspace, teams to their own": "错误发往同一个工作空间，各团队发往各自的空间",
  "The gateway makes the header by rules for tags.": "网关按标签规则生成请求头。",
  "Keys of an agent, strict rules": "agent 的分片键，严格规则",
  "The agent makes the header; the gateway refuses what no entry takes.":
    "agent 生成请求头；没有条目接收的，网关会拒绝。",

  // Chinese translations of the texts of modes/sharding/gateway-rules.ts
  "The agent does not answer. Is it still running?": "agent 没有响应，它还在运行吗？",
  "Only the page of an agent on this machine may ask for the rules. Choose the gateway's files instead.":
    "只有本机 agent 的页面才能读取规则。请改为选择网关的文件。",
  "This page comes from no agent, or from one of an older version. Choose the gateway's files instead.":
    "本页面不是由 agent 提供的，或 agent 版本较旧。请改为选择网关的文件。",
  "The agent answered with the status {status}.": "agent 返回状态码 {status}。",
  "The agent answered with the status {status}: {reason}.": "agent 返回状态码 {status}：{reason}。",
  "sink rules": "投递规则",
  "rules for tags": "标签规则",
  "shard keys of the agent": "agent 的分片键",
  " and ": "、",
  "The {rules} of {gateway} are in the editors.": "{gateway} 的{rules}已放入编辑器。",
  "It has no sink rules in force.": "网关没有生效的投递规则。",
  "Tokens in them are masked.": "其中的令牌已隐去。",
  "The gateway refused its changed file: {faults}. These are the rules before.":
    "网关拒绝了修改后的文件：{faults}。这里是修改前的规则。",
  "The gateway {gateway} has neither sink rules nor rules for tags.": "网关 {gateway} 既没有投递规则，也没有标签规则。",
  "The gateway {gateway} cannot use its rules: {faults}.": "网关 {gateway} 无法使用其规则：{faults}。",

  // Chinese translations of the texts of modes/sharding/router.svelte.ts
  "The text is longer than 2 MB. The text before it is kept; take a part of it.":
    "文本超过 2 MB。原来的文本已保留；请只取其中一部分。",
  "{reason} Nothing was changed.": "{reason}未做任何更改。",
  "{file} has {size}; this mode takes files of up to 2 MB.": "{file} 大小为 {size}；此模式最多接收 2 MB 的文件。",
  "{file} is not a text. Nothing was changed.": "{file} 不是文本。未做任何更改。",
  "{file} is in the editor of {texts} now.": "{file} 已放入{texts}的编辑器。",
  points: "数据点",
};
