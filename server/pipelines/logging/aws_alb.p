# Access log of the AWS application load balancer.
#
# type time lb client_ip client_port [target] request_s target_s response_s status_code [target_status_code] bytes_received
# bytes_sent http_method http_url http_version user_agent [tls_cipher tls_version] target_group trace_id [http_host]
# [actions error_reason]; times in seconds, -1 where the load balancer had no answer

if grok(_, """^(?P<type>https?|h2|grpcs|wss?) (?P<time>[^ ]+) (?P<lb>[^ ]+) \[?(?P<client_ip>[0-9a-fA-F.:]+)\]?:(?P<client_port>\d+) (?P<target>[^ ]+) (?P<request_s>-?[\d.]+) (?P<target_s>-?[\d.]+) (?P<response_s>-?[\d.]+) (?P<status_code>-|\d{3}) (?P<target_status_code>-|\d{3}) (?P<bytes_received>\d+) (?P<bytes_sent>\d+) "(?P<http_method>[^ ]+) (?P<http_url>[^ ]+) (?P<http_version>[^"]*)" "(?P<user_agent>[^"]*)" (?P<tls_cipher>[^ ]+) (?P<tls_version>[^ ]+) (?P<target_group>[^ ]+) "(?P<trace_id>[^"]*)" "(?P<http_host>[^"]*)" "[^"]*" [^ ]+ [^ ]+ "(?P<actions>[^"]*)" "[^"]*" "(?P<error_reason>[^"]*)" """) {
    cast(client_port, "int")
    cast(request_s, "float")
    cast(target_s, "float")
    cast(response_s, "float")
    nullif(status_code, "-")
    cast(status_code, "int")
    cast(bytes_received, "int")
    cast(bytes_sent, "int")
    nullif(target_status_code, "-")
    cast(target_status_code, "int")
    replace(http_version, "^HTTP/", "")
    trim(http_version, " -")
    nullif(http_version, "")
    nullif(http_method, "-")
    nullif(target, "-")
    nullif(user_agent, "-")
    nullif(tls_cipher, "-")
    nullif(tls_version, "-")
    nullif(target_group, "-")
    nullif(trace_id, "-")
    nullif(http_host, "-")
    nullif(actions, "-")
    nullif(error_reason, "-")
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
    default_time(time)
}
