# Of an access log, the requests that failed.
if grok(_, '%{IPORHOST:client} %{NOTSPACE} %{NOTSPACE} \\[%{HTTPDATE:time}\\] "%{WORD:method} %{NOTSPACE:path} [^"]*" %{INT:status_code:int}') {
    if status_code < 500 {
        drop()
    }
    drop_key(message)
    add_key(status, "error")
    default_time(time)
} else {
    drop()
}
