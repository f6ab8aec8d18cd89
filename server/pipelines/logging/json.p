# Logs of programs that write one JSON object per line: every member becomes a field, inner objects and lists as JSON
# text, but a number as `status` becomes status_code. Numbers are floats, so that a field has one kind in all lines.
# Level and time are found under their usual names; as numbers they are levels of pino and bunyan, and epochs. A time may
# also be an object of seconds and nanoseconds.

log = load_json(_)
if value_type(log) == "map" {
    level = nil
    moment = nil
    for key in log {
        value = log[key]
        if key in [
            "level",
            "severity",
            "lvl",
            "log.level",
            "loglevel",
            "log_level",
            "levelname",
            "Level",
            "@l"
        ] {
            level = value
        } elif key in [
            "time",
            "ts",
            "timestamp",
            "@timestamp",
            "datetime",
            "asctime",
            "instant",
            "Timestamp",
            "@t"
        ] && (value_type(value) != "map" || "seconds" in value || "epochSecond" in value) {
            moment = value
        } elif key == "t" && value_type(value) == "str" && match("^[0-9]{4}-[0-9]{2}-", value) {
            moment = value
        } elif key == "status" && value_type(value) == "float" {
            # Of HTTP; `status` itself is the level.
            pt_kvs_set("status_code", value)
        } else {
            pt_kvs_set(key, value)
        }
    }

    if value_type(level) == "str" {
        add_key(status, level)
        lowercase(status)
        group_in(status, ["fatal", "panic", "dpanic", "crit"], "critical")
        group_in(status, ["eror"], "error")
        group_in(status, ["information"], "info")
        group_in(status, ["dbug"], "debug")
    } elif value_type(level) == "float" {
        strfmt(status, "%.0f", level)
        group_in(status, ["10", "20"], "debug")
        group_in(status, ["30"], "info")
        group_in(status, ["40"], "warning")
        group_in(status, ["50"], "error")
        group_in(status, ["60"], "critical")
    }

    if value_type(moment) == "str" {
        add_key(time, moment)
        default_time(time)
    } elif value_type(moment) == "float" {
        # Seconds may have a fraction; the unit of the others is told by their digits.
        if moment < 100000000000.0 {
            moment = moment * 1000000
        }
        strfmt(time, "%.0f", moment)
        default_time(time)
    } elif value_type(moment) == "map" {
        # Seconds and nanoseconds beside each other, as protobuf and log4j write them.
        seconds = moment["seconds"]
        nanos = moment["nanos"]
        if value_type(moment["epochSecond"]) == "float" {
            seconds = moment["epochSecond"]
            nanos = moment["nanoOfSecond"]
        }
        if value_type(nanos) != "float" {
            nanos = 0.0
        }
        if value_type(seconds) == "float" {
            strfmt(time, "%.0f%09.0f", seconds, nanos)
            default_time(time)
        }
    }
}
