# The files of containers under containerd and CRI-O (CRI format), as Kubernetes keeps them in /var/log/containers.
#
# time stream partial text: message becomes the text, partial is true when the line goes on in the next entry.

if grok(_, """(?s)^(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)) (?P<stream>stdout|stderr) (?P<partial>[FP])(?::[^ ]*)? (?P<text>.*)$""") {
    rename(message, text)
    if partial == "P" {
        add_key(partial, true)
    } else {
        add_key(partial, false)
    }

    # The level, where the text tells it in the usual places.
    if grok(_, """(?:^|[ \[|=":])(?P<status>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC)(?:[ \]|":]|$)""") {} elif grok(
        _,
        """\blevel"?[=:] ?"?(?P<status>[a-z]+)"""
    ) {} else {
        grok(_, """\[(?P<status>trace|debug|info|notice|warn|warning|error|fatal|critical|panic)\]""")
    }
    group_in(status, ["FATAL", "PANIC", "fatal", "panic"], "critical")
    default_time(time)
}
