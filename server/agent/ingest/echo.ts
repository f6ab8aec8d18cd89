// Encodes the echo of a write: the corrected points, returned in the answer to the client. The points come in windows
// (batches of bounded size).

import type { WrittenBytes } from "../../http/body/written-bytes.ts";
import type { Engine, Points } from "../engine.ts";
import type { EchoForm } from "./write-request.ts";

export interface Echo {
  add(points: Points): void;
  end(): Uint8Array;
}

const newline = Buffer.from("\n");
const comma = Buffer.from(",");
const brackets = [Buffer.from("["), Buffer.from("]")] as const;

export function createEcho(engine: Engine, form: EchoForm, written: WrittenBytes): Echo {
  const parts: Uint8Array[] = [];
  return {
    add: (points) => {
      const text = engine.encode(points, form);
      written.add(text.length);
      // `add` is called once for each window, that is, for each batch of bounded size into which the points of a
      // write are split. When line protocol cannot express any point of the window, `text` is empty. It is then
      // left out of the echo (the points in the answer to the client), where it would add an empty line.
      if (text.length > 0) parts.push(text);
    },
    end: () => {
      if (parts.length <= 1) return parts[0] ?? new Uint8Array(0);
      if (form === "lp") return joined(parts, newline);
      const [first, last] = brackets;
      const lists = parts.map((list) => list.subarray(1, list.length - 1));
      return Buffer.concat([first, joined(lists, comma), last]);
    },
  };
}

function joined(parts: readonly Uint8Array[], separator: Uint8Array): Buffer {
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part])));
}
