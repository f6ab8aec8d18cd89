// The Chinese texts of the explore mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
