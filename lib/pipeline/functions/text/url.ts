// The function url_parse: splits a URL into its parts by RFC 3986, not by the rules of browsers
// (docs/reference/functions.md#url_parse).

import { quoted } from "../../../text/quoting.ts";
import { toText } from "../../runtime/to-text.ts";
import { isText, textOf, type Value } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { unescapePercent } from "./bytes.ts";

class UrlFailure extends Error {}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function unescaped(text: string, plusIsBlank: boolean): string {
  const decoded = unescapePercent(encoder.encode(text), plusIsBlank);
  if (typeof decoded === "string") throw new UrlFailure(`invalid URL escape ${quoted(decoded)}`);
  return decoder.decode(decoded);
}

interface Parts {
  scheme: string;
  host: string;
  port: string;
  path: string;
  query: string;
}

/** Cuts a string in two at the first occurrence of the separator. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function parseUrl(text: string): Parts {
  const parts: Parts = { scheme: "", host: "", port: "", path: "", query: "" };
  if (/[\0-\x1f\x7f]/.test(text)) throw new UrlFailure("net/url: invalid control character in URL");
  if (text === "" || text === "*") return { ...parts, path: text };
  let rest = text;
  if (rest.startsWith(":")) throw new UrlFailure("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(rest);
  if (scheme !== null) {
    parts.scheme = (scheme[1] as string).toLowerCase();
    rest = rest.slice(scheme[0].length);
  }
  [rest, parts.query] = cut(rest, "?");
  if (!rest.startsWith("/")) {
    if (scheme !== null) return parts;
    if ((rest.split("/")[0] as string).includes(":"))
      throw new UrlFailure("first path segment in URL cannot contain colon");
  }
  if (rest.startsWith("//") && (scheme !== null || !rest.startsWith("///"))) {
    const slash = rest.indexOf("/", 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? "" : rest.slice(slash);
    parts.host = hostOf(authority);
    parts.port = /:(\d*)$/.exec(parts.host.replace(/\[.*\]/s, ""))?.[1] ?? "";
  }
  parts.path = unescaped(rest, false);
  return parts;
}

function hostOf(authority: string): string {
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlFailure("net/url: invalid userinfo");
    unescaped(user, false);
  }
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0) throw new UrlFailure("missing ']' in host");
    checkPort(host.slice(end + 1));
    return host.slice(0, end + 1).replace("%25", "%") + host.slice(end + 1);
  }
  const colon = host.lastIndexOf(":");
  if (colon >= 0) checkPort(host.slice(colon));
  return checkHost(host);
}

function checkPort(text: string): void {
  if (text !== "" && !/^:\d*$/.test(text)) throw new UrlFailure(`invalid port ${quoted(text)} after host`);
}

/** Returns the host of a URL. Throws for percent escapes of ASCII characters and for most punctuation. */
function checkHost(host: string): string {
  for (const found of host.matchAll(/%(?:[0-9A-Fa-f]{2})?/g)) {
    const byte = found[0].length === 3 ? Number.parseInt(found[0].slice(1), 16) : -1;
    if (byte < 0x80) throw new UrlFailure(`invalid URL escape ${quoted(host.slice(found.index, found.index + 3))}`);
  }
  const bad = /[ \\^{|}`#]/.exec(host);
  if (bad !== null) throw new UrlFailure(`invalid character ${quoted(bad[0])} in host name`);
  return unescaped(host, false);
}

function paramsOf(query: string): Map<string, Value> {
  const values = new Map<string, string[]>();
  for (const piece of query.split("&")) {
    if (piece === "" || piece.includes(";")) continue;
    const [name, value] = cut(piece, "=");
    try {
      const key = unescaped(name, true);
      const list = values.get(key) ?? [];
      list.push(unescaped(value, true));
      values.set(key, list);
    } catch (error) {
      if (!(error instanceof UrlFailure)) throw error;
    }
  }
  return new Map(Array.from(values, ([name, list]) => [name, list.join(",")]));
}

export const urlParse = declare({
  name: "url_parse",
  summary: "The parts of a URL as a map: scheme, host, port, path and params.",
  params: [{ name: "key", type: "key", summary: "the key that holds the URL" }],
  returns: "map",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func url_parse expects 1 arg" },
  examples: [
    {
      script: `m = url_parse(_); add_key(host, m["host"]); add_key(q, m["params"]["q"])`,
      input: "https://example.com:8080/a?q=1",
      gives: { host: "example.com:8080", q: "1" },
    },
  ],
  bind(call) {
    const node = call.arg(0);
    if (node?.kind !== "Identifier" && node?.kind !== "AttrExpr")
      call.fail(`expect Identifier or AttrExpr, got ${node?.kind}`, node);
    const { read } = call.key(0);
    return (run) => {
      const held = read(run);
      if (held === undefined) return null;
      const text = isText(held) ? textOf(held) : toText(held, run.memory);
      const [url, fragment] = cut(text, "#");
      const failure = (of: string, reason: string) =>
        call.runFailure(`failed to parse url ${text}: parse ${quoted(of)}: ${reason}`);
      try {
        const { query, ...parts } = parseUrl(url);
        const result = new Map<string, Value>(Object.entries(parts));
        result.set("params", paramsOf(query));
        try {
          unescaped(fragment, false);
        } catch (error) {
          if (error instanceof UrlFailure) throw failure(text, error.message);
          throw error;
        }
        return result;
      } catch (error) {
        if (error instanceof UrlFailure) throw failure(url, error.message);
        throw error;
      }
    };
  },
});

export const urlFunctions: readonly Declaration[] = [urlParse];
