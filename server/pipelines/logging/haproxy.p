# Log of HAProxy: `option httplog`, `option tcplog`, and what it says about servers; with or without a syslog header
# (RFC 3164 or 5424).
#
# HTTP: client_ip client_port time frontend backend server tq tw tc tr tt status_code bytes termination
#       [http_host] http_method http_url http_version [captured headers]; times in ms
# TCP:  the same without the request
# else: [client_ip client_port time frontend] msg

add_pattern("ha_head", """(?:<\d+>(?:1 )?)?(?:(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?:(?P<host>[^ ]*[^ :]) )?)?(?:haproxy(?:\[| )(?P<pid>\d+|-)(?:\]:| [^ ]+ (?:-|\[[^\]]*\])) )?""")
add_pattern("ha_client", """(?P<client_ip>[0-9a-fA-F.:]+|-|unix):(?P<client_port>\d+) \[(?P<time>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\.\d{3})\]""")
add_pattern("ha_way", """(?P<frontend>[^ ]+) (?P<backend>[^ /]+)/(?P<server>[^ ]+)""")
add_pattern("ha_counts", """(?P<connections>\d+)/\d+/\d+/\d+/\+?(?P<retries>\d+) \d+/\d+""")

if grok(_, """^%{ha_head}%{ha_client} %{ha_way} (?:(?P<http_host>[^ /]+) )?(?P<tq>-?\d+)/(?P<tw>-?\d+)/(?P<tc>-?\d+)/(?P<tr>-?\d+)/\+?(?P<tt>\d+) (?P<status_code>-?\d+) \+?(?P<bytes>\d+) [^ ]+ [^ ]+ (?P<termination>[^ ]{4}) %{ha_counts}(?: \{(?P<request_headers>[^}]*)\})?(?: \{(?P<response_headers>[^}]*)\})? "(?:(?P<http_method>[A-Z]+) (?P<http_url>[^ "]+)(?: HTTP/(?P<http_version>[0-9.]+))?|<BADREQ>|[^"]*)"?$""") {
    cast(status_code, "int")
    cast(tq, "int")
    cast(tr, "int")
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
    # -1: the client was gone before there was an answer.
    group_in(status_code, [-1], "warning", status)
} elif grok(_, """^%{ha_head}%{ha_client} %{ha_way} (?P<tw>-?\d+)/(?P<tc>-?\d+)/\+?(?P<tt>\d+) \+?(?P<bytes>\d+) (?P<termination>[^ ]{2}) %{ha_counts}$""") {
    if termination == "--" {
        add_key(status, "OK")
    } else {
        add_key(status, "warning")
    }
} elif grok(_, """^%{ha_head}%{ha_client} (?P<frontend>[^ /]+)/[^ :]+: %{GREEDYDATA:msg}""") {
    # The connection had no request yet.
    add_key(status, "error")
} elif grok(_, """^(?:<\d+>(?:1 )?)?(?:(?P<time>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?:(?P<host>[^ ]*[^ :]) )?)?(?:haproxy(?:\[| )(?P<pid>\d+|-)(?:\]:| [^ ]+ (?:-|\[[^\]]*\])) )?%{GREEDYDATA:msg}""") {
    nullif(time, "")
    if grok(msg, """^Server (?P<backend>[^/ ]+)/(?P<server>[^ ]+) is (?P<state>UP|DOWN|going DOWN)""") {
        if state == "UP" {
            add_key(status, "notice")
        } else {
            add_key(status, "error")
        }
    } elif match("has no server available", msg) {
        add_key(status, "critical")
    }
}
nullif(host, "")
nullif(http_host, "")
nullif(client_ip, "-")
nullif(pid, "")
nullif(pid, "-")
cast(pid, "int")
cast(client_port, "int")
cast(tw, "int")
cast(tc, "int")
cast(tt, "int")
cast(bytes, "int")
cast(connections, "int")
cast(retries, "int")
nullif(request_headers, "")
nullif(response_headers, "")
nullif(http_method, "")
nullif(http_url, "")
nullif(http_version, "")
nullif(state, "")
# Its time has no zone: that of the host.
if grok(time, """^(?P<time>\d\d/[A-Z][a-z]{2}/\d{4}):(?P<clock>[\d:.]+)$""") {
    strfmt(time, "%s %s", time, clock)
    replace(time, "/", " ")
    drop_key(clock)
}
default_time(time)
