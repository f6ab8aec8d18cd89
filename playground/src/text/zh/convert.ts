// The Chinese texts of the convert mode.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
