// All built-in functions, by family.

import { containerFunctions } from "./containers.ts";
import { conversionFunctions } from "./conversions.ts";
import type { Declaration } from "./declare.ts";
import { durationFunctions } from "./durations.ts";
import { grokFunctions } from "./grok.ts";
import { groupFunctions } from "./groups.ts";
import { jsonFunctions } from "./json.ts";
import { keyFunctions } from "./keys.ts";
import { metaFunctions } from "./meta.ts";
import { formatFunctions } from "./strfmt.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./time.ts";

export const functions: readonly Declaration[] = [
  ...keyFunctions,
  ...grokFunctions,
  ...jsonFunctions,
  ...textFunctions,
  ...conversionFunctions,
  ...groupFunctions,
  ...containerFunctions,
  ...metaFunctions,
  ...formatFunctions,
  ...timeFunctions,
  ...durationFunctions,
];
