// Reads lines and patterns from files and from the clipboard into the grok mode.

import { longestText } from "../../state/files.ts";
import { pluralText } from "../../state/text.ts";
import type { Workbench } from "./workbench.svelte.ts";

/** Adds the definitions of a pattern file to the patterns of the project. */
export async function importFile(bench: Workbench, file: File): Promise<void> {
  if (file.size > longestText) {
    bench.session.say({
      tone: "error",
      text: `${file.name} is longer than 2 MB. Your patterns are kept; take a part of it.`,
    });
    return;
  }
  const text = await file.text();
  const { text: definitions, count, problems } = await bench.worker.importFile(file.name, text);
  const { patterns } = bench.input;
  const gap = patterns === "" || patterns.endsWith("\n") ? "" : "\n";
  const [first] = problems;
  const left =
    first === undefined
      ? ""
      : ` ${pluralText(problems.length, "definition")} cannot be used and became comments: line ${first.line}, ${first.name}: ${first.reason}`;
  if (count === 0 && problems.length === 0) {
    bench.session.say({
      tone: "error",
      text: `${file.name} has no pattern: a line is a name, a space, an expression.`,
    });
    return;
  }
  bench.change({ patterns: patterns + gap + definitions });
  bench.session.say({
    tone: problems.length > 0 ? "warning" : "info",
    text: `${pluralText(count, "pattern")} of ${file.name} imported.${left}`,
  });
  bench.tab = "patterns";
}

/** Replaces the lines of the grok mode by the text of a file. */
export async function takeFile(bench: Workbench, file: File): Promise<void> {
  if (file.size > longestText) {
    bench.session.say({ tone: "error", text: `${file.name} is longer than 2 MB. Take a part of it.` });
    return;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    bench.replace({ lines: text.replaceAll("\r\n", "\n").replace(/\n$/, "") }, `${file.name} holds the lines now.`);
  } catch {
    bench.session.say({
      tone: "error",
      text: `${file.name} is no text in UTF-8. Unpack it first if it is compressed.`,
    });
  }
}

/**
 * Replaces the lines by the text of the clipboard. Returns false when the clipboard is empty or the browser denies
 * access.
 */
export async function paste(bench: Workbench): Promise<boolean> {
  try {
    const text = await navigator.clipboard.readText();
    if (text.trim() === "") return false;
    bench.takeLines(text.replaceAll("\r\n", "\n").replace(/\n$/, ""));
    return true;
  } catch {
    return false;
  }
}
