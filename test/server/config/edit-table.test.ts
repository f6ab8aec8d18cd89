import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { editTable, NotEditable } from "../../../server/config/edit-table.ts";

const set = (tags: Record<string, string>) => ({ set: tags, remove: [] });

describe("editing a table of a TOML file", () => {
  const text = `# our agent
data_dir = "x" # here

[global_host_tags] # tags
  # the place
  dc = "old" # east
"with space" = "1"

[http_api]
listen = "localhost:1"
`;

  it("changes, adds and removes keys, and keeps comments, order and blanks", () => {
    expect(editTable(text, "global_host_tags", { set: { dc: "new", rack: 'a"b' }, remove: ["with space"] })).toBe(
      `# our agent
data_dir = "x" # here

[global_host_tags] # tags
  # the place
dc = "new" # east
rack = "a\\"b"

[http_api]
listen = "localhost:1"
`,
    );
  });

  it("adds the table at the end when there is none", () => {
    expect(editTable(text, "election.tags", set({ project: "p" }))).toBe(`${text}\n[election.tags]\nproject = "p"\n`);
    expect(editTable("", "election.tags", set({ a: "b" }))).toBe('[election.tags]\na = "b"\n');
  });

  it("leaves the text unchanged when the key to remove does not exist", () => {
    expect(editTable(text, "election.tags", { set: {}, remove: ["x"] })).toBe(text);
    expect(editTable(text, "global_host_tags", { set: {}, remove: ["x"] })).toBe(text);
  });

  it("keeps the line ends of the file", () => {
    expect(editTable('[t]\r\na = "1"\r\n', "t", set({ a: "2", b: "3" }))).toBe('[t]\r\na = "2"\r\nb = "3"\r\n');
  });

  it.each([
    'global_host_tags = { dc = "old" }',
    'global_host_tags.dc = "old"',
    '[global_host_tags]\ndc = """\nold\n"""',
  ])("refuses a text that cannot be edited line by line: %s", (odd) => {
    expect(() => editTable(odd, "global_host_tags", set({ dc: "new" }))).toThrow(NotEditable);
  });

  it("accepts any key and value", () => {
    for (const [key, value] of [
      ["a.b", "x"],
      ["", ""],
      ['q"uote', "line\nbreak"],
      ["ünï", "#no comment"],
      ["__proto__", "p"],
    ]) {
      const once = editTable(text, "global_host_tags", set(Object.fromEntries([[key, value]])));
      const twice = editTable(once, "global_host_tags", set(Object.fromEntries([[key, "again"]])));
      const tags = (parse(twice).global_host_tags ?? {}) as Record<string, string>;
      expect(Object.entries(tags)).toContainEqual([key, "again"]);
      expect(twice.split("\n").length).toBe(once.split("\n").length);
    }
  });
});
