# Logs of the Apache HTTP server: the access log in the common and combined formats, with or without the virtual host
# in front, and the error log of 2.2 and 2.4.
#
# Access: [http_host [port]] client_ip ident user time http_method http_url http_version status_code bytes
#         [referrer user_agent]
# Error:  time [module] status [pid tid] [client_ip] [error_code] reason

add_pattern("ap_request", """(?:%{WORD:http_method} (?P<http_url>[^ "]+)(?: HTTP/%{NUMBER:http_version})?|(?P<http_request>(?:[^"\\]|\\.)*))""")
add_pattern("ap_access", """%{NOTSPACE:ident} %{NOTSPACE:user} \[%{HTTPDATE:time}\] "%{ap_request}" %{INT:status_code} (?:%{INT:bytes}|-)""")
add_pattern("ap_agent", """(?: "(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<user_agent>(?:[^"\\]|\\.)*)")?""")

if grok(_, """^(?:%{IPORHOST:http_host}:%{INT:port} )?%{NOTSPACE:client_ip} %{ap_access}%{ap_agent}(?: .*)?$""") ||
        grok(_, """^%{IPORHOST:http_host} %{IPORHOST:client_ip} %{ap_access}%{ap_agent}(?: .*)?$""") {
    cast(status_code, "int")
    nullif(bytes, "")
    cast(bytes, "int")
    nullif(port, "")
    cast(port, "int")
    nullif(ident, "-")
    nullif(user, "-")
    nullif(referrer, "-")
    nullif(user_agent, "-")
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
} elif grok(_, """^\[%{HTTPDERROR_DATE:time}\] \[(?:(?P<module>\w*):)?%{WORD:status}\] (?:\[pid %{INT:pid}(?::tid %{INT:tid})?\] )?(?:\((?P<error_code>\d+)\)[^:]*: )?(?:\[(?:client|remote) %{IPORHOST:client_ip}(?::%{INT:client_port})?\] )?%{GREEDYDATA:reason}""") {
    nullif(pid, "")
    cast(pid, "int")
    nullif(tid, "")
    cast(tid, "int")
    nullif(error_code, "")
    cast(error_code, "int")
    if (module != "" || get_key(pid) != nil) && client_port == "" {
        # 2.4 writes the port behind an IPv6 address without brackets.
        grok(client_ip, "^(?P<client_ip>.*:.*):(?P<client_port>\\d+)$")
    }
    nullif(client_port, "")
    cast(client_port, "int")
    nullif(module, "")
    if match("^trace[1-8]$", status) {
        add_key(status, "trace")
    }
    nullif(client_ip, "")
    group_in(status, ["crit"], "critical")
}

# What the line does not say is not kept as an empty text.
nullif(http_host, "")
nullif(http_method, "")
nullif(http_url, "")
nullif(http_version, "")
nullif(http_request, "")
nullif(referrer, "")
nullif(user_agent, "")

default_time(time)
