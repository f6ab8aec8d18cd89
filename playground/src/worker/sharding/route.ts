// Computes for each point of a text the header X-Global-Tags of the point, and the targets to which a gateway
// would send the point. The result contains all reasons for these decisions.

import { PointError, type Points, type PointView } from "../../../../lib/index.ts";
import {
  createGlobalTags,
  type Explanation,
  explain,
  explainTags,
  formatHeader,
  functionIdParts,
  maskTokens,
  pairsOfPoint,
  plainPointOf,
  type ShardKeys,
  type SinkRules,
} from "../../../../lib/sharding/index.ts";
import { t } from "../../text/translate.ts";
import { bodyBytes } from "../convert/body-text.ts";
import { faultsOf } from "../convert/faults.ts";
import type { Instance } from "../instance.ts";
import { readSinks, readTags, type TagConfig } from "./read-rules.ts";
import type { HeaderStep, Route, Routing, RoutingJob, Target } from "./routing.ts";

/** Largest number of points whose routes are sent to the page. All points are counted. */
export const mostRoutes = 200;
/** Largest number of characters of a point's text that are sent to the page. */
const mostText = 400;

/** Path of the write request for the points. Conditions of the sink rules may compare this path. */
const pathOf = ({ category }: RoutingJob) => `/v1/write/${category}`;

export async function route(mill: Instance, job: RoutingJob): Promise<Routing> {
  const tags = readTags(job.maker === "rules" ? job.tags : "");
  const sinks = readSinks(job.sinks);
  const body = bodyBytes(job.points, "lp");
  const answer = { tagProblems: tags.problems, sinkProblems: sinks.problems, pointProblems: [] };
  if (job.points.trim() === "")
    return { ...answer, targets: targetsOf(sinks.rules, []), routes: [], points: 0, refused: 0 };
  let points: Points;
  try {
    const { category, now } = job;
    points = mill.decodePoints(body.bytes, { category, form: "lp", now });
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const pointProblems = faultsOf(error, job.points, body, "lp").map(({ from, to, reason }) => ({
      ...{ severity: "error" as const, message: reason, from, to },
    }));
    return { ...answer, pointProblems, targets: targetsOf(sinks.rules, []), routes: [], points: 0, refused: 0 };
  }
  try {
    const header = headerMaker(job, tags.config);
    const routes: Route[] = [];
    for (let at = 0; at < points.length; at++) {
      const point = points.at(at);
      const { text, steps } = await header(point);
      const explanation = sinks.rules && explain(sinks.rules, text, pathOf(job), job.matching);
      routes.push({
        measurement: point.name,
        text: at < mostRoutes ? textOf(mill, point) : "",
        header: text,
        targets: explanation?.decision.entries.map(({ index }) => index) ?? [],
        steps,
        entries: explanation === undefined ? [] : entriesOf(explanation),
      });
    }
    return {
      ...answer,
      targets: targetsOf(sinks.rules, routes),
      routes: routes.slice(0, mostRoutes),
      points: routes.length,
      refused: sinks.rules === undefined ? 0 : routes.filter(({ targets }) => targets.length === 0).length,
    };
  } finally {
    points.release();
  }
}

interface MadeHeader {
  readonly text: string;
  readonly steps: readonly HeaderStep[];
}

/**
 * Returns a function that takes a point and returns the header X-Global-Tags of the point, with the steps that led to
 * the header.
 */
function headerMaker(job: RoutingJob, config: TagConfig): (point: PointView) => Promise<MadeHeader> {
  const { category } = job;
  if (job.maker === "keys") {
    const keys: ShardKeys = new Set(namesIn(job.keys));
    return async (point) => ({
      text: formatHeader(pairsOfPoint(point, category, keys)),
      steps: [agentStep(point, job, keys)],
    });
  }
  const tags = createGlobalTags(config);
  return async (point) => {
    const plain = plainPointOf(point);
    const text = await tags.headerOf(category, plain);
    return { text, steps: typeof config === "string" ? [functionStep(config)] : tagSteps(config, job, plain) };
  };
}

function tagSteps(config: TagConfig, { category }: RoutingJob, point: ReturnType<typeof plainPointOf>): HeaderStep[] {
  return explainTags(config, category, point).map(({ index, applies, reason, fields }) => ({
    title: t("Rule {n}", { n: index + 1 }),
    applies,
    reason,
    fields: fields.map(({ dest, value, reason: why }) => ({
      text: value === "" ? dest : `${dest}=${value}`,
      holds: value !== "",
      reason: why,
    })),
  }));
}

function functionStep(id: string): HeaderStep {
  const name = functionIdParts(id)?.name ?? id;
  const reason = t("the gateway calls its function {name} here; the page has no functions of the gateway", { name });
  return { title: t("Function"), applies: false, reason, fields: [] };
}

function agentStep(point: PointView, { category }: RoutingJob, keys: ShardKeys): HeaderStep {
  const found = new Map(pairsOfPoint(point, category, keys));
  const fields = [...keys].map((key) => ({
    text: found.has(key) ? `${key}=${found.get(key)}` : key,
    holds: found.has(key),
    reason: t(found.has(key) ? "a text of the point, or built in" : "the point has no text of this key"),
  }));
  return { title: t("Shard keys"), applies: found.size > 0, reason: t("keys of the agent"), fields };
}

/** Returns the names of a comma-separated list, without the blanks around them and without repetitions. */
function namesIn(text: string): string[] {
  return [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "");
}

function entriesOf({ entries }: Explanation): Route["entries"] {
  return entries.map(({ entry, isTarget, outcome, conditions }) => ({
    index: entry.index,
    isTarget,
    outcome,
    conditions: conditions.map(({ text, matches: holds, parts }) => ({
      text: text.trim(),
      holds,
      reason: "",
      parts: parts.map((part) => ({ text: part.text, holds: part.matches, reason: part.reason })),
    })),
  }));
}

function targetsOf(rules: SinkRules | undefined, routes: readonly Route[]): Target[] {
  return (rules?.entries ?? []).map(({ index, url, info, isDefault }) => ({
    index,
    title: info === "" ? new URL(url).host : info,
    url: maskTokens(url),
    isDefault,
    points: routes.filter(({ targets }) => targets.includes(index)).length,
  }));
}

function textOf(mill: Instance, point: PointView): string {
  const text = new TextDecoder().decode(mill.encodePoints([point], "lp")).trimEnd();
  return text.length > mostText ? `${text.slice(0, mostText)} …` : text;
}
