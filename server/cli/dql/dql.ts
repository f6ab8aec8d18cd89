// `millrace dql`: sends a DQL query to the platform and prints the answer. Without a query it opens an interactive
// prompt.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { filledGuide } from "../../../lib/dql/index.ts";
import { schema } from "../../config/schema.ts";
import { print, printData, printError, printErrorLine, printJson } from "../terminal/print.ts";
import { dqlUsage } from "../usage/tools.ts";
import { UsageError } from "../usage-error.ts";
import { entryText, warningLine } from "./answer.ts";
import { entriesOf, failureOf, localToken, queryClient } from "./client.ts";
import { dqlRepl } from "./repl.ts";

export async function dql(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      csv: { type: "boolean" },
      explain: { type: "boolean" },
      host: { type: "string" },
      token: { type: "string" },
      "data-dir": { type: "string" },
      guide: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.guide !== undefined) {
    print(await filledGuide(readFileSync(values.guide, "utf8")));
    return 0;
  }
  if (values.help) {
    print(dqlUsage);
    return 0;
  }
  const [statement, ...more] = positionals;
  if (more.length > 0) throw new UsageError(dqlUsage);
  const dataDir = values["data-dir"] ?? schema.data_dir.default;
  const token = values.token ?? localToken(dataDir);
  const host = values.host ?? schema["platform.listen"].default;
  const ask = queryClient({ host, token });
  const answerOptions = { json: values.json === true, csv: values.csv === true, explain: values.explain === true };
  if (answerOptions.csv && (answerOptions.json || answerOptions.explain))
    throw new UsageError("--csv goes with neither --json nor --explain");
  if (statement === undefined) return await dqlRepl({ ask, dataDir, answerOptions });
  const asked = await ask(statement, { explain: answerOptions.explain, csv: answerOptions.csv });
  if (!asked.ok) {
    printErrorLine(failureOf(asked));
    return 1;
  }
  if (answerOptions.csv) {
    for (const entry of entriesOf(asked)) {
      await printData(entry.csv ?? "");
      printError(warningLine(entry));
    }
    return 0;
  }
  const width = process.stdout.isTTY === true ? process.stdout.columns : undefined;
  const shown = () => entriesOf(asked).map((entry) => entryText(entry, width));
  if (answerOptions.json) await printJson(`${asked.text}\n`);
  else print(shown().join("\n"));
  return 0;
}
