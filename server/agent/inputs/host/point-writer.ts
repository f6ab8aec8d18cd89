// Writes points as line protocol. A bigint becomes an integer, a number becomes a float.

import { keyBytes, LineBody } from "../delivery/line-body.ts";

/** The fields of a point by key. Values that are undefined or not finite are not written. */
export type FieldValues = Readonly<Record<string, bigint | number | string | boolean | undefined>>;

export interface PointWriter {
  /** Adds a point. Tags with an empty value are not written. A point without fields is not added. */
  add(measurement: string, tags: Readonly<Record<string, string>>, fields: FieldValues): void;
  readonly points: number;
  body(): Uint8Array;
}

export function createPointWriter(time: bigint): PointWriter {
  const lines = new LineBody();
  return {
    add: (measurement, tags, values) => {
      const fields = Object.entries(values).filter(
        ([, value]) => value !== undefined && !(typeof value === "number" && !Number.isFinite(value)),
      );
      if (fields.length === 0) return;
      lines.startLine();
      lines.put(keyBytes(measurement));
      for (const [key, value] of Object.entries(tags)) {
        if (value === "") continue;
        lines.putAscii(",");
        lines.put(keyBytes(key));
        lines.putAscii("=");
        // Replaces control characters, because the name of a process may contain them.
        lines.put(keyBytes(value.replace(/\p{Cc}/gu, "_")));
      }
      let before = " ";
      for (const [key, value] of fields) {
        lines.putAscii(before);
        before = ",";
        lines.put(keyBytes(key));
        lines.putAscii("=");
        if (typeof value === "string") {
          lines.putAscii('"');
          lines.putEscaped(Buffer.from(value));
          lines.putAscii('"');
        } else lines.putAscii(typeof value === "bigint" ? `${value}i` : `${value}`);
      }
      lines.putAscii(` ${time}`);
      lines.endLine();
    },
    get points() {
      return lines.events;
    },
    body: () => lines.body(),
  };
}
