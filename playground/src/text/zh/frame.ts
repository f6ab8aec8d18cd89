// The Chinese texts of the frame, of the pipeline mode, and of what all modes share.

import type { Texts } from "../translate.ts";

export const texts: Texts = {};
