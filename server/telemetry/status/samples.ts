// Parses the parts of the Prometheus text format that /metrics uses, into samples (a name, labels and a value).

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const each of text.split("\n")) {
    const found = line.exec(each);
    if (found === null) continue;
    const labels: Record<string, string> = Object.create(null);
    for (const [, name, value] of (found[2] ?? "").matchAll(label)) labels[name] = unescaped(value);
    samples.push({ name: found[1], labels, value: Number(found[3].replace(/^([+-])Inf$/, "$1Infinity")) });
  }
  return samples;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, char: string) => (char === "n" ? "\n" : char));
}
