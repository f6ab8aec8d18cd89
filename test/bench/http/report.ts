// Formats the tables that the HTTP benchmark prints.

import { type Row, rateOf, type Turns } from "./turns.ts";

export function tableOf(rows: readonly Row[]): string {
  const cells = [
    [
      "target",
      "points/body",
      "conn",
      "points/s",
      "MB/s",
      "p50 ms",
      "p99 ms",
      "cpu us/body",
      "cpu s/Mpoint",
      "RSS MiB",
      "load",
      "points",
      "queued",
      "refused",
    ],
    ...rows.map((row) => [
      row.target,
      String(row.pointsPerBody),
      String(row.connections),
      Math.round(row.points / row.seconds).toLocaleString("en-US"),
      (row.bytes / row.seconds / 1e6).toFixed(1),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.cpuSeconds === undefined || row.accepted === 0 ? "-" : ((row.cpuSeconds / row.accepted) * 1e6).toFixed(0),
      row.cpuSeconds === undefined || row.points === 0 ? "-" : (row.cpuSeconds / (row.points / 1e6)).toFixed(2),
      row.residentBytes === undefined ? "-" : (row.residentBytes / 1024 ** 2).toFixed(0),
      (row.loadCpuSeconds / row.seconds).toFixed(2),
      row.points.toLocaleString("en-US"),
      row.queued === undefined ? "-" : row.queued.toLocaleString("en-US"),
      String(row.refused),
    ]),
  ];
  return aligned(cells);
}

/**
 * Compares the two servers of each pair, round by round. Returns a table with the median, the lowest and the highest
 * ratio of their points per second, and the median ratio of their processor times per point. Returns undefined when no
 * pair was measured.
 */
export function comparison(
  turns: readonly Turns[],
  peers: readonly (readonly [name: string, peer: string])[],
): string | undefined {
  const cells = [["beside its peer", "points/body", "conn", "points/s", "from", "to", "cpu"]];
  for (const [name, peer] of peers)
    for (const own of turns.filter(([{ target }]) => target === name)) {
      const [{ pointsPerBody, connections }] = own;
      const its = turns.find(
        ([row]) => row.target === peer && row.pointsPerBody === pointsPerBody && row.connections === connections,
      );
      if (its === undefined || [...its, ...own].some(({ accepted }) => accepted === 0)) continue;
      const rates = ratios(own, its, rateOf);
      cells.push([
        `${name} / ${peer}`,
        String(pointsPerBody),
        String(connections),
        ...[middle(rates), rates[0], rates.at(-1)!].map((ratio) => `${ratio.toFixed(2)}x`),
        own[0].cpuSeconds === undefined ? "-" : `${middle(ratios(own, its, cpuOf)).toFixed(2)}x`,
      ]);
    }
  return cells.length === 1 ? undefined : aligned(cells);
}

const cpuOf = (row: Row) => (row.cpuSeconds ?? Number.NaN) / row.accepted;
const middle = (sorted: readonly number[]) => sorted[sorted.length >> 1];

function ratios(own: Turns, its: Turns, of: (row: Row) => number): number[] {
  return own.map((row, at) => of(row) / of(its[at])).sort((a, b) => a - b);
}

function aligned(cells: readonly (readonly string[])[]): string {
  const widths = cells[0].map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "))
    .join("\n");
}
