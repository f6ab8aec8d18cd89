// Reads the source files of the page. Finds the texts that a user sees, whether each is passed to the function `t`, and
// the English text under which the catalogue must have the translation.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "svelte/compiler";

const source = fileURLToPath(new URL("../../../playground/src/", import.meta.url));

/** A text in a source file of the page. `place`: the path of the file below `playground/src/`, and the line number. */
export interface PageText {
  readonly place: string;
  readonly text: string;
}

export interface FileTexts {
  readonly file: string;
  /** Texts that must be keys of the catalogue of translations. */
  readonly translated: readonly PageText[];
  /** Texts that a user probably sees but that are not passed to `t`. */
  readonly bare: readonly PageText[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Names of HTML attributes and component properties whose values are not shown to users. */
const technical =
  /^(?:class|style|style:.*|id|type|role|href|name|value|for|list|rel|target|lang|tabindex|viewBox|d|fill|stroke.*|transform|points|icon|mode|kind|tone|part|pane|view|key|slot|accept|autocomplete|inputmode|spellcheck|aria-(?:keyshortcuts|controls|labelledby|describedby|live|haspopup|current|autocomplete|sort|orientation|hidden|expanded|relevant|atomic|owns|activedescendant)|data-.*|direction|wrap|generics|bind:.*)$/;
/** Functions whose arguments are texts that the catalogue must have. */
const translating = new Set(["t", "english"]);
/**
 * Functions whose string arguments need no translation where they are called: users do not see the strings, or the
 * library makes English messages from them.
 */
const silent = new Set([
  ...["Error", "TypeError", "RangeError", "URL", "RegExp", "import", "querySelector", "querySelectorAll", "closest"],
  ...[
    "addEventListener",
    "removeEventListener",
    "matches",
    "includes",
    "getItem",
    "createElement",
    "setAttribute",
    "toLocaleString",
    "postMessage",
    "includes",
    "startsWith",
  ],
]);

/**
 * A source file with log lines that the patterns of the library match. The page shows these lines unchanged in every
 * language.
 */
const samples = "worker/grok/pattern-examples.ts";

/** Returns the texts of all source files of the page. Leaves out the files of the catalogue and the file of samples. */
export function pageTexts(): FileTexts[] {
  return readdirSync(source, { recursive: true })
    .map((file) => String(file).split(path.sep).join("/"))
    .filter((file) => /\.(?:svelte|ts)$/.test(file) && !file.startsWith("text/") && file !== samples)
    .sort()
    .map((file) => textsOf(file, readFileSync(path.join(source, file), "utf8")));
}

/** Returns the texts of one source file. The ending of the name `file` tells whether the file is a component. */
export function textsOf(file: string, code: string): FileTexts {
  const before = '<script lang="ts">';
  const isComponent = file.endsWith(".svelte");
  const whole = isComponent ? code : `${before}${code}</script>`;
  const root = parse(whole, { modern: true }) as unknown as Record<"fragment" | "instance" | "module", Node | null>;
  const translated: PageText[] = [];
  const bare: PageText[] = [];
  const placed = (node: Node, text: string): PageText => ({
    place: `${file}:${whole.slice(0, node.start).split("\n").length}`,
    text,
  });
  const visit = (node: Node): void => {
    if (/^TS(?:As|NonNull|Satisfies)Expression$/.test(node.type)) {
      visit(node.expression as Node);
      return;
    }
    if (/^(?:Style|TS|ImportDeclaration)/.test(node.type)) return;
    if (node.type === "CallExpression" || node.type === "NewExpression") {
      const name = calledName(node);
      const [first, second, third] = node.arguments as Node[];
      if (translating.has(name)) {
        for (const text of stringsOf(first)) translated.push(placed(node, text));
        for (const rest of (node.arguments as Node[]).slice(1)) visit(rest);
        // The argument may be a variable or another expression instead of a string. Then this function visits the parts
        // of the expression. The text of a variable is found at the place where the code has it as a string literal.
        if (first !== undefined && stringsOf(first).length === 0) visit(first);
        return;
      }
      if (name === "pluralText") {
        const plurals = third === undefined ? stringsOf(second).map((one) => `${one}s`) : stringsOf(third);
        for (const text of plurals) translated.push(placed(node, `{n} ${text}`));
        if (first !== undefined) visit(first);
        return;
      }
      if (silent.has(name)) {
        // A text that is passed to one of the functions in `silent`, such as the constructor of an error, need not be
        // passed to `t` here. The code that shows the text to the user passes it to `t`.
        const count = bare.length;
        for (const each of node.arguments as Node[]) visit(each);
        bare.length = count;
        return;
      }
    }
    if (node.type === "Attribute") {
      if (technical.test(node.name as string)) return;
      const parts = [node.value].flat() as Node[];
      for (const part of parts)
        if (part.type === "Text" && isRead(part.data as string)) bare.push(placed(part, part.data as string));
      for (const part of parts) if (part !== null && typeof part === "object" && part.type !== "Text") visit(part);
      return;
    }
    if (node.type === "RegularElement" && node.name === "code") {
      // The text of an element `code` is the same in every language.
      const { nodes } = node.fragment as { nodes: Node[] };
      for (const child of nodes) if (child.type !== "Text") visit(child);
      return;
    }
    if (node.type === "Text") {
      const text = (node.data as string).trim();
      if (/[A-Za-z]{2}/.test(text)) bare.push(placed(node, text));
      return;
    }
    if (node.type === "Property" && !(node.computed as boolean)) {
      const { name } = node.key as Node;
      const value = node.value as Node;
      // The members `input` (a sample) and `class` (CSS classes) have no texts that must be translated.
      if ((name === "input" && value.type === "ObjectExpression") || name === "class") return;
      visit(value);
      return;
    }
    // A string that the code compares with `===` or `!==` is the name of a key or of a kind. Users do not see such
    // strings.
    if (node.type === "BinaryExpression" && /^[!=]==$/.test(node.operator as string)) {
      for (const side of [node.left, node.right] as Node[]) if (side.type !== "Literal") visit(side);
      return;
    }
    for (const text of ownStrings(node)) if (isSentence(text)) bare.push(placed(node, text));
    for (const [key, child] of Object.entries(node)) {
      if (key === "quasis") continue;
      for (const each of [child].flat())
        if (each !== null && typeof each === "object" && "type" in each && typeof each.type === "string")
          visit(each as Node);
    }
  };
  for (const part of [root.fragment, root.module, root.instance]) if (part !== null && part !== undefined) visit(part);
  return { file, translated, bare };
}

function calledName({ callee }: Node): string {
  const called = callee as Node;
  if (called.type === "Identifier") return called.name as string;
  return called.type === "MemberExpression" ? ((called.property as Node).name as string) : called.type;
}

/**
 * Returns the strings that an expression may have as its value: a literal, a concatenation of literals, or the branches
 * of a conditional expression.
 */
function stringsOf(node: Node | undefined): string[] {
  if (node === undefined) return [];
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "TemplateLiteral" && (node.expressions as Node[]).length === 0) return ownStrings(node);
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((each) => stringsOf(each as Node));
  if (node.type === "LogicalExpression") return [node.left, node.right].flatMap((each) => stringsOf(each as Node));
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [stringsOf(node.left as Node), stringsOf(node.right as Node)];
    return left.length === 1 && right.length === 1 ? [left[0]! + right[0]!] : [];
  }
  return [];
}

/**
 * Returns the string of a literal. For a template literal returns one string, in which `{}` stands for each expression.
 */
function ownStrings(node: Node): string[] {
  if (node.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node.type !== "TemplateLiteral") return [];
  return [(node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}")];
}

/** Returns whether the value of an attribute looks like words for a user. */
function isRead(text: string): boolean {
  return /[A-Za-z]{2}/.test(text) && !/^[a-z-]+$/.test(text) && !/^#|^\S+\/\S+$/.test(text);
}

/** Returns whether a string in the code looks like a sentence or a label for a user. */
function isSentence(text: string): boolean {
  const words = text.trim();
  if (/[{}()<>=;|\\#]/.test(words.replaceAll("{}", "")) || /^[-.\w]+:|^@|^\/|::|--|^(?:\d+ )?\d+px /.test(words))
    return false;
  return /^[A-Z][a-z]+(?: |\.?$)/.test(words) || /[A-Za-z]{2,} [a-z{]/.test(words) || /\{\} [a-z]{2}/.test(words);
}
