// Combines the tables in memory and the relevant segments (Parquet files) into one SQL relation with the points of a
// workspace. The relation has a column for each key (tag or field) that the SQL statement names. While a statement is
// built, a placeholder stands for the relation. The method `written` replaces the placeholder when the statement is
// complete and its columns are known.

import {
  type Catalog,
  type Dialect,
  duckdb,
  type Fragment,
  fixedColumns as fixed,
  type StoredColumn,
} from "../../../lib/dql/index.ts";
import { joined, raw, sql, type TimeRange, type ValueReader } from "../../../lib/dql/sql/index.ts";
import type { ColumnKind } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import type { HotTable } from "./hot.ts";
import type { KeyRegistry, StoredKeys } from "./keys.ts";
import { fixedTypes, mapOf, quoted, sqlTypes, workspaceColumn } from "./layout.ts";
import type { Segment } from "./segment.ts";

/**
 * The number of keys up to which an SQL statement reads each key as a column. A statement with more keys reads
 * all keys of a value type as one map.
 */
const fewKeys = 256;

const fixedNames = Object.keys(fixedTypes);

/**
 * Returns the column name `all <type>`. This column of the relation contains all keys of one value type, with
 * their values, as a map.
 */
export const allOf = (kind: ColumnKind) => `all ${kind}`;

/** The tables in memory and the files that an SQL statement reads. */
export interface Sources {
  readonly tables: readonly HotTable[];
  readonly segments: readonly Segment[];
  /**
   * Points before this time (ns since 1970) count as deleted, so they are not read. Undefined when no points are
   * deleted.
   */
  readonly floor: bigint | undefined;
}

export class WorkspaceCatalog implements Catalog {
  readonly dialect: Dialect = { ...duckdb, reader };
  readonly owned = null;
  private readonly keys: StoredKeys;
  private readonly workspace: { readonly id: string; readonly number: number };
  private readonly places: { readonly category: CategoryName; readonly range: TimeRange | undefined }[] = [];

  constructor(keys: StoredKeys, workspace: { readonly id: string; readonly number: number }) {
    this.keys = keys;
    this.workspace = workspace;
  }

  table(category: CategoryName, range?: TimeRange): string {
    return `${category}_points_${this.places.push({ category, range }) - 1}_`;
  }

  columns(category: CategoryName, names?: readonly string[]): readonly StoredColumn[] {
    return this.keys.find(this.workspace.id, category)?.columns(names) ?? [];
  }

  /** Returns the SQL statement in which each placeholder is replaced by the SQL of its relation. */
  written(statement: Fragment, sourcesOf: (category: CategoryName) => Sources): Fragment {
    const text = statement.texts.join(" ");
    const ids = new Set([...text.matchAll(/"c(\d+)"/g)].map(([, id]) => Number(id)));
    const kinds = new Set([...text.matchAll(/"all (\w+)"/g)].map(([, kind]) => kind as ColumnKind));
    const pieces: Fragment[] = [];
    for (const [at, part] of statement.texts.entries()) {
      if (at > 0) pieces.push({ texts: ["", ""], parameters: [statement.parameters[at - 1]!] });
      for (const [number, piece] of part.split(/[a-z_]+_points_(\d+)_/).entries()) {
        if (number % 2 === 0) pieces.push(raw(piece));
        else {
          const { category, range } = this.places[Number(piece)]!;
          pieces.push(this.relation(sourcesOf(category), range, ids, kinds));
        }
      }
    }
    return joined(pieces, "");
  }

  private relation(
    { tables, segments, floor }: Sources,
    range: TimeRange | undefined,
    ids: ReadonlySet<number>,
    kinds: ReadonlySet<ColumnKind>,
  ): Fragment {
    const { registry } = this.keys;
    const { id: workspace, number } = this.workspace;
    const isAsked = ({ start, end }: TimeRange) =>
      (range === undefined || (start <= range.end && end >= range.start)) && (floor === undefined || end >= floor);
    const since = ({ start }: TimeRange): Fragment =>
      floor === undefined || start >= floor ? raw("") : sql` AND ${raw(fixed.time)} >= ${raw(String(floor))}`;
    const parts: Fragment[] = [];
    for (const table of tables) {
      if (!table.workspaces.has(workspace) || !isAsked(table)) continue;
      const columns = columnsSql(table, registry, ids, kinds);
      parts.push(
        sql`SELECT ${columns} FROM ${raw(table.name)} WHERE ${raw(workspaceColumn)} = ${raw(String(number))}${since(table)}`,
      );
    }
    // Files that have the same columns for the requested keys are read by one call of DuckDB's `read_parquet`.
    const groups = new Map<
      string,
      { readonly files: string[]; readonly columns: Fragment; readonly where: Fragment }
    >();
    for (const segment of segments) {
      if (!segment.workspaces.has(workspace) || !isAsked(segment)) continue;
      const columns = columnsSql(segment, registry, ids, kinds);
      const shared = segment.workspaces.size > 1;
      const where = sql`WHERE ${shared ? sql`${raw(workspaceColumn)} = ${workspace}` : raw("true")}${since(segment)}`;
      const signature = JSON.stringify([columns.texts, columns.parameters, where.texts]);
      const group = groups.get(signature) ?? { files: [], columns, where };
      groups.set(signature, group);
      group.files.push(segment.file);
    }
    for (const { files, columns, where } of groups.values())
      parts.push(sql`SELECT ${columns} FROM ${raw(readFiles(files))} ${where}`);
    if (parts.length === 0) parts.push(sql`SELECT ${nothing(registry, ids, kinds)} WHERE false`);
    return sql`(${joined(parts, " UNION ALL ")}) AS points`;
  }
}

/** Returns the SQL of a table function that reads Parquet files. */
export function readFiles(files: readonly string[]): string {
  const list = files.map((file) => `'${file.replaceAll("'", "''")}'`).join(", ");
  return `read_parquet([${list}], hive_partitioning = false)`;
}

function columnsSql(
  source: HotTable | Segment,
  registry: KeyRegistry,
  ids: ReadonlySet<number>,
  kinds: ReadonlySet<ColumnKind>,
): Fragment {
  return joined(
    [
      raw(fixedNames.join(", ")),
      ...[...ids].map((id) => sql`${valueSql(source, registry, id)} AS ${raw(`"c${id}"`)}`),
      ...[...kinds].map((kind) => sql`${allSql(source, kind)} AS ${raw(quoted(allOf(kind)))}`),
    ],
    ", ",
  );
}

function valueSql(source: HotTable | Segment, registry: KeyRegistry, id: number): Fragment {
  const column = source.columnOf.get(id);
  if (column !== undefined) return raw(quoted(column));
  const { key, kind } = registry.at(id);
  const map = mapOf({ key, kind });
  if (source.maps.has(map) && (!("ids" in source) || source.ids.has(id))) return sql`${raw(quoted(map))}[${key}]`;
  return raw(`CAST(NULL AS ${sqlTypes[kind]})`);
}

/** Returns the SQL expression for a map of all keys of a value type and their values. */
function allSql({ columns }: HotTable | Segment, kind: ColumnKind): Fragment {
  const own = columns.filter((column) => column.kind === kind);
  const pairs = own.flatMap((column) =>
    column.type === "column" ? [sql`{'key': ${column.key}, 'value': ${raw(quoted(column.name))}}`] : [],
  );
  const lists = own.flatMap((column) =>
    column.type === "map" ? [raw(`coalesce(map_entries(${quoted(column.name)}), [])`)] : [],
  );
  if (pairs.length > 0) lists.push(sql`list_filter([${joined(pairs, ", ")}], lambda pair: pair.value IS NOT NULL)`);
  if (lists.length === 0) return raw(`CAST(NULL AS ${mapType(kind)})`);
  return sql`CAST(map_from_entries(${lists.length === 1 ? lists[0]! : sql`flatten([${joined(lists, ", ")}])`}) AS ${raw(mapType(kind))})`;
}

const mapType = (kind: ColumnKind) => `MAP(VARCHAR, ${sqlTypes[kind]})`;

function nothing(registry: KeyRegistry, ids: ReadonlySet<number>, kinds: ReadonlySet<ColumnKind>): Fragment {
  const columns = [
    ...Object.entries(fixedTypes).map(([name, type]) => `CAST(NULL AS ${type}) AS ${name}`),
    ...[...ids].map((id) => `CAST(NULL AS ${sqlTypes[registry.at(id).kind]}) AS "c${id}"`),
    ...[...kinds].map((kind) => `CAST(NULL AS ${mapType(kind)}) AS ${quoted(allOf(kind))}`),
  ];
  return raw(columns.join(", "));
}

/**
 * Returns the functions that select the keys (tags and fields) of a query and read their values. Up to `fewKeys`
 * keys are read as one column each. More keys are read as one map for each value type.
 */
function reader(columns: readonly StoredColumn[]): ValueReader {
  if (columns.length <= fewKeys) return duckdb.reader(columns);
  const kinds = [...new Set(columns.map(({ kind }) => kind ?? "tag"))];
  const wanted = new Map(
    kinds.map((kind) => [
      kind,
      new Map(columns.filter((column) => (column.kind ?? "tag") === kind).map((column) => [column.key, column])),
    ]),
  );
  return {
    select: kinds.map((kind) => raw(quoted(allOf(kind)))),
    read: (row, from, addValue) => {
      for (const [at, kind] of kinds.entries()) {
        const found = row[from + at] as ReadonlyMap<string, unknown> | null | undefined;
        for (const [key, value] of found ?? []) {
          const column = wanted.get(kind)!.get(key);
          if (column !== undefined && value !== null) addValue(column, value);
        }
      }
    },
  };
}
