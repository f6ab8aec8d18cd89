# Logs of Envoy: the access log in the default format and in Istio's, and its application log.
#
# Access: time http_method http_url http_version status_code response_flags [response_details failure] bytes_received
#         bytes_sent duration_ms upstream_ms forwarded_for user_agent request_id http_host upstream [cluster]
# Log:    time thread status component msg

if grok(_, """^\[%{TIMESTAMP_ISO8601:time}\] "(?:(?P<http_method>[A-Z-]+) (?P<http_url>[^ ]+) (?:HTTP/)?(?P<http_version>[^ "]+))" (?P<status_code>\d+) (?P<response_flags>[^ ]+) (?:(?P<response_details>[^ ]+) [^ ]+ "(?P<failure>[^"]*)" )?(?P<bytes_received>\d+) (?P<bytes_sent>\d+) (?P<duration_ms>\d+) (?P<upstream_ms>-|\d+) "(?P<forwarded_for>[^"]*)" "(?P<user_agent>[^"]*)" "(?P<request_id>[^"]*)" "(?P<http_host>[^"]*)" "(?P<upstream>[^"]*)"(?: (?P<cluster>[^ ]+) .*)?$""") {
    cast(status_code, "int")
    cast(bytes_received, "int")
    cast(bytes_sent, "int")
    cast(duration_ms, "int")
    nullif(upstream_ms, "-")
    cast(upstream_ms, "int")
    nullif(response_flags, "-")
    nullif(response_details, "")
    nullif(response_details, "-")
    nullif(failure, "")
    nullif(failure, "-")
    nullif(forwarded_for, "-")
    nullif(user_agent, "-")
    nullif(request_id, "-")
    nullif(http_host, "-")
    nullif(upstream, "-")
    nullif(cluster, "")
    nullif(cluster, "-")
    nullif(http_method, "-")
    nullif(http_url, "-")
    nullif(http_version, "-")
    # 0: there was no HTTP answer, as with TCP; the flags tell whether the upstream failed or the client went away.
    if status_code == 0 {
        if get_key(response_flags) == nil {
            add_key(status, "OK")
        } elif match("(?:^|,)(?:U[CFHORT]|URX|UPE|NR|NC)(?:,|$)", response_flags) {
            add_key(status, "error")
        } else {
            add_key(status, "warning")
        }
    }
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
} elif grok(_, """^\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\]\[(?P<thread>\d+)\]\[(?P<status>\w+)\]\[(?P<component>[^\]]+)\] %{GREEDYDATA:msg}""") {
    cast(thread, "int")
}
default_time(time)
