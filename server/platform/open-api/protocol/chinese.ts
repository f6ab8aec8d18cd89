// Translates error messages into Chinese for clients that ask for Chinese (docs/reference/open-api.md#the-envelope).
// Messages of the script compiler, the query parser and the JSON parser stay in English.

import { catalogue, type OpenApiError, type OpenApiErrorCode } from "./errors.ts";

/**
 * Returns whether the client prefers Chinese to English according to the header `Accept-Language`. The language
 * with the highest weight counts; among equal weights, the first one. Without the header, the result is false
 * (English).
 */
export function wantsChinese(header: string): boolean {
  if (header === "") return false;
  const languages = header.split(",").map((each, at) => {
    const [name = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    return { language: name.split("-")[0]!, weight: weight === undefined ? 1 : Number(weight.slice(2)), at };
  });
  const known = languages.filter(({ language, weight }) => (language === "zh" || language === "en") && weight > 0);
  known.sort((a, b) => b.weight - a.weight || a.at - b.at);
  return known[0]?.language === "zh";
}

/**
 * The Chinese message of each error code. `{}` is replaced by the text that stands in the English message in
 * place of `<...>`.
 */
const messages: Readonly<Record<OpenApiErrorCode, string>> = {
  RouterNotFound: "请求的路由地址不存在。",
  InvalidJSON: "请求体不是有效的 JSON：{}",
  InvalidContentType: "Content-Type 必须是 application/json。",
  InvalidParameter: "{}: {}",
  NameDuplicated: '{}: "{}" 已存在',
  InvalidApiKey: "无效的 API KEY。",
  NoPermission: "没有访问该数据的权限。",
  ObjectNotFound: "找不到操作对象：{}",
  MethodNotAllowed: "仅支持 GET 和 POST。",
  RequestTooSlow: "请求体的传输速度低于每秒 {} 字节。",
  VersionConflict: "对象自 {} 之后已被修改。",
  RequestTooLarge: "请求体大于 {} 字节。",
  TriggerApiAkCurrentLimiting: "该 API KEY 的请求过于频繁。",
  TriggerApiWorkspaceCurrentLimiting: "该工作空间的请求过于频繁。",
  ServerError: "服务端处理错误。",
  InternalError: "未知错误。",
};

/**
 * The reasons why a parameter can be wrong, each in English and in Chinese. In an actual message, a text stands
 * in place of `<...>`; the same text replaces `{}` in the Chinese reason.
 */
const reasons: readonly (readonly [english: string, chinese: string])[] = [
  ["required", "必填"],
  ["must not be empty", "不能为空"],
  ["must be unique", "必须唯一"],
  ["given more than once", "重复给出"],
  ["must not be after endTime", "不能晚于 endTime"],
  ["must have 1 to 64 characters", "必须为 1 到 64 个字符"],
  ["was sent with another request", "已用于另一个请求"],
  ["takes too long to compile", "编译时间过长"],
  ["expected base64 of a JSON list", "应为 JSON 列表的 base64"],
  ["expected base64 of UTF-8", "应为 UTF-8 文本的 base64"],
  ["expected base64", "应为 base64"],
  ["expected string, number, boolean or a list of them", "应为 string、number、boolean 或它们的列表"],
  ["expected string or a list of strings", "应为 string 或 string 的列表"],
  ["expected <type>", "应为 {}"],
  ["longer than <n> characters", "长度超过 {} 个字符"],
  ["longer than <n> elements", "超过 {} 个元素"],
  ["does not match <pattern>", "不匹配 {}"],
  ["must be one of <names>", "必须是 {} 之一"],
  ["must be between <min> and <max>", "必须在 {} 到 {} 之间"],
  ['"<name>" is there twice', '"{}" 出现了两次'],
  ["<category> has two defaults", "{} 有两个默认值"],
  ['<category> has the default "<name>"; isForce replaces it', '{} 已有默认 "{}"；isForce 可替换它'],
];

const patterns = reasons.map(([english, chinese]) => ({ pattern: patternOf(english), chinese }));

/** Returns the Chinese message of an error. Messages without a translation stay English. */
export function inChinese({ code, message, parameter }: OpenApiError): string {
  if (parameter !== undefined) {
    const reason = message.slice(parameter.length + 2);
    for (const { pattern, chinese } of patterns) {
      const found = pattern.exec(reason);
      if (found !== null) return `${parameter}: ${filled(chinese, found.slice(1))}`;
    }
    return message;
  }
  const found = patternOf(catalogue[code].message).exec(message);
  return found === null ? message : filled(messages[code], found.slice(1));
}

/** Returns a regular expression that matches an English message with any text in place of each `<...>`. */
function patternOf(english: string): RegExp {
  const parts = english.split(/<[^<>]*>/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.*?)")}$`, "s");
}

function filled(chinese: string, parts: readonly string[]): string {
  let at = 0;
  return chinese.replace(/\{\}/g, () => parts[at++] ?? "");
}
