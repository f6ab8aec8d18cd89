# Log of MongoDB: JSON lines (4.4 and later) and the text before; that of 2.x has neither status nor component.
#
# time status component [log_id] context msg, and of slow operations: namespace duration_ms

log = nil
if match("^\\s*\\{", _) {
    log = load_json(_)
}
if value_type(log) == "map" && "msg" in log {
    add_key(time, log["t"]["$date"])
    add_key(status, log["s"])
    add_key(component, log["c"])
    add_key(log_id, log["id"])
    cast(log_id, "int")
    add_key(context, log["ctx"])
    add_key(msg, log["msg"])
    if "attr" in log {
        attr = log["attr"]
        add_key(attr, attr)
        if value_type(attr) == "map" && "durationMillis" in attr {
            add_key(duration_ms, attr["durationMillis"])
            cast(duration_ms, "int")
        }
        if value_type(attr) == "map" && "ns" in attr {
            add_key(namespace, attr["ns"])
        }
    }
} elif grok(_, """^(?P<time>%{TIMESTAMP_ISO8601}|%{DAY} %{MONTH} +%{MONTHDAY} \d\d:\d\d:\d\d(?:\.\d{3})?) (?:(?P<status>[A-Z]\d?) +(?P<component>[A-Z-]+) +)?(?:\[(?P<context>[^\]]+)\] +)?%{GREEDYDATA:msg}""") {
    nullif(context, "")
    nullif(status, "")
    nullif(component, "")
    if get_key(component) == nil {
        grok(msg, """^(?P<status>(?i:warning|error)): """)
    }
    grok(msg, """ (?P<duration_ms>\d+)ms$""")
    cast(duration_ms, "int")
    grok(msg, """^(?:command|query|getmore|update|remove|insert) (?P<namespace>[^ ]+) """)
}

# F fatal, E, W, I and D1 to D5.
group_in(status, ["F"], "critical")
if match("^D\\d?$", status) {
    add_key(status, "debug")
}
default_time(time)
