# Logs of Kubernetes' own programs (kubelet, apiserver, scheduler, controllers): klog lines.
#
# Lmmdd hh:mm:ss.uuuuuu threadid file:line] msg
# L is the level: I, W, E, F. The year is the current one. Structured messages have their text in quotes, then key="value".

if grok(_, """(?s)^(?P<status>[IWEF])(?P<month>\d\d)(?P<day>\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\.(?P<micro>\d{6}) +%{INT:thread} (?P<file>[\w.-]+):%{INT:line}\] ?(?P<msg>.*)$""") {
    cast(thread, "int")
    cast(line, "int")
    parse_date(key=time, MM=month, dd=day, hh=hour, mm=minute, ss=second, us=micro)
    drop_key(month)
    drop_key(day)
    drop_key(hour)
    drop_key(minute)
    drop_key(second)
    drop_key(micro)
    group_in(status, ["F"], "critical")

    # What most structured messages tell.
    if grok(msg, """^"(?P<event>(?:[^"\\]|\\.)*)"(?: |$)""") {
        grok(msg, """ err="(?P<error>(?:[^"\\]|\\.)*)"(?: |$)""")
        grok(msg, """ pod="(?P<pod>[^"]*)"(?: |$)""")
        grok(msg, """ (?:node|nodeName)="(?P<node>[^"]*)"(?: |$)""")
        grok(msg, """ containerName="(?P<container>[^"]*)"(?: |$)""")
    }
}
