// A method keeps the checked options of its last call. These tests pass options that change between calls or while they
// are read, that are no plain objects, that are large, or whose getters call the method again. The result of a call
// must depend only on the options of this call.

import { describe, expect, it } from "vitest";
import { createMillrace, type DecodeOptions, type Millrace } from "../../../lib/index.ts";
import { defaultLimits } from "../../../lib/point/index.ts";

const clockNs = 1_000_000_007n;
const mill = await createMillrace({ clock: () => clockNs });

const lp = "m v=1 3";
const json = '[{"measurement":"j","fields":{"v":1.5},"time":3}]';

/** Returns the name and time of the only point of a body. */
function decoded(body: string, options?: DecodeOptions, from: Millrace = mill): string {
  using points = from.decodePoints(body, options);
  const point = points.at(0)!;
  return `${point.name} ${point.time}`;
}

const inNanoseconds = { form: "lp", precision: "n" } as const;

describe("options that change", () => {
  it("are read again when the same object has changed", () => {
    const options: { form: "lp" | "json"; precision: string } = { form: "lp", precision: "n" };
    expect(decoded(lp, options)).toBe("m 3");
    options.form = "json";
    expect(decoded(json, options)).toBe("j 3");
    options.precision = "s";
    expect(decoded(json, options)).toBe("j 3000000000");
  });

  it("are read again when the same Date has changed", () => {
    const now = new Date(5);
    const options = { ...inNanoseconds, now };
    expect(decoded("m v=1", { ...inNanoseconds, now: 7n })).toBe("m 7");
    expect(decoded("m v=1", options)).toBe("m 5000000");
    now.setTime(6);
    expect(decoded("m v=1", options)).toBe("m 6000000");
    expect(decoded("m v=1", { ...inNanoseconds, now: 7n })).toBe("m 7");
    expect(decoded("m v=1", inNanoseconds)).toBe(`m ${clockNs}`);
  });

  it("use the limits at the time of the call, not a later change of the same object", () => {
    const limits = { ...defaultLimits, maxTags: 1 };
    const tags = () => {
      using points = mill.decode("m,a=1,b=2,c=3 v=1 3", { limits });
      limits.maxTags = 3;
      return Object.keys(points.at(0)!.toObject().tags).length;
    };
    expect(tags()).toBe(1);
    expect(tags()).toBe(3);
  });

  it("use the default for a limit that is undefined", () => {
    const fields = Array.from({ length: defaultLimits.maxFields + 9 }, (_, at) => `f${at}=1`).join(",");
    const options = { limits: { maxFields: undefined, maxTags: 1 } } as DecodeOptions;
    using points = mill.decode(`m ${fields} 3`, options);
    expect(Object.keys(points.at(0)!.toObject().fields).length).toBe(defaultLimits.maxFields);
  });
});

describe("options that change while they are read", () => {
  /**
   * Returns options with a getter `form`. The getter returns the given values one after the other; after the last
   * value, it returns the last one again.
   */
  const inTurn = (...forms: ("lp" | "json")[]): DecodeOptions => ({
    precision: "n",
    get form() {
      return forms.length > 1 ? forms.shift()! : forms[0]!;
    },
  });

  it.each([
    ["lp", "json"],
    ["lp", "json", "json"],
    ["lp", "lp", "json"],
    ["json", "lp", "lp", "json"],
    ["json", "json", "lp", "json"],
  ] as ("lp" | "json")[][])("keeps nothing wrong of a getter that returns %s, %s, …", (...forms) => {
    try {
      decoded(lp, inTurn(...forms));
    } catch {
      // The getter may have returned a wire format that is not the format of the body. Then decoding fails, which is no
      // error of the test.
    }
    expect(decoded(json, { form: "json", precision: "n" })).toBe("j 3");
    expect(decoded(lp, { form: "lp", precision: "n" })).toBe("m 3");
  });

  it("do not affect the next call when a getter throws, at whichever reading", () => {
    for (let at = 1; at <= 4; at++) {
      expect(decoded(lp, { ...inNanoseconds, strict: false })).toBe("m 3");
      let readings = 0;
      const options: DecodeOptions = {
        form: "json",
        get precision() {
          if (++readings === at) throw new RangeError("no");
          return "s";
        },
      };
      try {
        decoded(json, options);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      expect(decoded(lp, { ...inNanoseconds, strict: false })).toBe("m 3");
      expect(decoded(json, { form: "json", precision: "n" })).toBe("j 3");
    }
  });

  it("are used for their own call when one of their getters calls the method with other options", () => {
    let isInside = false;
    const names = ["form", "category", "precision", "strict", "maxPoints", "now"] as const;
    for (const name of names) {
      const values = { form: "json", category: "metric", precision: "n", strict: false, maxPoints: 10, now: 5n };
      const options = Object.defineProperty({ ...values }, name, {
        enumerable: true,
        get() {
          if (!isInside) {
            isInside = true;
            expect(decoded(lp, { ...values, form: "lp", precision: "s" } as DecodeOptions)).toBe("m 3000000000");
            isInside = false;
          }
          return values[name];
        },
      }) as DecodeOptions;
      for (let time = 0; time < 3; time++) expect(decoded(json, options)).toBe("j 3");
      expect(decoded(lp, { ...values, form: "lp", precision: "s" } as DecodeOptions)).toBe("m 3000000000");
    }
  });

  it("get the time of their own call when the clock function itself decodes", async () => {
    let time = 0n;
    let inner = "";
    const own = await createMillrace({
      clock: () => {
        if (++time % 2n === 1n) inner = decoded("inner v=1", inNanoseconds, own);
        return time * 100n;
      },
    });
    for (const options of [undefined, inNanoseconds, inNanoseconds]) {
      const outer = decoded("outer v=1", options, own);
      expect([inner, outer]).toEqual([`inner ${time * 100n}`, `outer ${time * 100n}`]);
    }
  });
});

describe("options of other shapes", () => {
  const hidden = (name: string, value: unknown, visible: object = {}) =>
    Object.defineProperty({ ...visible }, name, { value, enumerable: false }) as DecodeOptions;

  it.each<[string, () => DecodeOptions]>([
    ["frozen", () => Object.freeze({ form: "json", precision: "n" } as const)],
    ["a proxy", () => new Proxy({ form: "json", precision: "n" } as const, {})],
    ["without a prototype", () => Object.assign(Object.create(null), { form: "json", precision: "n" })],
    ["inherited", () => Object.create({ form: "json", precision: "n" })],
    ["half inherited", () => Object.assign(Object.create({ form: "json" }), { precision: "n" })],
    ["half hidden", () => hidden("form", "json", { precision: "n" })],
    ["hidden beside an undefined one", () => hidden("form", "json", { strict: undefined, precision: "n" })],
    [
      "of a class",
      () =>
        new (class {
          precision = "n";
          get form() {
            return "json" as const;
          }
        })(),
    ],
    ["with a symbol", () => ({ form: "json", precision: "n", [Symbol("form")]: "lp" })],
    ["with undefined ones", () => ({ form: "json", precision: "n", strict: undefined, now: undefined })],
  ])("are used when they are %s, before and after plain options", (_name, make) => {
    for (let time = 0; time < 3; time++) {
      expect(decoded(json, make())).toBe("j 3");
      expect(decoded("m v=1 3", { precision: "n" })).toBe("m 3");
      expect(decoded("m v=1 3", {})).toBe(decoded("m v=1 3"));
      expect(decoded(json, { form: "json", precision: "n" })).toBe("j 3");
    }
  });

  it("use the clock of the called instance when two instances share an options object", async () => {
    const other = await createMillrace({ clock: () => 55n });
    const options = { precision: "n" };
    for (let time = 0; time < 3; time++) {
      expect(decoded("m v=1", options)).toBe(`m ${clockNs}`);
      expect(decoded("m v=1", options, other)).toBe("m 55");
    }
  });

  it("are refused with an unknown name, after known options and among 10,000 names", () => {
    expect(decoded(lp, { form: "lp", strict: true })).toBeDefined();
    const wrong = { form: "lp", stict: true } as DecodeOptions;
    for (let time = 0; time < 3; time++) expect(() => decoded(lp, wrong)).toThrow(/"strict"/);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`option${at}`, at]));
    for (let time = 0; time < 3; time++) expect(() => decoded(lp, many)).toThrow(/got "option0"/);
    expect(decoded(lp, { form: "lp", strict: true })).toBeDefined();
  });
});

describe("options of a run", () => {
  const script = mill.compile({ "a.p": "for x in [1, 2, 3] { add_key(last, x) }" }).scripts.get("a.p")!;
  const run = (options?: Parameters<Millrace["run"]>[2]) => {
    using points = mill.decodePoints("m v=1 3");
    let failed: boolean | undefined;
    mill.runAll(script, points, options, ({ error }) => {
      failed = error !== null;
    });
    return failed;
  };

  it("are read again for each run", () => {
    const options = { maxSteps: 2 };
    expect(run(options)).toBe(true);
    options.maxSteps = 1000;
    expect(run(options)).toBe(false);
    expect(run(Object.defineProperty({}, "maxSteps", { value: 2 }))).toBe(true);
    expect(run({})).toBe(false);
    let readings = 0;
    const changing = {
      get maxSteps() {
        return ++readings % 2 === 1 ? 2 : 1000;
      },
    };
    run(changing);
    expect(run({ maxSteps: 1000 })).toBe(false);
    expect(run({ maxSteps: 2 })).toBe(true);
  });

  it("share a step budget only between the runs that pass it", () => {
    const budget = { limit: 20, used: 0 };
    expect(run({ budget })).toBe(false);
    const { used } = budget;
    expect(used).toBeGreaterThan(0);
    expect(run({})).toBe(false);
    expect(budget.used).toBe(used);
    budget.limit = used;
    expect(run({ budget })).toBe(true);
  });
});
