import { describe, expect, it } from "vitest";
import { storageIndexOf, writeQueryOf } from "../../../../server/agent/inputs/write-query.ts";

describe("writeQueryOf", () => {
  it("returns the defaults for an empty query: only the host tags are on", () => {
    expect(writeQueryOf("")).toEqual({
      precision: "",
      encoding: "",
      source: "",
      input: "",
      strict: false,
      dry: false,
      echo: undefined,
      electionTags: false,
      hostTags: true,
      storageIndex: "",
    });
  });

  it.each([
    [
      "precision=s&precision=ms&source=nginx&input=tail&encoding=zstd",
      { precision: "s", source: "nginx", input: "tail", encoding: "zstd" },
    ],
    ["strict=false&dry=1", { strict: true, dry: true }],
    ["strict=&dry=", { strict: false, dry: false }],
    ["echo=pbjson&echo_line_proto=1", { echo: "pbjson" }],
    ["echo=xml&echo_line_proto=1", { echo: undefined }],
    ["echo_json=1&echo_line_proto=1", { echo: "lp" }],
    ["echo_json=1", { echo: "json" }],
    ["ignore_global_host_tags=1", { hostTags: false }],
    ["ignore_global_tags=no&global_election_tags=1", { hostTags: false, electionTags: true }],
    ["storage_index=Own%20one", { storageIndex: "Own one" }],
  ])("%s", (search, expected) => {
    expect(writeQueryOf(search)).toMatchObject(expected);
  });

  it("accepts a valid storage index or none, and refuses an invalid one", () => {
    expect([storageIndexOf(""), storageIndexOf("a_1")]).toEqual([undefined, "a_1"]);
    expect(() => storageIndexOf("Own one")).toThrow('invalid storage_index "Own one"');
  });
});
