# Lines of key=value pairs, values in quotes where they need them: every pair becomes a field. Numbers are floats, so that
# a field has one kind in all lines. Words without a value are left alone.

# Pairs become the members of a JSON object; what is no pair becomes a member without name.
add_key(pairs, _)
replace(pairs, "(?:([A-Za-z_@][A-Za-z0-9_.@/-]*)=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s\"\\\\]*))|\\S+)\\s*", "\"$1\":\"$2$3\",")
found = load_json("{" + pairs + "\"\":\"\"}")
drop_key(pairs)

if value_type(found) == "map" {
    for key in found {
        value = found[key]
        if key == "" {
            continue
        } elif key in ["level", "lvl", "severity"] {
            add_key(status, value)
            lowercase(status)
            group_in(status, ["fatal", "panic", "crit"], "critical")
            group_in(status, ["eror"], "error")
            group_in(status, ["dbug"], "debug")
        } elif key in ["time", "ts", "t", "timestamp"] {
            add_key(time, value)
        } elif match("^-?(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?$", value) {
            pt_kvs_set(key, load_json(value))
        } else {
            pt_kvs_set(key, value)
        }
    }

    # Seconds with a fraction are no time text.
    if match("^[0-9]+\\.[0-9]+$", time) {
        strfmt(time, "%.0f", load_json(time) * 1000000)
    }
    default_time(time)
}
