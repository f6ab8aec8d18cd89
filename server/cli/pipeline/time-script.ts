// Measures how much time a script takes per point. The script runs as an agent runs it: request bodies are
// decoded onto tapes (a binary format of points), the script runs over the tapes, and the points are encoded as
// protobuf. A script that waits for something, such as an HTTP response, is run on one point after the other
// instead, without tapes.

import {
  type CategoryName,
  createProfile,
  type Millrace,
  Point,
  type Profile,
  type Script,
} from "../../../lib/index.ts";
import { wallClock } from "../../agent/engine.ts";

export interface Timed {
  /**
   * The time in nanoseconds per point, measured in the fastest round. `script` is the time of the script alone;
   * `whole` is the time of decoding, the script and encoding together.
   */
  readonly script: number;
  readonly whole: number;
  readonly rounds: number;
  /** Number of points on which the script failed, in one round over all points. */
  readonly failures: number;
}

interface Round {
  /**
   * The time in milliseconds that one round over all points took. `script` is the time of the script alone;
   * `whole` is the time of decoding, the script and encoding together.
   */
  readonly script: number;
  readonly whole: number;
  readonly failures: number;
}

const pointsOfBatch = 2000;

/**
 * Runs the script over all points in rounds for `forMs` milliseconds. Returns the fastest round, because other
 * processes disturbed it least.
 */
export async function timeScript(
  mill: Millrace,
  script: Script,
  category: CategoryName,
  points: readonly Point[],
  forMs: number,
): Promise<Timed> {
  const bodies = script.waits ? [] : bodiesOf(mill, points);
  let best: Round = { script: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY, failures: 0 };
  let rounds = 0;
  const end = performance.now() + forMs;
  do {
    const round = script.waits
      ? await waitingRound(mill, script, category, points)
      : batchRound(mill, script, category, bodies);
    if (round.whole < best.whole) best = round;
    rounds++;
  } while (performance.now() < end);
  const ns = (ms: number) => (ms * 1e6) / points.length;
  return { script: ns(best.script), whole: ns(best.whole), rounds, failures: best.failures };
}

function bodiesOf(mill: Millrace, points: readonly Point[]): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (let from = 0; from < points.length; from += pointsOfBatch)
    bodies.push(mill.encodePoints(points.slice(from, from + pointsOfBatch), "pb"));
  return bodies;
}

function batchRound(mill: Millrace, script: Script, category: CategoryName, bodies: readonly Uint8Array[]): Round {
  let [inScript, whole, failures] = [0, 0, 0];
  for (const body of bodies) {
    const began = performance.now();
    const batch = mill.decodePoints(body, { category, form: "pb", now: wallClock() });
    const start = performance.now();
    mill.runAll(script, batch, { category }, ({ error }) => {
      if (error !== null) failures++;
    });
    const done = performance.now();
    mill.encodePoints(batch, "pb");
    whole += performance.now() - began;
    inScript += done - start;
    batch.release();
  }
  return { script: inScript, whole, failures };
}

async function waitingRound(
  mill: Millrace,
  script: Script,
  category: CategoryName,
  points: readonly Point[],
): Promise<Round> {
  const copies = points.map((point) => Point.copyOf(point));
  let failures = 0;
  const start = performance.now();
  for (const copy of copies) if ((await mill.runWaiting(script, copy, { category })).error !== null) failures++;
  const took = performance.now() - start;
  return { script: took, whole: took, failures };
}

export interface Statements {
  readonly statements: ReturnType<Profile["statements"]>;
  /** Number of statements that the script executes for each point, on average. */
  readonly perPoint: number;
}

/**
 * Measures for `forMs` milliseconds how much time each statement of the script takes. `script` must be compiled with
 * instrumentation.
 */
export async function timeStatements(
  mill: Millrace,
  script: Script,
  category: CategoryName,
  points: readonly Point[],
  forMs: number,
): Promise<Statements> {
  const profile = createProfile(() => performance.now());
  const bodies = script.waits ? [] : bodiesOf(mill, points);
  const options = { category, probe: profile };
  const end = performance.now() + forMs;
  let passes = 0;
  do {
    if (script.waits) for (const point of points) await mill.runWaiting(script, Point.copyOf(point), options);
    for (const body of bodies) {
      const batch = mill.decodePoints(body, { category, form: "pb", now: wallClock() });
      mill.runAll(script, batch, options, () => {});
      batch.release();
    }
    passes++;
  } while (performance.now() < end);
  const statements = profile.statements();
  const ran = statements.reduce((sum, { count }) => sum + count, 0);
  return { statements, perPoint: ran / passes / points.length };
}
