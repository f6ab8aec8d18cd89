// The web worker of the grok mode.

import * as Comlink from "comlink";
import { speaking } from "../texts.ts";
import { analyse, lineAnswer, rows, stops } from "./analyse.ts";
import { changePiece, suggestGrok } from "./engine.ts";
import { expansion, library } from "./library.ts";
import { checkPatterns, importFile, neededPatterns, readPatterns } from "./own-patterns.ts";
import type { GrokWorkerApi } from "./workbench.ts";

const api: GrokWorkerApi = {
  analyse: (expression, text) => {
    const analysis = analyse(expression, text.split("\n"));
    const { states, starts, marks } = analysis;
    return Comlink.transfer(analysis, [states.buffer, starts.buffer, marks.buffer] as ArrayBuffer[]);
  },
  line: lineAnswer,
  rows,
  stops,
  suggest: (lines, patterns) =>
    lines.some((line) => line.trim() !== "") ? suggestGrok(lines, { patterns: readPatterns(patterns) }) : null,
  changePiece: (lines, pieces, change, patterns) =>
    changePiece(lines, pieces, change, { patterns: readPatterns(patterns) }),
  library,
  expansion,
  checkPatterns,
  importFile,
  needed: ({ method, text, patterns }) => (method === "grok" ? neededPatterns(text, patterns) : []),
};

Comlink.expose(speaking(api));
