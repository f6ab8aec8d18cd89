# Logs of Apache Tomcat: catalina and localhost (java.util.logging, one line each), and the access log.
#
# Catalina: time status thread logger msg [exception stack_trace]
# Access:   client_ip ident user time http_method http_url http_version status_code bytes

if grok(_, """^%{NOTSPACE:client_ip} %{NOTSPACE:ident} %{NOTSPACE:user} \[%{HTTPDATE:time}\] "(?:(?P<http_method>[A-Z-]+) (?P<http_url>[^ "]+)(?: HTTP/%{NUMBER:http_version})?|[^"]*)" %{INT:status_code} (?:%{INT:bytes}|-)""") {
    cast(status_code, "int")
    nullif(bytes, "")
    cast(bytes, "int")
    nullif(ident, "-")
    nullif(user, "-")
    nullif(http_method, "")
    nullif(http_url, "")
    nullif(http_version, "")
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
} elif grok(_, """(?s)^(?P<time>\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d\.\d{3}) (?P<status>[A-Z]+) \[(?P<thread>[^\]]*)\] (?P<logger>[\w.$<>]+) (?P<msg>[^\n]*)(?:\n(?P<stack_trace>.*))?$""") {
    trim(msg)
    nullif(stack_trace, "")
    grok(stack_trace, """^\s*(?P<exception>[\w.$]+(?:Exception|Error|Throwable)\w*)""")
    group_in(status, ["SEVERE"], "error")
    group_in(status, ["CONFIG"], "info")
    group_in(status, ["FINE", "FINER", "FINEST"], "debug")
}
default_time(time)
