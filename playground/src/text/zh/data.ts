// The Chinese texts of what the modes share that query points: answers, charts, ranges of time, parts of dashboards.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
