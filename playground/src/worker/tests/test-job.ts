// The messages between page and worker about tests of scripts.

import type { CategoryName } from "../../../../lib/index.ts";
import type { PointText, ScriptText } from "../protocol.ts";
import type { TableFile } from "../refer-tables/table-files.ts";

export interface TestJob {
  /** The text of the test file, in YAML; empty when there are no tests. */
  readonly text: string;
  readonly scripts: readonly ScriptText[];
  /** The reference tables in which the scripts look rows up; absent when there are none. */
  readonly tables?: readonly TableFile[];
}

export interface TestOutcome {
  readonly name: string;
  /**
   * The differences between expected and actual result, as lines such as `- fields.a: 1` (expected) and `+ fields.a: 2`
   * (actual); empty when the test passes.
   */
  readonly differences: readonly string[];
}

export type TestAnswer =
  | { readonly kind: "ran"; readonly outcomes: readonly TestOutcome[] }
  /** The answer when the text is not a valid test file, or when the script of the tests has an error. */
  | { readonly kind: "wrong"; readonly message: string };

/** The point from which a new test is made. */
export interface KeptPoint {
  readonly name: string;
  /** The point before the script ran. */
  readonly point: PointText;
  readonly category: CategoryName;
  /** The fixed current time of the project, in nanoseconds since 1970; null when the project uses the real time. */
  readonly now: bigint | null;
  /** The time zone of the project. */
  readonly timeZone: string;
}

/**
 * The answer to an edit of the tests: the edited text of the test file, or the reason why the text could not be edited.
 */
export type TestEdit = { readonly text: string } | { readonly problem: string };
