// Tests of scripts. A test consists of an input and the result that the script must have. The command `millrace
// pipeline test` and the playground read, run and write the same files with this code. It takes the plain value
// of a YAML or JSON document, and returns the differences between expected and actual results.

export { type Bench, type Expectation, expectationOf, runTests, type TestResult } from "./run-tests.ts";
export {
  type Expected,
  type Plain,
  type PlainPoint,
  readTests,
  type ScriptTest,
  TestFileError,
  type TestSet,
} from "./test-file.ts";
export { parseTime, timeText } from "./time-text.ts";
