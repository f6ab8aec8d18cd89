// Makes the nodes of the syntax tree (ast.ts) while the grammar matches, and finds the errors that the grammar
// itself does not find (docs/reference/language.md#syntax-errors, second table). When the node of a bracket is
// made, the bracket's content is not parsed yet; `finish` adds the contents to the nodes after the whole script
// has been parsed.

import { numberValue } from "../../text/number-literal.ts";
import { stringValue } from "../../text/string-literal.ts";
import type {
  Argument,
  ArithmeticOp,
  Assignment,
  AssignmentExpr,
  Block,
  ComparisonOp,
  Expr,
  Identifier,
  IfStatement,
  IndexExpr,
  LogicOp,
  Offset,
  Simple,
  Statement,
} from "./ast.ts";
import type { Group } from "./brackets.ts";
import type { Token } from "./token.ts";

/**
 * An index into the string that the grammar parses in one run. The string has one character for each token, which
 * stands for the type of the token.
 */
type LetterIndex = number;

/** Name, in grammar.peggy, of the rule that parses the content of a bracket. */
export type Rule = "{" | "(" | "a" | "[" | "x" | "y" | "z" | "m";

/** The parsed content of a bracket. It is set after the grammar has run over the content. */
export interface Inside {
  rule: Rule;
  result: unknown;
}

/** A group (the content of a bracket) that is to be parsed by a rule, and the object that receives the result. */
export interface Task {
  readonly rule: Rule | "$";
  readonly group: Group;
  readonly into: { result: unknown };
}

export interface TreeError {
  readonly token: number;
  readonly at: Offset;
  readonly message: string;
}

interface Bounds {
  readonly start: Expr | null;
  readonly end: Expr | null;
  readonly step: Expr | null;
}

type Tail = readonly (readonly [op: LetterIndex, newlines: unknown, right: Expr])[];

export class Tree {
  error: TreeError | null = null;
  private readonly source: string;
  private readonly tokens: readonly Token[];
  /** The brackets that the current run of the grammar has found, by the index of their opening token. */
  private insides = new Map<number, Inside>();
  private tasks: readonly Task[] = [];
  /** Number of groups (contents of brackets) that the current run of the grammar has parsed so far. */
  private done = 0;
  /** For each letter of the current group (content of a bracket), the index of its first token. */
  private places: readonly number[] = [];
  /**
   * Index of the first letter of the current group's content. The letter before it is the name of the grammar rule
   * that parses the group.
   */
  private first: LetterIndex = 0;
  private readonly unfinished: (() => void)[] = [];

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.tokens = tokens;
  }

  /** Starts a run of the grammar over the given groups (contents of brackets). */
  begin(tasks: readonly Task[]): void {
    this.tasks = tasks;
    this.done = 0;
  }

  /**
   * Enters the next group (content of a bracket), whose first letter has the index `letter`. Returns false when there
   * is no further group.
   */
  enter(letter: LetterIndex): boolean {
    const task = this.tasks[this.done];
    if (task === undefined) return false;
    this.first = letter + 1;
    this.places = task.group.tokens;
    return true;
  }

  /** Leaves the current group (the content of a bracket) and stores its result. */
  leave(result: unknown): void {
    this.tasks[this.done++]!.into.result = result;
  }

  /**
   * Returns the brackets that the last run of the grammar found, from left to right. Each bracket is returned once,
   * because the list is emptied.
   */
  takeInsides(): (readonly [token: number, Inside])[] {
    const met = [...this.insides].sort(([one], [other]) => one - other);
    this.insides = new Map();
    return met;
  }

  /** Adds the parsed content of each bracket to the syntax tree node that belongs to the bracket. */
  finish(): void {
    for (const fill of this.unfinished) fill();
  }

  tokenIndex(letter: LetterIndex): number {
    return this.places[letter - this.first]!;
  }

  // Methods that make the nodes of statements.

  loopExit(kind: "Break" | "Continue", letter: LetterIndex): Statement {
    return { kind, at: this.at(letter) };
  }

  block(letter: LetterIndex): Block {
    const statements: Statement[] = [];
    const inside = this.inside(letter, "{");
    this.unfinished.push(() => {
      for (const each of inside.result as Statement[]) statements.push(each);
    });
    return { kind: "Block", at: this.at(letter), statements };
  }

  ifStatement(letter: LetterIndex, branches: IfStatement["branches"], otherwise: Block | null): Statement {
    return { kind: "If", at: this.at(letter), branches, otherwise };
  }

  /** Makes the node of a `for ... in` loop. `next` is the index of the letter (token) after the loop's body. */
  forIn(letter: LetterIndex, head: Expr, body: Block, next: LetterIndex): Statement {
    const { left, right } = head as Extract<Expr, { kind: "InExpr" }>;
    const close = this.tokenIndex(next) - 1;
    if (isLiteral(right) && right.kind !== "StringLiteral") {
      this.report(close, `${right.kind} object is not iterable`);
    } else if (left.kind !== "Identifier") this.report(close, `${left.kind} object is not identifier`);
    return { kind: "ForIn", at: this.at(letter), variable: left as Identifier, over: right, body };
  }

  forStatement(
    letter: LetterIndex,
    init: Simple | null,
    condition: Expr | null,
    rest: { readonly step: Simple | null; readonly body: Block },
  ): Statement {
    return { kind: "For", at: this.at(letter), init, condition, step: rest.step, body: rest.body };
  }

  simple(head: Expr, assign: { op: LetterIndex; more: Expr[]; values: Expr[] } | null): Simple {
    if (assign === null) return { kind: "Expression", at: head.at, expr: head };
    const op = this.text(assign.op) as Assignment["op"];
    const targets = [head, ...assign.more];
    return { kind: "Assignment", at: head.at, opAt: this.at(assign.op), op, targets, values: assign.values };
  }

  // Methods that make the nodes of operators.

  /** Makes the node of a chain of left-associative operators of equal precedence, such as `a - b + c`. */
  chain(head: Expr, tail: Tail): Expr {
    let left = head;
    for (const [op, , right] of tail) left = this.binary(op, left, right);
    return left;
  }

  private binary(letter: LetterIndex, left: Expr, right: Expr): Expr {
    const op = this.text(letter);
    const opAt = this.at(letter);
    const { at } = left;
    if (op.toLowerCase() === "in") return { kind: "InExpr", at, opAt, left, right };
    if ("+-*/%".includes(op)) return { kind: "ArithmeticExpr", at, opAt, op: op as ArithmeticOp, left, right };
    return { kind: "ConditionalExpr", at, opAt, op: op as ComparisonOp | LogicOp, left, right };
  }

  /** Checks the right operand of `/` or `%`. `next` is the index of the letter (token) after the operand. */
  divisor(operand: Expr, next: LetterIndex): Expr {
    const isNumber = operand.kind === "IntLiteral" || operand.kind === "FloatLiteral";
    if (isNumber && operand.value === 0) this.report(this.tokenIndex(next), "division or modulo by zero");
    return operand;
  }

  /**
   * Applies the operators `+`, `-` and `!` to the operand that follows them. A `+` or `-` directly before a number
   * literal becomes part of the number.
   */
  signed(signs: readonly LetterIndex[], operand: Expr): Expr {
    let node = operand;
    for (let index = signs.length - 1; index >= 0; index--) {
      const at = this.at(signs[index]!);
      const op = this.text(signs[index]!) as "+" | "-" | "!";
      if (op !== "!" && (node.kind === "IntLiteral" || node.kind === "FloatLiteral")) {
        const { value } = node;
        if (node.kind === "FloatLiteral")
          node = { kind: "FloatLiteral", at, value: op === "-" ? -Number(value) : Number(value) };
        else node = { kind: "IntLiteral", at, value: op === "-" ? negated(value) : value };
      } else node = { kind: "UnaryExpr", at, op, operand: node };
    }
    return node;
  }

  // Methods that make the nodes of primary expressions: literals, names, calls, brackets.

  literal(letter: LetterIndex): Expr {
    const token = this.tokens[this.tokenIndex(letter)]!;
    const { at } = token;
    const text = this.source.slice(at, token.end);
    switch (token.letter) {
      case "0":
        return this.number(letter, at, text);
      case "s":
        return this.string(letter, at, text);
      case "T":
        return { kind: "BoolLiteral", at, value: text.toLowerCase() === "true" };
      default:
        return { kind: "NilLiteral", at };
    }
  }

  private number(letter: LetterIndex, at: Offset, text: string): Expr {
    const value = numberValue(text);
    if ("int" in value) return { kind: "IntLiteral", at, value: value.int };
    if ("float" in value) return { kind: "FloatLiteral", at, value: value.float };
    this.report(this.tokenIndex(letter), value.error);
    return { kind: "NilLiteral", at };
  }

  private string(letter: LetterIndex, at: Offset, text: string): Expr {
    const literal = stringValue(text);
    if ("error" in literal) this.report(this.tokenIndex(letter), literal.error);
    return { kind: "StringLiteral", at, value: "error" in literal ? "" : literal.value };
  }

  identifier(letter: LetterIndex): Identifier {
    return { kind: "Identifier", at: this.at(letter), name: nameOf(this.text(letter)) };
  }

  /** Makes the node of a call from a name and from the bracket after the name, which contains the arguments. */
  call(letter: LetterIndex): Expr {
    const { at, name } = this.identifier(letter);
    const args: Argument[] = [];
    const inside = this.inside(letter + 1, "a");
    this.unfinished.push(() => {
      for (const each of inside.result as Argument[]) args.push(each);
    });
    return { kind: "CallExpr", at, name, args };
  }

  named(letter: LetterIndex, value: Expr): AssignmentExpr {
    return { kind: "AssignmentExpr", at: this.at(letter), name: nameOf(this.text(letter)), value };
  }

  list(letter: LetterIndex): Expr {
    const items: Expr[] = [];
    const inside = this.inside(letter, "[");
    this.unfinished.push(() => {
      for (const each of inside.result as Expr[]) items.push(each);
    });
    return { kind: "ListLiteral", at: this.at(letter), items };
  }

  map(letter: LetterIndex): Expr {
    const pairs: { key: Expr; value: Expr }[] = [];
    const inside = this.inside(letter, "m");
    this.unfinished.push(() => {
      for (const each of inside.result as typeof pairs) pairs.push(each);
    });
    return { kind: "MapLiteral", at: this.at(letter), pairs };
  }

  parentheses(letter: LetterIndex): Expr {
    const inside = this.inside(letter, "(");
    const node: { kind: "ParenExpr"; at: Offset; inner: Expr } = {
      kind: "ParenExpr",
      at: this.at(letter),
      inner: unknownYet,
    };
    this.unfinished.push(() => {
      node.inner = inside.result as Expr;
    });
    return node;
  }

  // Methods that make the nodes of indexes and slices.

  index(letter: LetterIndex, rule: "x" | "z"): Inside {
    return this.inside(letter, rule);
  }

  part(letter: LetterIndex, name: Identifier | null, insides: readonly Inside[]): Identifier | IndexExpr {
    if (name !== null && insides.length === 0) return name;
    const indexes: Expr[] = [];
    this.unfinished.push(() => {
      for (const inside of insides) indexes.push(inside.result as Expr);
    });
    return { kind: "IndexExpr", at: this.at(letter), base: name, indexes };
  }

  reference(parts: readonly (Identifier | IndexExpr)[]): Expr {
    const first = parts[0]!;
    return parts.length === 1 ? first : { kind: "AttrExpr", at: first.at, parts };
  }

  slice(letter: LetterIndex, rule: "y" | "z"): { at: Offset; inside: Inside } {
    return { at: this.at(letter), inside: this.inside(letter, rule) };
  }

  sliced(object: Expr, slices: readonly { at: Offset; inside: Inside }[]): Expr {
    let node = object;
    for (const { at, inside } of slices) {
      const slice = { kind: "SliceExpr" as const, at, object: node, start: null, end: null, step: null };
      this.unfinished.push(() => Object.assign(slice, inside.result as Bounds));
      node = slice;
    }
    return node;
  }

  /** Checks the bounds of a slice. `close` is the index of the letter (token) for the closing bracket. */
  bounds(start: Expr | null, end: Expr | null, step: Expr | null | undefined, close: LetterIndex): Bounds {
    const bounds = { start, end, step: step ?? null };
    for (const [name, bound] of Object.entries(bounds)) {
      if (bound !== null && ["FloatLiteral", "StringLiteral", "ListLiteral"].includes(bound.kind)) {
        this.report(this.tokenIndex(close), `invalid slice ${name} type ${bound.kind}`);
      }
    }
    return bounds;
  }

  private inside(letter: LetterIndex, rule: Rule): Inside {
    const token = this.tokenIndex(letter);
    const known = this.insides.get(token);
    if (known !== undefined) {
      known.rule = rule;
      return known;
    }
    const inside: Inside = { rule, result: undefined };
    this.insides.set(token, inside);
    return inside;
  }

  /**
   * Reports an error. Only the leftmost error is kept. When several errors are at one token, the error that was
   * reported first is kept.
   */
  private report(token: number, message: string): void {
    if (this.error !== null && this.error.token <= token) return;
    this.error = { token, at: this.tokens[token]?.at ?? this.source.length, message };
  }

  private at(letter: LetterIndex): Offset {
    return this.tokens[this.tokenIndex(letter)]!.at;
  }

  private text(letter: LetterIndex): string {
    const token = this.tokens[this.tokenIndex(letter)]!;
    return this.source.slice(token.at, token.end);
  }
}

/** A placeholder for the content of a parenthesis, until `finish` replaces it by the real node. */
const unknownYet: Expr = { kind: "NilLiteral", at: -1 };

function isLiteral(node: Expr): boolean {
  return ["IntLiteral", "FloatLiteral", "BoolLiteral", "NilLiteral", "StringLiteral"].includes(node.kind);
}

/** Returns the name of an identifier token, without the backticks. */
function nameOf(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1) : text;
}

function negated(value: number | bigint): number | bigint {
  return typeof value === "bigint" ? -value : 0 - value;
}
