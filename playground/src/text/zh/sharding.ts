// The Chinese texts of the sharding mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
