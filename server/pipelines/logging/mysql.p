# Logs of MySQL and MariaDB: the error log and the slow query log.
#
# Error: time [thread] [status] [error_code subsystem] reason; servers until 5.5 and mysqld_safe
#        write no thread, and some lines have no status
# Slow:  time db_user db_host [client_ip] connection query_time lock_time rows_sent rows_examined [db_name] sql

if grok(_, """^(?:# Time: %{NOTSPACE:time}[^\n]*\n)?# User@Host: (?P<db_user>[^\[ ]*)\[[^\]]*\] @ +(?P<db_host>[^\[ ]*) *\[(?P<client_ip>[^\]]*)\](?: +Id: +%{INT:connection})?[^\n]*\n""") {
    # The fields of the slow query, whatever lines the server and its settings add.
    grok(_, """Query_time: %{NUMBER:query_time:float} +Lock_time: %{NUMBER:lock_time:float} +Rows_sent: %{INT:rows_sent:int} +Rows_examined: %{INT:rows_examined:int}""")
    grok(_, """(?m)^use `?(?P<db_name>[^;`]+)`?;$""")
    if get_key(db_name) == nil {
        grok(_, """(?m)^# (?:Thread_id: +\d+ +)?Schema: (?P<db_name>[^ \n]+)""")
    }
    grok(_, """SET timestamp=(?P<started>\d+)(?:\.\d+)?;\n%{GREEDYLINES:sql}""")
    nullif(connection, "")
    cast(connection, "int")
    nullif(db_host, "")
    nullif(client_ip, "")

    # Old servers write the time only when the second changes; then the query's own tells it.
    if !match("^[0-9]{4}-", time) {
        rename(time, started)
    }
    drop_key(started)
    add_key(status, "warning")
} elif grok(_, """^(?P<time>%{TIMESTAMP_ISO8601}|\d{4}-\d\d-\d\d  \d:\d\d:\d\d) +%{INT:thread} \[%{WORD:status}\](?: \[(?P<error_code>MY-\d+)\] \[%{WORD:subsystem}\])? %{GREEDYLINES:reason}""") {
    cast(thread, "int")
    nullif(error_code, "")
    nullif(subsystem, "")
    group_in(status, ["Note", "System"], "info")
} elif grok(_, """^(?P<time>\d{6} +\d{1,2}:\d\d:\d\d|%{TIMESTAMP_ISO8601})\s+(?:\[%{WORD:status}\] +)?%{GREEDYLINES:reason}""") {
    nullif(status, "")
    group_in(status, ["Note"], "info")
}

default_time(time)
