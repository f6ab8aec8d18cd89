// The Chinese texts of the query mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {
  // AnswerPane.svelte
  Answer: "结果",
  "Views of the answer": "结果的视图",
  Logs: "日志",
  Chart: "图表",
  Plan: "执行计划",
  Live: "实时",
  "Ask again every 2 seconds, except while you read further down": "每 2 秒重新查询，向下翻看时暂停",
  "Save the chart as an image": "将图表保存为图片",
  "Save the whole answer as CSV": "将全部结果保存为 CSV",
  "The answer to the query before.": "这是上一个查询的结果。",
  "The query has an error. This is the last good answer.": "查询有错误，这是上一次成功的结果。",
  "The page shows the first {n} of {all} rows; CSV has all.": "页面显示前 {n} 行，共 {all} 行；CSV 包含全部。",
  "The query has an error; its place is marked in the editor.": "查询有错误，位置已在编辑器中标出。",
  "Bringing the points …": "正在加载数据点…",
  "Write a query, or take one of the list beside. Its answer comes while you type.":
    "写一条查询，或从旁边的列表中选一条。输入时即显示结果。",
  "No rows. Look at the filter and the time range.": "没有结果。请检查筛选条件和时间范围。",
  // ChartView.svelte
  "Line chart": "折线图",
  "Bar chart": "柱状图",
  "Stacked bars": "堆叠柱状图",
  "There is no chart to save.": "没有可保存的图表。",
  "Saved as {file}.": "已保存为 {file}。",
  "The image could not be made: {message}": "无法生成图片：{message}",
  "Values by group": "各分组的值",
  "The first {n} of {all} groups.": "共 {all} 组，显示前 {n} 组。",
  "Kind of chart": "图表类型",
  "Drag over the chart to zoom in.": "在图表上拖动可放大。",
  "The first {n} of {all} lines.": "共 {all} 条，显示前 {n} 条。",
  // PlanView.svelte
  "The query, clause by clause": "逐个子句解释查询",
  "A function over names; it reads no rows.": "只查询名称的函数，不读取任何行。",
  "The SQL that a platform on DuckDB would run": "使用 DuckDB 的平台会执行的 SQL",
  "The page itself reads the points in memory, and gives the same answer.": "本页面直接读取内存中的数据点，结果相同。",
  // Query.svelte
  query: "查询",
  answer: "结果",
  "Answering …": "正在查询…",
  "The query has an error": "查询有错误",
  "The query has an error: {message}": "查询有错误：{message}",
  "No points yet": "还没有数据点",
  "Live: new rows are shown as they come": "实时：新的行到达后立即显示",
  "No rows": "没有行",
  "{rows}. {warning}": "{rows}。{warning}",
  "No query yet of the platform": "平台：还没有查询",
  "No query yet over {points}": "{points}，还没有查询",
  "{rows} of the platform": "平台返回 {rows}",
  "{rows} over {points}": "从 {points}查得 {rows}",
  "{time} · times in {zone} · {n} series": "{time} · 时区 {zone} · {n} 条时间线",
  // QueryPane.svelte
  "Answer the query (Ctrl+Enter)": "运行查询（Ctrl+Enter）",
  "Query in DQL": "DQL 查询",
  History: "历史",
  "The query of the history is in the editor.": "历史查询已放入编辑器。",
  Saved: "已存查询",
  "Name of this query": "查询名称",
  "name of this query": "查询名称",
  "The query “{name}” is in the editor.": "查询“{name}”已放入编辑器。",
  "Remove the query {name}": "删除查询 {name}",
  "No saved queries. They are part of the project.": "没有保存的查询。保存的查询属于项目。",
  Data: "数据",
  "Sources and keys": "来源和键",
  Ask: "试试查询",
  "The query is in the editor.": "查询已放入编辑器。",
  "The platform has no points yet. Send some: the README shows how with curl.":
    "平台还没有数据点。可以发送一些：README 说明了如何用 curl 发送。",
  "There are no points. Give the pipeline an input, or choose a file of points.":
    "没有数据点。请为流水线提供输入，或选择一个数据点文件。",
  // TableView.svelte
  "Show {n} more of {all} rows": "再显示 {n} 行，共 {all} 行",
  // dql-editor.ts
  "source {source}": "来源 {source}",
  "source {source}, {points}": "来源 {source}，{points}",
  "a tag of {source}": "{source} 的标签",
  "a field of {source}, of type {type}": "{source} 的字段，类型为 {type}",
  // first-queries.ts
  "The newest points": "最新的数据点",
  "How many of each {key}": "按 {key} 计数",
  "{field} over time": "{field} 随时间的变化",
  "How many over time": "数量随时间的变化",
};
