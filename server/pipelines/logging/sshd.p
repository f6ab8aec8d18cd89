# Log of the OpenSSH server, as syslog or the journal hand it on.
#
# time host pid [repeated] msg, and of what can be told from it:
# event (accepted, failed, invalid_user, too_many_failures, pam_failure, no_agreement, closed, disconnected,
# session_opened, session_closed) auth_method user client_ip client_port

if grok(_, """^(?:<\d+>)?(?P<time>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?P<host>[^ ]+) sshd(?:-session|-auth|\(pam_unix\))?\[%{INT:pid}\]: (?:message repeated (?P<repeated>\d+) times: \[ )?%{GREEDYDATA:msg}""") {
    cast(pid, "int")
    add_key(status, "info")
    if repeated != "" {
        replace(msg, "\\]$", "")
    }
    nullif(repeated, "")
    cast(repeated, "int")
    if grok(msg, """^Accepted (?P<auth_method>[^ ]+) for (?P<user>[^ ]+) from (?P<client_ip>[^ ]+) port (?P<client_port>\d+)""") {
        add_key(event, "accepted")
    } elif grok(msg, """^Failed (?P<auth_method>[^ ]+) for (?:invalid user )?(?P<user>.*) from (?P<client_ip>[^ ]+) port (?P<client_port>\d+)""") {
        add_key(event, "failed")
        add_key(status, "warning")
    } elif grok(msg, """^Invalid user (?P<user>.*) from (?P<client_ip>[^ ]+)(?: port (?P<client_port>\d+))?""") {
        add_key(event, "invalid_user")
        add_key(status, "warning")
    } elif grok(msg, """^(?:Connection (?:closed|reset) by|Received disconnect from) (?:(?:authenticating|invalid) user (?P<user>[^ ]*) )?(?P<client_ip>[^ ]+?)(?: port (?P<client_port>\d+)|: \d+:| \[preauth\]$|$)""") {
        add_key(event, "closed")
    } elif grok(msg, """^Disconnected from (?:(?:(?:authenticating|invalid) )?user (?P<user>[^ ]*) )?(?P<client_ip>[^ ]+)(?: port (?P<client_port>\d+)| \[preauth\]$|$)""") {
        add_key(event, "disconnected")
    } elif grok(msg, """^(?:error: )?maximum authentication attempts exceeded for (?:invalid user )?(?P<user>.*) from (?P<client_ip>[^ ]+) port (?P<client_port>\d+)""") {
        add_key(event, "too_many_failures")
        add_key(status, "warning")
    } elif grok(msg, """^Disconnecting (?:(?:(?:authenticating|invalid) )?user (?P<user>[^ ]*) )?(?P<client_ip>[^ ]+) port (?P<client_port>\d+): """) {
        add_key(event, "disconnected")
        add_key(status, "warning")
    } elif grok(msg, """^(?:fatal: )?Unable to negotiate with (?P<client_ip>[^ ]+) port (?P<client_port>\d+): """) {
        add_key(event, "no_agreement")
        add_key(status, "warning")
    } elif grok(msg, """^(?:pam_[^ ]+: |PAM \d+ more )?authentication failures?; .*?\brhost=(?P<client_ip>[^ ]*)(?: +user=(?P<user>.*))?$""") {
        add_key(event, "pam_failure")
        add_key(status, "warning")
        nullif(client_ip, "")
    } elif grok(msg, """session (?P<event>opened|closed) for user (?P<user>[^ (]+)""") {
        group_in(event, ["opened"], "session_opened")
        group_in(event, ["closed"], "session_closed")
    } elif match("^(?:error|fatal): ", msg) {
        add_key(status, "error")
    } elif match("POSSIBLE BREAK-IN ATTEMPT|authentication failure", msg) {
        add_key(status, "warning")
    }
    nullif(user, "")
    nullif(client_port, "")
    cast(client_port, "int")
    default_time(time)
}
