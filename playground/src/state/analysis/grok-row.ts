// Makes an input of the grok mode from a row that a `grok` call did not match, and from the expression of the call.

import { t } from "../../text/translate.ts";
import type { PlaceCount, PointRecord, ScriptText } from "../../worker/protocol.ts";
import type { StepsAnswer } from "../../worker/steps/steps.ts";
import type { GrokInput } from "../project.ts";
import { type GrokCall, grokCallAt, ownPatterns } from "../script-strings.ts";
import { pointAt } from "./point-at-step.ts";

/**
 * Returns the input of the grok mode for a row and for the `grok` call at `place`, or the reason why there is none.
 * `steps` returns what each statement did to the row's point. It is called only when the script may have changed the
 * text before the `grok` call.
 */
export async function grokInputOf(
  record: PointRecord,
  place: Pick<PlaceCount, "script" | "at">,
  scripts: readonly ScriptText[],
  steps: () => Promise<StepsAnswer | null>,
): Promise<GrokInput | string> {
  const script = scripts.find(({ name }) => name === place.script)?.text ?? "";
  const call = grokCallAt(script, place.at);
  if (call === null)
    return t("The script has changed since this run. Run it again, then open the row in the Grok mode.");
  const text = unchangedText(record, call) ?? textBefore(await steps(), place.script, call);
  if (text === null) return t("The key {key} held no text when this grok ran.", { key: call.key });
  const patterns = Array.from(ownPatterns([script]), ([name, definition]) => `${name} ${definition}\n`);
  return {
    method: "grok",
    expression: call.expression,
    replacement: "",
    trim: call.trim,
    lines: text.replace(/\n$/, ""),
    patterns: patterns.filter((line) => line.indexOf("\n") === line.length - 1).join(""),
  };
}

/** Returns the text of the key that the `grok` call reads; null when the script has changed the text. */
function unchangedText({ before, after }: PointRecord, { key }: GrokCall): string | null {
  const was = before?.entries.find((entry) => entry.key === key);
  const is = after?.entries.find((entry) => entry.key === key);
  return was !== undefined && was.text === is?.text ? was.text : null;
}

/** Returns the text that the `grok` call reads, as it was right before the call; null when there was no text. */
function textBefore(answer: StepsAnswer | null, script: string, { key, expression }: GrokCall): string | null {
  if (answer === null) return null;
  const index = answer.steps.findIndex((step) => step.script === script && step.unmatched.includes(expression));
  if (index < 0) return null;
  return pointAt(answer, index - 1).entries.find((entry) => entry.key === key)?.text ?? null;
}
