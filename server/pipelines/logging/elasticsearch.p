# Logs of Elasticsearch: the server log and the slow logs as text, and as JSON lines (7 and later), and its gc.log.
#
# time status logger node [cluster] msg, of slow logs also: index [shard] took_ms query;
# of gc.log: time status [pid] logger msg [pause_ms]

log = nil
if match("^\\s*\\{", _) {
    log = load_json(_)
}
if value_type(log) == "map" {
    # 8 uses the names of the Elastic Common Schema, 7 has names of its own.
    for pair in [
        ["time", "@timestamp", "timestamp"],
        ["status", "log.level", "level"],
        ["logger", "log.logger", "component"],
        ["node", "elasticsearch.node.name", "node.name"],
        ["cluster", "elasticsearch.cluster.name", "cluster.name"],
        ["thread", "process.thread.name", "thread"],
        ["msg", "message", "msg"],
        ["exception", "error.type", "exception"],
        ["stack_trace", "error.stack_trace", "stacktrace"]
    ] {
        for name in [pair[1], pair[2]] {
            if name in log {
                pt_kvs_set(pair[0], log[name])
            }
        }
    }
} elif grok(_, """(?s)^\[(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3})\]\[(?P<status>\w+) *\]\[(?P<logger>[^\] ]+) *\] \[(?P<node>[^\]]+)\] ?(?P<msg>.*)$""") {
    if grok(msg, """^\[(?P<index>[^\]/]+)(?:/[^\]]*)?\](?:\[(?P<shard>\d+)\])? took\[[^\]]*\], took_millis\[(?P<took_ms>\d+)\]""") {
        nullif(shard, "")
        cast(shard, "int")
        cast(took_ms, "int")
        grok(msg, """ source\[(?P<query>.*?)\](?:, id\[|$)""")
    }
} elif grok(_, """^\[(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4})\](?:\[(?P<pid>\d+)\])?(?:\[(?P<status>trace|debug|info|warning|error) *\])?\[(?P<logger>[a-z0-9,]+) *\] (?P<msg>.*)$""") {
    # gc.log of the Java virtual machine.
    nullif(pid, "")
    cast(pid, "int")
    if status == "" {
        add_key(status, "info")
    }
    grok(msg, """ %{NUMBER:pause_ms:float}ms$""")
}
group_in(status, ["FATAL", "fatal"], "critical")
group_in(status, ["DEPRECATION", "CRITICAL"], "warning")
default_time(time)
