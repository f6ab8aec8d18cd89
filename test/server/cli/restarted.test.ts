// `millrace start` runs several services beside the agent. When the settings of a service change, only that service is
// restarted.

import { expect, it } from "vitest";
import type { Prepared } from "../../../server/cli/read-config.ts";
import { startRestarted } from "../../../server/cli/services/restarted.ts";
import { defaults } from "../../../server/config/schema.ts";
import { createLog } from "../../../server/telemetry/log.ts";

it("restarts a service when its settings change; keeps the old settings if the new ones fail to start", async () => {
  const lines: string[] = [];
  const events: string[] = [];
  const log = createLog("info", (line) => lines.push(line.trimEnd().replace(/^\S+ /, "")));
  const prepared = (listen: string, other = ""): Prepared => ({
    config: { ...defaults(), "gateway_api.listen": listen, "http_api.listen": other },
    warnings: [],
    log,
  });
  const service = startRestarted(
    {
      name: "gateway",
      settings: /^gateway_api\./,
      isOn: (config) => config["gateway_api.listen"] !== "none",
      start: async ({ config }) => {
        const at = config["gateway_api.listen"];
        events.push(`start ${at}`);
        if (at === "bad") throw new Error("no such place");
        return { at, close: async () => void events.push(`close ${at}`) };
      },
    },
    prepared("a"),
  );
  const reload = async (next: Prepared) => {
    const isChanged = await service.reload(next);
    await service.started;
    return [isChanged, service.running?.at];
  };
  await service.started;
  expect(await reload(prepared("a", "another agent"))).toEqual([false, "a"]);
  expect(await reload(prepared("b"))).toEqual([true, "b"]);
  expect(await reload(prepared("bad"))).toEqual([true, "b"]);
  expect(await reload(prepared("none"))).toEqual([true, undefined]);
  expect(await reload(prepared("c"))).toEqual([true, "c"]);
  await service.close();
  const restarts = [
    "start a",
    "close a",
    "start b",
    "close b",
    "start bad",
    "start b",
    "close b",
    "start c",
    "close c",
  ];
  expect(events).toEqual(restarts);
  expect(lines).toEqual([
    "INFO the settings of the gateway are read anew",
    "ERROR the gateway does not start with its new settings: no such place",
    "WARN the gateway goes on with its old settings",
    "INFO the settings of the gateway are read anew",
    "INFO the settings of the gateway are read anew",
  ]);
});
