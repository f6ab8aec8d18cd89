// Time zones: their UTC offsets by name, from the tables of JavaScript's Intl. In: a zone and a moment. Out: an offset
// in seconds.

export {
  isTimeZone,
  localToInstant,
  namedZone,
  offsetText,
  UTC,
  utcSeconds,
  type Zone,
  zoneArgument,
} from "./zone.ts";
