// The source text of every script in the conformance vectors (the tables of test cases). Tests use these scripts
// to check properties that must be true for any script.

import functionsText from "../../conformance/functions.jsonl?raw";
import grokText from "../../conformance/grok.jsonl?raw";
import languageText from "../../conformance/language.jsonl?raw";

interface Request {
  readonly script?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

export const vectorScripts: readonly string[] = [
  ...new Set(
    [languageText, functionsText, grokText].flatMap((file) =>
      file
        .split("\n")
        .filter((line) => line.trim() !== "")
        .flatMap((line) => {
          const { script, scripts = {} } = (JSON.parse(line) as { request: Request }).request;
          return script === undefined ? Object.values(scripts) : [script];
        }),
    ),
  ),
];
