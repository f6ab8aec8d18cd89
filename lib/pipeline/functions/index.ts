// The list of all built-in functions of the script language, grouped by subject.

import type { Declaration } from "./declare.ts";
import { gjsonFunctions } from "./json/gjson.ts";
import { jsonFunctions } from "./json/json.ts";
import { xmlFunctions } from "./json/xml.ts";
import { cacheFunctions } from "./lookup/cache.ts";
import { geoFunctions } from "./lookup/geoip.ts";
import { requestFunctions } from "./lookup/http-request.ts";
import { networkFunctions } from "./lookup/network.ts";
import { referTableFunctions } from "./lookup/refer-tables.ts";
import { containerFunctions } from "./point/containers.ts";
import { conversionFunctions } from "./point/conversions.ts";
import { pointFunctions } from "./point/create-point.ts";
import { grokFunctions } from "./point/grok.ts";
import { groupFunctions } from "./point/groups.ts";
import { keyFunctions } from "./point/keys.ts";
import { metaFunctions } from "./point/meta.ts";
import { aggregationFunctions } from "./stream/aggregation.ts";
import { samplingFunctions } from "./stream/sampling.ts";
import { windowFunctions } from "./stream/windows.ts";
import { byteFunctions } from "./text/bytes.ts";
import { splitFunctions } from "./text/split.ts";
import { sqlFunctions } from "./text/sql-cover.ts";
import { formatFunctions } from "./text/strfmt.ts";
import { textFunctions } from "./text/text.ts";
import { urlFunctions } from "./text/url.ts";
import { userAgentFunctions } from "./text/user-agent.ts";
import { durationFunctions } from "./time/durations.ts";
import { timeFunctions } from "./time/time.ts";

/** The declarations of all built-in functions except `controlFunctions` (exit, drop and use). */
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
