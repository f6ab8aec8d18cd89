// Time zones: their UTC offsets by name, from the tables of JavaScript's Intl. In: a zone and a moment. Out: an offset
// in seconds.

export { UTC } from "./zone.ts";
