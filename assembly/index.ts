// The functions and values that the WebAssembly module exports.

export { givePages, pagesInUse, scratchAddress, takePages } from "./memory/pages";
export { abiVersion } from "./version";
export { addTag } from "./tape/add-tag";
export { clearTape, createBatch, freeBatch, heapTake, pushEntry, pushPointWith } from "./tape/batch";
export { internCopy, setSeed } from "./tape/keys";
export { lookForAscii } from "./tape/ascii";
export { correctChanged } from "./correct/point";
export { markKey } from "./tape/marks";
export { unpack } from "./encode/unpack";
export { unescapeEntry } from "./tape/unescape";
export { configure, require } from "./tape/settings";
export { scanBody } from "./line-protocol/scan";
export { indexJson, unescapeJson } from "./json/document";
export { listMembers } from "./json/members";
export { copyMembers } from "./script/copy-member";
export { writeJson } from "./json/write";
export { scanJson } from "./json/scan";
export { scanProtobuf } from "./protobuf/scan";
export { encodeMarked, encodePoints, finishEncoding, startEncoding, stopEncoding } from "./encode/encode";
export { convertCaptures } from "./grok/captures";
export { registersAddress, searchLines, searchText } from "./regex/search";
export { indexPoint } from "./script/point-index";
export { matchEntry, writeCaptures } from "./script/captures";
export { splitPairs } from "./script/pairs";
export { putFloat, putText } from "./script/fields";
export { runOperations } from "./script/operations";
export { finishPoint } from "./script/after-run";
