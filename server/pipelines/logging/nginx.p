# Logs of nginx: the access log in the common and combined formats, and the error log.
#
# Access: client_ip ident user time method url http_version status_code bytes [referrer user_agent]
# Error:  time status pid tid [connection] reason [client_ip server method url http_version upstream http_host]

add_pattern("ngx_word", "[^ \"]+")
add_pattern("ngx_request", "(?:(?P<http_method>\\w[\\w-]*) %{ngx_word:http_url}(?: HTTP/%{NUMBER:http_version})?|%{DATA:http_request})")
add_pattern("ngx_answer", "\\[%{HTTPDATE:time}\\] \"%{ngx_request}\" %{INT:status_code} (?:%{INT:bytes}|-)")
add_pattern("ngx_agent", "(?: \"%{DATA:referrer}\" \"%{DATA:user_agent}\")?")
add_pattern("ngx_date", "%{YEAR}/%{MONTHNUM2}/%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND}")

# The second takes users with blanks, which are rare.
if grok(_, "^%{NOTSPACE:client_ip} %{NOTSPACE:ident} %{NOTSPACE:user} %{ngx_answer}%{ngx_agent}") ||
        grok(_, "^%{NOTSPACE:client_ip} %{NOTSPACE:ident} (?P<user>[^\\[\"]+) %{ngx_answer}%{ngx_agent}") {
    cast(status_code, "int")
    cast(bytes, "int")

    # A dash is how nginx writes nothing.
    nullif(ident, "-")
    nullif(user, "-")
    nullif(referrer, "-")
    nullif(user_agent, "-")

    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
} elif grok(_, "^%{ngx_date:time} \\[%{LOGLEVEL:status}\\] %{INT:pid}#%{INT:tid}: (?:\\*%{INT:connection} )?%{GREEDYDATA:reason}") {
    cast(pid, "int")
    cast(tid, "int")

    # nginx appends the request that it was busy with.
    grok(reason, "client: %{IPORHOST:client_ip}")
    grok(reason, "server: %{ngx_word:server},")
    grok(reason, "request: \"%{ngx_request}\"")
    grok(reason, "upstream: \"%{DATA:upstream}\"")
    grok(reason, "host: \"%{DATA:http_host}\"")

    # Names the status rules do not know.
    group_in(status, ["crit"], "critical")
    if connection == "" {
        drop_key(connection)
    } else {
        cast(connection, "int")
    }
}

# A request that could not be read is kept whole; otherwise its parts are there.
nullif(http_request, "")

default_time(time)
