// The names of the facilities and severities of syslog (RFC 5424). The bundled script syslog.p uses the same names.

/** Names of the syslog facilities, by number. */
export const facilityNames: readonly string[] = [
  ...["kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"],
  ...["ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"],
];

/** Values of the field `status`, by syslog severity. */
export const statusNames: readonly string[] = [
  ...["emerg", "alert", "critical", "error", "warning", "notice", "info", "debug"],
];
