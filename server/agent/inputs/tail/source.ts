// A source is an entry [[inputs.tail]] of the configuration. This file compiles the file patterns and the
// regular expression of a source.

import { Regex } from "../../../../lib/regex/index.ts";
import { anyPattern, type FilePattern, parseFilePattern } from "../../../config/file-pattern.ts";
import { durationMs } from "../../../config/go-duration.ts";
import type { TailSettings } from "../../../config/settings/inputs-tail.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import { type RecordFormat, type Stream, streamNames } from "./container/parse-record.ts";
import { type Encoding, encodingOf } from "./encoding.ts";
import { bodyHead } from "./event-body.ts";

export interface Source {
  readonly settings: TailSettings;
  readonly patterns: readonly FilePattern[];
  readonly isExcluded: (path: string) => boolean;
  readonly encoding: Encoding;
  /** The line protocol before the message, with which each line in the body of a write begins. */
  readonly head: Uint8Array<ArrayBuffer>;
  /** Returns whether a line begins an event; undefined when each line is an event. */
  readonly beginsEvent: ((line: Uint8Array) => boolean) | undefined;
  readonly multilineMs: number;
  readonly tags: readonly ExtraTag[];
  /** The format of the container logs of the source; undefined when its files are plain text. */
  readonly records: Records | undefined;
}

export interface Records {
  readonly format: RecordFormat;
  /**
   * For each output stream of a container (stdout or stderr): the line protocol with which each of its lines
   * begins, up to the message.
   */
  readonly heads: Readonly<Record<Stream, Uint8Array<ArrayBuffer>>>;
}

export function sourceOf(settings: TailSettings): Source {
  const regex = settings.multiline_start === "" ? undefined : Regex.compile(settings.multiline_start);
  return {
    settings,
    patterns: settings.files.map(parseFilePattern),
    isExcluded: anyPattern(settings.exclude),
    encoding: encodingOf(settings.encoding),
    head: bodyHead(settings.source),
    beginsEvent: regex === undefined ? undefined : (line) => regex.test(line),
    multilineMs: durationMs(settings.multiline_timeout, 5000),
    tags: Object.entries(settings.tags),
    records: recordsOf(settings),
  };
}

function recordsOf({ format, source }: TailSettings): Records | undefined {
  if (format === "text") return undefined;
  const [none, stdout, stderr] = streamNames.map((name) => bodyHead(source, name === "" ? "" : `,stream=${name}`));
  return { format: format as RecordFormat, heads: { 0: none!, 1: stdout!, 2: stderr! } };
}
