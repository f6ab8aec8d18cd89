# Log of PostgreSQL as it is set up by default and with user and database in the prefix ('%m [%p] %q%u@%d ').
#
# time pid [user db_name] status reason [duration sql] [error_code]

if grok(_, """^(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (?P<zone>[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?) \[%{INT:pid}\](?:-\d+)? (?:(?P<user>[^@ ]+)@(?P<db_name>[^ ]+) )?(?P<status>[A-Z]+\d?): +%{GREEDYLINES:reason}""") {
    cast(pid, "int")
    nullif(user, "")
    nullif(db_name, "")

    # A statement that took long.
    grok(reason, """^duration: %{NUMBER:duration_ms:float} ms(?:  (?:statement|execute [^:]*|parse [^:]*|bind [^:]*): %{GREEDYLINES:sql})?""")
    nullif(sql, "")

    level = status
    group_in(status, ["LOG", "STATEMENT", "DETAIL", "HINT", "CONTEXT"], "info")
    group_in(status, ["FATAL", "PANIC"], "critical")
    if match("^DEBUG", level) {
        add_key(status, "debug")
    }

    # Abbreviations of zones are ambiguous: only what is UTC is read as such, the rest in the host's zone.
    if zone == "UTC" || zone == "GMT" {
        default_time(time, "UTC")
    } elif match("^[+-]", zone) {
        add_key(time, time + zone)
        default_time(time)
    } else {
        default_time(time)
    }
    drop_key(zone)
}
