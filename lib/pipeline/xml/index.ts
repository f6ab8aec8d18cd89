// The bundled evaluator of XPath, for a program that loads it only when a script calls `xml`.

export { NodeSet, parse } from "./xpath-bundle.js";
