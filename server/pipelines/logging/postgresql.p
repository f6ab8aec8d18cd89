# Log of PostgreSQL: text as it is set up by default, with user and database in the prefix ('%m [%p] %q%u@%d ') and with
# the prefix of Amazon RDS ('%t:%r:%u@%d:[%p]:'), and csvlog.
#
# time pid [user db_name client_ip client_port] status [error_code] reason [duration_ms sql]
# error_code is the SQLSTATE: csvlog has it, text with log_error_verbosity = verbose.

add_pattern("pg_time", """(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (?P<zone>[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)""")
add_pattern("pg_text", """(?P<status>[A-Z]+\d?): +(?:(?P<error_code>(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}): )?%{GREEDYLINES:reason}""")
add_pattern("pg_cell", """(?:"(?:[^"]|"")*"|[^",]*)""")

read = grok(_, """^%{pg_time} \[%{INT:pid}\](?:-\d+)? (?:(?P<user>[^@ ]+)@(?P<db_name>[^ ]+) )?%{pg_text}""")
if !read {
    read = grok(_, """^%{pg_time}:(?:(?P<client_ip>[^(\[ ]+)\((?P<client_port>\d+)\)|\[local\])?:(?P<user>[^@ ]*)@(?P<db_name>[^ ]*):\[%{INT:pid}\]:%{pg_text}""")
}
if !read {
    read = grok(_, """^%{pg_time},(?:"(?P<user>(?:[^"]|"")*)")?,(?:"(?P<db_name>(?:[^"]|"")*)")?,(?P<pid>\d*),(?:"(?:(?P<client_ip>[^"\[]+):(?P<client_port>\d+)|[^"]*)")?,(?:%{pg_cell},){6}(?P<status>[A-Z]+\d?),(?P<error_code>[0-9A-Z]{5})?,(?:"(?P<reason>(?:[^"]|"")*)")?,(?:%{pg_cell},){5}(?:"(?P<sql>(?:[^"]|"")*)")?,""")
    if read {
        # A quote in a cell is written twice.
        replace(user, "\"\"", "\"")
        replace(db_name, "\"\"", "\"")
        replace(reason, "\"\"", "\"")
        replace(sql, "\"\"", "\"")
    }
}

if read {
    nullif(pid, "")
    cast(pid, "int")
    nullif(user, "")
    nullif(db_name, "")
    nullif(client_ip, "")
    nullif(client_port, "")
    cast(client_port, "int")
    nullif(error_code, "")
    # Successful completion.
    nullif(error_code, "00000")

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
