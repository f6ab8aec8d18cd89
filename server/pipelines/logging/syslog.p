# Syslog as it goes over the network or stands in files: RFC 5424, and RFC 3164 with or without the priority. A collector
# of clusters may have written in front: alert, seconds of 1970, date, node (Thunderbird); behind that may also stand
# events of the machines (Blue Gene).
#
# [facility severity] time [host program pid] [message_id structured_data] msg
# [alert] time host type component [msg]
# The status comes from the severity. Points of the agent's input syslog have all this already.

if get_key(severity) != nil {
    exit()
}

add_pattern("sy_collector", """(?P<alert>[^ ]+) (?P<seconds>\d{10}) \d{4}\.\d\d\.\d\d""")

if grok(_, """(?s)^<(?P<priority>\d{1,3})>1 (?P<time>[^ ]+) (?P<host>[^ ]+) (?P<program>[^ ]+) (?P<pid>[^ ]+) (?P<message_id>[^ ]+) (?P<structured_data>-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: (?:\x{feff})?(?P<msg>.*))?$""") {
    nullif(host, "-")
    nullif(program, "-")
    nullif(pid, "-")
    nullif(message_id, "-")
    nullif(structured_data, "-")
    nullif(time, "-")
    nullif(msg, "")
} elif grok(_, """(?s)^%{sy_collector} (?P<host>[^ ]+) \d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d(?P<fraction>\.\d{1,9}) [^ ]+ (?P<type>[^ ]+) (?P<component>[^ ]+) (?P<status>[A-Z]+)(?: +(?P<msg>.*))?$""") {
    strfmt(time, "%s%s", seconds, fraction)
    drop_key(seconds)
    drop_key(fraction)
    nullif(type, "NULL")
    nullif(msg, "")
    group_in(status, ["FATAL"], "critical")
    group_in(status, ["SEVERE", "FAILURE"], "error")
} elif grok(_, """(?s)^(?:<(?P<priority>\d{1,3})>|%{sy_collector} [^ ]+ )?(?P<time>[A-Z][a-z]{2} +\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:(?P<host>[^ ]*[^ :]) )?(?:(?P<program>[^:\[ ]+)(?:\[(?P<pid>[^\]]+)\])?: ?)?(?P<msg>.*)$""") {
    nullif(pid, "")
    nullif(host, "")
    nullif(program, "")
    nullif(priority, "")
    if seconds != "" {
        # The seconds say the year and need no zone.
        rename(time, seconds)
    }
    nullif(seconds, "")
}
nullif(alert, "")
nullif(alert, "-")
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
