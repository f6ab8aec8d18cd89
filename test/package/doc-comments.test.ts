// Every exported function of the package, every public method of an instance, and every public method of the objects
// that an instance returns must have an example in its comment. Editors show the comment where the function is used.

import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { repository } from "./install.ts";

const { exports } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
};

/**
 * The sub-paths of the package that have code. Each is given by the name that users import and the file with its
 * declarations.
 */
const entries = Object.entries(exports).flatMap(([name, target]) => {
  const { types } = target as { readonly types?: string };
  return types === undefined || types.endsWith(".wasm.ts") ? [] : [[`millrace${name.slice(1)}`, types] as const];
});

const program = ts.createProgram(
  entries.map(([, file]) => path.join(repository, file)),
  {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  },
);
const checker = program.getTypeChecker();

/** Returns whether the comment of a function or method shows how it is called. */
function hasExample(symbol: ts.Symbol): boolean {
  const tags = symbol.getJsDocTags(checker);
  const example = tags.find(({ name }) => name === "example");
  const text = ts.displayPartsToString(example?.text);
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text.trim() !== "" || comment.includes("```");
}

function resolved(symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
}

/**
 * Returns the functions that a file of declarations exports. Also returns each exported variable whose value is a
 * function.
 */
function functionsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(path.join(repository, file))!;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).map(resolved);
  return exported.filter(
    (symbol) =>
      (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) !== 0 &&
      checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0,
  );
}

describe("the comments of functions", () => {
  it("are read from the declarations of every sub-path", () => {
    expect(entries.map(([name]) => name)).toEqual(
      expect.arrayContaining(["millrace", "millrace/dql", "millrace/wasm"]),
    );
    for (const [name, file] of entries) expect(functionsOf(file).length, name).toBeGreaterThan(0);
  });

  it.each(entries)("contain an example for each function of %s", (_, file) => {
    const without = functionsOf(file).filter((symbol) => !hasExample(symbol));
    expect(without.map((symbol) => symbol.name)).toEqual([]);
  });

  it("contain an example for each method of an instance", () => {
    const [symbol] = checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path.join(repository, entries[0]![1]))!)!)
      .filter(({ name }) => name === "Millrace");
    const methods = [...resolved(symbol!).members!.values()];
    expect(methods.length).toBeGreaterThan(18);
    expect(methods.filter((method) => !hasExample(method)).map(({ name }) => name)).toEqual([]);
  });

  it("are detected when they contain no example", () => {
    const [first] = functionsOf(entries[0]![1]);
    const bare = Object.assign(Object.create(first!) as ts.Symbol, {
      getJsDocTags: () => [],
      getDocumentationComment: () => [],
    });
    expect([hasExample(first!), hasExample(bare)]).toEqual([true, false]);
  });
});
