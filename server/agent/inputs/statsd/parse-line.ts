// Parses a line of statsd, such as `name:value|type|@rate`. Accepts two dialects, DogStatsD and Telegraf. DogStatsD
// writes tags as `|#k:v,k2` and several values as `name:1:2|d`. Telegraf writes tags as `name,k=v:1|c` and several
// metrics as `name:1|c:2|c`.

export type Kind = "counter" | "gauge" | "set" | "timing" | "histogram" | "distribution";

const kinds: Readonly<Record<string, Kind>> = Object.assign(Object.create(null), {
  c: "counter",
  g: "gauge",
  s: "set",
  ms: "timing",
  h: "histogram",
  d: "distribution",
});

/**
 * Smallest sample rate that is accepted. Each value counts 1 / rate times, so a smaller rate would lead to
 * counts beyond the range in which whole numbers are exact.
 */
const smallestRate = 1e-9;

export interface Sample {
  readonly kind: Kind;
  /** The value of the sample as a number; 0 for a set, whose values are texts. */
  readonly value: number;
  /** The value of the sample as text, as the sender wrote it. */
  readonly text: string;
  /** Sample rate: the fraction of its events that the program reports; 1 when it reports all of them. */
  readonly rate: number;
  /**
   * Whether the value of the sample, such as `+5` or `-5`, is added to the present value of a gauge. If not, it
   * replaces the present value.
   */
  readonly isDelta: boolean;
}

export interface ParsedLine {
  readonly name: string;
  /** The tags of the sample by key. Tags with an empty value are left out. */
  readonly tags: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
}

/**
 * The reason why no samples are read from a line of statsd. Events and service checks of DogStatsD are not
 * supported.
 */
export type NotTaken = "event" | "service_check" | "malformed";

/** Parses a line without its line feed. Each character of the line may stand for one byte (latin1). */
export function parseLine(line: string): ParsedLine | NotTaken {
  if (line.startsWith("_e{")) return "event";
  if (line.startsWith("_sc|")) return "service_check";
  const colon = line.indexOf(":");
  if (colon <= 0) return "malformed";
  const tags = new Map<string, string>();
  const name = readName(line.slice(0, colon), tags);
  if (name === "") return "malformed";
  const samples: Sample[] = [];
  for (let at = colon + 1; at <= line.length; ) {
    const end = readSamples(line, at, samples, tags);
    if (end < 0) return "malformed";
    at = end + 1;
  }
  return samples.length === 0 ? "malformed" : { name, tags, samples };
}

/** Returns the name of the metric. In Telegraf's dialect tags follow the name; these are added to `tags`. */
function readName(text: string, tags: Map<string, string>): string {
  if (!text.includes(",")) return text;
  const [name, ...pairs] = text.split(",");
  for (const pair of pairs) addTag(tags, pair, "=");
  return name!;
}

/**
 * Reads the values from `at` on, with their type, sample rate and tags. Returns the offset of the end of the line, or
 * of the colon before further values; -1 when the text is malformed.
 */
function readSamples(line: string, at: number, samples: Sample[], tags: Map<string, string>): number {
  const bar = line.indexOf("|", at);
  if (bar < 0) return -1;
  let end = endOfWord(line, bar + 1);
  const kind = kinds[line.slice(bar + 1, end)];
  if (kind === undefined) return -1;
  let rate = 1;
  while (line[end] === "|") {
    const start = end + 1;
    if (line[start] === "@") {
      end = endOfWord(line, start);
      rate = numberOf(line.slice(start + 1, end));
      if (!(rate >= smallestRate && rate <= 1)) return -1;
      continue;
    }
    // Later versions of DogStatsD send the container (`c:`) and a time (`T`) in parts that do not begin with `#`. Such
    // parts are skipped.
    end = endOfPart(line, start);
    if (line[start] === "#") for (const tag of line.slice(start + 1, end).split(",")) addTag(tags, tag, ":");
  }
  const text = line.slice(at, bar);
  if (kind === "set") samples.push({ kind, value: 0, text, rate, isDelta: false });
  else {
    for (const each of text.split(":")) {
      const value = numberOf(each);
      if (Number.isNaN(value)) return -1;
      samples.push({ kind, value, text: each, rate, isDelta: kind === "gauge" && /^[+-]/.test(each) });
    }
  }
  return text === "" ? -1 : end;
}

/** Adds a tag, unless a tag with the same key exists. A tag without a value gets the value `true`, as in Telegraf. */
function addTag(tags: Map<string, string>, text: string, separator: string): void {
  const at = text.indexOf(separator);
  const key = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? "true" : text.slice(at + 1);
  if (key !== "" && value !== "" && !tags.has(key)) tags.set(key, value);
}

const endOfPart = (line: string, from: number) => {
  const at = line.indexOf("|", from);
  return at < 0 ? line.length : at;
};

/** Returns the offset at which a type or a sample rate ends: at a bar, at a colon, or at the end of the line. */
function endOfWord(line: string, from: number): number {
  let at = from;
  while (at < line.length && line[at] !== "|" && line[at] !== ":") at++;
  return at;
}

/** Returns the decimal number in a text; NaN when the text is no decimal number or the number is not finite. */
function numberOf(text: string): number {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
