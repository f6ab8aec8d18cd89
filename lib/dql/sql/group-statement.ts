// Writes the SQL statement that groups rows and computes the values of each group. Some databases are slow at
// sorting rows by time and arrival. For them, the statement chooses the rows of first() and last() in a second
// pass, which reads only few rows.

import { fixed } from "./catalog.ts";
import type { Choice, Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";

/**
 * A value of a group: that of the oldest (or newest) row, among the rows that have a value. When rows have the
 * same time, the row that arrived first is the oldest and the row that arrived last is the newest.
 */
export interface FirstOrLast {
  readonly choice: Choice;
  readonly value: Fragment;
}

export interface GroupStatement {
  /** The SQL `FROM ... WHERE ...` that selects the rows to group. */
  readonly from: Fragment;
  readonly groups: readonly Fragment[];
  readonly values: readonly (Fragment | FirstOrLast)[];
}

const arrival = raw(fixed.sequence);
const moment = raw(fixed.time);

export function groupsSql(statement: GroupStatement, dialect: Dialect): Fragment {
  return dialect.choosesByMoment && statement.values.some(isChosen)
    ? choosingByMoment(statement, dialect)
    : choosingAtOnce(statement, dialect);
}

function isChosen(value: Fragment | FirstOrLast): value is FirstOrLast {
  return "choice" in value;
}

function choosingAtOnce({ from, groups, values }: GroupStatement, dialect: Dialect): Fragment {
  const each = values.map((value) =>
    isChosen(value) ? dialect.chosen(value.choice, value.value, [moment, arrival]) : value,
  );
  return sql`SELECT ${list([...groups, ...each])} ${from}${groupBy(groups)}`;
}

/**
 * Writes the statement with two passes. The first pass makes the groups (alias `g`). When value number n of a
 * group is taken from a chosen row, the column `v<n>` of the group contains the time of this row. The second
 * pass reads the rows with these times. The value from the row that arrived first (or last) is then `j<n>.v`.
 */
function choosingByMoment({ from, groups, values }: GroupStatement, dialect: Dialect): Fragment {
  const keys = groups.map((_, at) => raw(`k${at}`));
  const same = (left: string, right: string) =>
    keys.map(({ texts }) => raw(`${left}.${texts[0]} IS NOT DISTINCT FROM ${right}.${texts[0]}`));
  const named = [
    ...groups.map((group, at) => sql`${group} AS ${keys[at]!}`),
    ...values.map((value, at) => {
      const first = isChosen(value) ? dialect.chosenTime(value.choice, value.value, moment) : value;
      return sql`${first} AS ${raw(`v${at}`)}`;
    }),
  ];
  const lookUps = values.flatMap((value, at): Fragment[] => {
    if (!isChosen(value)) return [];
    const rows = list([
      ...groups.map((group, place) => sql`${group} AS ${keys[place]!}`),
      sql`${value.value} AS v`,
      moment,
      arrival,
    ]);
    const found = list([
      ...keys.map((key) => sql`g.${key} AS ${key}`),
      sql`${dialect.chosen(value.choice, raw("p.v"), [sql`p.${arrival}`])} AS v`,
    ]);
    const ofGroup = joined([sql`p.${moment} = g.${raw(`v${at}`)}`, ...same("p", "g")], " AND ");
    const lookUp = sql`SELECT ${found} FROM (SELECT ${rows} ${from} AND ${value.value} IS NOT NULL) AS p JOIN g ON ${ofGroup}`;
    const name = `j${at}`;
    const where = keys.length === 0 ? raw("true") : joined(same(name, "g"), " AND ");
    return [sql` LEFT JOIN (${lookUp}${groupBy(keys)}) AS ${raw(name)} ON ${where}`];
  });
  const given = [
    ...keys.map((key) => sql`g.${key}`),
    ...values.map((value, at) => raw(isChosen(value) ? `j${at}.v AS v${at}` : `g.v${at}`)),
  ];
  const all = sql`SELECT ${list(named)} ${from}${groupBy(groups)}`;
  return sql`WITH g AS MATERIALIZED (${all}) SELECT ${list(given)} FROM g${joined(lookUps, "")}`;
}

function list(parts: readonly Fragment[]): Fragment {
  return joined(parts, ", ");
}

/** Returns the GROUP BY clause, which names the keys by their numbers in the select list. */
function groupBy(groups: readonly Fragment[]): Fragment {
  return raw(groups.length === 0 ? "" : ` GROUP BY ${groups.map((_, at) => at + 1).join(", ")}`);
}
