// Ids of time series. The tests follow the rules of docs/reference/points.md#equality.

import { expect, it } from "vitest";
import { decodePoints } from "../../../lib/point/codec/decode.ts";
import { Point } from "../../../lib/point/point.ts";
import { seriesId } from "../../../lib/point/series-id.ts";
import { Key } from "../../../lib/point/view.ts";
import { loadModule } from "../wasm/load.ts";

const module = await loadModule();

function cpu(): Point {
  const point = new Point("cpu", 1n);
  point.setTag(new Key("b"), "2");
  point.setField(new Key("f"), 1);
  point.setTag(new Key("a"), "1");
  return point;
}

it("a series id is a digest of name, tags and field", () => {
  expect(seriesId(cpu())).toBe("0fcf029ee0c9bb951a7c675f8efdfc2d");
  expect(seriesId(cpu(), { field: "f" })).toBe("0eec489810fa5ff76310f2c86fa0c512");
  // The output of `sha256sum` for the string cpua1b2.
  expect(seriesId(cpu(), { digest: "sha256" })).toBe(
    "55a1d53ae8f716ff17d37f580f16feefba64bd6d04d633496729145c5b9f252c",
  );
});

it("a series id does not depend on field values, time, order of tags or where the point is stored", () => {
  const body = new TextEncoder().encode("cpu,a=1,b=2 g=5 77");
  const batch = decodePoints(module, body, "lp", { category: "metric", now: 1n });
  expect(seriesId(batch.at(0))).toBe(seriesId(cpu()));
  batch.at(0).setTag(new Key("a"), "3");
  expect(seriesId(batch.at(0))).not.toBe(seriesId(cpu()));
  batch.release();
});

it("series ids differ for tags with different invalid UTF-8 bytes", () => {
  const idOf = (byte: number): string => {
    const body = new Uint8Array([...new TextEncoder().encode("m,t="), byte, ...new TextEncoder().encode(" f=1")]);
    const batch = decodePoints(module, body, "lp", { category: "metric", now: 1n });
    const id = seriesId(batch.at(0));
    batch.release();
    return id;
  };
  expect(idOf(0xff)).not.toBe(idOf(0xfe));
});
