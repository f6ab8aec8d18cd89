// The settings of the input journald, which reads the journal of systemd.

import { absolutePath } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";

export const journaldSettings = {
  "inputs.journald.enable": setting("bool", false, "make logs of the journal of systemd, as journalctl shows it"),
  "inputs.journald.source": setting(
    "text",
    "journald",
    "measurement of the points; the script of this name runs over them",
    { mistakes: (source) => (source === "" ? [{ path: [], text: " must not be empty" }] : []) },
  ),
  "inputs.journald.units": setting("texts", [], "units whose entries are read, such as nginx.service; empty = all", {
    mistakes: (units) =>
      units.some((unit) => unit === "" || unit.startsWith("-"))
        ? [{ path: [], text: ": each must be the name of a unit" }]
        : [],
  }),
  "inputs.journald.priority": setting("text", "debug", "least severe priority that is read", {
    choices: ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"],
  }),
  "inputs.journald.from": setting("text", "end", "where to begin when the agent has never read the journal", {
    choices: ["end", "start"],
  }),
  "inputs.journald.directory": setting(
    "text",
    "",
    "folder of the journal, for that of another machine; empty = of this one",
    {
      form: absolutePath,
    },
  ),
  "inputs.journald.fields": setting(
    "texts",
    [],
    "further fields of the journal that become fields, such as CONTAINER_NAME",
  ),
  "inputs.journald.tags": setting("table", {}, "tags of each point, besides host", {
    example: 'team = "web"',
    mistakes: tagMistakes,
  }),
  "inputs.journald.max_line_bytes": setting(
    "int",
    256 * 1024,
    "longest field of an entry in bytes; the rest of a longer one is dropped",
    { unit: "bytes", min: 1024, max: 16 * 1024 * 1024 },
  ),
} as const satisfies Record<string, Setting>;
