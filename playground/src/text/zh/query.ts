// The Chinese texts of the query mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
