// The settings of the input tail, which reads lines from files while they are written.

import type { Mistake } from "../check-value.ts";
import { anyPattern, parseFilePattern } from "../file-pattern.ts";
import { absolutePath, type Form, plainText } from "../forms.ts";
import { type EntryOf, entriesSetting, type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";
import { compiles, lineFields } from "./line-fields.ts";

const filePattern: Form = {
  text: "an absolute path, or a pattern of paths such as /var/log/*.log",
  fits: (text) =>
    absolutePath.fits(text) && plainText.fits(text) && !text.endsWith("/") && compiles(parseFilePattern)(text),
};

const excludePattern: Form = {
  text: "a pattern such as *.gz",
  fits: (text) => plainText.fits(text) && compiles((each) => anyPattern([each]))(text),
};

export const tailFields = {
  files: setting("texts", [], "files to read: absolute paths, or patterns of paths", {
    form: filePattern,
    example: 'files = ["/var/log/nginx/*.log"]',
  }),
  exclude: setting("texts", [], "files that are not read: patterns of names, or of whole paths where they hold a /", {
    form: excludePattern,
    example: 'exclude = ["*.gz"]',
  }),
  source: setting("text", "default", "measurement of the points; the script of this name runs over them"),
  from: setting(
    "text",
    "end",
    "where to begin with files that are there when the agent first looks; later files: start",
    {
      choices: ["end", "start"],
    },
  ),
  tags: setting("table", {}, "tags of each point, besides host and filename", {
    example: 'tags = { team = "web" }',
  }),
  format: setting("text", "text", "what a line holds: text, or a record of a container's log; auto detects records", {
    choices: ["text", "auto", "docker", "cri"],
  }),
  ...lineFields,
  poll: setting("bool", false, "look at the files again and again, for network folders, which report no changes"),
} as const satisfies Record<string, Setting>;

/** One entry `[[inputs.tail]]`: files whose lines become logs. */
export type TailSettings = EntryOf<typeof tailFields>;

export const tailSettings = {
  "inputs.tail": entriesSetting(tailFields, "files whose lines become logs, as they are written", {
    mistakes: (entries) => (entries as readonly Partial<TailSettings>[]).flatMap(tailMistakes),
  }),
} as const satisfies Record<string, Setting>;

function tailMistakes(entry: Partial<TailSettings>, at: number): readonly Mistake[] {
  const { files = [], source, tags = {} } = entry;
  const mistakes: Mistake[] = [];
  if (files.length === 0) mistakes.push({ path: [String(at)], text: ".files must name at least one file" });
  if (files.includes("") || entry.exclude?.includes(""))
    mistakes.push({ path: [String(at)], text: ": an empty text names no file" });
  if (source === "") mistakes.push({ path: [String(at), "source"], text: " must not be empty" });
  const { format = "text", encoding = "utf-8" } = entry;
  if (format !== "text" && encoding !== "utf-8")
    mistakes.push({ path: [String(at), "encoding"], text: ` must be utf-8 with format = "${format}"` });
  for (const { text } of tagMistakes(tags)) mistakes.push({ path: [String(at), "tags"], text });
  return mistakes;
}
