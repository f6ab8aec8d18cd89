// Makes the warnings of an answer (member `query_warning`) for a query that can be answered, but perhaps not as its
// author meant it: names that no stored point has, an alias where it is not defined, strings compared with numbers,
// values without quotes, and rows that a default limit cut off.

import { nearestName } from "../../text/nearest.ts";
import { enclosed, quoted } from "../../text/quoting.ts";
import type { Engine, KeyKind, StoredKey } from "../evaluate/engine.ts";
import type { Answer } from "../evaluate/evaluate.ts";
import { systemKeys } from "../evaluate/row.ts";
import { regexTest } from "../evaluate/search/search.ts";
import { numberIn } from "../evaluate/values/value.ts";
import { numberOf } from "../semantics/arguments.ts";
import { functionOf } from "../semantics/functions.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { outerCalls, shapeOf } from "../semantics/targets.ts";
import type { Expr, SourceName } from "../syntax/ast.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { textOf } from "../syntax/text.ts";
import { isByName, storedSources } from "./stored-sources.ts";

/** Largest number of warnings for one query. */
const maxWarnings = 10;
/** Largest number of characters of a name that a warning shows. */
const maxNameLength = 60;

/** Joins the warnings into one string, in their order. A warning that is repeated occurs only once in the string. */
export function warningText(warnings: readonly string[]): string {
  const different = [...new Set(warnings)];
  const more = different.length - maxWarnings;
  const shown = different.slice(0, maxWarnings);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** Returns the warnings about the names in one query. Inner queries are checked by separate calls. */
export async function nameWarnings(query: ResolvedQuery, engine: Engine, work: StepBudget): Promise<string[]> {
  const known = "sub" in query.source ? columnsOfInner(query.source.sub) : await storedNames(query, engine, work);
  const unquoted = query.unquoted.map(
    ({ before, name }) =>
      `${shown(before)} takes the unquoted ${shown(name)} as a text; write ${enclosed(shortened(name), "'")}, or + 0 behind the name of a field`,
  );
  return [...known.missing, ...new NameCheck(query, known).warnings(), ...unquoted];
}

/**
 * Returns the warnings about unknown sources, for namespaces in which the source is the value of a key. For namespaces
 * in which the source is the name of a point, `nameWarnings` returns these warnings. Returns no warnings when the query
 * names a single source and its answer is not empty.
 */
export async function sourceWarnings(
  { source, namespace }: ResolvedQuery,
  { series }: Answer,
  engine: Engine,
  work: StepBudget,
): Promise<string[]> {
  if (!("list" in source) || isByName(namespace)) return [];
  const names = exactNames(source.list);
  if (names.length === 0 || (source.list.length === 1 && series.length > 0)) return [];
  const found = await storedSources(namespace, engine, work, names);
  const absent = names.filter((name) => !found.has(name));
  return absent.length === 0 ? [] : missingSources(namespace, absent, await storedSources(namespace, engine, work));
}

/** Returns the warnings about rows and series that a default limit (LIMIT 1000 or SLIMIT 20) cut off. */
export function cutWarnings(query: ResolvedQuery, { cut, totalHits }: Answer): string[] {
  const warnings: string[] = [];
  if (cut?.series !== undefined)
    warnings.push(
      `${query.slimit} of ${cut.series} series are given, as without SLIMIT; write SLIMIT ${cut.series} to get all`,
    );
  if (cut?.rows === undefined) return warnings;
  const { namespace, by, having, link, interval } = query;
  const isRaw = shapeOf(query) === "raw" && interval === 0;
  const isCounted = namespace.category !== "metric" && by.length === 0 && having === null && link === null;
  // A database reads only as many raw rows as the answer returns. So the number of all matching rows is known only if
  // the database has counted them.
  const all = isRaw ? (isCounted ? totalHits : undefined) : cut.rows;
  warnings.push(
    all === undefined
      ? `${query.limit} rows of a series are given, as without LIMIT, and there are more; write LIMIT n to get them`
      : `${query.limit} of ${all} rows of a series are given, as without LIMIT; write LIMIT ${all} to get all`,
  );
  return warnings;
}

interface Known {
  /**
   * The names that are known: the keys of stored points or, for an outer query, the columns of the inner answer.
   * The map contains, for each name, the types of its values (null for a tag). The map itself is null when the
   * names are not known.
   */
  readonly names: ReadonlyMap<string, ReadonlySet<KeyKind | null>> | null;
  /** The beginning of the warning about an unknown name, such as `the inner answer has no column`. */
  readonly of: string;
  /** The sources that the query names but no stored point has. */
  readonly missing: readonly string[];
}

function columnsOfInner({ columns, by, link }: ResolvedQuery): Known {
  const makesMore = columns.some(({ expr }) => outerCalls(expr).some(({ name }) => name === "distinct_by_collapse"));
  const isKnown = columns.length > 0 && link === null && !makesMore;
  const names = isKnown ? new Map([...columns, ...by].map(({ name }) => [name, new Set<KeyKind>()])) : null;
  return { names, of: "the inner answer has no column", missing: [] };
}

async function storedNames({ source, namespace }: ResolvedQuery, engine: Engine, work: StepBudget): Promise<Known> {
  const list = "list" in source ? source.list : [];
  const hasNames = isByName(namespace);
  const isWhole = namespace.category !== "metric";
  const tests = list.map((each) => {
    if ("all" in each || !hasNames) return () => true;
    return "regex" in each ? regexTest(each.regex, isWhole) : (name: string) => name === each.name;
  });
  const names = new Map<string, Set<KeyKind | null>>();
  const sources = new Map<string, boolean>();
  // Most queries name all their sources in full. For such a query only the keys of its sources are read, because a
  // store may have very many keys of other sources.
  const exact = exactNames(list);
  const isExact = hasNames && list.length > 0 && list.every((each) => "name" in each);
  const keys = await engine.keys(namespace.category, isExact ? exact : undefined);
  for (const { name, key, kind } of countSteps<StoredKey>(keys, work)) {
    let isOfSource = sources.get(name);
    if (isOfSource === undefined) sources.set(name, (isOfSource = tests.some((test) => test(name))));
    if (!isOfSource) continue;
    const kinds = names.get(key);
    if (kinds === undefined) names.set(key, new Set([kind]));
    else kinds.add(kind);
  }
  const absent = hasNames ? exact.filter((name) => !sources.has(name)) : [];
  if (absent.length > 0 && isExact)
    for (const { name } of countSteps<StoredKey>(await engine.keys(namespace.category), work)) sources.set(name, false);
  const missing = missingSources(namespace, absent, sources.keys());
  return { names: names.size === 0 ? null : names, of: "no stored point of the source has the field", missing };
}

/**
 * Returns the sources that the query names in full, without regular expressions and `*`. Repeated sources occur once.
 */
function exactNames(list: readonly SourceName[]): string[] {
  return [...new Set(list.flatMap((each) => ("name" in each ? [each.name] : [])))];
}

function missingSources({ short }: DqlNamespace, absent: readonly string[], stored: Iterable<string>): string[] {
  const known = [...stored];
  return absent.map(
    (name) => `no stored point of ${short} has the source ${shown(name)}${meant(nearestName(name, known))}`,
  );
}

class NameCheck {
  private readonly found: string[] = [];
  private readonly query: ResolvedQuery;
  private readonly known: Known;
  private readonly aliases: ReadonlySet<string>;
  /**
   * Names and expressions by which the query may refer to a column or a tag of its own answer. Such a name need
   * not be a stored key, so no warning is made about it.
   */
  private readonly results = new Set<string>();

  constructor(query: ResolvedQuery, known: Known) {
    this.query = query;
    this.known = known;
    const outputs = [...query.columns, ...query.by];
    this.aliases = new Set(outputs.filter(({ name, expr }) => name !== textOf(expr)).map(({ name }) => name));
    for (const { name, expr } of outputs) this.results.add(name).add(textOf(expr));
  }

  warnings(): readonly string[] {
    const { columns, by, filter, having, orderBy, sorderBy, match, link } = this.query;
    for (const { expr } of [...columns, ...by]) this.value(expr, false);
    for (const each of filter) this.condition(each, false);
    for (const { own } of match?.pairs ?? []) this.value(own, false);
    // LINK adds columns whose names are known only when the linked query has been answered, so names are not checked.
    if (link !== null) return this.found;
    if (having !== null) this.condition(having, true);
    for (const { expr } of [...orderBy, ...sorderBy]) this.value(expr, true);
    return this.found;
  }

  private condition(expr: Expr, isResult: boolean): void {
    switch (expr.type) {
      case "paren":
      case "not":
        this.condition(expr.e, isResult);
        return;
      case "in":
        this.value(expr.l, isResult);
        return;
      case "bin":
        if (expr.op === "and" || expr.op === "or") {
          this.condition(expr.l, isResult);
          this.condition(expr.r, isResult);
          return;
        }
        this.value(expr.l, isResult);
        if (!isResult && /^[<>]=?$/.test(expr.op)) this.order(expr.l, expr.op, expr.r);
        if (expr.r.type !== "col" && expr.r.type !== "list") this.value(expr.r, isResult);
        return;
      default:
        this.value(expr, isResult);
    }
  }

  private order(left: Expr, op: string, right: Expr): void {
    const kinds = left.type === "col" ? this.known.names?.get(left.name) : undefined;
    if (left.type !== "col" || kinds === undefined || kinds.size === 0) return;
    const isNumber = right.type === "dur" || numberOf(right) !== undefined;
    const name = shown(left.name);
    if (isNumber && [...kinds].every((kind) => kind === null || kind === "string"))
      this.found.push(
        `${name} holds texts, which ${op} compares with ${shown(textOf(right))} byte by byte; write int() or float() around it`,
      );
    const text = right.type === "str" ? right.value : right.type === "col" ? right.name : undefined;
    const isNumeric = [...kinds].every((kind) => kind === "int" || kind === "uint" || kind === "float");
    if (text !== undefined && numberIn(text) === undefined && isNumeric)
      this.found.push(`${name} holds numbers, which are never ${op} the text ${shown(text)}`);
  }

  private value(expr: Expr, isResult: boolean): void {
    if (isResult && this.results.has(textOf(expr))) return;
    switch (expr.type) {
      case "col":
        this.column(expr.name, isResult);
        return;
      case "call":
        for (const arg of expr.args) this.value(arg, isResult && !this.isAggregate(expr.name));
        return;
      case "named":
        // Lists and other special arguments are not checked, because the names in such arguments mean something else in
        // each function.
        return;
      case "aliased":
        this.value(expr.expr, isResult);
        return;
      case "bin":
        this.value(expr.l, isResult);
        this.value(expr.r, isResult);
        return;
      case "unary":
      case "paren":
        this.value(expr.e, isResult);
        return;
      default:
        return;
    }
  }

  private isAggregate(name: string): boolean {
    return functionOf(name)?.kind === "aggregate";
  }

  private column(name: string, isResult: boolean): void {
    const { names, of } = this.known;
    const field = /^(.+?)@json\./s.exec(name)?.[1] ?? name;
    if (names === null || names.has(name) || names.has(field) || isSystem(this.query, field)) return;
    if (isResult && /^#[0-9]+$/.test(name)) return;
    const isAlias = this.aliases.has(name);
    const near = nearestName(name, [...names.keys(), ...(isResult ? this.results : [])]);
    this.found.push(
      isAlias
        ? `the alias ${shown(name)} is known in BY, HAVING and the orders only`
        : isResult
          ? `no column of the answer and no field has the name ${shown(name)}${meant(near)}`
          : `${of} ${shown(name)}${meant(near)}`,
    );
  }
}

function isSystem({ namespace }: ResolvedQuery, name: string): boolean {
  if (name === "time") return true;
  if (namespace.category === "metric") return false;
  const isOwn =
    name === "source" ||
    (name === "class" && namespace.category.endsWith("object")) ||
    (name === "rule" && namespace.category === "security");
  return isOwn || (systemKeys as readonly string[]).includes(name);
}

function meant(near: string | undefined): string {
  return near === undefined ? "" : `; did you mean ${shown(near)}?`;
}

function shown(name: string): string {
  return quoted(shortened(name));
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength).join("")}...`;
}
