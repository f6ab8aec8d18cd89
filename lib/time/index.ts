// Time zones: returns the UTC offset, in seconds, of a zone at a given moment. The offsets come from the tables
// of JavaScript's Intl.

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
