// The Chinese texts of the grok mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
