// Generates `client/operations.ts`, the typed part of the client, from the declarations of the routes. The file
// contains the types of the schemas and describes how each operation is sent.

import { headersOf, type Route } from "../protocol/route.ts";
import type { JsonSchema, Members, TypeName } from "../protocol/schema.ts";

export function clientSource(routes: readonly Route[]): string {
  const types = new Map<string, string>();
  const methods = routes.map((route) => methodOf(route, types));
  return `// The operations of the Open API and their types, written by \`npm run docs\` from the declarations of the routes.
// biome-ignore-all format: written by a program

import type { Json, JsonObject, Listed, Operation } from "./wire.ts";

export interface OpenApiClient {
${methods.join("\n")}
}
${[...types].map(([text, name]) => `\nexport type ${name} = ${text};\n`).join("")}
export const operations: Readonly<Record<keyof OpenApiClient, Operation>> = {
${routes.map(operationLine).join("\n")}
};
`;
}

function methodOf(route: Route, types: Map<string, string>): string {
  const headers = headersOf(route);
  const { name, summary, query = {}, body, answer, isList, rowsIn } = route;
  const ids = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, id]) => `readonly ${id}: string`);
  const asked: { readonly name: string; readonly type: string; readonly isNeeded: boolean }[] = [];
  if (ids.length > 0) asked.push({ name: "ids", type: `{ ${ids.join("; ")} }`, isNeeded: true });
  if (Object.keys(query).length > 0) {
    const schema = querySchema(query);
    asked.push({
      name: "query",
      type: named(`${title(name)}Query`, schema, types),
      isNeeded: schema.required!.length > 0,
    });
  }
  if (Object.keys(headers).length > 0) {
    const members = Object.keys(headers).map((header) => `readonly ${JSON.stringify(header)}?: string`);
    asked.push({ name: "headers", type: `{ ${members.join("; ")} }`, isNeeded: false });
  }
  if (body !== undefined) {
    const isNeeded = (body.json.required ?? []).length > 0;
    asked.push({ name: "body", type: named(`${title(name)}Body`, body.json, types), isNeeded });
  }
  const answered = named(`${title(name)}${isList ? "Row" : "Answer"}`, answer.json, types);
  const rows = `readonly ${answered}[]`;
  const listed = `Listed<${rowsIn === undefined ? rows : `{ readonly ${rowsIn}: ${rows} }`}>`;
  const mark = asked.some(({ isNeeded }) => isNeeded) ? "" : "?";
  const members = asked.map((each) => `readonly ${each.name}${each.isNeeded ? "" : "?"}: ${each.type}`).join("; ");
  const parameter = asked.length === 0 ? "" : `asked${mark}: { ${members} }`;
  return `  /** ${comment(summary)} */\n  ${name}(${parameter}): Promise<${isList ? listed : answered}>;`;
}

function querySchema(query: Members): JsonSchema & { readonly required: readonly string[] } {
  const properties = Object.fromEntries(Object.entries(query).map(([name, { json }]) => [name, json]));
  return { type: "object", properties, required: Object.keys(query).filter((name) => query[name].isOptional !== true) };
}

/**
 * Returns the TypeScript type of a schema. For an object type with members, returns the name of a named type;
 * equal types get the same name.
 */
function named(name: string, schema: JsonSchema, types: Map<string, string>): string {
  const text = typeText(schema, "");
  if (schema.properties === undefined) return text;
  const known = types.get(text);
  if (known !== undefined) return known;
  types.set(text, name);
  return name;
}

function typeText(schema: JsonSchema, indent: string): string {
  if (schema.type === undefined) return "Json";
  const types = [schema.type].flat();
  return types.map((type) => oneType(type, schema, indent)).join(" | ");
}

function oneType(type: TypeName, schema: JsonSchema, indent: string): string {
  switch (type) {
    case "string":
    case "integer":
    case "number": {
      const plain = type === "string" ? "string" : "number";
      return schema.enum === undefined ? plain : schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    }
    case "boolean":
    case "null":
      return type;
    case "array": {
      const item = schema.items === undefined ? "Json" : typeText(schema.items, indent);
      return `readonly ${item.includes("|") || item.startsWith("readonly") ? `(${item})` : item}[]`;
    }
    case "object":
      return objectText(schema, indent);
  }
}

function objectText({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (additionalProperties !== undefined && additionalProperties !== true) {
    return `{ readonly [name: string]: ${typeText(additionalProperties, indent)} }`;
  }
  if (properties === undefined) return "JsonObject";
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? "" : `${inner}/** ${comment(schema.description)} */\n`;
    const mark = required.includes(name) ? "" : "?";
    return `${about}${inner}readonly ${memberName(name)}${mark}: ${typeText(schema, inner)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function operationLine({ name, method, path, isList, query = {} }: Route): string {
  const spellings = Object.entries(query).flatMap(([parameter, { spelling }]) =>
    spelling === undefined ? [] : [`${memberName(parameter)}: "${spelling}"`],
  );
  const spelled = spellings.length === 0 ? "{}" : `{ ${spellings.join(", ")} }`;
  return `  ${name}: { method: "${method}", path: "${path}", isList: ${isList}, spellings: ${spelled} },`;
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function title(name: string): string {
  return `${name[0].toUpperCase()}${name.slice(1)}`;
}

function comment(text: string): string {
  return text.replaceAll("*/", "* /");
}
