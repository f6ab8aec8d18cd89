// The settings of the input `host`, which measures this machine (processor, memory, disks, network and processes).

import { absolutePath } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";

export const hostSettings = {
  "inputs.host.enable": setting(
    "bool",
    false,
    "make points of processor, memory, disks, network, load and processes of this machine",
    { env: "ENV_INPUT_HOST_ENABLE" },
  ),
  "inputs.host.interval": setting("duration", "10s", "time between two metric points of a part"),
  "inputs.host.object_interval": setting("duration", "1m", "time between two object points of the host and a process"),
  "inputs.host.per_cpu": setting("bool", false, "also make a point for each processor"),
  "inputs.host.processes": setting(
    "int",
    50,
    "processes of which object points are made, those with most processor time and memory; 0 = none",
    {
      unit: "processes",
      min: 0,
      max: 10_000,
    },
  ),
  "inputs.host.max_processes": setting("int", 5000, "processes that are read at each interval; further ones are not", {
    unit: "processes",
    min: 1,
    max: 100_000,
  }),
  "inputs.host.proc": setting("text", "/proc", "folder of the proc file system, such as /host/proc in a container", {
    form: absolutePath,
    env: "ENV_INPUT_HOST_PROC",
  }),
  "inputs.host.tags": setting("table", {}, "tags of each point, besides host", {
    example: 'rack = "a1"',
    mistakes: tagMistakes,
  }),
} as const satisfies Record<string, Setting>;
