// Tests of scripts: an input and the result that the script must have. The command `millrace pipeline test` and the
// playground read, run and write the same files with this code. In: the plain value of a YAML or JSON document. Out:
// differences.

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
