// Renders templates in the strings of a task (the JSON description of a dial test): `{{name}}`, `{{timestamp "ms"}}`,
// `{{date "rfc3339"}}`, `{{urlencode "a b"}}` (docs/reference/agent.md#dial-tests).

import { layoutPrinter, localTime } from "../../../lib/pipeline/index.ts";
import { UTC } from "../../../lib/time/index.ts";
import { wallClock } from "../engine.ts";

export class TemplateError extends Error {}

export type Variables = ReadonlyMap<string, string>;

const action = /\{\{\s*([a-zA-Z_]\w*)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\}\}/g;
const rfc3339 = "2006-01-02T15:04:05Z07:00";

/** Returns the string with its templates rendered. Throws TemplateError for an unknown variable or function. */
export function render(text: string, variables: Variables): string {
  return text.replace(action, (_all, name: string, quoted: string | undefined) => {
    if (quoted === undefined) {
      const value = variables.get(name);
      if (value === undefined) throw new TemplateError(`variable '${name}' not defined`);
      return value;
    }
    const argument = quoted.replace(/\\(.)/g, "$1");
    switch (name) {
      case "timestamp":
        return timestamp(argument);
      case "date":
        return layoutPrinter(argument === "rfc3339" || argument === "iso8601" ? rfc3339 : argument)(
          localTime(wallClock(), UTC),
        );
      case "urlencode":
        return new URLSearchParams({ "": argument }).toString().slice(1);
      default:
        throw new TemplateError(`function '${name}' not defined`);
    }
  });
}

/** Renders the templates in all strings of a JSON value. Does not change keys. */
export function renderAll<T>(value: T, variables: Variables): T {
  if (typeof value === "string") return render(value, variables) as T;
  if (Array.isArray(value)) return value.map((each) => renderAll(each, variables)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renderAll(each, variables)])) as T;
}

const nanosecondsOf: ReadonlyMap<string, bigint> = new Map([
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["us", 1000n],
  ["ns", 1n],
]);

function timestamp(unit: string): string {
  const divisor = nanosecondsOf.get(unit);
  return divisor === undefined ? "0" : String(wallClock() / divisor);
}
