// `millrace gateway`: runs the gateway as a service, or one of two commands that check or explain sink rules (the rules
// that choose the target of a request) without starting the gateway.

import { parseArgs } from "node:util";
import {
  explain,
  explanationText,
  headerName,
  type LoadedSinkRules,
  loadSinkRules,
  type SinkRules,
} from "../../../lib/sharding/index.ts";
import { escapeControls } from "../../../lib/text/index.ts";
import { commandConfig, textOf } from "../read-config.ts";
import { counted } from "../terminal/counted.ts";
import { print, printError, printLine } from "../terminal/print.ts";
import { gatewayUsage } from "../usage/services.ts";
import { UsageError } from "../usage-error.ts";
import { runGateway } from "./gateway-service.ts";

export async function gateway(args: string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      listen: { type: "string" },
      "data-dir": { type: "string" },
      sinker: { type: "string" },
      config: { type: "string" },
      header: { type: "string" },
      path: { type: "string" },
      first: { type: "boolean" },
      tags: { type: "string" },
      category: { type: "string" },
      functions: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(gatewayUsage);
    return 0;
  }
  const [verb, file, ...rest] = positionals;
  if (verb === undefined) {
    return await runGateway(values.config, {
      ...(values.listen === undefined ? {} : { "gateway_api.listen": values.listen }),
      ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
      ...(values.sinker === undefined ? {} : { "sinker.file.path": values.sinker }),
    });
  }
  if (rest.length > 0) throw new UsageError(gatewayUsage);
  if (verb === "check") return check(file);
  if (verb !== "explain") throw new UsageError(`unknown verb ${verb}\n\n${gatewayUsage}`);
  const { category = "keyevent" } = values;
  const path = values.path ?? `/v1/write/${category}`;
  const config = commandConfig(values.config);
  const tagsFile = values.tags ?? config["sinker.tags.path"];
  if (values.header === undefined && tagsFile !== "") {
    const { explainPoints } = await import("../gateway-explain.ts");
    const rules = file === undefined ? undefined : usableRules(file);
    return await explainPoints({ rules, tagsFile, category, path, functions: values.functions, config });
  }
  const rules = usableRules(file);
  const text = explanationText(explain(rules, headerValue(values.header ?? ""), path, values.first ? "first" : "all"));
  print(`${text}\n`);
  return 0;
}

/**
 * Prints all mistakes in a file of sink rules (rules that choose the target of a request). Returns exit code 1 when the
 * file cannot be used.
 */
function check(file: string | undefined): number {
  const { rules, problems } = load(file, "check");
  for (const { severity, message } of problems) printLine(`${severity}: ${message}`);
  if (rules === undefined) return 1;
  const hasDefault = rules.defaultEntry === undefined ? "no" : "yes";
  printLine(`${file}: good, ${counted(rules.entries.length, "rule")}, strict=${rules.strict}, default=${hasDefault}`);
  return 0;
}

function usableRules(file: string | undefined): SinkRules {
  const { rules, problems } = load(file, "explain");
  const problemsText = problems.map(({ severity, message }) => escapeControls(`${severity}: ${message}`)).join("\n");
  if (rules === undefined) throw new UsageError(problemsText);
  if (problemsText !== "") printError(`${problemsText}\n`);
  return rules;
}

function load(file: string | undefined, verb: "check" | "explain"): LoadedSinkRules {
  if (file === undefined) throw new UsageError(`name the file: millrace gateway ${verb} sinker.json`);
  return loadSinkRules(textOf(file));
}

/** Returns the value of the routing header in the text that the user has given, which is `value` or `Name: value`. */
function headerValue(text: string): string {
  const prefix = `${headerName}:`;
  return text.toLowerCase().startsWith(prefix.toLowerCase()) ? text.slice(prefix.length).trim() : text;
}
