// The country database of the page's worker: when it is fetched, which message appears when it cannot be fetched, and
// how its content is parsed.

import { describe, expect, it } from "vitest";
import {
  CountryDatabase,
  type DatabaseSource,
  loadCountries,
} from "../../../playground/src/worker/country-database.ts";
import { FileBytes } from "../../../playground/src/worker/file-bytes.ts";

/**
 * Makes a country database whose file contains only one country name; every lookup returns this name. When the
 * page fetches the file for the n-th time, it gets the n-th of `answers`.
 */
function databaseOf(...answers: readonly (() => Response | Promise<Response>)[]) {
  const asked: string[] = [];
  const source: DatabaseSource = {
    url: "/assets/countries.mmdb",
    fetch: async (url) => {
      asked.push(url);
      return await answers[asked.length - 1]!();
    },
    read: (bytes) => {
      if (bytes.length === 0) throw new Error("it is empty");
      const country = new TextDecoder().decode(bytes);
      return () => ({ country });
    },
  };
  return { database: new CountryDatabase(source), asked };
}

const running = () => false;

describe("loading the country database", () => {
  it("fetches the file once for several requests", async () => {
    const { database, asked } = databaseOf(() => new Response("AU"));
    expect(database.lookup).toBeNull();
    expect(asked).toEqual([]);
    const reasons = await Promise.all([loadCountries(database, running, () => {}), database.load()]);
    expect(reasons).toEqual(["", ""]);
    expect(await database.load()).toBe("");
    expect(asked).toEqual(["/assets/countries.mmdb"]);
    expect(database.lookup?.("1.1.1.1")).toEqual({ country: "AU" });
  });

  it.each([
    ["HTTP status 404", () => new Response("no", { status: 404 })],
    ["no network", () => Promise.reject(new Error("no network"))],
    ["it is empty", () => new Response("")],
  ])("returns the reason when it fails: %s, and fetches again at the next request", async (reason, answer) => {
    const { database, asked } = databaseOf(answer, () => new Response("JP"));
    expect(await loadCountries(database, running, () => {})).toBe(reason);
    expect(database.lookup).toBeNull();
    expect(await loadCountries(database, running, () => {})).toBe("");
    expect(database.lookup?.("1.1.1.1")).toEqual({ country: "JP" });
    expect(asked).toHaveLength(2);
  });

  it("reports its progress, and continues when the run that waits for it is stopped", async () => {
    let more: (text: string) => void = () => {};
    let end: () => void = () => {};
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        more = (text) => controller.enqueue(new TextEncoder().encode(text));
        end = () => controller.close();
      },
    });
    const { database, asked } = databaseOf(() => new Response(body));
    more("A");
    const told: number[] = [];
    expect(
      await loadCountries(
        database,
        () => told.at(-1) === 1,
        (bytes) => told.push(bytes),
      ),
    ).toBe("");
    expect([told.at(-1), database.lookup]).toEqual([1, null]);
    more("U");
    end();
    expect(await database.load()).toBe("");
    expect(database.lookup?.("1.1.1.1")).toEqual({ country: "AU" });
    expect(asked).toHaveLength(1);
  });
});

describe("the bytes of the file", () => {
  it("are read as Node's Buffer reads them", () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, at) => (at * 89 + 17) & 255);
    bytes.set(new TextEncoder().encode("Ünïted"), 20);
    const mine = new FileBytes(bytes.buffer, 3, 50);
    const nodes = Buffer.from(bytes.buffer, 3, 50);
    for (let at = 0; at < 40; at++) {
      expect(mine.readUInt8(at)).toBe(nodes.readUInt8(at));
      expect(mine.readUInt16BE(at)).toBe(nodes.readUInt16BE(at));
      expect(mine.readUInt32BE(at)).toBe(nodes.readUInt32BE(at));
      expect(mine.readInt32BE(at)).toBe(nodes.readInt32BE(at));
      expect(mine.readFloatBE(at)).toBe(nodes.readFloatBE(at));
      expect(mine.readDoubleBE(at)).toBe(nodes.readDoubleBE(at));
      for (let length = 1; length <= 6; length++)
        expect(mine.readUIntBE(at, length)).toBe(nodes.readUIntBE(at, length));
    }
    expect(mine.toString("utf8", 17, 25)).toBe("Ünïted");
    expect((mine.subarray(5, 9) as FileBytes).readUInt32BE(0)).toBe(nodes.readUInt32BE(5));
    expect([...FileBytes.from("ABcd00")]).toEqual([0xab, 0xcd, 0]);
    expect([mine, nodes, "x"].map((value) => FileBytes.isBuffer(value))).toEqual([true, false, false]);
  });
});
