// Decodes the script of a pipeline from base64, and compiles it together with the other scripts of its category,
// because an agent compiles them together too.

import { type Diagnostic, plErrorText } from "../../../../lib/index.ts";
import type { CategoryName } from "../../../../lib/point/index.ts";
import { decodeBase64, encodeBase64 } from "../../../../lib/text/index.ts";
import { invalidParameter } from "../protocol/errors.ts";
import { CheckTimeout, type ScriptChecker } from "../services.ts";
import { pipelineStatus, type StoredPipeline } from "./pipeline-record.ts";

/**
 * Decodes a base64 string from a request. `member`: the name of the request's member that contains the string.
 * Throws InvalidParameter with this name when the string is not valid base64 of UTF-8 text.
 */
export function decodedText(base64: string, member: string): string {
  const padded = base64.replace(/=*$/, "").padEnd(Math.ceil(base64.replace(/=*$/, "").length / 4) * 4, "=");
  const bytes = decodeBase64(new TextEncoder().encode(padded));
  // To check the string, the decoded bytes are encoded again and compared with it. The two strings differ when the
  // input contains an invalid character, or when unused bits at its end are not zero.
  if (bytes === undefined || encodeBase64(bytes) !== padded) throw invalidParameter(member, "expected base64");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidParameter(member, "expected base64 of UTF-8");
  }
}

export function checkTestData(base64: string, member: string): void {
  if (base64 === "") return;
  const text = decodedText(base64, member);
  try {
    if (Array.isArray(JSON.parse(text))) return;
  } catch {
    // The decoded text is not JSON. The code below throws InvalidParameter for it.
  }
  throw invalidParameter(member, "expected base64 of a JSON list");
}

export interface CheckedScript {
  readonly name: string;
  readonly category: CategoryName;
  readonly content: string;
  /** The name of the request's member that contains the script; it appears in error messages. */
  readonly member: string;
}

/**
 * Compiles scripts to check them. Throws InvalidParameter with the first mistake and its position, such as
 * `content: x.p:2:4: ...`. `stored`: the pipelines of the workspace; the checked scripts may call the enabled
 * ones.
 */
export async function checkScripts(
  checker: ScriptChecker,
  scripts: readonly CheckedScript[],
  stored: readonly StoredPipeline[],
): Promise<void> {
  for (const category of new Set(scripts.map((script) => script.category))) {
    const own = scripts.filter((script) => script.category === category);
    const others = stored.filter(
      ({ status, document }) => status === pipelineStatus.enabled && document.category === category,
    );
    const sources = {
      ...Object.fromEntries(others.map(({ document }) => [`${document.name}.p`, decodedText(document.content, "")])),
      ...Object.fromEntries(own.map(({ name, content, member }) => [`${name}.p`, decodedText(content, member)])),
    };
    const mistakes = await diagnose(checker, sources, own[0]!.member);
    for (const { name, member } of own) {
      const [first, ...more] = mistakes.filter(
        ({ script, severity }) => severity === "error" && script === `${name}.p`,
      );
      if (first === undefined) continue;
      const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
      throw invalidParameter(member, `${plErrorText(first.error)}${rest}`);
    }
  }
}

async function diagnose(
  checker: ScriptChecker,
  sources: Readonly<Record<string, string>>,
  member: string,
): Promise<readonly Diagnostic[]> {
  try {
    return await checker.check(sources);
  } catch (error) {
    throw error instanceof CheckTimeout ? invalidParameter(member, error.message) : error;
  }
}
