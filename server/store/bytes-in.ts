// Parses sizes in bytes such as `1GB` and `512MiB`, in DuckDB's notation.

const units: Readonly<Record<string, number>> = {
  ...{ "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 },
};

/**
 * Returns a size as a number of bytes, or 0 for an empty string. Throws an Error that names the setting
 * `platform.memory_limit`.
 */
export function bytesIn(size: string): number {
  if (size.trim() === "") return 0;
  const [, number, unit] = /^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*$/i.exec(size) ?? [];
  const factor = units[(unit ?? "?").toUpperCase()];
  if (number === undefined || factor === undefined)
    throw new Error(`platform.memory_limit: ${JSON.stringify(size)} is no size, such as 512MB`);
  return Math.round(Number(number) * factor);
}
