# Logs of Java programs in the usual layouts of log4j, logback and Spring Boot, of Spark, HDFS and Zookeeper, with stack
# traces; and of OpenStack, whose layout is much alike.
#
# time status thread logger [pid app request_id] msg [exception exception_message root_cause stack_trace]

add_pattern("jv_time", """\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?""")
add_pattern("jv_level", """TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE""")
add_pattern("jv_short", """\d\d/\d\d/\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d{6} \d{6}""")
add_pattern("jv_rest", """(?P<msg>[^\n]*)(?:\n(?P<stack_trace>(?s:.*)))?$""")

# Spark and HDFS; Zookeeper; OpenStack, also behind the name of its file; Spring Boot; "%d [%t] %p %c - %m", the usual
# layout of logback; "%d %p [%t] %c: %m" and its like.
if grok(_, """^(?P<time>%{jv_short}) +(?:%{INT:pid} +)?(?P<status>%{jv_level}) +(?P<logger>[\w.$]+): %{jv_rest}""") {
    # The year has two digits.
    nullif(pid, "")
    cast(pid, "int")
    replace(time, "/", "")
    replace(time, "^(\\d{6}) (\\d\\d)(\\d\\d)(\\d\\d)$", "$1 $2:$3:$4")
} elif grok(_, """^(?P<time>%{jv_time}) +(?:\[myid:[^\]]*\] +)?- +(?P<status>%{jv_level}) +\[(?P<thread>[^\n]*?):(?P<logger>[\w.$]+)@(?:\d+|\?)\] - %{jv_rest}""") {} elif grok(
    _,
    """^(?:[^ \n]+ )?(?P<time>%{jv_time}) +%{INT:pid} +(?P<status>%{jv_level}|CRITICAL|AUDIT) +(?:(?P<logger>[\w.-]+) +\[(?:(?P<request_id>req-[^ \]]+)[^\]]*|-[- ]*)\] |(?P<logger>[\w-]+(?:\.[\w-]+)+) +)%{jv_rest}"""
) {
    cast(pid, "int")
    nullif(request_id, "")
    group_in(status, ["AUDIT"], "info")
} elif grok(_, """^(?P<time>%{jv_time}) +(?P<status>%{jv_level}) +%{INT:pid} --- (?:\[(?P<app>[^\]]*)\] )?\[ *(?P<thread>[^\]]*)\] (?:\[[^\] ]*\] )?(?P<logger>[\w.$\[\]/]+) *: %{jv_rest}""") {
    cast(pid, "int")
    nullif(app, "")
} elif grok(_, """^(?P<time>%{jv_time}) +\[(?P<thread>[^\]]*)\] +(?P<status>%{jv_level}) +(?:\[[^\]]*\] +)?(?P<logger>[\w.$]+)(?::\d+)? +--? %{jv_rest}""") {} elif grok(
    _,
    """^(?P<time>%{jv_time}) +(?P<status>%{jv_level}) +\[(?P<logger>[^\]]+)\] \((?P<thread>[^)]*)\) %{jv_rest}"""
) {} elif grok(_, """^(?P<time>%{jv_time}) +\[?(?P<status>%{jv_level})\]? +(?:\[(?P<thread>[^\]]*)\] +)?(?:(?P<logger>[\w$]+(?:\.[\w$]+)+)(?::\d+)? *(?:-|:) +)?%{jv_rest}""") {
    nullif(thread, "")
    nullif(logger, "")
} elif grok(_, """^\d\d:\d\d:\d\d\.\d{3} \[(?P<thread>[^\]]*)\] (?P<status>%{jv_level}) +(?P<logger>[\w.$]+) +--? %{jv_rest}""") {
    # The layout that logback starts with has no date: the time of arrival stays.
}

nullif(stack_trace, "")
if grok(stack_trace, """^(?P<exception>[\w.$]+)(?:: (?P<exception_message>[^\n]*))?""") {
    nullif(exception_message, "")
    grok(stack_trace, """(?s).*\nCaused by: (?P<root_cause>[^\n]*)""")
}

group_in(status, ["FATAL"], "critical")
group_in(status, ["SEVERE"], "error")
default_time(time)
