// The Chinese texts of the dashboards mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
