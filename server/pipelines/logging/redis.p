# Log of Redis and Valkey.
#
# pid role time status reason
# The role is one letter: M master, S replica, C child that saves, X sentinel. The level is one character.

if grok(_, """^%{INT:pid}:(?P<role>[A-Z]) (?P<time>\d{2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d+) (?P<status>[.*#-]) %{GREEDYDATA:reason}""") {
    cast(pid, "int")
    group_in(role, ["M"], "master")
    group_in(role, ["S"], "replica")
    group_in(role, ["C"], "child")
    group_in(role, ["X"], "sentinel")
    group_in(status, ["."], "debug")
    group_in(status, ["-"], "info")
    group_in(status, ["*"], "notice")
    group_in(status, ["#"], "warning")
    default_time(time)
}
