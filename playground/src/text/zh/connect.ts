// The Chinese texts of the connect mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Chinese translations of the texts of CompareTab.svelte
  "Runs the project's script over the first 300 points of its input, once in this page and once on the agent, and compares the points. Nothing is stored on the agent.":
    "用项目的脚本处理输入的前 300 个数据点，在本页面和 agent 上各运行一次，并对比结果。agent 上不会保存任何内容。",
  "Comparing …": "正在对比…",
  "Compare with this page": "与本页面对比",
  "{points} of more with {script}: page and agent agree on all.":
    "用 {script} 对比了前 {points}：本页面与 agent 全部一致。",
  "{points} with {script}: page and agent agree on all.": "用 {script} 对比了 {points}：本页面与 agent 全部一致。",
  "{n} of {points} with {script} differ.": "用 {script} 对比了 {points}，其中 {n} 个有差异。",
  "The agent has its own clock, time zone, patterns and tables, and its version is {version}.":
    "agent 有自己的时钟、时区、模式和引用表，版本为 {version}。",
  Differences: "差异",
  "This page": "本页面",
  "The agent": "agent",
  "The first {n} of {points} are shown.": "共 {points}，显示前 {n} 个。",
  // Texts of Connect.svelte
  scripts: "脚本",
  agent: "agent",
  "Asking the agent …": "正在读取 agent 的脚本…",
  "{host}, version {version} · {scripts}": "{host}，版本 {version} · {scripts}",
  "{host}, version {version} · {scripts} · {faulty} with an error":
    "{host}，版本 {version} · {scripts} · {faulty} 个有错误",
  "This mode takes no files. Drop it in the Pipeline mode, then compare.":
    "此模式不接受文件。请将文件拖到“流水线”模式，再进行对比。",
  "The agent's answer": "agent 的响应",
  "What to see of the agent": "agent 的视图",
  "Live points": "实时数据点",
  "An agent serves this page with its scripts: run {npm} or {millrace}, then open {address}. All other modes work without an agent.":
    "由 agent 提供的页面会显示它的脚本：运行 {npm} 或 {millrace}，然后打开 {address}。其他模式无需 agent。",
  // Texts of LiveTab.svelte
  "error: {message}": "错误：{message}",
  "{points} created": "生成 {points}",
  "{outcome}, {made}": "{outcome}，{made}",
  "points of": "类别",
  "all categories": "全部类别",
  "Go on ({n} new)": "继续（新增 {n}）",
  Hold: "暂停",
  "The agent shows no points: its setting {setting} is off.": "agent 不显示数据点：设置 {setting} 已关闭。",
  "Held. New points wait.": "已暂停，新数据点会在继续后显示。",
  "A sample of what arrives, newest first. The agent samples only while you look.":
    "显示所到达数据的样本，最新的在前。agent 仅在你查看时采样。",
  "Waiting for points. Send some to the agent, and they appear here.":
    "正在等待数据点。向 agent 发送数据后会显示在这里。",
  "before the script": "脚本处理前",
  "after the script": "脚本处理后",
  "no script": "无脚本",
  unchanged: "无变化",
  before: "处理前",
  after: "处理后",
  "({n} characters)": "（{n} 个字符）",
  // Texts of SaveTab.svelte
  "The agent takes no scripts from clients: its setting {setting} is off.":
    "agent 不接受客户端的脚本：设置 {setting} 已关闭。",
  "The gateway's script of this name goes on running. The file runs only when that one is gone.":
    "网关的同名脚本仍会运行。只有它被删除后，此文件才会运行。",
  "The agent has no script of this name. It becomes a new file.": "agent 没有同名脚本，将新建文件。",
  "The new file takes the place of the script that comes with the agent.": "新文件将取代 agent 内置的脚本。",
  "The file in the agent's data folder is replaced, and its present version is kept for the way back.":
    "agent 数据目录中的文件将被替换，当前版本会保留以便回退。",
  save: "保存",
  as: "为",
  "for points of": "类别",
  "Save to the agent": "保存到 agent",
  "The agent compiles it …": "agent 正在编译…",
  "Nothing is saved: {errors}.": "未保存：{errors}。",
  "{n} scripts have an error": "{n} 个脚本有错误",
  "It is the same text as on the agent.": "与 agent 上的文本相同。",
  "It compiles on the agent. {lines}.": "在 agent 上编译通过，{lines}。",
  "{n} lines differ": "{n} 行有差异",
  "Go back: remove the file": "回退：删除该文件",
  "Go back to the version before": "回退到上一版本",
  "Difference of {script}": "{script} 的差异",
  // Chinese translations of the texts of ScriptTab.svelte
  "sent by the gateway": "由网关下发",
  "a file in the agent's data folder": "agent 数据目录中的文件",
  "comes with the agent": "agent 内置",
  "this text runs": "正在运行此文本",
  "an older version runs, since this text does not compile": "此文本无法编译，正在运行旧版本",
  "does not run": "未运行",
  "does not run: the gateway's script of this name does": "未运行：正在运行网关的同名脚本",
  "the agent is taking this text": "agent 正在加载此文本",
  "Choose a script on the left.": "请在左侧选择一个脚本。",
  "It has not run over a point since the agent started.": "agent 启动以来尚未处理过数据点。",
  "{points}, {dropped} dropped, {failed} failed": "{points}，丢弃 {dropped} 个，出错 {failed} 个",
  "Open in Pipeline": "在“流水线”中打开",
  "Save a script here": "在此保存脚本",
  "Go back: remove this file": "回退：删除此文件",
  "Script {script} of the agent": "agent 的脚本 {script}",
  // Chinese translations of the texts of ScriptsPane.svelte
  gateway: "网关",
  local: "本地",
  ready: "内置",
  "the gateway's runs": "网关版本运行中",
  "older version runs": "旧版本运行中",
  "being compiled": "正在编译",
  "{points}, {failed} failed": "{points}，出错 {failed} 个",
  "Scripts of the agent": "agent 的脚本",
  "Scripts of this agent": "此 agent 的脚本",
  Agent: "agent",
  "Ask the agent again": "重新读取 agent 的脚本",
  Refresh: "刷新",
  "Search the scripts": "搜索脚本",
  "No agent has answered yet.": "还没有 agent 响应。",
  "The agent has no script.": "agent 没有脚本。",
  "No script has this name.": "没有此名称的脚本。",
  // Texts of agent-client.ts
  "The agent does not answer. Is it still running?": "agent 没有响应，它还在运行吗？",
  "{origin} does not answer, or does not allow this page: see {setting}.":
    "{origin} 没有响应，或不允许本页面访问：请查看 {setting}。",
  "This page does not come from an agent that shows its scripts.": "本页面不是由可显示脚本的 agent 提供的。",
  "The agent answers {status}.": "agent 返回 {status}。",
  // Texts of compare.ts
  none: "无",
  "created points": "生成的数据点",
  "created point {n}: {part}": "生成的第 {n} 个数据点：{part}",
  // Chinese translations of the texts of connection.svelte.ts
  "{script} of the agent is the first script of the project now.": "agent 的 {script} 现在是项目的第一个脚本。",
  "{script} is saved. The agent takes it within two seconds.": "{script} 已保存，agent 将在两秒内加载。",
  "{script} is the version before again. The agent takes it within two seconds.":
    "{script} 已回退到上一版本，agent 将在两秒内加载。",
  "The project has no script. Write one in the Pipeline mode.": "项目没有脚本。请在“流水线”模式中编写。",
  "The agent does not compile the script: {message}": "agent 无法编译脚本：{message}",
  // Texts of page-run.ts
  "The input could not be read.": "无法读取输入。",
  "The input has no points. Paste some in the Pipeline mode.": "输入没有数据点。请在“流水线”模式中粘贴一些。",
  "The first points of the input have more than 4 MB. Take a part of it.": "输入开头的数据点超过 4 MB，请只取一部分。",
  "The script takes longer than 10 seconds.": "脚本运行超过 10 秒。",
  "The script has an error.": "脚本有错误。",
};
