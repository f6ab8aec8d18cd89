# Logs of programs that write one JSON object per line: every member becomes a field, inner objects and lists as JSON
# text, but a number as `status` becomes status_code. Numbers are floats, so that a field has one kind in all lines.
# Level and time are found under their usual names; as numbers they are levels of pino and bunyan, and epochs.

log = load_json(_)
if value_type(log) == "map" {
    level = nil
    moment = nil
    for key in log {
        if key in ["level", "severity", "lvl", "log.level", "loglevel", "log_level"] {
            level = log[key]
        } elif key in ["time", "ts", "timestamp", "@timestamp", "datetime"] {
            moment = log[key]
        } elif key == "status" && value_type(log[key]) == "float" {
            # Of HTTP; `status` itself is the level.
            pt_kvs_set("status_code", log[key])
        } else {
            pt_kvs_set(key, log[key])
        }
    }

    if value_type(level) == "float" {
        names = {
            "10": "debug",
            "20": "debug",
            "30": "info",
            "40": "warning",
            "50": "error",
            "60": "critical"
        }
        strfmt(status, "%.0f", level)
        if pt_kvs_get("status") in names {
            add_key(status, names[pt_kvs_get("status")])
        }
    } elif value_type(level) == "str" {
        add_key(status, level)
        lowercase(status)
        group_in(status, ["fatal", "panic", "dpanic"], "critical")
    }

    if value_type(moment) == "float" {
        # Seconds may have a fraction; the unit of the others is told by their digits.
        if moment < 100000000000.0 {
            moment = moment * 1000000
        }
        strfmt(time, "%.0f", moment)
        default_time(time)
    } elif value_type(moment) == "str" {
        add_key(time, moment)
        default_time(time)
    }
}
