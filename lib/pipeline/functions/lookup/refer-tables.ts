// The functions query_refer_table and mquery_refer_table: write the columns of a found row of a reference table as keys
// of the point (docs/reference/functions.md#query_refer_table).

import { toPoint, writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { Float, isDict, isList, isNothing, isText, textOf, typeName, type Value, VOID } from "../../runtime/value.ts";
import type { Expr, NodeKind } from "../../syntax/ast.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { pathText, sourceText } from "../nodes.ts";

const NAMES: readonly NodeKind[] = ["Identifier", "AttrExpr"];
const TEXTS: readonly NodeKind[] = [...NAMES, "StringLiteral"];
const SCALARS: readonly NodeKind[] = [...TEXTS, "IntLiteral", "FloatLiteral", "BoolLiteral"];

/**
 * Returns the value of an argument of a call in a script. For a literal, returns the value of the literal. For a name,
 * returns the value of the script's variable or the point's key (tag or field) with this name; undefined when there is
 * neither.
 */
type Read = (run: Run) => Value | undefined;

function isOneOf(node: Expr | undefined, kinds: readonly NodeKind[]): boolean {
  return node !== undefined && kinds.includes(node.kind);
}

function reader(call: Call, index: number): Read {
  return isOneOf(call.arg(index), NAMES) ? call.key(index).read : call.value(index);
}

/** Returns, for each element of a list literal, a function that reads the element's value in a run. */
function elementReaders(call: Call, items: readonly Expr[]): readonly Read[] {
  const readers = call.readers();
  return items.map((item) => (isOneOf(item, NAMES) ? readers(pathText(item)) : () => literalValue(item)));
}

function literalValue(node: Expr): Value {
  if (node.kind === "FloatLiteral") return new Float(node.value);
  return node.kind === "IntLiteral" || node.kind === "BoolLiteral" || node.kind === "StringLiteral" ? node.value : null;
}

function tableName(call: Call): (run: Run) => string {
  const read = reader(call, 0);
  if (!isOneOf(call.arg(0), TEXTS)) call.key(0);
  return (run) => {
    const value = read(run);
    if (value === undefined || !isText(value)) throw call.runFailure("param expect string", call.arg(0));
    return textOf(value);
  };
}

function columnName(call: Call, value: Value | undefined): string {
  if (value === undefined) throw call.runFailure("key not found", call.arg(1));
  if (!isText(value)) throw call.runFailure(`unsupported column name value type ${typeName(value)}`, call.arg(1));
  return textOf(value);
}

/**
 * Looks up a row of a reference table, and writes each of its columns to the point as a key. Writes nothing when no row
 * is found.
 */
function writeRow(run: Run, table: string, columns: readonly string[], values: readonly Value[]): void {
  const asked = values.map((value) => (isList(value) || isDict(value) || isNothing(value) ? null : toPoint(value)));
  const row = run.host.tables?.()?.find(table, columns, asked) ?? [];
  for (const { key, value } of row) writeKey(run, key, value as Value);
}

const TABLE = { name: "table_name", type: "str", summary: "the table's name" } as const;

export const queryReferTable = declare({
  name: "query_refer_table",
  summary:
    "Looks up the first row of a reference table that holds a value in a column, and writes all its columns as keys.",
  params: [
    TABLE,
    { name: "key", type: "str", summary: "the column's name" },
    { name: "value", type: "any", summary: "the value; ints and floats find each other" },
  ],
  style: "named",
  examples: [
    {
      script: `query_refer_table("services", "port", 443)`,
      input: "x",
      gives: { name: "https", port: 443, udp: false },
    },
    { script: `query_refer_table("services", "port", 1)`, input: "x", gives: {} },
  ],
  bind(call) {
    const table = tableName(call);
    const [key, value] = [call.arg(1), call.arg(2)];
    if (!isOneOf(key, TEXTS))
      call.fail(`param key expects StringLiteral, Identifier or AttrExpr, got ${sourceText(key)}`, key);
    if (!isOneOf(value, SCALARS)) {
      const expected = "StringLiteral, NumberLiteral, BoolLiteral, AttrExpr or Identifier";
      call.fail(`param key expects ${expected}, got ${sourceText(value)}`, value);
    }
    const [readColumn, readValue] = [reader(call, 1), reader(call, 2)];
    return (run) => {
      const name = table(run);
      const column = columnName(call, readColumn(run));
      const wanted = readValue(run);
      if (wanted !== undefined) writeRow(run, name, [column], [wanted]);
      return VOID;
    };
  },
});

/**
 * Returns a function that reads an argument while the script runs. The argument is the name of a variable or of a key
 * of the point; the function returns the value of this variable or key, usually a list. The run fails when neither a
 * variable nor a key has the name.
 */
function listReader(call: Call, index: number): (run: Run) => Value {
  const { read } = call.key(index);
  return (run) => {
    const value = read(run);
    if (value === undefined) throw call.runFailure("key not found", call.arg(index));
    return value;
  };
}

function columnNames(call: Call): (run: Run) => readonly string[] {
  const node = call.arg(1);
  if (node?.kind === "ListLiteral") {
    for (const item of node.items) {
      if (isOneOf(item, TEXTS)) continue;
      call.fail(`expect StringLiteral, Identifier or AttrExpr in FuncArgList, got ${item.kind}`, node);
    }
    const reads = elementReaders(call, node.items);
    return (run) => reads.map((read) => columnName(call, read(run)));
  }
  if (!isOneOf(node, NAMES))
    return call.fail(`param key expects FuncArgList, Identifier or AttrExpr, got ${node?.kind}`, node);
  const read = listReader(call, 1);
  return (run) => {
    const value = read(run);
    return isList(value) ? value.map((each) => columnName(call, each)) : [columnName(call, value)];
  };
}

function columnValues(call: Call): (run: Run) => readonly Value[] {
  const node = call.arg(2);
  if (node?.kind === "ListLiteral") {
    for (const item of node.items) {
      if (isOneOf(item, SCALARS)) continue;
      const expected = "Identifier, AttrExpr, StringLiteral, NumberLiteral or BoolLiteral";
      call.fail(`expect ${expected} in FuncArgList, got ${item.kind}`, node);
    }
    const reads = elementReaders(call, node.items);
    return (run) =>
      reads.map((read) => {
        const value = read(run);
        if (value === undefined) throw call.runFailure("key not found", node);
        return value;
      });
  }
  if (!isOneOf(node, NAMES)) {
    const expected = "StringLiteral, NumberLiteral, BoolLiteral, AttrExpr or Identifier";
    return call.fail(`param key expects ${expected}, got ${node?.kind}`, node);
  }
  const read = listReader(call, 2);
  return (run) => {
    const value = read(run);
    if (!isList(value)) throw call.runFailure(`unsupported column value type ${typeName(value)}`, node);
    return value;
  };
}

export const mqueryReferTable = declare({
  name: "mquery_refer_table",
  summary: "Looks up the first row of a reference table that holds several values, and writes all its columns as keys.",
  params: [
    TABLE,
    { name: "keys", type: "list", summary: "the columns' names" },
    { name: "values", type: "list", summary: "a value for each of them" },
  ],
  style: "named",
  examples: [
    {
      script: `mquery_refer_table("services", ["port", "udp"], [53, true])`,
      input: "x",
      gives: { name: "dns", port: 53, udp: true },
    },
  ],
  bind(call) {
    const [table, columns, values] = [tableName(call), columnNames(call), columnValues(call)];
    return (run) => {
      const name = table(run);
      const asked = columns(run);
      writeRow(run, name, asked, values(run));
      return VOID;
    };
  },
});

export const referTableFunctions: readonly Declaration[] = [queryReferTable, mqueryReferTable];
