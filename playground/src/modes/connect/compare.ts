// Compares, value by value, the results that the page's engine and the agent gave for the same points.

import {
  type CategoryName,
  correct,
  Float,
  Key,
  type Kind,
  Point,
  PointArray,
  type PointValue,
  Uint,
} from "../../../../lib/index.ts";
import { changesOf } from "../../state/point-changes.ts";
import { english, t } from "../../text/translate.ts";
import { pointText } from "../../worker/point-text.ts";
import type { EntryText, PointRecord, PointText } from "../../worker/protocol.ts";
import { type AgentAnswer, type AgentRow, isWrittenNumber, type Value } from "./agent-answer.ts";

/** One part of a point, such as a tag or the time, for which the page and the agent have different values. */
export interface Difference {
  /** The key of a tag or field, or one of the words outcome, error, name, time, created points. */
  readonly part: string;
  readonly page: string;
  readonly agent: string;
}

export interface ComparedPoint {
  /** Number of the input point, from 1. */
  readonly number: number;
  /** A short text by which the user recognizes the point: the beginning of its message, or its name. */
  readonly title: string;
  readonly differences: readonly Difference[];
}

export interface Compared {
  /** Number of input points that were compared. */
  readonly points: number;
  /** The input points for which the answers of page and agent differ. */
  readonly different: readonly ComparedPoint[];
}

const absent = english("absent");

/** Compares the rows of a run in the page with the agent's answer. `records` are all rows of the run, in order. */
export function compareAnswers(
  category: CategoryName,
  records: readonly PointRecord[],
  { points }: AgentAnswer,
): Compared {
  const own = groupsOf(records);
  const count = Math.max(own.length, points.length);
  const different: ComparedPoint[] = [];
  for (let at = 0; at < own.length; at++) {
    const { row, created } = own[at]!;
    // At the end of a run, aggregations release their points. The agent lists these points after all input points; the
    // page lists them with its last input point.
    const theirs = points[at];
    const isLast = at === own.length - 1;
    const later = isLast ? points.slice(own.length).flatMap((each) => [each.row, ...each.created]) : [];
    const differences =
      theirs === undefined
        ? [{ part: t("outcome"), page: outcomeOf(row), agent: t(absent) }]
        : [
            ...rowDifferences(category, row, theirs.row),
            ...createdDifferences(category, created, [...theirs.created, ...later]),
          ];
    if (differences.length > 0) different.push({ number: at + 1, title: titleOf(row), differences });
  }
  if (own.length === 0 && points.length > 0) {
    different.push({
      number: 1,
      title: points[0]!.row.name,
      differences: [{ part: t("outcome"), page: t(absent), agent: agentOutcome(points[0]!.row) }],
    });
  }
  return { points: own.length === 0 ? count : own.length, different };
}

interface Group {
  readonly row: PointRecord;
  readonly created: readonly PointRecord[];
}

/**
 * Groups the rows that a run has produced: each group has an input point and the points that the script created from
 * it.
 */
function groupsOf(records: readonly PointRecord[]): readonly Group[] {
  const groups: { row: PointRecord; created: PointRecord[] }[] = [];
  for (const record of records) {
    if (record.before !== null || record.refusal !== null) groups.push({ row: record, created: [] });
    else groups.at(-1)?.created.push(record);
  }
  return groups;
}

function rowDifferences(category: CategoryName, row: PointRecord, theirs: AgentRow): Difference[] {
  const differences: Difference[] = [];
  const error = row.error?.error ?? "";
  if (error !== theirs.error)
    differences.push({ part: t("error"), page: error || t("none"), agent: theirs.error || t("none") });
  // When the script failed on a point, the agent's answer has no resulting point to compare.
  if (theirs.error !== "" || error !== "") return differences;
  const [mine, agents] = [outcomeOf(row), agentOutcome(theirs)];
  if (mine !== agents) return [...differences, { part: t("outcome"), page: mine, agent: agents }];
  return row.outcome === "dropped" ? differences : [...differences, ...pointDifferences(category, row.after, theirs)];
}

function createdDifferences(
  category: CategoryName,
  created: readonly PointRecord[],
  theirs: readonly AgentRow[],
): Difference[] {
  if (created.length !== theirs.length) {
    return [{ part: t("created points"), page: String(created.length), agent: String(theirs.length) }];
  }
  return created.flatMap((record, at) =>
    // The agent's answer does not name the category of a created point, so the page compares only created points of the
    // category for which the script ran.
    record.category === category
      ? pointDifferences(category, record.after, theirs[at]!).map((each) => ({
          ...each,
          part: t("created point {n}: {part}", { n: at + 1, part: each.part }),
        }))
      : [],
  );
}

function pointDifferences(category: CategoryName, own: PointText | null, row: AgentRow): Difference[] {
  const theirs = agentPoint(category, own, row);
  const differences: Difference[] = [];
  if (own === null) return [{ part: t("outcome"), page: t(absent), agent: agentOutcome(row) }];
  if (own.name !== theirs.name) differences.push({ part: t("name"), page: own.name, agent: theirs.name });
  if (own.time !== theirs.time)
    differences.push({ part: t("time"), page: String(own.time), agent: String(theirs.time) });
  for (const { kind, key, before, after } of changesOf(own, theirs)) {
    if (kind === "same" || isSameNothing(before, after)) continue;
    differences.push({ part: key, page: entryText(before), agent: entryText(after) });
  }
  return differences;
}

/**
 * Returns whether the page has a float that JSON cannot express, such as infinity, where the agent's JSON has
 * null.
 */
function isSameNothing(own: EntryText | null, theirs: EntryText | null): boolean {
  return own?.kind === "float" && theirs?.kind === "nil" && /^(?:NaN|-?Infinity)$/.test(own.text);
}

function entryText(entry: EntryText | null): string {
  if (entry === null) return t(absent);
  return `${entry.text.length > 200 ? `${entry.text.slice(0, 200)} …` : entry.text} (${entry.isTag ? t("tag") : entry.kind})`;
}

/**
 * Returns the point of the agent's answer with the corrections that an agent makes before it sends a point. JSON does
 * not distinguish `1` from `1.0`, so a number becomes an integer or a float as in the page's own point.
 */
function agentPoint(category: CategoryName, own: PointText | null, { name, time, tags, fields }: AgentRow): PointText {
  const kinds = new Map((own?.entries ?? []).map(({ key, kind }) => [key, kind]));
  const point = new Point(name, time);
  for (const [key, value] of Object.entries(tags)) point.setTag(new Key(key), String(value));
  for (const [key, value] of Object.entries(fields)) point.setField(new Key(key), fieldValue(value, kinds.get(key)));
  correct(point, category);
  return pointText(point);
}

function fieldValue(value: Value, kind: Kind | undefined): PointValue {
  if (isWrittenNumber(value)) return numberValue(value.digits, kind);
  if (Array.isArray(value)) {
    return new PointArray(
      value.map((each: Value) => fieldValue(each, undefined)).filter((each) => each !== null) as [],
    );
  }
  if (typeof value === "string" && kind === "binary") return Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
  return typeof value === "object" ? null : (value as boolean | string);
}

function numberValue(digits: string, kind: Kind | undefined): PointValue {
  if (kind === "float" || !/^-?\d+$/.test(digits) || digits === "-0") return new Float(Number(digits));
  const whole = BigInt(digits);
  const int = Number.isSafeInteger(Number(digits)) ? Number(digits) : whole;
  return kind === "uint" && whole >= 0n ? new Uint(int) : int;
}

function outcomeOf(row: PointRecord): string {
  return t(row.outcome === "dropped" ? "dropped" : row.refusal === null ? "kept" : "refused");
}

function agentOutcome(row: AgentRow): string {
  return t(row.dropped ? "dropped" : "kept");
}

function titleOf({ before }: PointRecord): string {
  const message = before?.entries.find(({ key }) => key === "message")?.text;
  return (message ?? before?.name ?? "").slice(0, 200);
}
