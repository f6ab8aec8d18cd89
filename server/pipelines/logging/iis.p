# Log of Microsoft IIS in the W3C format with the fields it is set up with; times are UTC. The lines that start with #
# (#Fields: and the like) are dropped.
#
# time server_ip http_method http_path [http_query] port [user] client_ip [user_agent] [referrer] status_code substatus
# win32_status [bytes_sent bytes_received] duration_ms [forwarded_for]

if match("^#", _) {
    drop()
    exit()
}
if grok(_, """^(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?P<server_ip>[^ ]+) (?P<http_method>[^ ]+) (?P<http_path>[^ ]+) (?P<http_query>[^ ]+) (?P<port>\d+) (?P<user>[^ ]+) (?P<client_ip>[^ ]+) (?P<user_agent>[^ ]+)(?: (?P<referrer>[^ ]+))? (?P<status_code>\d{3}) (?P<substatus>\d+) (?P<win32_status>\d+)(?: (?P<bytes_sent>\d+) (?P<bytes_received>\d+))? (?P<duration_ms>\d+)(?: (?P<forwarded_for>[^ ]+))?$""") {
    cast(port, "int")
    cast(status_code, "int")
    cast(substatus, "int")
    cast(win32_status, "int")
    cast(duration_ms, "int")
    nullif(bytes_sent, "")
    cast(bytes_sent, "int")
    nullif(bytes_received, "")
    cast(bytes_received, "int")
    nullif(forwarded_for, "")
    nullif(forwarded_for, "-")
    nullif(http_query, "-")
    nullif(user, "-")
    nullif(referrer, "-")
    nullif(referrer, "")
    nullif(user_agent, "-")
    # Blanks are written as plus signs.
    replace(user_agent, "\\+", " ")
    group_between(status_code, [100, 299], "OK", status)
    group_between(status_code, [300, 399], "notice", status)
    group_between(status_code, [400, 499], "warning", status)
    group_between(status_code, [500, 599], "error", status)
    default_time(time, "UTC")
}
