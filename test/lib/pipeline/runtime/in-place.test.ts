// Checks that the regular expressions of a script search a text in WebAssembly memory without copying it, and
// that the fields which the script sets from a match are slices of the body.

import { beforeEach, describe, expect, it } from "vitest";
import { createMillrace, isBytes, Key, type Millrace, type Points } from "../../../../lib/index.ts";
import { wasmBytes } from "../../wasm/load.ts";

let mill: Millrace;
beforeEach(async () => {
  mill = await createMillrace({ wasm: await wasmBytes(), clock: () => 1700000000000000000n });
});

function decode(lines: string): Points {
  return mill.decodePoints(new TextEncoder().encode(lines), { category: "logging", form: "lp", precision: "n" });
}

/** Runs the script on the points of a body, and returns the changed points as line protocol. */
function run(script: string, lines: string): string {
  const set = mill.compile({ "a.p": script }, { category: "logging" });
  expect([...set.errors]).toEqual([]);
  const batch = decode(lines);
  for (const point of batch) expect(mill.run(set.scripts.get("a.p")!, point, { category: "logging" }).error).toBeNull();
  const text = new TextDecoder().decode(mill.encodePoints(batch, "lp"));
  batch.release();
  set.free();
  return text;
}

describe("text in a batch", () => {
  it.each([
    [
      `grok(_, "%{IPORHOST:client} %{NOTSPACE:path} %{INT:code:int} %{NUMBER:took:float}")`,
      `l message="10.0.0.7 /é/ü 0200 1.50" 1`,
      `l client="10.0.0.7",code=128i,message="10.0.0.7 /é/ü 0200 1.50",path="/é/ü",status="unknown",took=1.5 1`,
    ],
    [
      String.raw`grok(_, "(?P<a>.*?)=(?P<b>\\S+)(?P<c>x)?")`,
      String.raw`l message="  say \"hi\" =you" 1`,
      String.raw`l a="say \"hi\"",b="you",c="",message="  say \"hi\" =you",status="unknown" 1`,
    ],
    [`grok(t, "%{WORD:t} %{GREEDYDATA:u}")`, `l,t=one\\ two x=1i 1`, `l,t=one u="two",x=1i,status="unknown" 1`],
    [`add_key(m, match("b+é$", _))`, `l message="abbé" 1`, `l m=true,message="abbé",status="unknown" 1`],
    [
      `add_key(m, match("^..$", _)); add_key(n, match("^..$", get_key(none))); add_key(o, match("^$", get_key(none)))`,
      `l message="bé" 1`,
      `l m=true,message="bé",n=false,o=true,status="unknown" 1`,
    ],
    [`replace(_, "(b+)(é)?", "<$2$1>")`, `l message="abbé b" 1`, `l message="a<ébb> <b>",status="unknown" 1`],
    [`replace(_, "z", "y")`, `l message="unchanged é" 1`, `l message="unchanged é",status="unknown" 1`],
  ])("%s", (script, line, expected) => {
    expect(run(script, line).trim().split(/[, ]/).sort()).toEqual(expected.split(/[, ]/).sort());
  });

  it("matches short invalid UTF-8 in the same way as long invalid UTF-8", () => {
    const { scripts } = mill.compile({ "a.p": `add_key(m, match("^.{2,100}$", _))` }, { category: "logging" });
    const matches = (...bytes: number[]): boolean => {
      const [start, end] = [`l message="`, `" 1`].map((part) => new TextEncoder().encode(part));
      const batch = mill.decodePoints(Uint8Array.from([...start!, ...bytes, ...end!]), {
        category: "logging",
        form: "lp",
      });
      mill.run(scripts.get("a.p")!, batch.at(0), { category: "logging" });
      const found = batch.at(0).get(new Key("m"));
      batch.release();
      return found as boolean;
    };
    for (const ending of [[], new Array(20).fill(0x61)]) {
      expect(matches(0xe2, 0x82, ...ending)).toBe(true);
      expect(matches(0x61, 0xff, ...ending)).toBe(true);
    }
    expect(matches(0xff)).toBe(false);
  });

  it("is captured as slices of the body", () => {
    const { scripts } = mill.compile({ "a.p": `grok(_, "%{WORD:a} é%{DATA:b}$")` }, { category: "logging" });
    const batch = decode(`l message="one étwo" 1`);
    const point = batch.at(0);
    mill.run(scripts.get("a.p")!, point, { category: "logging" });
    const values = ["a", "b"].map((name) => point.get(new Key(name)));
    expect(values.map(isBytes)).toEqual([true, true]);
    expect(values.map(String)).toEqual(["one", "two"]);
    batch.release();
  });

  it("can be matched again after the tables of the scripts were freed", () => {
    const set = mill.compile({ "a.p": `grok(_, "%{COMMONAPACHELOG}")` }, { category: "logging" });
    const line = `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \\"GET /a.gif HTTP/1.0\\" 200 2326`;
    const verb = (): string => {
      const batch = decode(`l message="${line}" 1`);
      mill.run(set.scripts.get("a.p")!, batch.at(0), { category: "logging" });
      const value = String(batch.at(0).get(new Key("verb")));
      batch.release();
      return value;
    };
    expect(verb()).toBe("GET");
    expect(mill.memory().used).toBeGreaterThan(0);
    set.free();
    expect(mill.memory().used).toBe(0);
    expect(verb()).toBe("GET");
    set.free();
    expect(mill.memory().used).toBe(0);
  });
});
