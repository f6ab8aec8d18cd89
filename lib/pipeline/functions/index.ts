// All built-in functions, by family.

import { aggregationFunctions } from "./aggregation.ts";
import { byteFunctions } from "./bytes.ts";
import { cacheFunctions } from "./cache.ts";
import { containerFunctions } from "./containers.ts";
import { conversionFunctions } from "./conversions.ts";
import { pointFunctions } from "./create-point.ts";
import type { Declaration } from "./declare.ts";
import { durationFunctions } from "./durations.ts";
import { geoFunctions } from "./geoip.ts";
import { gjsonFunctions } from "./gjson.ts";
import { grokFunctions } from "./grok.ts";
import { groupFunctions } from "./groups.ts";
import { requestFunctions } from "./http-request.ts";
import { jsonFunctions } from "./json.ts";
import { keyFunctions } from "./keys.ts";
import { metaFunctions } from "./meta.ts";
import { networkFunctions } from "./network.ts";
import { referTableFunctions } from "./refer-tables.ts";
import { samplingFunctions } from "./sampling.ts";
import { splitFunctions } from "./split.ts";
import { sqlFunctions } from "./sql-cover.ts";
import { formatFunctions } from "./strfmt.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./time.ts";
import { urlFunctions } from "./url.ts";
import { userAgentFunctions } from "./user-agent.ts";
import { windowFunctions } from "./windows.ts";
import { xmlFunctions } from "./xml.ts";

export const functions: readonly Declaration[] = [
  ...keyFunctions,
  ...grokFunctions,
  ...jsonFunctions,
  ...gjsonFunctions,
  ...textFunctions,
  ...conversionFunctions,
  ...groupFunctions,
  ...containerFunctions,
  ...metaFunctions,
  ...formatFunctions,
  ...byteFunctions,
  ...splitFunctions,
  ...urlFunctions,
  ...sqlFunctions,
  ...networkFunctions,
  ...samplingFunctions,
  ...pointFunctions,
  ...timeFunctions,
  ...durationFunctions,
  ...cacheFunctions,
  ...aggregationFunctions,
  ...windowFunctions,
  ...referTableFunctions,
  ...userAgentFunctions,
  ...xmlFunctions,
  ...geoFunctions,
  ...requestFunctions,
];
