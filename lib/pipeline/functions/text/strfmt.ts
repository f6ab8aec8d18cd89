// The function strfmt: formats values into a string (docs/reference/functions.md#strfmt).

import { isAscii } from "../../../text/characters.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { countPieces } from "../../runtime/step-charge.ts";
import { isText, textOf, VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { literalOr } from "../nodes.ts";
import { attempt } from "../point/containers.ts";
import { formatVerbs } from "./format-verbs.ts";
import { plainFormat } from "./plain-format.ts";

/**
 * Greatest length of a string argument for which the result is made at once. When a string argument is longer, the
 * result is made piece by piece, and the memory of each piece is counted.
 */
const longestPlain = 256;

export const strfmt = declare({
  name: "strfmt",
  summary: "Formats values by directives such as %d, %.2f or %s and writes the text to a key.",
  params: [
    { name: "key", type: "key", summary: "the key that is written" },
    { name: "fmt", type: "str", summary: "a literal: text with directives; any number of values follows" },
  ],
  style: "positional",
  arity: { min: 2, tooFew: "func `strfmt' expects more than 2 args" },
  examples: [
    { script: `strfmt(o, "%d-%s|%6.2f", 5, "x", 12.345)`, input: "x", gives: { o: "5-x| 12.35" } },
    { script: `strfmt(o, "%d", "x")`, input: "x", gives: { o: "%!d(string=x)" } },
  ],
  bind(call) {
    const { key } = call.key(0);
    const format = literalOr(call, 1, (kind) => `param fmt expects StringLiteral, got \`${kind}'`);
    const values = call.args.slice(2).map((_, index) => call.value(index + 2));
    const cannotFail = call.args.slice(2).every(({ kind }) => kind === "Identifier");
    const plain = plainFormat(format, values.length);
    return (run) => {
      const args = values.map((value) => (cannotFail ? value(run) : attempt(run, value)));
      const short = args.some((arg) => isText(arg) && arg.length > longestPlain) ? undefined : plain?.(args);
      if (short !== undefined) {
        run.memory.makeText(short.length);
        writeKey(run, key, short);
        return VOID;
      }
      const isNarrow = () => isAscii(format) && args.every((arg) => !isText(arg) || isAscii(textOf(arg)));
      writeKey(run, key, formatVerbs(format, args, countPieces(run, isNarrow)));
      return VOID;
    };
  },
});

export const formatFunctions: readonly Declaration[] = [strfmt];
