// A metadata store in memory, which runs in any JavaScript runtime. Its data is lost when the page or the
// process ends. Rows are found through indexes of the unique columns; if no index fits, all rows of the table
// are searched.

import type { MetadataStore, RecordQuestion, RowPage, Step, TableName, Where, Written } from "./store.ts";
import type { AuditRow, ListedRow, RecordRow, Tables } from "./tables.ts";

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/**
 * The unique constraints of each table. Each constraint is a list of columns, and no two rows may have the same
 * values in all of them. As in SQL, null differs from every value, even from another null.
 */
const unique: Readonly<Record<TableName, readonly (readonly string[])[]>> = {
  workspaces: [["uuid"], ["name"], ["points_id"]],
  keys: [["uuid"], ["digest"]],
  records: [
    ["workspace", "kind", "uuid"],
    ["workspace", "kind", "unique_name"],
  ],
  record_terms: [["record_id", "term"]],
  record_contents: [["record_id"]],
  audit: [],
  replays: [["actor", "name"]],
};

class Duplicate extends Error {}
class Absent extends Error {}

/** A function that reverses one change. It is called when a later step of the same write fails. */
type Undo = () => void;

class Table {
  /** The rows of the table by their ids, in the order of their insertion. */
  readonly rows = new Map<number, Row>();
  private readonly indexes: readonly { readonly columns: readonly string[]; readonly ids: Map<string, number> }[];
  private last = 0;

  constructor(columns: readonly (readonly string[])[]) {
    this.indexes = [["id"], ...columns].map((each) => ({ columns: each, ids: new Map() }));
  }

  insert(row: Row): { readonly id: number; readonly undo: Undo } {
    const id = ++this.last;
    this.put(id, { ...row, id });
    return { id, undo: () => this.take(id) };
  }

  update(id: number, set: Row): Undo {
    const before = this.rows.get(id)!;
    this.unindex(id);
    try {
      this.index(id, { ...before, ...set });
    } catch (error) {
      this.index(id, before);
      throw error;
    }
    this.rows.set(id, { ...before, ...set });
    return () => {
      this.unindex(id);
      this.index(id, before);
      this.rows.set(id, before);
    };
  }

  delete(id: number): Undo {
    const row = this.rows.get(id)!;
    this.take(id);
    return () => this.put(id, row);
  }

  /** Returns the rows of the table that match the condition, with their ids. */
  find(where: Readonly<Record<string, Value | readonly Value[]>>): readonly Row[] {
    const index = this.indexes.find(({ columns }) =>
      columns.every((column) => where[column] !== undefined && where[column] !== null && !Array.isArray(where[column])),
    );
    const id = index === undefined ? undefined : index.ids.get(keyOf(index.columns, where as Row)!);
    const candidates = index === undefined ? [...this.rows.values()] : id === undefined ? [] : [this.rows.get(id)!];
    const conditions = Object.entries(where);
    return candidates
      .filter((row) =>
        conditions.every(([column, wanted]) =>
          Array.isArray(wanted) ? wanted.includes(row[column]!) : wanted === row[column],
        ),
      )
      .sort((a, b) => Number(a.id) - Number(b.id));
  }

  private put(id: number, row: Row): void {
    this.index(id, row);
    this.rows.set(id, row);
  }

  private take(id: number): void {
    this.unindex(id);
    this.rows.delete(id);
  }

  private index(id: number, row: Row): void {
    const keys = this.indexes.map(({ columns }) => keyOf(columns, row));
    if (this.indexes.some(({ ids }, at) => keys[at] !== undefined && ids.has(keys[at]))) throw new Duplicate();
    for (const [at, { ids }] of this.indexes.entries()) if (keys[at] !== undefined) ids.set(keys[at], id);
  }

  private unindex(id: number): void {
    const row = this.rows.get(id)!;
    for (const { columns, ids } of this.indexes) {
      const key = keyOf(columns, row);
      if (key !== undefined) ids.delete(key);
    }
  }
}

/**
 * Returns the key of a row in an index: the row's values in the indexed columns, as a string. Returns undefined
 * when one of these values is null, because such a row is not in the index.
 */
function keyOf(columns: readonly string[], row: Row): string | undefined {
  const values = columns.map((column) => row[column]);
  return values.includes(null) ? undefined : JSON.stringify(values);
}

export function createMemoryStore(): MetadataStore {
  const tables = Object.fromEntries(
    Object.entries(unique).map(([name, columns]) => [name, new Table(columns)]),
  ) as Record<TableName, Table>;
  let revision = 0;

  const find = <T extends TableName>(table: T, where: Where<T>) =>
    tables[table].find(where as Readonly<Record<string, Value>>) as unknown as readonly Tables[T][];

  /**
   * Applies one step (an insert, an update or a deletion) of a write. Returns the ids of the rows that the step
   * inserted.
   */
  const apply = (step: Step, made: readonly (readonly number[])[], undos: Undo[]): readonly number[] => {
    if ("insert" in step) {
      const owner: Row = step.of === undefined ? {} : { record_id: made[step.of]![0]! };
      return step.rows.map((row) => {
        const { id, undo } = tables[step.insert].insert({ ...(row as unknown as Row), ...owner });
        undos.push(undo);
        return id;
      });
    }
    const name = "update" in step ? step.update : step.delete;
    const found = tables[name].find(step.where as Readonly<Record<string, Value>>);
    if ("update" in step) {
      if (found.length !== 1) throw new Absent();
      undos.push(tables[name].update(Number(found[0]!.id), step.set as unknown as Row));
    } else {
      if (step.mustBeThere === true && found.length === 0) throw new Absent();
      for (const { id } of found) undos.push(tables[name].delete(Number(id)));
    }
    return [];
  };

  const write = (steps: readonly Step[]): Written => {
    const undos: Undo[] = [];
    const ids: (readonly number[])[] = [];
    try {
      for (const step of steps) ids.push(apply(step, ids, undos));
    } catch (error) {
      for (const undo of undos.reverse()) undo();
      if (error instanceof Duplicate) return { done: false, at: ids.length, why: "duplicate" };
      if (error instanceof Absent) return { done: false, at: ids.length, why: "absent" };
      throw error;
    }
    revision++;
    return { done: true, ids };
  };

  const matching = ({ workspace, kind, search, anyTerm }: RecordQuestion): RecordRow[] => {
    const own = find("records", { workspace, kind }).filter((row) => row.folded_name.includes(search));
    if (anyTerm.length === 0) return own;
    const terms = find("record_terms", { term: anyTerm });
    const ids = new Set(terms.map(({ record_id }) => record_id));
    return own.filter(({ id }) => ids.has(id));
  };

  return {
    kind: "memory",
    find: async (table, where) => find(table, where),
    listRecords: async (question): Promise<RowPage<ListedRow>> => {
      const rows = matching(question).sort((a, b) => b.update_at - a.update_at || b.id - a.id);
      const { offset, limit } = question;
      return { rows: rows.slice(offset, offset + limit), totalCount: rows.length };
    },
    listAudit: async ({ workspace, uuid, limit, offset }): Promise<RowPage<AuditRow>> => {
      const rows = find("audit", { workspace, ...(uuid === undefined ? {} : { uuid }) }).toReversed();
      return { rows: rows.slice(offset, offset + limit), totalCount: rows.length };
    },
    write: async (steps) => write(steps),
    forget: async (table, beforeMs) => {
      for (const { id, at } of tables[table].find({})) if (Number(at) < beforeMs) tables[table].delete(Number(id));
    },
    revision: () => revision,
    close: async () => {},
  };
}
