// State of the playground: projects, share links, changes that a script made to a point, and formatting of values.

import { describe, expect, it } from "vitest";
import { addressText, readAddress } from "../../../playground/src/state/address.ts";
import { changesOf } from "../../../playground/src/state/point-changes.ts";
import { emptyProject, type Project, parseMoment, parseProject } from "../../../playground/src/state/project.ts";
import { isSameInput } from "../../../playground/src/state/run-input.ts";
import { readFragment, shareFragment } from "../../../playground/src/state/share.ts";
import {
  durationText,
  perPointText,
  prettyJson,
  shortCount,
  sizeText,
  timeText,
} from "../../../playground/src/state/text.ts";
import type { EntryText, PointText } from "../../../playground/src/worker/protocol.ts";

describe("share links", () => {
  const project: Project = {
    ...emptyProject,
    title: "é 你好 😀",
    scripts: [
      { name: "a.p", text: 'add_key(a, "\\u0041")\n' },
      { name: "b.p", text: "" },
    ],
    category: "custom_object",
    form: "json",
    input: '[{"a": 1}]\n'.repeat(2000),
    timeZone: "Asia/Shanghai",
    now: "2025-11-21T10:00:00Z",
    maxSteps: 0,
    view: "pbjson",
  };

  it("hold the whole project, in characters that need no escape", () => {
    const fragment = shareFragment(project)!;
    expect(fragment).toMatch(/^p1\.[A-Za-z0-9_-]+$/);
    expect(fragment.length).toBeLessThan(1500);
    expect(readFragment(`#${fragment}`)).toEqual(project);
  });

  it("are not found in other fragments, and cause an error when they are damaged", () => {
    expect(readFragment("")).toBeNull();
    expect(readFragment("#section")).toBeNull();
    const fragment = shareFragment(project)!;
    expect(() => readFragment(fragment.slice(0, 60))).toThrow("damaged");
    expect(() => readFragment("#p1.%%%")).toThrow("damaged");
  });

  it("of a newer form cause an error that names the form", () => {
    expect(() => readFragment("#p2.abc")).toThrow("The link has the form p2, which this page does not know. A newer");
    expect(() => readFragment("#/convert/p13.abc")).toThrow("p13");
  });

  it("are refused when the input is too large", () => {
    expect(shareFragment({ ...project, input: "x".repeat(3_000_000) })).toBeNull();
    expect(shareFragment({ ...project, input: "x".repeat(1_900_000) })).not.toBeNull();
  });
});

describe("an address", () => {
  it.each<[fragment: string, mode: string | null, project: string | null]>([
    ["", null, null],
    ["#section", null, null],
    ["#p1.abc", null, "p1.abc"],
    ["#/pipeline", "pipeline", null],
    ["#/convert/", "convert", null],
    ["#/convert/p1.a-b_c", "convert", "p1.a-b_c"],
    ["#/convert/p20.a", "convert", "p20.a"],
    ["#p0.a", null, null],
    ["#/", null, null],
    ["#/../p1.abc", null, null],
    ["#/Convert/p1.abc", null, null],
  ])("of %j names mode %j and project %j", (fragment, mode, project) => {
    expect(readAddress(fragment)).toEqual({ mode, project });
  });

  it.each(["", "#p1.abc", "#/pipeline", "#/convert/p1.a-b_c"])("is written as it was read: %j", (fragment) => {
    expect(addressText(readAddress(fragment))).toBe(fragment);
  });
});

describe("a stored project", () => {
  it("gets defaults for missing or wrong members", () => {
    const stored = {
      scripts: [{ name: "a.p", text: "x" }],
      category: "nope",
      maxSteps: -1,
      timeZone: "Mars/Base",
      now: "soon",
    };
    expect(parseProject(stored)).toEqual({ ...emptyProject, scripts: stored.scripts });
  });

  it("is refused without scripts, or with two scripts of the same name", () => {
    for (const wrong of [null, 1, {}, { scripts: [] }, { scripts: [{ name: 1, text: "" }] }])
      expect(parseProject(wrong)).toBeNull();
    const twice = { name: "a.p", text: "" };
    expect(parseProject({ scripts: [twice, twice] })).toBeNull();
  });
});

it.each([
  ["2025-11-21T10:00:00Z", 1763719200000000000n],
  ["2025-11-21 10:00", 1763719200000000000n],
  ["2025-11-21T18:00:00.000000007+08:00", 1763719200000000007n],
  ["2025-11-21", 1763683200000000000n],
  ["2025-13-21", null],
  ["tomorrow", null],
])("reads the moment %s", (text, time) => {
  expect(parseMoment(text)).toBe(time);
});

describe("changes of a point", () => {
  const entry = (key: string, text: string, part: Partial<EntryText> = {}): EntryText => ({
    key,
    text,
    kind: "string",
    isTag: false,
    ...part,
  });
  const point = (...entries: EntryText[]): PointText => ({ name: "m", time: 0n, entries });

  it("are additions, changes of value, kind or tag, and removals at the end", () => {
    const before = point(
      entry("gone", "1"),
      entry("same", "1"),
      entry("value", "1"),
      entry("kind", "1"),
      entry("tag", "1"),
    );
    const after = point(
      entry("same", "1"),
      entry("value", "2"),
      entry("kind", "1", { kind: "int" }),
      entry("tag", "1", { isTag: true }),
      entry("new", "1"),
    );
    expect(changesOf(before, after).map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      "same same",
      "changed value",
      "changed kind",
      "changed tag",
      "added new",
      "removed gone",
    ]);
  });

  it("are none for a point that the script has created", () => {
    expect(changesOf(null, point(entry("a", "1")))[0]?.kind).toBe("same");
  });
});

describe("the input of a run", () => {
  const file = new File(["a"], "a.log");
  const script = (text: string) => [{ name: "a.p", text }];
  it.each<[name: string, part: Partial<Project>, files: [File | null, File | null], same: boolean]>([
    ["the title changes", { title: "Other" }, [null, null], true],
    ["the view changes", { view: "json" }, [null, null], true],
    ["a script is the same text again", { scripts: script("x") }, [null, null], true],
    ["a script changes", { scripts: script("y") }, [null, null], false],
    ["a script is renamed", { scripts: [{ name: "b.p", text: "x" }] }, [null, null], false],
    ["the input changes", { input: "other" }, [null, null], false],
    ["the text changes beside a file", { input: "other" }, [file, file], true],
    ["a file is opened", {}, [null, file], false],
    ["the clock changes", { now: "2025-11-21" }, [null, null], false],
  ])("is compared with the earlier input when %s", (_name, part, [before, after], same) => {
    const project = { ...emptyProject, scripts: script("x") };
    expect(isSameInput({ project, file: before }, { project: { ...project, ...part }, file: after })).toBe(same);
  });
});

describe("text formatting", () => {
  it("prints JSON over several lines and keeps each token", () => {
    expect(prettyJson('{"a":9007199254740993,"b":[1.0,"x, [y]"],"c":{},"d":[]}')).toBe(
      '{\n  "a": 9007199254740993,\n  "b": [\n    1.0,\n    "x, [y]"\n  ],\n  "c": {},\n  "d": []\n}',
    );
  });

  it("prints sizes, durations and times", () => {
    expect([sizeText(999), sizeText(1500), sizeText(104_857_600)]).toEqual(["999 B", "1.5 KB", "105 MB"]);
    expect([durationText(0.5), durationText(3.44), durationText(12_080)]).toEqual(["500 µs", "3.4 ms", "12.08 s"]);
    expect([perPointText(840), perPointText(12_130), perPointText(2e6)]).toEqual([
      "840 ns/point",
      "12 µs/point",
      "2.0 ms/point",
    ]);
    expect([999, 1000, 9949, 9950, 12_345, 650_000, 999_499, 999_500, 1_234_567].map(shortCount)).toEqual([
      "999",
      "1.0k",
      "9.9k",
      "10k",
      "12k",
      "650k",
      "999k",
      "1.0M",
      "1.2M",
    ]);
    expect(timeText(1763719200000000000n)).toBe("2025-11-21 10:00:00");
    expect(timeText(1763719200120000007n)).toBe("2025-11-21 10:00:00.120000007");
    expect(timeText(-1n)).toMatch(/^1970-01-01 00:00:00\.000|^1969/);
  });
});
