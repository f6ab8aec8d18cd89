// The syntax tree of a script. `at` is the UTF-16 offset where a node starts (docs/reference/language.md#checks); the
// class `Source` converts the offset to line, column and position.

export type Offset = number;

export interface Identifier {
  readonly kind: "Identifier";
  readonly at: Offset;
  readonly name: string;
}
export interface StringLiteral {
  readonly kind: "StringLiteral";
  readonly at: Offset;
  readonly value: string;
}
export interface IntLiteral {
  readonly kind: "IntLiteral";
  readonly at: Offset;
  readonly value: number | bigint;
}
export interface FloatLiteral {
  readonly kind: "FloatLiteral";
  readonly at: Offset;
  readonly value: number;
}
export interface BoolLiteral {
  readonly kind: "BoolLiteral";
  readonly at: Offset;
  readonly value: boolean;
}
export interface NilLiteral {
  readonly kind: "NilLiteral";
  readonly at: Offset;
}
export interface ListLiteral {
  readonly kind: "ListLiteral";
  readonly at: Offset;
  readonly items: readonly Expr[];
}
export interface MapLiteral {
  readonly kind: "MapLiteral";
  readonly at: Offset;
  readonly pairs: readonly { readonly key: Expr; readonly value: Expr }[];
}
export interface ParenExpr {
  readonly kind: "ParenExpr";
  readonly at: Offset;
  readonly inner: Expr;
}
export interface UnaryExpr {
  readonly kind: "UnaryExpr";
  readonly at: Offset;
  readonly op: "+" | "-" | "!";
  readonly operand: Expr;
}

export type ArithmeticOp = "+" | "-" | "*" | "/" | "%";
export type ComparisonOp = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type LogicOp = "&&" | "||";

/** An arithmetic expression. `opAt` is the offset of the operator, to which run-time errors refer. */
export interface ArithmeticExpr {
  readonly kind: "ArithmeticExpr";
  readonly at: Offset;
  readonly opAt: Offset;
  readonly op: ArithmeticOp;
  readonly left: Expr;
  readonly right: Expr;
}
export interface ConditionalExpr {
  readonly kind: "ConditionalExpr";
  readonly at: Offset;
  readonly opAt: Offset;
  readonly op: ComparisonOp | LogicOp;
  readonly left: Expr;
  readonly right: Expr;
}
export interface InExpr {
  readonly kind: "InExpr";
  readonly at: Offset;
  readonly opAt: Offset;
  readonly left: Expr;
  readonly right: Expr;
}
export interface IndexExpr {
  readonly kind: "IndexExpr";
  readonly at: Offset;
  /**
   * The variable or key that is indexed. It is null for a reference that starts with `.[`, which is a JSON path into an
   * array.
   */
  readonly base: Identifier | null;
  readonly indexes: readonly Expr[];
}
/** A dotted key or JSON path that is passed to functions, such as `a.b[0].c`. It has no value of its own. */
export interface AttrExpr {
  readonly kind: "AttrExpr";
  readonly at: Offset;
  readonly parts: readonly (Identifier | IndexExpr)[];
}
export interface SliceExpr {
  readonly kind: "SliceExpr";
  readonly at: Offset;
  readonly object: Expr;
  readonly start: Expr | null;
  readonly end: Expr | null;
  readonly step: Expr | null;
}
/** A named argument such as `a=1`. It occurs only in the arguments of a call. */
export interface AssignmentExpr {
  readonly kind: "AssignmentExpr";
  readonly at: Offset;
  readonly name: string;
  readonly value: Expr;
}
export interface CallExpr {
  readonly kind: "CallExpr";
  readonly at: Offset;
  readonly name: string;
  readonly args: readonly (Expr | AssignmentExpr)[];
}

export type Expr =
  | Identifier
  | StringLiteral
  | IntLiteral
  | FloatLiteral
  | BoolLiteral
  | NilLiteral
  | ListLiteral
  | MapLiteral
  | ParenExpr
  | UnaryExpr
  | ArithmeticExpr
  | ConditionalExpr
  | InExpr
  | IndexExpr
  | AttrExpr
  | SliceExpr
  | CallExpr;

export type Argument = Expr | AssignmentExpr;
export type NodeKind = Argument["kind"];

export interface ExpressionStatement {
  readonly kind: "Expression";
  readonly at: Offset;
  readonly expr: Expr;
}
export interface Assignment {
  readonly kind: "Assignment";
  readonly at: Offset;
  readonly opAt: Offset;
  readonly op: "=" | "+=" | "-=" | "*=" | "/=" | "%=";
  readonly targets: readonly Expr[];
  readonly values: readonly Expr[];
}
export interface Block {
  readonly kind: "Block";
  readonly at: Offset;
  readonly statements: readonly Statement[];
}
export interface IfStatement {
  readonly kind: "If";
  readonly at: Offset;
  readonly branches: readonly { readonly condition: Expr; readonly body: Block }[];
  readonly otherwise: Block | null;
}
export interface ForInStatement {
  readonly kind: "ForIn";
  readonly at: Offset;
  readonly variable: Identifier;
  readonly over: Expr;
  readonly body: Block;
}
export interface ForStatement {
  readonly kind: "For";
  readonly at: Offset;
  readonly init: Simple | null;
  readonly condition: Expr | null;
  readonly step: Simple | null;
  readonly body: Block;
}
export interface Break {
  readonly kind: "Break";
  readonly at: Offset;
}
export interface Continue {
  readonly kind: "Continue";
  readonly at: Offset;
}

export type Simple = ExpressionStatement | Assignment;
export type Statement = Simple | IfStatement | ForInStatement | ForStatement | Break | Continue;

export interface Script {
  readonly file: string;
  readonly source: string;
  readonly statements: readonly Statement[];
}
