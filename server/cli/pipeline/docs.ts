// `millrace pipeline docs [NAME]`: prints the reference of the built-in script functions, generated from their
// declarations.

import { parseArgs } from "node:util";
import { functionDocs, functionReference, functionText } from "../../../lib/index.ts";
import { print } from "../terminal/print.ts";
import { docsUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";

/** Runs `millrace pipeline docs` and returns its exit code. */
export function pipelineDocs(args: string[]): number {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { markdown: { type: "boolean", default: false }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    print(docsUsage);
    return 0;
  }
  if (positionals.length > 1) throw new UsageError(docsUsage);
  print(textOf(positionals[0], values.markdown));
  return 0;
}

function textOf(name: string | undefined, markdown: boolean): string {
  const docs = functionDocs();
  if (name === undefined) {
    if (markdown) return functionReference(docs);
    const width = Math.max(...docs.map((doc) => doc.name.length));
    return docs.map((doc) => `${doc.name.padEnd(width)}  ${doc.summary}\n`).join("");
  }
  const doc = docs.find((each) => each.name === name || each.aliases.includes(name));
  if (doc !== undefined) return functionText(doc);
  const near = docs.map((each) => each.name).filter((each) => each.includes(name) || name.includes(each));
  throw new UsageError(`there is no function ${name}${near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`}`);
}
