// Functions over the syntax nodes of arguments: they find out which key a node names, and print paths and literal lists
// (docs/reference/function-rules.md#keys-and-values).

import { formatFloat } from "../../point/number-text.ts";
import type { Argument, AttrExpr, Expr, FloatLiteral, IndexExpr, IntLiteral } from "../syntax/ast.ts";
import type { Call, Param } from "./declare.ts";

export const KEY: Param = { name: "key", type: "key", summary: "the key that is read and written" };

export type KeyNode = Extract<Expr, { kind: "Identifier" | "AttrExpr" | "StringLiteral" }>;

export function isKeyNode(node: Expr | undefined): node is KeyNode {
  return node?.kind === "Identifier" || node?.kind === "AttrExpr" || node?.kind === "StringLiteral";
}

export function isNumber(node: Expr | undefined): node is IntLiteral | FloatLiteral {
  return node?.kind === "IntLiteral" || node?.kind === "FloatLiteral";
}

/**
 * Returns the value of a string literal. For any other node, the check of the script fails with a message that
 * ends with the node's type.
 */
export function literalOr(call: Call, index: number, message: (kind: string) => string, at?: Expr): string {
  const node = call.arg(index);
  return node?.kind === "StringLiteral" ? node.value : call.fail(message(node?.kind ?? "nothing"), at ?? node);
}

/** Returns a path as it is written, such as `a.b[0].c`, without a leading dot. */
export function pathText(node: Expr): string {
  switch (node.kind) {
    case "Identifier":
      return node.name === "_" ? "message" : node.name;
    case "IndexExpr":
      return indexText(node);
    case "AttrExpr":
      return attrText(node);
    default:
      return elementText(node, '"');
  }
}

function indexText(node: IndexExpr): string {
  const indexes = node.indexes.map((index) => `[${elementText(index, '"')}]`).join("");
  return (node.base?.name ?? "") + indexes;
}

/** Returns an attribute expression as it is written, such as `a.b[0].c`. */
export function attrText(node: AttrExpr): string {
  return node.parts.map((part) => (part.kind === "IndexExpr" ? indexText(part) : part.name)).join(".");
}

/** Prints the elements of a list literal in brackets, strings in single quotes. Returns `[]` for any other node. */
export function listText(node: Expr | undefined, separator: string): string {
  const items = node?.kind === "ListLiteral" ? node.items : [];
  return `[${items.map((item) => elementText(item, "'")).join(separator)}]`;
}

function elementText(node: Expr, quote: string): string {
  switch (node.kind) {
    case "StringLiteral":
      return quote + node.value + quote;
    case "IntLiteral":
    case "BoolLiteral":
      return String(node.value);
    case "FloatLiteral":
      return formatFloat(node.value);
    case "NilLiteral":
      return "nil";
    case "ListLiteral":
      return listText(node, ", ");
    case "ParenExpr":
      return `(${elementText(node.inner, quote)})`;
    case "Identifier":
    case "IndexExpr":
    case "AttrExpr":
      return pathText(node);
    default:
      return sourceText(node);
  }
}

/** Prints an argument on one line, in the syntax of the script language. */
export function sourceText(node: Expr | undefined): string {
  if (node === undefined) return "nothing";
  switch (node.kind) {
    case "ListLiteral":
      return `[${node.items.map(sourceText).join(", ")}]`;
    case "MapLiteral":
      return `{${node.pairs.map(({ key, value }) => `${sourceText(key)}: ${sourceText(value)}`).join(", ")}}`;
    case "ParenExpr":
      return `(${sourceText(node.inner)})`;
    case "UnaryExpr":
      return node.op + sourceText(node.operand);
    case "ArithmeticExpr":
    case "ConditionalExpr":
      return `${sourceText(node.left)} ${node.op} ${sourceText(node.right)}`;
    case "InExpr":
      return `${sourceText(node.left)} in ${sourceText(node.right)}`;
    case "CallExpr":
      return `${node.name}(${node.args.map(argumentText).join(", ")})`;
    case "SliceExpr": {
      const [start, end, step] = [node.start, node.end, node.step].map((part) =>
        part === null ? "" : sourceText(part),
      );
      return `${sourceText(node.object)}[${start}:${end}${step === "" ? "" : `:${step}`}]`;
    }
    default:
      return elementText(node, '"');
  }
}

function argumentText(node: Argument): string {
  return node.kind === "AssignmentExpr" ? `${node.name} = ${sourceText(node.value)}` : sourceText(node);
}
