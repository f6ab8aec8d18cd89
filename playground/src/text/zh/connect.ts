// The Chinese texts of the connect mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
