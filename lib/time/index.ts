// Time zones: their offsets by name, from the tables of the host. In: a zone and an instant. Out: an offset in
// nanoseconds.

export { UTC } from "./zone.ts";
