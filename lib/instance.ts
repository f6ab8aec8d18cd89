// The methods of an instance of Millrace.

import type { DecodedPoints } from "./easy/decoded-points.ts";
import type { EncodeInput, PlainEncodeOptions } from "./easy/encode-plain.ts";
import type { LineStream, LinesOptions } from "./easy/lines.ts";
import type { ObjectScript, ScriptOptions } from "./easy/object-script.ts";
import type { CompileScriptsOptions, DecodeOptions, RunScriptOptions, WindowOptions } from "./easy/options.ts";
import type { Grok, GrokOptions } from "./grok/grok.ts";
import type { CompiledSet } from "./pipeline/compile/scripts.ts";
import type { Diagnostic } from "./pipeline/editor/diagnose.ts";
import type { Script, ScriptResult } from "./pipeline/runtime/script.ts";
import type { PointBatch } from "./point/batch/batch.ts";
import type { Batcher, BatchOptions, EncodedBatches } from "./point/codec/batches.ts";
import type { PointWindows } from "./point/codec/body.ts";
import type { ColumnChunk, ColumnOptions, ColumnUse } from "./point/codec/columns.ts";
import type { Encodable, EncodeOptions, Form, Sink } from "./point/codec/encode.ts";
import type { PointView } from "./point/view.ts";
import type { Regex } from "./regex/regex.ts";
import type { Body } from "./text/argument.ts";

/** An instance of Millrace with its own WebAssembly memory, clock and settings. */
export interface Millrace {
  /**
   * Decodes a body, and corrects its points by the rules of their category, such as metric or logging. Throws a
   * PointError for a wrong body, or a MemoryError when the points do not fit in memory. The caller must release the
   * batch after use.
   *
   * @example
   * using points = mill.decodePoints("cpu,host=a load=0.5");
   * points.length; // 1
   */
  decodePoints(body: Body, options?: DecodeOptions): PointBatch;
  /**
   * Decodes the points one window (a batch of consecutive points) at a time, for large or dense bodies, so that
   * the memory in use stays near the size of the body. Each window is valid until the next one is requested,
   * because that request releases it. When decoding the body as a whole would fail, the request after the last
   * window throws the same PointError.
   *
   * @example
   * for (const window of mill.decodeInWindows("cpu load=0.5\ncpu load=1", { entries: 1 })) window.length; // 1, 1
   */
  decodeInWindows(body: Body, options?: WindowOptions): PointWindows;
  /**
   * Encodes points in a wire format. Line protocol leaves out points that it cannot express (no field, a series over
   * 65,535 bytes). JSON replaces bytes that are not UTF-8 by U+FFFD; the other formats keep such bytes. A batch is read
   * directly from WebAssembly memory: no JavaScript object is made for a point or a field. The default format is line
   * protocol.
   *
   * @example
   * using points = mill.decodePoints("cpu load=0.5 1700000000");
   * mill.encodePoints(points, "json"); // [{"measurement":"cpu",...}] as bytes
   */
  encodePoints(points: Encodable, form?: Form, options?: EncodeOptions): Uint8Array<ArrayBuffer>;
  /**
   * Encodes points as `encodePoints` does, but passes the output to `sink` in chunks of about 128 KB. Returns the
   * number of points written. An error that `sink` throws ends the encoding. `encodeTo(decodeInWindows(body, ...),
   * form, sink)` converts a body from one wire format to another in bounded memory.
   *
   * @example
   * mill.encodeTo(mill.decodeInWindows("cpu load=0.5"), "pb", (chunk) => console.log(chunk.length));
   */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /**
   * Encodes points as a sequence of batches (output bodies), each limited by a number of points, a number of bytes or
   * the size of a buffer. Each batch is made when it is requested. By default, a point larger than the buffer throws a
   * RangeError. With the option `largeAlone`, such a point becomes a batch of its own; with `ignoreLarge`, it is left
   * out and counted.
   *
   * @example
   * for (const { bytes, points } of mill.encodeBatches(batch, "pb", { maxPoints: 500 })) await send(bytes);
   */
  encodeBatches(points: Encodable, form?: Form, options?: BatchOptions): EncodedBatches;
  /**
   * Returns an object that encodes batches (output bodies) from points that arrive in parts, such as the windows of a
   * body. The sizes of the parts do not affect where one batch ends and the next begins.
   *
   * @example
   * const batcher = mill.batcher("lp", { maxPoints: 2 });
   * batcher.add(points); // the batches that are full
   * batcher.end(); // the last batch
   */
  batcher(form?: Form, options?: BatchOptions): Batcher;
  /**
   * Returns the keys of the points, each with its value types and the names of the points that have the key. These keys
   * are the columns of `columnChunks`.
   *
   * @example
   * mill.columnsUsed(points).map(({ key }) => key); // ["host", "load"]
   */
  columnsUsed(points: Encodable): readonly ColumnUse[];
  /**
   * Returns the points as columns for a columnar store, in chunks of some rows each.
   *
   * @example
   * for (const chunk of mill.columnChunks(points, { rows: 1024, arrayText: String })) store(chunk);
   */
  columnChunks(points: Encodable, options: ColumnOptions): Iterable<ColumnChunk>;
  /**
   * Checks and compiles scripts of one category. `scripts` holds the source text of each script by name. Errors are
   * returned in `errors`, not thrown.
   *
   * @example
   * const { scripts, errors } = mill.compile({ "a.p": "drop()", "b.p": "drop(" });
   * scripts.has("a.p"); // true
   * errors.has("b.p"); // true
   */
  compile(scripts: Readonly<Record<string, string>>, options?: CompileScriptsOptions): CompiledSet;
  /**
   * Returns all errors of scripts of one category, each with its range in the source text. The parameters are the same
   * as for `compile`.
   *
   * @example
   * mill.diagnose({ "b.p": "drop(" }).length; // 1
   */
  diagnose(
    scripts: Readonly<Record<string, string>>,
    options?: Pick<CompileScriptsOptions, "runsIn" | "patterns">,
  ): readonly Diagnostic[];
  /**
   * Runs a script over a point and changes the point in place. Throws when the script may wait for HTTP answers,
   * that is, when the script's property `waits` is true.
   *
   * @example
   * mill.run(scripts.get("a.p")!, points.at(0), { category: "logging" }).dropped; // true
   */
  run(script: Script, point: PointView, options?: RunScriptOptions): ScriptResult;
  /**
   * Runs a script over every point of a batch, one after the other, and calls `take` with each result. Throws when
   * the script may wait for HTTP answers, that is, when the script's property `waits` is true.
   *
   * @example
   * mill.runAll(script, points, { category: "logging" }, ({ dropped }, index) => console.log(index, dropped));
   */
  runAll(
    script: Script,
    points: PointBatch,
    options: RunScriptOptions | undefined,
    take: (result: ScriptResult, index: number) => void,
  ): void;
  /**
   * Runs any script, also one that waits for HTTP answers. The point must not belong to a batch, and no other code may
   * use the point until the promise resolves.
   *
   * @example
   * await mill.runWaiting(script, points.point(0), { category: "logging" });
   */
  runWaiting(script: Script, point: PointView, options?: RunScriptOptions): Promise<ScriptResult>;
  /**
   * Makes a regular expression that runs in this instance. The caller must free it after use. Throws RegexSyntaxError.
   *
   * @example
   * mill.regex("(\\d+) ms").find("took 12 ms")?.groups; // [[5, 10], [5, 7]]
   */
  regex(source: string, flags?: string): Regex;
  /**
   * Makes a grok expression that runs in this instance. The caller must free it after use. Throws GrokError or
   * RegexSyntaxError.
   *
   * @example
   * mill.grok("%{IP:client} %{MINE:rest}", { patterns: { MINE: ".*" } }).match("10.0.0.7 x"); // { client, rest }
   */
  grok(expression: string, options?: Pick<GrokOptions, "patterns">): Grok;
  /**
   * Decodes a body into points with plain values. Takes the body and options of `decodePoints`, and throws the same
   * errors. Release the points after use.
   *
   * @example
   * using points = mill.decode("cpu,host=a load=0.5,n=9007199254740993i 1700000000");
   * points.at(0).toObject().fields; // { load: 0.5, n: 9007199254740993n }
   */
  decode(body: Body, options?: DecodeOptions): DecodedPoints;
  /**
   * Encodes points, such as plain objects. When a point cannot be written, throws a TypeError that names the point and
   * the wrong part of the point. With `{ as: "text" }` the result is a string. The default format is line protocol.
   *
   * @example
   * mill.encode([{ name: "cpu", fields: { load: 0.5, n: 3n }, time: 1700000000000 }], "lp", { as: "text" });
   * // "cpu load=0.5,n=3i 1700000000000000000"
   */
  encode(points: EncodeInput, form: Form | undefined, options: PlainEncodeOptions & { readonly as: "text" }): string;
  encode(
    points: EncodeInput,
    form?: Form,
    options?: PlainEncodeOptions & { readonly as?: "bytes" },
  ): Uint8Array<ArrayBuffer>;
  encode(points: EncodeInput, form?: Form, options?: PlainEncodeOptions): Uint8Array<ArrayBuffer> | string;
  /**
   * Compiles a script that takes and returns plain objects. Throws ScriptError, with positions, when the script has an
   * error.
   *
   * @example
   * const web = mill.script('grok(_, "%{IP:client} %{WORD:method} %{NUMBER:ms:float}")');
   * web.run({ message: "10.0.0.7 GET 12.5" }).fields.ms; // 12.5
   */
  script(text: string, options?: ScriptOptions): ObjectScript;
  /**
   * Returns a pair of web streams that runs a script over each line of a text. Blank lines and points that the
   * script drops are left out. While the reader is slow, the stream takes no more text from its source.
   *
   * @example
   * await response.body.pipeThrough(mill.lines(web)).pipeTo(sink);
   */
  lines(script: ObjectScript, options: LinesOptions & { readonly as: "lp" }): LineStream<Uint8Array<ArrayBuffer>>;
  lines(script: ObjectScript, options?: LinesOptions & { readonly as?: "object" }): LineStream;
  /**
   * Returns two sizes of the WebAssembly memory in bytes: the memory that batches use, and the whole memory.
   *
   * @example
   * mill.memory(); // { used: 0, size: 1048576 } before the first batch
   */
  memory(): { readonly used: number; readonly size: number };
}
