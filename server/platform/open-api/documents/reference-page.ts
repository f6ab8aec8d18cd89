// Generates the HTML reference page of the Open API from the OpenAPI document. The page contains no script and
// loads no other files.

import { catalogue } from "../protocol/errors.ts";
import type { Json, JsonSchema } from "../protocol/schema.ts";
import { documentPath, type OpenApiDocument, type Operation, type Parameter } from "./document.ts";
import { referenceStyle } from "./reference-style.ts";

export function referencePage(document: OpenApiDocument): string {
  const { title, description, version } = document.info as Readonly<Record<string, string>>;
  const groups = document.tags.map(({ name }) => ({ name, operations: operationsOf(document, name) }));
  const links = groups.map(
    ({ name, operations }) =>
      `<li>${escaped(name)}<ul>${operations
        .map(
          ({ operation: { operationId }, path }) =>
            `<li><a href="#${operationId}">${escaped(shortened(path))}</a></li>`,
        )
        .join("")}</ul></li>`,
  );
  const sections = groups.map(
    ({ name, operations }) => `<h2>${escaped(name)}</h2>\n${operations.map(operationText).join("\n")}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${referenceStyle}</style>
</head>
<body>
<nav aria-label="Routes"><ul>${links.join("")}<li><a href="#errors">Errors</a></li></ul></nav>
<main>
<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
<p>${escaped(description)}</p>
<p>For programs: <a href="${documentPath}">openapi.json</a> (OpenAPI ${escaped(document.openapi)}).</p>
${sections.join("\n")}
<h2 id="errors">Errors</h2>
${errorsText()}
</main>
</body>
</html>
`;
}

/**
 * The Content-Security-Policy of the page. It allows only the page's own style and forbids that other pages show
 * this page in a frame.
 */
export const referencePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument, group: string): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(group))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function operationText({ path, method, operation }: Placed): string {
  const { operationId, summary, description = "", parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"];
  const answered = operation.responses["200"];
  const answer = "content" in answered ? answered.content["application/json"] : undefined;
  const content = (answer?.schema as JsonSchema | undefined)?.properties?.content;
  return `<section id="${operationId}">
<h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></h3>
<p>${escaped(summary)}</p>
${description
  .split("\n\n")
  .filter((each) => each !== "")
  .map((each) => `<p>${escaped(each)}</p>`)
  .join("\n")}
${parameters.length === 0 ? "" : table("Parameters", parameters.map(parameterRow))}
${body === undefined || requestBody?.description === "none" ? "" : table("Body", rowsOf(body.schema as JsonSchema))}
${content === undefined ? "" : `<details><summary>Content of the answer</summary>${table("", contentRows(content))}</details>`}
${Object.entries(answer?.examples ?? {})
  .map(([name, { summary: title = "", value }]) => example(title, body?.examples?.[name]?.value, value))
  .join("\n")}
</section>`;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

function table(title: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, type, about }) =>
      `<tr><td><code>${breakable(name)}</code></td><td>${escaped(type)}</td><td>${escaped(about)}</td></tr>`,
  );
  return `${title === "" ? "" : `<h4>${title}</h4>`}<div class="wide"><table><tbody>${lines.join("")}</tbody></table></div>`;
}

function parameterRow(parameter: Parameter): Row {
  const schema = parameter.schema ?? parameter.content?.["application/json"]?.schema ?? {};
  const spelled = parameter.content === undefined ? "" : ", as JSON";
  return {
    name: parameter.name,
    type: `${parameter.in}, ${typeText(schema)}${spelled}`,
    about: [parameter.required ? "required" : "", parameter.description ?? "", limitsText(schema)]
      .filter((each) => each !== "")
      .join("; "),
  };
}

function contentRows(schema: JsonSchema): readonly Row[] {
  const inner = schema.type === "array" && schema.items !== undefined ? rowsOf(schema.items) : rowsOf(schema);
  return inner.length > 0 ? inner : [{ name: "content", type: typeText(schema), about: schema.description ?? "" }];
}

/** Returns all members of an object schema, including the members of nested objects. Each member has its path. */
function rowsOf(schema: JsonSchema, prefix = ""): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([member, inner]) => {
    const name = prefix === "" ? member : `${prefix}.${member}`;
    const about = [
      schema.required?.includes(member) ? "required" : "",
      inner.description ?? "",
      limitsText(inner),
    ].filter((each) => each !== "");
    const row = { name, type: typeText(inner), about: about.join("; ") };
    return inner.items === undefined ? [row, ...rowsOf(inner, name)] : [row, ...rowsOf(inner.items, `${name}[]`)];
  });
}

function typeText({ type, items, enum: values }: JsonSchema): string {
  if (type === undefined) return "any";
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(" or ");
  const names = [type].flat().join(" or ");
  return items === undefined ? names : `${names} of ${typeText(items)}`;
}

function limitsText(schema: JsonSchema): string {
  const { minLength, maxLength, minimum, maximum, pattern, default: value } = schema;
  return [
    maxLength === undefined ? "" : `${minLength ?? 0} to ${maxLength} characters`,
    minimum === undefined || maximum === undefined ? "" : `${minimum} to ${maximum}`,
    pattern === undefined ? "" : pattern,
    value === undefined ? "" : `default ${JSON.stringify(value)}`,
  ]
    .filter((each) => each !== "")
    .join("; ");
}

function example(title: string, body: Json | undefined, answer: Json): string {
  const sent = body === undefined ? "" : `<h4>Body</h4><pre>${escaped(JSON.stringify(body, null, 2))}</pre>`;
  return `<details><summary>Example: ${escaped(title)}</summary>${sent}<h4>Answer</h4><pre>${escaped(JSON.stringify(answer, null, 2))}</pre></details>`;
}

function errorsText(): string {
  const lines = Object.entries(catalogue).map(
    ([code, { status, message }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escaped(message)}</td></tr>`,
  );
  return `<div class="wide"><table><thead><tr><th>Status</th><th>errorCode</th><th>message</th></tr></thead><tbody>${lines.join("")}</tbody></table></div>`;
}

function shortened(path: string): string {
  return path.replace(/^\/api\/v1/, "");
}

/** Converts a path into HTML in which a browser may break the line after each slash or dot. */
function breakable(text: string): string {
  return escaped(text).replace(/[/.]/g, "$&<wbr>");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (each) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[each]!);
}
