// Finds mistakes in settings that are tables: unknown keys, and values in a wrong format.

import { categories } from "../../lib/point/index.ts";
import type { Mistake } from "./check-value.ts";
import { type Form, headerName } from "./forms.ts";
import { quoted } from "./quoted.ts";
import { retentionMs } from "./retention.ts";

type Table = Readonly<Record<string, string>>;

export function retentionMistakes(kept: Table): readonly Mistake[] {
  return [...unknownKeys(kept, [...categories, "default"]), ...misfitValues(kept, retentionTime)];
}

export function scriptMistakes(scripts: Table): readonly Mistake[] {
  return [...unknownKeys(scripts, categories), ...misfitValues(scripts, scriptName)];
}

export function addressFileMistakes(files: Table): readonly Mistake[] {
  return unknownKeys(files, ["geoip_file", "isp_file", "cidr_file"]);
}

export function headerTagMistakes(tags: Table): readonly Mistake[] {
  return Object.keys(tags)
    .filter((header) => !headerName.fits(header))
    .map((header) => ({ path: [header], text: ` must have ${headerName.text}, as its key` }));
}

/** Returns the mistakes in tags that an input adds to its points. */
export function tagMistakes(tags: Table): readonly Mistake[] {
  return Object.entries(tags)
    .filter(([key, value]) => key === "" || value === "")
    .map(([key, value]) => ({ path: [], text: ` must have a key and a value, got ${quoted(`${key} = ${value}`)}` }));
}

const retentionTime: Form = {
  text: "a time such as 30d or 12h",
  fits: (text) => retentionMs(text) !== undefined,
};

const scriptName: Form = {
  text: "the name of a script, such as nginx.p",
  fits: (text) => text.endsWith(".p"),
};

function unknownKeys(table: Table, known: readonly string[]): Mistake[] {
  return Object.keys(table)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], text: ` is unknown; the keys are ${known.join(", ")}` }));
}

function misfitValues(table: Table, form: Form): Mistake[] {
  return Object.entries(table)
    .filter(([, value]) => !form.fits(value))
    .map(([key, value]) => ({ path: [key], text: ` must be ${form.text}, got the text ${quoted(value)}` }));
}
