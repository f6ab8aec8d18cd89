// The reference tables of a project: reading files, positions of errors, warnings about look-ups of a script, and
// changes of the files.

import { describe, expect, it } from "vitest";
import { emptyProject, type Project, parseProject } from "../../../playground/src/state/project.ts";
import {
  addExample,
  addFiles,
  changeText,
  removeFile,
  renameFile,
  replaceFile,
  type TablesSession,
} from "../../../playground/src/state/refer-tables/table-edits.ts";
import { isSameInput } from "../../../playground/src/state/run-input.ts";
import { diagnoseAll } from "../../../playground/src/worker/check.ts";
import { notesFor } from "../../../playground/src/worker/refer-tables/held-tables.ts";
import { membersOf, spanAt } from "../../../playground/src/worker/refer-tables/json-spans.ts";
import { readTables } from "../../../playground/src/worker/refer-tables/read-tables.ts";
import type { TableFile } from "../../../playground/src/worker/refer-tables/table-files.ts";
import { runAll } from "../../../playground/src/worker/tests/tests.ts";
import { loadMill, run } from "../worker/load-mill.ts";

const services =
  '[{"table_name":"services","column_name":["port","name"],"column_type":["int","string"],"row_data":[[22,"ssh"],[443,"https"]]}]';

function file(name: string, text: string): TableFile {
  return { name, text };
}

/** Returns the JSON text of a reference table. The members given in `members` replace those of a simple table. */
function table(members: Readonly<Record<string, string>>): string {
  const all = { table_name: '"t"', column_name: '["a"]', column_type: '["int"]', row_data: "[[1]]", ...members };
  return `{ ${Object.entries(all)
    .map(([key, value]) => `"${key}": ${value}`)
    .join(", ")} }`;
}

describe("a file of reference tables", () => {
  it("contains tables with their columns and rows", () => {
    expect(readTables([file("a.json", services)]).files).toEqual([
      {
        name: "a.json",
        tables: [
          {
            name: "services",
            rowCount: 2,
            columns: [
              { name: "port", kind: "int" },
              { name: "name", kind: "string" },
            ],
          },
        ],
        notes: [],
      },
    ]);
  });

  // In each text, « and » enclose the part to which the error belongs.
  it.each<[text: string, message: string]>([
    [`[${table({ row_data: '[[1], [«"x"»]]' })}]`, 'table: t, row: 1, col: 0, cast error: cannot convert "x" to int'],
    [`[${table({ row_data: "[[1], «[1, 2]»]" })}]`, "the row has more or fewer cells than there are columns"],
    [`[${table({ table_name: '«""»' })}]`, 'table: "", error: empty table name'],
    [`[${table({ column_name: "«[]»", column_type: "[]", row_data: "[]" })}]`, "table: t, error: no columns"],
    [`[${table({ column_type: '«["int", "int"]»' })}]`, "there are more or fewer types than columns"],
    [
      `[${table({ column_name: '["a", «""»]', column_type: '["int", "int"]', row_data: "[]" })}]`,
      'table: t, column: [a ], index: 1, value: ""',
    ],
    [
      `[${table({ column_name: '["a", «"a"»]', column_type: '["int", "int"]', row_data: "[]" })}]`,
      "table: t, error: duplicate column: a",
    ],
    [`[${table({ column_type: '[«"date"»]', row_data: "[]" })}]`, "a type is int, float, string or bool"],
    [`[${table({})}, ${table({ table_name: "«7»" })}]`, "table 2 of the document: table_name must be a text"],
    [`[${table({})}, «7»]`, "table 2 of the document: must be an object"],
    ['«{ "a": 1 }»', "the document must be an array of tables"],
    ["[{«]»}]", 'unexpected "]" at byte 2'],
    ['[{"é😀": 1«}»', "unexpected end of JSON input"],
    ['[{"é😀": «?»}]', 'unexpected "?" at byte 12'],
    ["", "unexpected end of JSON input"],
  ])("has its error at its place: %s", (marked, message) => {
    const text = marked.replace(/[«»]/g, "");
    const [read] = readTables([file("a.json", text)]).files;
    expect(read!.tables).toEqual([]);
    expect(read!.notes).toHaveLength(1);
    const [{ from, to, severity, message: said }] = read!.notes as [(typeof read.notes)[number]];
    expect([severity, said]).toEqual(["error", expect.stringContaining(message)]);
    expect(`${text.slice(0, from)}«${text.slice(from, to)}»${text.slice(to)}`).toBe(marked === "" ? "«»" : marked);
  });

  it("has an error for each wrong table, also for two of one name", () => {
    const cell = (value: string) => table({ row_data: `[[${value}]]` });
    const text = `[${cell('"x"')},\n${cell('"y"')},\n${cell("1")}]`;
    const { notes } = readTables([file("a.json", text)]).files[0]!;
    expect(notes.map(({ from, to }) => text.slice(from, to))).toEqual(['"x"', '"y"']);
  });

  it("with an error does not affect the tables of other files", () => {
    const { lookup, files } = readTables([file("a.json", "["), file("b.json", services)]);
    expect(files.map(({ tables }) => tables.length)).toEqual([0, 1]);
    expect(lookup!.find("services", ["port"], [22])!.map(({ value }) => value)).toEqual([22, "ssh"]);
  });

  it("gets a warning for a table whose name another table has", () => {
    const twice = `[${table({})}, ${table({})}]`;
    const { files } = readTables([file("a.json", twice), file("b.json", `[${table({ row_data: "[]" })}]`)]);
    expect(files.map(({ tables }) => tables.map(({ rowCount }) => rowCount))).toEqual([[1], []]);
    const said = files.flatMap(({ notes }) => notes.map(({ severity, message, from }) => [severity, message, from]));
    expect(said).toEqual([
      ["warning", "there is a table t above, which counts: this one is not used", twice.lastIndexOf('"t"')],
      ["warning", "there is a table t in a.json, which counts: this one is not used", 17],
    ]);
  });

  it("keeps large integers exact", () => {
    const text = `[${table({ row_data: "[[9007199254740993]]" })}]`;
    const { lookup } = readTables([file("a.json", text)]);
    expect(lookup!.find("t", ["a"], [9007199254740993n])!.map(({ value }) => value)).toEqual([9007199254740993n]);
  });
});

describe("the place of a value in JSON", () => {
  const text = ' { "a]": [1, "}\\"", {"b": [true]}], "c": 2, "c": 3 } x';

  it.each<[path: (string | number)[], value: string]>([
    [[], '{ "a]": [1, "}\\"", {"b": [true]}], "c": 2, "c": 3 }'],
    [["a]", 0], "1"],
    [["a]", 1], '"}\\""'],
    [["a]", 2, "b", 0], "true"],
    [["c"], "3"],
    [["a]", 9], '[1, "}\\"", {"b": [true]}]'],
  ])("is found by the path %j", (path, value) => {
    const { from, to } = spanAt(text, path);
    expect(text.slice(from, to)).toBe(value);
  });

  it.each(["[:", "[1 2", '{"a" 1}', "{a:1}", '{"\\x":1}', "[", '["', "", "}"])(
    "stays within %j, which is not JSON",
    (wrong) => {
      expect([...membersOf(wrong, 0)].length).toBeLessThan(2);
      expect(spanAt(wrong, ["a", 0]).to).toBeLessThanOrEqual(wrong.length);
    },
  );
});

describe("a script that looks rows up", () => {
  it("gets the cells of the row as fields", async () => {
    const text = 'grok(_, "%{WORD:host} %{INT:port:int}")\nquery_refer_table("services", "port", port)';
    const { records } = await run({
      scripts: [{ name: "main.p", text }],
      tables: [file("a.json", services)],
      input: "web 443\nweb 80\n",
    });
    const names = records.map(({ after }) => after!.entries.find(({ key }) => key === "name")?.text);
    expect(names).toEqual(["https", undefined]);
  });

  it("gets the same cells in a test of the project", async () => {
    const job = {
      text: "tests:\n  - name: a\n    input: x\n    expect: { fields: { name: https, port: 443 } }\n",
      scripts: [{ name: "main.p", text: 'mquery_refer_table("services", ["port"], [443])' }],
    };
    const outcomes = async (tables: readonly TableFile[]) => {
      const answer = await runAll({ ...job, tables });
      return answer.kind === "ran" ? answer.outcomes.map(({ differences }) => differences) : answer;
    };
    expect(await outcomes([file("a.json", services)])).toEqual([[]]);
    expect(await outcomes([])).toEqual([['- fields.name: "https"', "- fields.port: 443"]]);
  });

  it.each<[script: string, files: readonly TableFile[], messages: string[]]>([
    ['query_refer_table("services", "port", p)', [file("a.json", services)], []],
    ['query_refer_table(t, "port", p)', [file("a.json", services)], []],
    ['query_refer_table("services", "port", p)', [], ["the project has no reference tables"]],
    ['mquery_refer_table("t", ["k"], [1])', [file("a.json", "[")], ["the reference tables have errors"]],
    [
      "query_refer_table('servces', \"port\", p)",
      [file("a.json", services)],
      ["no reference table has the name servces; there are: services"],
    ],
    [
      'query_refer_table("services", "prt", p)',
      [file("a.json", services)],
      ["the table services has no column prt; it has: port, name"],
    ],
  ])("gets a warning when the table or the column does not exist: %s", async (text, files, messages) => {
    const scripts = [{ name: "a.p", text }];
    const notes = diagnoseAll(await loadMill(), scripts, notesFor(scripts, files));
    expect(notes.map(({ severity, message }) => [severity, message.split(/, so |: add/)[0]])).toEqual(
      messages.map((message) => ["warning", message]),
    );
  });
});

/**
 * Makes an object that the tests use instead of the session (the state of the page). Its member `said` is the
 * last message to the user.
 */
function sessionOf(...tables: readonly TableFile[]) {
  const session = {
    project: { ...emptyProject, tables } as Project,
    loads: 0,
    said: null as Parameters<TablesSession["say"]>[0] | null,
    change: (part: Partial<Project>) => {
      session.project = { ...session.project, ...part };
    },
    say: (toast: Parameters<TablesSession["say"]>[0]) => {
      session.said = toast;
    },
    names: () => session.project.tables.map(({ name }) => name),
  };
  return session;
}

const chosen = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

describe("the table files of a project", () => {
  it("are added under names that are free, at the end", async () => {
    const session = sessionOf(file("a.json", "[]"));
    expect(await addFiles(session, [chosen("a.json", "[ ]"), chosen("b.txt", "[]")])).toBe(1);
    expect(addExample(session)).toBe(3);
    expect(session.names()).toEqual(["a.json", "a-2.json", "b.txt.json", "services.json"]);
    expect(readTables(session.project.tables).files.flatMap(({ notes }) => notes)).toEqual([]);
    expect(session.said).toBeNull();
  });

  it("are renamed, but not to a name that another one has", () => {
    const session = sessionOf(file("a.json", "[]"), file("b.json", "[]"));
    expect(renameFile(session, 0, " c ")).toBeNull();
    expect(renameFile(session, 0, "b.json")).toBe("There is a file b.json already.");
    expect(renameFile(session, 0, "x/y")).toContain("without slashes");
    expect(session.names()).toEqual(["c.json", "b.json"]);
  });

  it("are removed and replaced, and both can be undone", async () => {
    const session = sessionOf(file("a.json", "[]"), file("b.json", services));
    removeFile(session, 0);
    expect(session.names()).toEqual(["b.json"]);
    session.said!.undo!();
    expect(session.names()).toEqual(["a.json", "b.json"]);
    expect(await replaceFile(session, 1, chosen("new.json", "[ ]"))).toBe(true);
    expect(session.project.tables[1]).toEqual(file("b.json", "[ ]"));
    session.said!.undo!();
    expect(session.project.tables[1]).toEqual(file("b.json", services));
  });

  it("do not change when an edit would exceed the limit, or when a file is not text", async () => {
    const session = sessionOf(file("a.json", "[]"));
    expect(changeText(session, 0, " ".repeat(4_000_001))).toBe(false);
    expect(session.said!.text).toContain("at most 100 files and 4 million characters");
    expect(await addFiles(session, [chosen("big.json", " ".repeat(4_000_000))])).toBeNull();
    expect(await replaceFile(session, 0, chosen("image.json", Uint8Array.of(0xff)))).toBe(false);
    expect(session.said!.text).toBe("image.json is not UTF-8 text, so it was not read.");
    expect(session.project.tables).toEqual([file("a.json", "[]")]);
    expect(changeText(session, 0, " ".repeat(4_000_000))).toBe(true);
  });

  it("are kept in a draft, except invalid ones", () => {
    const stored = [file("a.json", "[]"), { name: "b.json" }, file("", "x"), file("a.json", "y"), null];
    expect(parseProject({ ...emptyProject, tables: stored })!.tables).toEqual([file("a.json", "[]")]);
    const many = [file("a", " ".repeat(3_999_999)), file("b", "[]"), file("c", "")];
    expect(parseProject({ ...emptyProject, tables: many })!.tables).toHaveLength(1);
    const { tables: _, ...older } = emptyProject;
    expect(parseProject(older)!.tables).toEqual([]);
  });

  it("are part of the input of a run", () => {
    const of = (...tables: readonly TableFile[]) => ({ project: { ...emptyProject, tables }, file: null });
    expect(isSameInput(of(file("a", "[]")), of(file("a", "[]")))).toBe(true);
    expect(isSameInput(of(file("a", "[]")), of(file("a", "[ ]")))).toBe(false);
    expect(isSameInput(of(), of(file("a", "[]")))).toBe(false);
  });
});
