# Log of RabbitMQ 3.7 and later: one line of text per message, further lines are indented.
#
# time status process msg [client server]

if grok(_, """(?s)^(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+(?:[+-]\d\d:\d\d)?) \[%{WORD:status}\] (?P<process><[0-9.]+>) (?P<msg>.*)$""") {
    trim(msg)
    grok(msg, """\((?P<client>[0-9a-fA-F.:\[\]]+:\d+) -> (?P<server>[0-9a-fA-F.:\[\]]+:\d+)""")
    default_time(time)
}
