// The date layouts that a suggestion recognizes. Each layout has the built-in pattern that matches it, or an expression
// that combines smaller patterns.

/** A way to write dates that the suggestions recognize. */
export interface DateLayout {
  /** The layout in letters: `yyyy` year, `MM` or `MMM` month, `dd` day, `HH` hour, `SSS` fraction, `Z` zone. */
  readonly layout: string;
  /** Name of the built-in pattern for the whole layout; null when there is none. */
  readonly pattern: string | null;
  /** The grok expression that matches the layout. */
  readonly expression: string;
  /** Regular expression that matches a date of this layout at the index `lastIndex` (a property of the expression). */
  readonly at: RegExp;
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const CLOCK = String.raw`\d{1,2}:\d\d:\d\d`;
const FRACTION = String.raw`(?:[.,]\d{1,9})?`;
const ISO = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:?\d\d(?::?\d\d${FRACTION})?(?:Z|[+-]\d\d(?::?\d\d))?`;
const ZONE = "(?:UTC|GMT|CET|CEST|WET|EET|MSK|IST|JST|KST|BST|[PMCE][SD]T)";
const TIME = "%{HOUR}:%{MINUTE}:%{SECOND}";

function layout(name: string, pattern: string | null, expression: string | null, at: string): DateLayout {
  return {
    layout: name,
    pattern,
    expression: expression ?? `%{${pattern}}`,
    at: new RegExp(String.raw`${at}(?!\w|:\d)`, "y"),
  };
}

/**
 * All layouts of dates that the suggestions recognize. The first layout in the list that matches is used. So a layout
 * that contains another one, such as a date with a time, comes before the shorter layout.
 */
export const DATE_LAYOUTS: readonly DateLayout[] = [
  layout("yyyy-MM-dd HH:mm:ss zone", null, "%{TIMESTAMP_ISO8601} [A-Z]{3,4}", `${ISO} ${ZONE}`),
  layout(
    "yyyy-MM-dd HH:mm:ss Z",
    null,
    "%{TIMESTAMP_ISO8601} %{ISO8601_TIMEZONE}",
    String.raw`${ISO} [+-]\d\d:?\d\d(?![:\d])`,
  ),
  layout("yyyy-MM-ddTHH:mm:ss.SSSZ", "TIMESTAMP_ISO8601", null, ISO),
  layout("dd/MMM/yyyy:HH:mm:ss Z", "HTTPDATE", null, String.raw`\d{1,2}/${MONTH}/\d{4}:${CLOCK} [+-]\d{4}`),
  layout(
    "dd/MMM/yyyy:HH:mm:ss.SSS",
    null,
    `%{MONTHDAY}/%{MONTH}/%{YEAR}:${TIME}`,
    String.raw`\d{1,2}/${MONTH}/\d{4}:${CLOCK}${FRACTION}`,
  ),
  layout(
    "EEE, dd MMM yyyy HH:mm:ss Z",
    "DATESTAMP_RFC2822",
    null,
    String.raw`${DAY}, \d{1,2} ${MONTH} \d{4} ${CLOCK} [+-]\d\d:?\d\d`,
  ),
  layout(
    "EEE MMM dd HH:mm:ss.SSS yyyy",
    "HTTPDERROR_DATE",
    null,
    String.raw`${DAY} ${MONTH} \d\d ${CLOCK}${FRACTION} \d{4}`,
  ),
  layout(
    "EEE MMM dd HH:mm:ss zone yyyy",
    "DATESTAMP_OTHER",
    null,
    String.raw`${DAY} ${MONTH} \d{1,2} ${CLOCK} (?:[PMCE][SD]T|UTC) \d{4}`,
  ),
  layout(
    "dd MMM yyyy HH:mm:ss.SSS",
    null,
    `%{MONTHDAY} %{MONTH} %{YEAR} ${TIME}`,
    String.raw`\d{1,2} ${MONTH} \d{4} ${CLOCK}${FRACTION}`,
  ),
  layout("MMM dd HH:mm:ss", "SYSLOGTIMESTAMP", null, String.raw`${MONTH} +\d{1,2} ${CLOCK}${FRACTION}`),
  layout(
    "yyyy/MM/dd HH:mm:ss",
    null,
    `%{YEAR}/%{MONTHNUM}/%{MONTHDAY} ${TIME}`,
    String.raw`\d{4}/\d\d/\d\d ${CLOCK}${FRACTION}`,
  ),
  layout("MM/dd/yyyy HH:mm:ss AM", null, "%{DATESTAMP} [AP]M", String.raw`\d{1,2}/\d{1,2}/\d{4} ${CLOCK} [AP]M`),
  layout("dd.MM.yyyy HH:mm:ss", "DATESTAMP", null, String.raw`\d{1,2}([./-])\d{1,2}\1\d{2,4}[- ]${CLOCK}${FRACTION}`),
  layout("MMdd HH:mm:ss.SSS", null, `%{MONTHNUM2}%{MONTHDAY} ${TIME}`, String.raw`[01]\d[0-3]\d ${CLOCK}\.\d{6}`),
  layout("yyMMdd HH:mm:ss", null, `\\d{2}%{MONTHNUM2}%{MONTHDAY} +${TIME}`, String.raw`\d\d[01]\d[0-3]\d +${CLOCK}`),
  layout(
    "yyyy-MM-dd-HH.mm.ss.SSS",
    null,
    "%{YEAR}-%{MONTHNUM}-%{MONTHDAY}-%{HOUR}\\.%{MINUTE}\\.%{SECOND}",
    String.raw`\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d${FRACTION}`,
  ),
  layout(
    "yyyyMMdd-HH:mm:ss:SSS",
    null,
    `%{YEAR}%{MONTHNUM2}%{MONTHDAY}-%{HOUR}:\\d{1,2}:%{SECOND}`,
    String.raw`(?:19|20)\d\d[01]\d[0-3]\d-\d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?`,
  ),
  layout("MM-dd HH:mm:ss.SSS", null, `%{MONTHNUM}-%{MONTHDAY} ${TIME}`, String.raw`[01]\d-[0-3]\d ${CLOCK}${FRACTION}`),
  layout("yyyy-MM-dd", null, "%{YEAR}-%{MONTHNUM}-%{MONTHDAY}", String.raw`(?:19|20)\d\d-[01]\d-[0-3]\d`),
  layout("yyyy/MM/dd", null, "%{YEAR}/%{MONTHNUM}/%{MONTHDAY}", String.raw`(?:19|20)\d\d/[01]\d/[0-3]\d`),
  layout("HH:mm:ss.SSS", null, TIME, String.raw`\d\d:\d\d:\d\d${FRACTION}`),
];
