// Runs the input `statsd`: opens the addresses, adds up the received samples, and delivers the points of each interval.
// Sockets, gauges and points that are not stored yet are kept when the configuration is reloaded.

import { shownText } from "../../../../lib/text/index.ts";
import { durationMs } from "../../../config/go-duration.ts";
import { parseInputAddress } from "../../../config/input-address.ts";
import type { Config } from "../../../config/schema.ts";
import { createRepeated } from "../../../time/repeated.ts";
import { createDeliver } from "../delivery/deliver.ts";
import { Gatherer } from "../delivery/gatherer.ts";
import type { FetchingAgent, InputHost, KeptPart, OpenInput } from "../input.ts";
import { Datagrams } from "../syslog/datagrams.ts";
import { type StreamSettings, Streams } from "../syslog/streams.ts";
import { Aggregator } from "./aggregator.ts";
import { createLines } from "./lines.ts";

/** Milliseconds for which an input that is being closed tries to deliver its remaining points. */
const closeMs = 10_000;
/** Milliseconds between two updates of the metrics about series, connections and dropped datagrams. */
const lookMs = 2000;

type Socket = Datagrams | Streams;

/**
 * The series (metrics whose samples are added up), and the points that wait for the queue. Both are kept when the
 * configuration is reloaded.
 */
interface State extends KeptPart {
  readonly aggregator: Aggregator;
  readonly gatherer: Gatherer;
}

const stateKey = "statsd";
const socketKey = (listen: string) => `statsd ${listen}`;

/** Opens all addresses. Throws when an address cannot be used. */
export async function openStatsd(
  agent: FetchingAgent,
  { keptParts }: Pick<InputHost, "keptParts">,
): Promise<OpenInput> {
  const { config, log, metrics } = agent;
  const state =
    (keptParts.get(stateKey) as State | undefined) ??
    ({ aggregator: new Aggregator(), gatherer: new Gatherer({ onRoom: () => {} }), close: async () => {} } as State);
  keptParts.delete(stateKey);
  const delivery = deliveryOf(agent);
  const open: { readonly listen: string; readonly socket: Socket }[] = [];
  const release = async (isReload: boolean) => {
    for (const { listen, socket } of open) {
      if (isReload) keptParts.set(socketKey(listen), { close: () => socket.close(), socket } as KeptSocket);
      else await socket.close();
      metrics.statsdConnections.remove({ listen });
    }
    if (isReload) keptParts.set(stateKey, state);
  };
  const lines = createLines(agent, state.aggregator);
  try {
    for (const listen of config["inputs.statsd.listen"]) {
      const key = socketKey(listen);
      const kept = keptParts.get(key) as KeptSocket | undefined;
      keptParts.delete(key);
      const socket = kept?.socket ?? (await openSocket(listen, config, log));
      open.push({ listen, socket });
      const settings = socketSettings(config, socket instanceof Datagrams);
      socket.use(lines.sinkFor(listen), settings);
    }
  } catch (error) {
    for (const { socket } of open) socket.release();
    await release(true);
    throw error;
  }
  state.gatherer.start(delivery.deliver, Number.POSITIVE_INFINITY);
  const flush = () => {
    // While earlier points wait for the queue, no new points are written. The samples of the next interval are then
    // added to the same series, so that no sample is lost and memory stays bounded.
    if (state.gatherer.waiting > 0) return;
    const written = state.aggregator.flush(state.gatherer.body, {
      percentages: config["inputs.statsd.percentiles"].map(Number),
      gaugeTtlMs: durationMs(config["inputs.statsd.gauge_ttl"], 600_000),
      now: agent.now(),
      at: performance.now(),
    });
    if (written > 0) state.gatherer.added();
  };
  const timer = setInterval(flush, durationMs(config["inputs.statsd.interval"], 10_000));
  const looks = createRepeated(
    async () => {
      metrics.statsdSeries.set(state.aggregator.series);
      for (const { listen, socket } of open) {
        metrics.statsdConnections.set({ listen }, socket.connections);
        if (socket instanceof Datagrams) await socket.countDrops();
      }
    },
    () => lookMs,
  );
  return {
    close: async (isReload) => {
      clearInterval(timer);
      await looks.close();
      for (const { socket } of open) socket.release();
      flush();
      // From now on, storing points is tried only once, so that a full queue does not delay the closing of the input.
      delivery.close();
      await state.gatherer.stop(closeMs);
      await release(isReload);
      if (!isReload && state.gatherer.waiting > 0) log.warn(`statsd: ${state.gatherer.waiting} points were not stored`);
    },
  };
}

interface KeptSocket extends KeptPart {
  readonly socket: Socket;
}

/**
 * Returns the function `deliver`, which stores points, and the function `close`. After `close`, a failed delivery is
 * not repeated.
 */
function deliveryOf({ ingest, now, log, metrics, config }: FetchingAgent) {
  const closing = new AbortController();
  const aborted = new AbortController();
  const labels = { input: "statsd", source: "statsd" };
  const deliver = createDeliver({
    input: "statsd",
    category: "metric",
    ingest,
    now,
    log,
    onWait: () => metrics.inputWaits.inc(labels),
    onSkip: () => metrics.inputSkipped.inc(labels),
    closing: closing.signal,
    aborted: aborted.signal,
  });
  const origin = { source: "", tags: Object.entries(config["inputs.statsd.tags"]), place: "statsd" };
  return {
    deliver: (body: Parameters<typeof deliver>[1], from: number, to: number) => deliver(origin, body, from, to),
    close: () => {
      closing.abort();
      setTimeout(() => aborted.abort(), closeMs).unref();
    },
  };
}

async function openSocket(listen: string, config: Config, log: FetchingAgent["log"]): Promise<Socket> {
  const where = parseInputAddress(listen);
  try {
    const socket =
      where.protocol === "udp" && "host" in where.address
        ? await Datagrams.open(where.address)
        : await Streams.open(where, socketSettings(config, false));
    const port = "port" in where.address && where.address.port === 0 ? ` (port ${socket.port})` : "";
    log.info(`statsd: receiving at ${shownText(listen)}${port}`);
    return socket;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw Object.assign(new Error(`statsd: ${listen} cannot be used: ${message}`), { code: code ?? "ESTATSD" });
  }
}

function socketSettings(config: Config, isDatagram: boolean): StreamSettings {
  const longestLine = config["inputs.statsd.max_line_bytes"];
  const connections = config["inputs.statsd.max_connections"];
  return {
    framing: "newline",
    max_message_bytes: isDatagram ? config["inputs.statsd.max_packet_bytes"] : longestLine,
    max_connections: connections,
    // Largest number of bytes of all unfinished messages. Each connection has at most one incomplete line, so the
    // number is the length of the longest allowed line times the number of connections.
    max_unfinished_bytes: longestLine * connections,
    idle_timeout: config["inputs.statsd.idle_timeout"],
    tls_cert: "",
    tls_key: "",
    tls_client_ca: "",
  };
}
