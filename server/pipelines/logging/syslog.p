# Syslog as it goes over the network or stands in files: RFC 5424, and RFC 3164 with or without the priority.
#
# [facility severity] time [host program pid] [message_id structured_data] msg
# The status comes from the severity.

if grok(_, """(?s)^<(?P<priority>\d{1,3})>1 (?P<time>[^ ]+) (?P<host>[^ ]+) (?P<program>[^ ]+) (?P<pid>[^ ]+) (?P<message_id>[^ ]+) (?P<structured_data>-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: (?:\x{feff})?(?P<msg>.*))?$""") {
    nullif(host, "-")
    nullif(program, "-")
    nullif(pid, "-")
    nullif(message_id, "-")
    nullif(structured_data, "-")
    nullif(time, "-")
    nullif(msg, "")
} elif grok(_, """(?s)^(?:<(?P<priority>\d{1,3})>)?(?P<time>[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:(?P<host>[^ ]*[^ :]) )?(?:(?P<program>[^:\[ ]+)(?:\[(?P<pid>[^\]]+)\])?: ?)?(?P<msg>.*)$""") {
    nullif(pid, "")
    nullif(host, "")
    nullif(program, "")
    nullif(priority, "")
}
cast(pid, "int")

if match("^\\d+$", get_key(priority)) {
    code = parse_int(get_key(priority), 10)
    facilities = [
        "kern",
        "user",
        "mail",
        "daemon",
        "auth",
        "syslog",
        "lpr",
        "news",
        "uucp",
        "cron",
        "authpriv",
        "ftp",
        "ntp",
        "audit",
        "alert",
        "clock",
        "local0",
        "local1",
        "local2",
        "local3",
        "local4",
        "local5",
        "local6",
        "local7"
    ]
    levels = ["emerg", "alert", "critical", "error", "warning", "notice", "info", "debug"]
    if code < 192 {
        add_key(facility, facilities[code / 8])
        add_key(status, levels[code % 8])
        add_key(severity, code % 8)
    }
    drop_key(priority)
}
default_time(time)
