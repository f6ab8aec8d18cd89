# Logs of Apache Kafka (server, controller, state change): log4j lines, with the stack trace behind an error, and its
# gc.log.
#
# time status [component] msg logger [exception stack_trace]
# gc.log: time status [pid] logger msg [pause_ms]

if grok(_, """(?s)^\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] +%{WORD:status} (?:\[(?P<component>[^\]]+)\]:? )?(?P<msg>.*?) ?\((?P<logger>[\w.$]+)\)(?:\n(?P<stack_trace>.*))?$""") {
    nullif(component, "")
    nullif(stack_trace, "")
    grok(stack_trace, """^(?P<exception>[\w.$]+)""")
    group_in(status, ["FATAL"], "critical")
    default_time(time)
} elif grok(_, """^\[(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4})\](?:\[(?P<pid>\d+)\])?(?:\[(?P<status>trace|debug|info|warning|error) *\])?\[(?P<logger>[a-z0-9,]+) *\] (?P<msg>.*)$""") {
    # gc.log of the Java virtual machine.
    nullif(pid, "")
    cast(pid, "int")
    if status == "" {
        add_key(status, "info")
    }
    grok(msg, """ %{NUMBER:pause_ms:float}ms$""")
    default_time(time)
}
