// `millrace queue ls | replay | drop`: commands for the points that wait to be sent and for the points that a
// target has refused. `ls` lists them, `replay` puts refused points back into their queues, `drop` deletes
// points.

import { parseArgs } from "node:util";
import { deadLetterFolder } from "../../queue/delivery/dead-letters.ts";
import { commandConfig } from "../read-config.ts";
import { print } from "../terminal/print.ts";
import { queueUsage } from "../usage/tools.ts";
import { UsageError } from "../usage-error.ts";
import { drop, replay } from "./change.ts";
import { list } from "./list.ts";
import { agentQueues, namesIn, placesOf, withLockedFolders } from "./places.ts";

/** Runs the command and returns its exit code. */
export async function queue(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      "data-dir": { type: "string" },
      config: { type: "string" },
      category: { type: "string" },
      gateway: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(queueUsage);
    return 0;
  }
  const { category } = values;
  if (category !== undefined && !values.gateway && !agentQueues.includes(category)) {
    throw new UsageError(`unknown category ${category}; one of ${agentQueues.join(", ")}`);
  }
  const own = commandConfig(values.config);
  const config = { ...own, data_dir: values["data-dir"] ?? own.data_dir };
  const present = await placesOf(config);
  const [verb, what, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(queueUsage);
  if (present.length === 0) {
    const folders = [config.data_dir, ...(config["gateway.wal.path"] === "" ? [] : [config["gateway.wal.path"]])];
    throw new UsageError(`there is no queue in ${folders.join(" and ")}; name it with --data-dir or --config`);
  }
  if (verb === "ls") return await list(present);
  const wanted = values.gateway ? "gateway" : "agent";
  const place = present.find(({ service }) => service === wanted);
  if (place === undefined) {
    throw new UsageError(
      `there is no queue of ${wanted === "agent" ? "an agent; --gateway is for that of a gateway" : "a gateway"}`,
    );
  }
  const known = await namesIn(place);
  const isKnown = (name: string) => (place.service === "agent" ? agentQueues.includes(name) : known.includes(name));
  if (category !== undefined && !isKnown(category)) {
    throw new UsageError(`unknown queue ${category}; one of ${known.join(", ")}`);
  }
  switch (verb) {
    case "replay":
      return await withLockedFolders(place, () => replay(place, category));
    case "drop":
      if (what !== deadLetterFolder && !isKnown(what ?? "")) {
        throw new UsageError(`name what to drop: ${deadLetterFolder}, or a queue (what waits in it to be sent)`);
      }
      return await withLockedFolders(place, () => drop(place, what!));
    default:
      throw new UsageError(queueUsage);
  }
}
