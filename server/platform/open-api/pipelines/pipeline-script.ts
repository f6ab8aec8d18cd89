// Decodes the script of a pipeline from base64, and compiles it together with the other scripts of its category, as an
// agent does.

import { type Diagnostic, plErrorText } from "../../../../lib/index.ts";
import type { CategoryName } from "../../../../lib/point/index.ts";
import { decodeBase64, encodeBase64 } from "../../../../lib/text/index.ts";
import { invalidParameter } from "../protocol/errors.ts";
import { CheckTimeout, type ScriptChecker } from "../services.ts";
import { pipelineStatus, type StoredPipeline } from "./pipeline-record.ts";

/**
 * Decodes the base64 string that a request has in the member named `member`. Throws InvalidParameter with this name
 * when the string is not valid.
 */
export function decodedText(base64: string, member: string): string {
  const padded = base64.replace(/=*$/, "").padEnd(Math.ceil(base64.replace(/=*$/, "").length / 4) * 4, "=");
  const bytes = decodeBase64(new TextEncoder().encode(padded));
  // The bytes are encoded again and compared with the input. They differ when the input has an invalid character, or
  // unused bits that are not zero.
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
    // The decoded text is not JSON, so InvalidParameter is thrown below.
  }
  throw invalidParameter(member, "expected base64 of a JSON list");
}

export interface CheckedScript {
  readonly name: string;
  readonly category: CategoryName;
  readonly content: string;
  /** The name of the request's member that holds the script, for error messages. */
  readonly member: string;
}

/**
 * Throws InvalidParameter with the first mistake of the scripts and its position: `content: x.p:2:4: ...`. `stored`:
 * the pipelines of the workspace. The checked scripts may call enabled pipelines.
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
