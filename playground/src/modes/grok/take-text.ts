// Reads lines and patterns from files and from the clipboard into the grok mode.

import { longestText } from "../../state/files.ts";
import { pluralText } from "../../state/text.ts";
import { t } from "../../text/translate.ts";
import type { Workbench } from "./workbench.svelte.ts";

/** Adds the definitions of a pattern file to the patterns of the project. */
export async function importFile(bench: Workbench, file: File): Promise<void> {
  if (file.size > longestText) {
    bench.session.say({
      tone: "error",
      text: t("{file} is longer than 2 MB. Your patterns are kept; take a part of it.", { file: file.name }),
    });
    return;
  }
  const text = await file.text();
  const { text: definitions, count, problems } = await bench.worker.importFile(file.name, text);
  const { patterns } = bench.input;
  const gap = patterns === "" || patterns.endsWith("\n") ? "" : "\n";
  const [first] = problems;
  const imported = { patterns: pluralText(count, "pattern"), file: file.name };
  if (count === 0 && problems.length === 0) {
    bench.session.say({
      tone: "error",
      text: t("{file} has no pattern: a line is a name, a space, an expression.", { file: file.name }),
    });
    return;
  }
  bench.change({ patterns: patterns + gap + definitions });
  bench.session.say({
    tone: problems.length > 0 ? "warning" : "info",
    text:
      first === undefined
        ? t("{patterns} of {file} imported.", imported)
        : t(
            "{patterns} of {file} imported. {definitions} cannot be used and became comments: line {line}, {name}: {reason}",
            { ...imported, definitions: pluralText(problems.length, "definition"), ...first },
          ),
  });
  bench.tab = "patterns";
}

/** Replaces the lines of the grok mode by the text of a file. */
export async function takeFile(bench: Workbench, file: File): Promise<void> {
  if (file.size > longestText) {
    bench.session.say({
      tone: "error",
      text: t("{file} is longer than 2 MB. Take a part of it.", { file: file.name }),
    });
    return;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    bench.replace(
      { lines: text.replaceAll("\r\n", "\n").replace(/\n$/, "") },
      t("{file} holds the lines now.", { file: file.name }),
    );
  } catch {
    bench.session.say({
      tone: "error",
      text: t("{file} is no text in UTF-8. Unpack it first if it is compressed.", { file: file.name }),
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
