// The blocks (tables) of the status display about inputs: how much each input has received or fetched.

import { ageText, type Block, bytesText, count, rateText, secondsText, section, type View } from "./view.ts";

/**
 * Returns a block (a table of the status display) for each kind of input. An input that is not in use has undefined in
 * place of its block. `now`: the current time in milliseconds since 1970.
 */
export function inputBlocks(view: View, now: number): readonly (Block | undefined)[] {
  return [
    inputs(view, now),
    tailedFiles(view),
    listeningInputs(view),
    syslog(view),
    statsd(view),
    targets(view),
    host(view),
  ];
}

/**
 * Returns a block (a table of the status display) with a row for each input, including inputs whose writes were all
 * refused.
 */
function inputs({ groups, sum, most }: View, now: number): Block | undefined {
  const by = ["name"];
  const fed = groups("agent_io_feed_point_sum", by);
  const names = new Set(fed.map(({ labels }) => labels.name));
  const refused = groups("agent_io_feed_error_total", by).filter(({ labels }) => !names.has(labels.name));
  return section(
    "inputs",
    "INPUTS",
    ["input", "points/s", "points", "bytes", "errors", "last write"],
    [...fed, ...refused.map(({ labels }) => ({ labels, total: 0, rate: undefined }))],
    ({ labels, total, rate }) => {
      const last = most("agent_io_last_feed_timestamp_seconds", labels);
      return [
        labels.name.replace(/^v1-write\./, ""),
        rateText(rate),
        count(total),
        bytesText(sum("agent_io_feed_bytes_total", labels)),
        count(sum("agent_io_feed_error_total", labels)),
        last === 0 ? "-" : `${ageText(now / 1000 - last)} ago`,
      ];
    },
  );
}

/**
 * Returns a block (a table of the status display) with a row for each source (entry) of the input `tail`, including
 * sources whose files have no new lines.
 */
function tailedFiles({ groups, sum }: View): Block | undefined {
  const read = groups("agent_input_tail_files", ["source"]);
  return section(
    "inputs",
    "TAILED FILES",
    ["source", "files", "unread", "unreadable", "cut", "skipped", "replaced"],
    read,
    ({ labels, total }) => [
      labels.source,
      count(total),
      bytesText(sum("agent_input_tail_unread_bytes", labels)),
      count(sum("agent_input_tail_unreadable_files", labels)),
      count(sum("agent_input_tail_cut_event_total", labels)),
      count(sum("agent_input_tail_skipped_event_total", labels)),
      count(sum("agent_input_tail_rotation_total", labels)),
    ],
  );
}

/**
 * Returns a block (a table of the status display) with a row for each input that takes data in the protocol of another
 * product (such as Loki) and that is switched on, even if no request has come.
 */
function listeningInputs({ groups, sum }: View): Block | undefined {
  const paths = groups("agent_input_push_info", ["input", "path"]);
  return section(
    "inputs",
    "LISTENING INPUTS",
    ["input", "points", "refused", "left out", "path"],
    groups("agent_input_push_info", ["input"]),
    ({ labels: { input } }) => [
      input!,
      count(sum("agent_io_feed_point_sum", { name: input! })),
      count(sum("agent_input_push_refused_total", { input: input! })),
      count(sum("agent_input_push_rejected_item_total", { input: input! })),
      paths
        .filter(({ labels }) => labels.input === input)
        .map(({ labels }) => labels.path)
        .join(" "),
    ],
  );
}

/**
 * Returns a block (a table of the status display) with a row for each address of the input syslog, even if no message
 * has arrived there.
 */
function syslog({ groups, sum }: View): Block | undefined {
  const received = groups("agent_input_syslog_message_total", ["listen"]);
  return section(
    "inputs",
    "SYSLOG",
    ["address", "messages/s", "messages", "connections", "dropped", "cut", "unparsed", "closed"],
    received,
    ({ labels, total, rate }) => [
      labels.listen,
      rateText(rate),
      count(total),
      count(sum("agent_input_syslog_connections", labels)),
      count(sum("agent_input_syslog_dropped_message_total", labels)),
      count(sum("agent_input_syslog_cut_message_total", labels)),
      count(sum("agent_input_syslog_unparsed_message_total", labels)),
      count(sum("agent_input_syslog_closed_connection_total", labels)),
    ],
  );
}

/**
 * Returns a block (a table of the status display) with a row for each address of the input statsd, even if nothing has
 * arrived there.
 */
function statsd({ groups, sum }: View): Block | undefined {
  const received = groups("agent_input_statsd_line_total", ["listen"]);
  const block = section(
    "inputs",
    "STATSD",
    ["address", "lines/s", "lines", "connections", "dropped", "closed"],
    received,
    ({ labels, total, rate }) => [
      labels.listen,
      rateText(rate),
      count(total),
      count(sum("agent_input_statsd_connections", labels)),
      count(sum("agent_input_statsd_dropped_total", labels)),
      count(sum("agent_input_statsd_closed_connection_total", labels)),
    ],
  );
  if (block === undefined) return undefined;
  const ignored = sum("agent_input_statsd_ignored_line_total");
  return {
    ...block,
    lines: [`series ${count(sum("agent_input_statsd_series"))}, events and service checks ignored ${count(ignored)}`],
  };
}

/** Returns a block (a table of the status display) with a row for each Prometheus target. */
function targets({ groups, sum }: View): Block | undefined {
  return section(
    "inputs",
    "PROMETHEUS TARGETS",
    ["target", "up", "took", "scrapes", "failed", "not stored", "left out"],
    groups("agent_input_prometheus_up", ["url"]),
    ({ labels: { url = "" }, total }) => {
      const scrapes = (status: string) => count(sum("agent_input_prometheus_scrape_total", { url, status }));
      return [
        url,
        count(total),
        secondsText(sum("agent_input_prometheus_scrape_duration_seconds", { url })),
        scrapes("ok"),
        scrapes("failed"),
        scrapes("not_stored"),
        count(sum("agent_input_prometheus_left_out_sample_total", { url })),
      ];
    },
  );
}

/**
 * Returns a block (a table of the status display) with a row for each part of the machine (such as processors or disks)
 * that the input host reads.
 */
function host({ groups, sum }: View): Block | undefined {
  return section(
    "inputs",
    "HOST",
    ["part", "took", "failed"],
    groups("agent_input_host_read_duration_seconds", ["part"]),
    ({ labels: { part = "" }, total }) => [
      part,
      secondsText(total),
      count(sum("agent_input_host_failed_total", { part })),
    ],
  );
}
