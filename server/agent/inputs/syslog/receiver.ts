// Runs the input `syslog`: opens the address of each entry in the configuration, makes points of the messages that
// arrive, and stores the points. Sockets, connections and points that are not stored yet are kept when the
// configuration is reloaded.

import { shownText } from "../../../../lib/text/index.ts";
import { zoneArgument } from "../../../../lib/time/index.ts";
import { parseInputAddress } from "../../../config/input-address.ts";
import type { SyslogSettings } from "../../../config/settings/inputs-syslog.ts";
import { createRepeated } from "../../../time/repeated.ts";
import { createDeliver, type Deliver, type Origin } from "../delivery/deliver.ts";
import { Gatherer } from "../delivery/gatherer.ts";
import { keyBytes } from "../delivery/line-body.ts";
import type { FetchingAgent, InputHost, KeptPart, OpenInput } from "../input.ts";
import { Datagrams } from "./datagrams.ts";
import { SyslogScanner } from "./message.ts";
import type { Sink } from "./sink.ts";
import { Streams } from "./streams.ts";
import { writeMessage } from "./write-message.ts";

/** Milliseconds for which a closing input still stores the messages that it has received. */
const closeMs = 10_000;
/** Milliseconds between two updates of the metrics about received messages. */
const lookMs = 2000;

/**
 * The socket of one configured address, and the events that arrived there and are not stored yet. Both are kept when
 * the configuration is reloaded.
 */
interface Receiver extends KeptPart {
  readonly socket: Datagrams | Streams;
  readonly gatherer: Gatherer;
}

/**
 * Opens the addresses of all entries of the configuration for this input. Throws when one of the addresses cannot be
 * used.
 */
export async function openSyslog(
  entries: readonly SyslogSettings[],
  agent: FetchingAgent,
  { keptParts }: Pick<InputHost, "keptParts">,
): Promise<OpenInput> {
  const { ingest, log, metrics } = agent;
  const closing = new AbortController();
  const aborted = new AbortController();
  const deliver = createDeliver({
    input: "syslog",
    ingest,
    now: agent.now,
    log,
    onWait: (source) => metrics.inputWaits.inc({ input: "syslog", source }),
    onSkip: (source) => metrics.inputSkipped.inc({ input: "syslog", source }),
    closing: closing.signal,
    aborted: aborted.signal,
  });
  const open: { readonly settings: SyslogSettings; readonly receiver: Receiver }[] = [];
  const keep = (isReload: boolean) =>
    Promise.all(
      open.map(async ({ settings: { listen }, receiver }) => {
        receiver.socket.release();
        await receiver.gatherer.stop(closeMs);
        if (isReload) keptParts.set(keyOf(listen), receiver);
        else await receiver.close();
        metrics.syslogConnections.remove({ listen });
        if (!isReload && receiver.gatherer.waiting > 0)
          log.warn(`syslog: ${shownText(listen)}: ${receiver.gatherer.waiting} messages were not stored`);
      }),
    );
  try {
    for (const settings of entries) {
      const key = keyOf(settings.listen);
      const receiver = (keptParts.get(key) as Receiver | undefined) ?? (await openReceiver(settings, log));
      keptParts.delete(key);
      open.push({ settings, receiver });
      use(receiver, settings, agent, deliver);
    }
  } catch (error) {
    await keep(true);
    throw error;
  }
  const looks = createRepeated(
    async () => {
      for (const { settings, receiver } of open) {
        metrics.syslogConnections.set({ listen: settings.listen }, receiver.socket.connections);
        if (receiver.socket instanceof Datagrams) await receiver.socket.countDrops();
      }
    },
    () => lookMs,
  );
  return {
    close: async (isReload) => {
      await looks.close();
      for (const { receiver } of open) receiver.socket.release();
      // Once `closing` is aborted, the input tries only one more time to store the waiting messages. When this attempt
      // fails, it is not repeated.
      closing.abort();
      const kept = keep(isReload);
      const timer = setTimeout(() => aborted.abort(), closeMs);
      await kept;
      clearTimeout(timer);
    },
  };
}

const keyOf = (listen: string) => `syslog ${listen}`;

async function openReceiver(settings: SyslogSettings, log: FetchingAgent["log"]): Promise<Receiver> {
  const { listen } = settings;
  const where = parseInputAddress(listen);
  try {
    const socket =
      where.protocol === "udp" && "host" in where.address
        ? await Datagrams.open(where.address)
        : await Streams.open(where, settings);
    const port = "port" in where.address && where.address.port === 0 ? ` (port ${socket.port})` : "";
    log.info(`syslog: receiving at ${shownText(listen)}${port}`);
    const gatherer = new Gatherer({ onRoom: () => socket.resume() });
    return { socket, gatherer, close: () => socket.close() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === "EACCES" ? "; ports below 1024 need rights of their own (CAP_NET_BIND_SERVICE)" : "";
    throw Object.assign(new Error(`syslog: ${listen} cannot be used: ${message}${hint}`), { code: code ?? "ESYSLOG" });
  }
}

/**
 * Connects a receiver to this agent: messages that arrive are processed with the given settings and stored by
 * `deliver`.
 */
function use({ socket, gatherer }: Receiver, settings: SyslogSettings, agent: FetchingAgent, deliver: Deliver): void {
  const { listen, source, tags } = settings;
  const { log, metrics } = agent;
  const origin: Origin = { source, tags: Object.entries(tags), place: listen };
  const measurement = keyBytes(source);
  const machineZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = zoneArgument(settings.timezone, machineZone)!;
  const scanner = new SyslogScanner({ now: () => Number(agent.now() / 1_000_000_000n), zone });
  const messages = metrics.syslogMessages.of({ listen });
  const bytesRead = metrics.syslogBytes.of({ listen });
  const logged = new Set<string>();
  const logOnce = (kind: string, text: string) => {
    if (logged.has(kind)) return;
    logged.add(kind);
    log.warn(`syslog: ${shownText(listen)}: ${text}; further ones are counted`);
  };
  gatherer.start((body, from, to) => deliver(origin, body, from, to), settings.max_waiting_bytes);
  const sink: Sink = {
    get isFull() {
      return gatherer.isFull;
    },
    take: (bytes, from, to, sender) => {
      const message = scanner.scan(bytes, from, to);
      messages.value++;
      bytesRead.value += to - from;
      if (message.priority < 0) {
        metrics.syslogUnparsed.inc({ listen });
        logOnce("unparsed", `a message of ${sender || "this machine"} has no priority, it is kept as its text`);
      }
      writeMessage(gatherer.body, measurement, bytes, message, sender);
      gatherer.added();
    },
    lost: (loss, count) => {
      if (loss === "cut") {
        metrics.syslogCut.inc({ listen }, count);
        logOnce(loss, `a message of more than ${settings.max_message_bytes} bytes (max_message_bytes) is cut`);
        return;
      }
      const reason = loss === "dropped-full" ? "full" : "system";
      metrics.syslogDropped.inc({ listen, reason }, count);
      logOnce(
        loss,
        reason === "full"
          ? "messages are dropped, because the queue takes nothing (max_waiting_bytes)"
          : "the system dropped messages that this agent did not read in time",
      );
    },
    closed: (reason, sender, detail) => {
      metrics.syslogClosed.inc({ listen, reason });
      logOnce(`closed ${reason}`, `a connection of ${sender || "this machine"} is closed: ${shownText(detail)}`);
    },
  };
  socket.use(sink, settings);
}
