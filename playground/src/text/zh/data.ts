// The Chinese texts that all modes with queries share: texts about answers, charts, time ranges and parts of
// dashboards.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // Chinese translations of the texts of panes/answers/LogCounts.svelte
  Values: "值",
  "Values of {name}": "{name} 的值",
  "and {n} more": "另有 {n} 个",
  // Chinese translations of the texts of panes/answers/LogHistogram.svelte
  "Log lines over time": "日志行随时间的分布",
  // Chinese translations of the texts of panes/answers/LogsView.svelte
  "Show more of {n} rows": "显示更多（共 {n} 行）",
  // Chinese translations of the texts of panes/answers/RangePicker.svelte
  "last 5 minutes": "最近 5 分钟",
  "last 15 minutes": "最近 15 分钟",
  "last hour": "最近 1 小时",
  "last 6 hours": "最近 6 小时",
  "last 24 hours": "最近 24 小时",
  "last 7 days": "最近 7 天",
  "last 30 days": "最近 30 天",
  "Time range of queries that name none": "查询未指定时间范围时所用的时间范围",
  "between …": "自定义…",
  "all times": "全部时间",
  From: "开始",
  To: "结束",
  // Chinese translations of the texts of panes/answers/SourcePicker.svelte
  "The points of": "数据点来自",
  "the platform": "平台",
  "a file …": "文件…",
  "Category of the points": "数据点的类别",
  "Other file": "换个文件",
  "File with points": "数据点文件",
  // Chinese translations of the texts of panes/answers/ValueMenu.svelte
  "Value of {column}": "{column} 的值",
  "Only this": "只看此值",
  "Not this": "排除此值",
  "Group by {column}": "按 {column} 分组",
  // Chinese translations of the texts of panes/answers/asker.svelte.ts
  "Stopped. The last answer is still shown.": "已停止，仍显示上次的结果。",
  "Choose a file of points, or drop one.": "请选择或拖入一个数据点文件。",
  "it could not be started": "无法启动",
  "The worker ended: {reason}. The last answer is still shown.": "worker 已结束：{reason}。仍显示上次的结果。",
  "A query has at most 200 kB. The query before it is kept.": "查询最多 200 kB，已保留之前的查询。",
  "The query “{name}” is removed.": "已删除查询“{name}”。",
  "The query has the time range of the chart.": "查询已改用图表的时间范围。",
  "The time range is set.": "已设置时间范围。",
  "The query cannot be changed with this value. Nothing was changed.": "无法用此值修改查询。未做任何更改。",
  "The query counts by this key.": "查询已按此键计数。",
  "The query has one condition more.": "查询已增加一个条件。",
  "Saved as answer.csv.": "已保存为 answer.csv。",
  // Chinese translations of the texts of panes/answers/cell-text.ts
  "This column is computed, so a filter on points cannot name it.": "此列由计算得出，不能用来筛选数据点。",
  "The value is too long for a filter.": "值太长，不能用作筛选条件。",
  "Lists and bytes cannot be compared in a filter.": "列表和字节不能在筛选条件中比较。",
  "Write a time range in brackets, such as [10m].": "请用方括号写时间范围，例如 [10m]。",
  // Chinese translations of the texts of panes/answers/chart-data.ts
  "A chart needs a column of numbers, such as count(*) or avg of a field.":
    "图表需要一列数字，例如 count(*) 或某个字段的 avg。",
  "(empty)": "（空）",
  "The rows have no times, so there is nothing to draw.": "这些行没有时间，无法绘图。",
  // Texts of panes/charts
  "{label}; the arrow keys show the values": "{label}；按方向键查看各值",
  "Chart over time": "时间图表",
  "The chart could not be loaded.": "图表加载失败。",
  Legend: "图例",
  "Show or hide {name}": "显示或隐藏 {name}",
  "The browser made no image.": "浏览器未能生成图片。",
  // Chinese translations of the texts of panes/dashboards/KeyForm.svelte
  "A key of the Open API": "Open API 密钥",
  "API key": "API 密钥",
  "This page comes from another machine, so the platform asks who you are. The key is kept in this tab and forgotten when it is closed.":
    "本页面来自另一台机器，平台需要确认你的身份。密钥只保存在此标签页中，关闭后即清除。",
  Open: "打开",
  "On the platform's machine, {command} makes one.": "在平台所在的机器上运行 {command} 即可创建密钥。",
  // Chinese translations of the texts of panes/dashboards/api.ts
  "The agent does not answer. Is it still running?": "agent 没有响应，它还在运行吗？",
  "The answer has the status {status}.": "响应的状态码为 {status}。",
  // Chinese translations of the texts of panes/dashboards/library.svelte.ts
  "New dashboard": "新建仪表板",
  "The file is larger than 8 MB, so it is no dashboard.": "文件超过 8 MB，不是仪表板。",
  // Chinese translations of the texts of panes/dashboards/template.ts
  "Lines over time": "折线图",
  "Bars over time": "柱状图",
  "Stacked bars over time": "堆叠柱状图",
  "Top list": "排行榜",
  "Single value": "单值",
  "The file is not JSON: {reason}": "文件不是 JSON：{reason}",
  "The file has no dashboard: the member `main` with its charts is missing.":
    "文件中没有仪表板：缺少包含图表的成员 `main`。",
  // Chinese translations of the texts of panes/time/TimeField.svelte
  "{label}, in {zone}": "{label}（{zone}）",
  // Chinese translations of the texts of panes/time/ZonePicker.svelte
  "Time zone of all times: {zone}, {offset}": "所有时间的时区：{zone}，{offset}",
  "Time zone {zone}": "时区 {zone}",
  "Search a time zone": "搜索时区",
  "search: Berlin, Shanghai, New York …": "搜索：Shanghai、Berlin、New York…",
  "There is no time zone of this name.": "没有这个名称的时区。",
  "{n} more: search by name.": "还有 {n} 个，请按名称搜索。",
  // Chinese translations of the texts of panes/time/zoned-time.ts
  "The clocks show {clock} twice that day; this is {offset}.": "当天时钟会两次显示 {clock}，这里取 {offset}。",
  "The clocks skip {clock} that day; {taken} is taken.": "当天时钟会跳过 {clock}，这里取 {taken}。",

  // Chinese translations of the texts of panes/dashboards/ready-text.ts
  "logs with source={source}, which the ready script {script} parses":
    "source={source} 的日志，由内置脚本 {script} 解析",
  "logs with source=mysql, which the ready script mysql.p parses: slow query log and error log":
    "source=mysql 的日志，由内置脚本 mysql.p 解析：慢查询日志和错误日志",
  "metrics of Millrace's own services: millrace start stores them; elsewhere [[inputs.prometheus]] with their /metrics as urls":
    "Millrace 自身服务的指标：millrace start 会自动存储；其他情况下在 [[inputs.prometheus]] 的 urls 中填写各服务的 /metrics",
  "metrics of the machine: [inputs.host] enable = true": "本机的指标：[inputs.host] enable = true",
};
