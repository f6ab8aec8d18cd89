// Shows the state of an agent as an HTML page without scripts. The browser reloads the page every two seconds.

import { createHash } from "node:crypto";
import type { Block } from "./view.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #313a44); --quiet: light-dark(#59636e, #9aa5b1);
  --ground: light-dark(#ffffff, #14181d); --panel: light-dark(#f6f8fa, #1b2128); --text: light-dark(#1f2328, #e6eaef); }
body { margin: 0; padding: 1.25rem; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { display: grid; gap: 1rem; max-width: 76rem; margin: auto; }
h1 { font-size: 1.15rem; margin: 0; }
h2 { font-size: .8rem; letter-spacing: .06em; margin: 0 0 .4rem; color: var(--quiet); }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .6rem; border-top: 1px solid var(--line); white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; border-top: 0; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
p { margin: .4rem 0 0; color: var(--quiet); overflow-wrap: anywhere; white-space: pre-wrap; }
a { color: inherit; }
`;

/**
 * Content security policy of the page. Allows only the page's own style: no scripts, and nothing from other origins.
 */
export const contentPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const refreshSeconds = 2;

export function htmlPage(hostname: string, blocks: readonly Block[]): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>${escaped(hostname)} - Millrace agent</title>
<style>${style}</style>
</head>
<body><main>
<h1>Millrace agent on ${escaped(hostname)}</h1>
${blocks.map(blockHtml).join("\n")}
<p>Drawn anew every ${refreshSeconds} seconds from <a href="/metrics">/metrics</a>; <code>millrace monitor</code> shows the same in a terminal.</p>
</main></body>
</html>
`;
}

function blockHtml({ title, table = [], lines = [] }: Block): string {
  const [columns = [], ...rows] = table;
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return [
    "<section>",
    title === undefined ? "" : `<h2>${escaped(title)}</h2>`,
    table.length === 0
      ? ""
      : `<table><thead>${cells("th", columns)}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    "</section>",
  ].join("");
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => names[character]);
}
