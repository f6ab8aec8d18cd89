// The evaluator of XPath, in a file of its own, because the page loads it only when a script calls `xml`.

export { NodeSet, parse } from "../../../../lib/pipeline/xml/index.ts";
