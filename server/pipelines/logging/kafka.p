# Logs of Apache Kafka (server, controller, state change): log4j lines, with the stack trace behind an error.
#
# time status [component] msg logger [exception stack_trace]

if grok(_, """(?s)^\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] +%{WORD:status} (?:\[(?P<component>[^\]]+)\]:? )?(?P<msg>.*?) ?\((?P<logger>[\w.$]+)\)(?:\n(?P<stack_trace>.*))?$""") {
    nullif(component, "")
    nullif(stack_trace, "")
    grok(stack_trace, """^(?P<exception>[\w.$]+)""")
    group_in(status, ["FATAL"], "critical")
    default_time(time)
}
