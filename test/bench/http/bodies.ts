// Bodies of line protocol as a monitoring agent sends them: points with three tags, three fields and a time in
// nanoseconds.

const bodies = 16;

/** Makes several bodies of `pointsPerBody` points each. All points differ. */
export function makeBodies(pointsPerBody: number): Buffer[] {
  let serial = 0;
  return Array.from({ length: bodies }, () => {
    const lines: string[] = [];
    for (let at = 0; at < pointsPerBody; at++) {
      const n = serial++;
      lines.push(
        `cpu,host=web${String(n % 100).padStart(3, "0")},region=eu-${n % 4},core=${n % 16} ` +
          `user=${(n % 1000) / 10},system=${(n % 300) / 10},interrupts=${n}i ${1_700_000_000_000_000_000n + BigInt(n) * 1_000_000n}`,
      );
    }
    return Buffer.from(`${lines.join("\n")}\n`);
  });
}
