# The files of Docker's json-file driver: each line of a container is one JSON object.
#
# {"log":"text\n","stream":"stderr","time":"2025-11-21T10:00:00.123456789Z","attrs":{...}}
# message becomes the text; stream and time stand beside it, attrs as JSON text.

log = load_json(_)
if value_type(log) == "map" && "log" in log {
    add_key(message, log["log"])
    trim(message, "\r\n")
    add_key(stream, log["stream"])
    add_key(time, log["time"])
    if "attrs" in log {
        add_key(attrs, log["attrs"])
    }

    # The level, where the text tells it in the usual places.
    if grok(_, """(?:^|[ \[|=":])(?P<status>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC)(?:[ \]|":]|$)""") {} elif grok(
        _,
        """\blevel"?[=:] ?"?(?P<status>[a-z]+)"""
    ) {} else {
        grok(_, """\[(?P<status>trace|debug|info|notice|warn|warning|error|fatal|critical|panic)\]""")
    }
    group_in(status, ["FATAL", "PANIC", "fatal", "panic"], "critical")
    default_time(time)
}
