// The exports of the module, nothing else.

export { givePages, pagesInUse, scratchAddress, takePages } from "./memory";
export { createBatch, freeBatch, heapTake, pushEntry } from "./tape/batch";
export { internCopy, setSeed } from "./tape/keys";
export { markKey } from "./tape/marks";
export { configure, require } from "./line-protocol/settings";
export { scanBody } from "./line-protocol/scan";
export { registersAddress, searchLines, searchText } from "./regex/search";
