// The example projects with which a user can start. The page loads this file when the menu of examples is opened.

import { english } from "../text/translate.ts";
import { type Example, example, firstExample } from "./example.ts";

const apache = example("apache", english("error log: names of levels, optional parts"), {
  title: "Apache error log",
  source: "apache",
  script: String.raw`
# [day month date time year] [module:level] [pid n:tid n] [client a:p] message
grok(_, "\\[%{DATA:time}\\] \\[%{WORD:module}:%{WORD:status}\\] \\[pid %{INT:pid:int}(?::tid %{INT:tid:int})?\\](?: \\[client %{IPORHOST:client}:%{INT:port:int}\\])? %{GREEDYDATA:msg}")

# AH01071 and the like name the place in the source that wrote the message.
grok(msg, "%{NOTSPACE:code}: %{GREEDYDATA:msg}")

# Parts that were not there are empty texts.
if client == "" {
    drop_key(client)
    drop_key(port)
}

set_tag(module)
drop_origin_data()
default_time_with_fmt(time, "Mon Jan 02 15:04:05.000000 2006", "UTC")
`,
  input: `[Fri Nov 21 10:00:01.123456 2025] [core:notice] [pid 811:tid 140] AH00094: Command line: '/usr/sbin/apache2'
[Fri Nov 21 10:00:07.000451 2025] [proxy_fcgi:error] [pid 815:tid 187] [client 203.0.113.5:51344] AH01071: Got error 'Primary script unknown'
[Fri Nov 21 10:00:09.871200 2025] [authz_core:error] [pid 816:tid 188] [client 198.51.100.9:40022] AH01630: client denied by server configuration: /var/www/.git
[Fri Nov 21 10:00:12.300718 2025] [ssl:warn] [pid 811:tid 140] AH01909: www.example.com:443:0 server certificate does NOT include an ID which matches the server name
[Fri Nov 21 10:00:15.000002 2025] [mpm_event:notice] [pid 811:tid 140] AH00489: Apache/2.4.62 (Debian) configured -- resuming normal operations
`,
});

const mysql = example("mysql", english("slow log: entries of several lines, SQL masked"), {
  title: "MySQL slow log",
  source: "mysql",
  form: "messages",
  messageStart: "^# Time:",
  script: String.raw`
# An entry has several lines: the input is cut where "# Time:" begins a line.
grok(_, "# Time: %{NOTSPACE:time}")
grok(_, "User@Host: %{WORD:user}\\[%{DATA}\\] @ %{NOTSPACE:host}")
grok(_, "Query_time: %{NUMBER:query_time:float}\\s+Lock_time: %{NUMBER:lock_time:float}\\s+Rows_sent: %{INT:rows_sent:int}\\s+Rows_examined: %{INT:rows_examined:int}")
grok(_, "(?s)SET timestamp=%{INT};\\n%{GREEDYDATA:statement}")

# Values in a statement may be secrets: only its shape is kept.
sql_cover(statement)
drop_origin_data()

if query_time > 5.0 {
    add_key(status, "error")
} elif query_time > 1.0 {
    add_key(status, "warning")
} else {
    add_key(status, "info")
}
set_tag(user)
default_time(time)
`,
  input: `# Time: 2025-11-21T10:00:03.120934Z
# User@Host: shop[shop] @ app-1 []  Id:  8841
# Query_time: 1.204410  Lock_time: 0.000102  Rows_sent: 20  Rows_examined: 812733
SET timestamp=1763719203;
SELECT id, total FROM orders
WHERE customer = 'ada@example.com' AND state IN ('open', 'paid')
ORDER BY created DESC LIMIT 20;
# Time: 2025-11-21T10:00:09.004121Z
# User@Host: report[report] @ bi-2 []  Id:  8850
# Query_time: 12.870001  Lock_time: 0.000040  Rows_sent: 1  Rows_examined: 9412008
SET timestamp=1763719209;
SELECT count(*) FROM events WHERE day >= '2025-11-01';
# Time: 2025-11-21T10:00:11.500000Z
# User@Host: shop[shop] @ app-2 []  Id:  8852
# Query_time: 0.620113  Lock_time: 0.310007  Rows_sent: 0  Rows_examined: 1
SET timestamp=1763719211;
UPDATE stock SET amount = amount - 1 WHERE sku = 'A-17';
`,
});

const java = example("java", english("stack traces: several lines that belong together"), {
  title: "Java stack traces",
  source: "shop-api",
  form: "messages",
  messageStart: "^\\d{4}-",
  script: String.raw`
# A new message begins with a date; lines of a stack trace follow it.
grok(_, "%{TIMESTAMP_ISO8601:time}\\s+%{LOGLEVEL:status} +\\[%{DATA:thread}\\] %{NOTSPACE:logger}\\s*: %{DATA:msg}(?:\\n|$)")

if grok(_, "(?s)\\n(?P<exception>[\\w.]+(?:Exception|Error))(?:: %{DATA:reason})?\\n") {
    set_tag(exception)
    # Where it was thrown, and what caused it.
    grok(_, "at %{NOTSPACE:thrown_at}\\(")
    grok(_, "Caused by: (?P<cause>[\\w.]+)")
}

set_tag(logger)
default_time(time, "Europe/Berlin")
`,
  input: `2025-11-21 11:00:00.017  INFO [main] com.example.shop.Application     : Started Application in 3.82 seconds
2025-11-21 11:00:04.221  WARN [http-7] com.example.shop.StockClient     : stock service answered after 2104 ms
2025-11-21 11:00:05.873 ERROR [http-9] com.example.shop.OrderController : order 7731 failed
com.example.shop.OrderException: cannot reserve A-17
	at com.example.shop.OrderService.reserve(OrderService.java:88)
	at com.example.shop.OrderController.create(OrderController.java:41)
Caused by: java.net.SocketTimeoutException: Read timed out
	at java.base/java.net.Socket.read(Socket.java:1099)
	... 12 more
2025-11-21 11:00:06.002  INFO [http-9] com.example.shop.OrderController : order 7732 accepted
`,
});

const kubernetes = example("kubernetes", english("container logs as JSON: paths, time, noise dropped"), {
  title: "Kubernetes JSON",
  source: "kubernetes",
  script: String.raw`
# Each line is a JSON object as a container runtime writes it.
json(_, log, msg)
json(_, stream)
json(_, kubernetes.pod_name, pod)
json(_, kubernetes.namespace_name, namespace)
json(_, kubernetes.labels.app, app)
json(_, time)

# The program inside writes JSON too; some of its members become fields.
if valid_json(msg) {
    json(msg, level, status)
    json(msg, took_ms)
    json(msg, msg)
} else {
    grok(msg, "^%{LOGLEVEL:status}\\b")
}

if status == "debug" {
    drop()
}

set_tag(pod)
set_tag(namespace)
set_tag(app)
set_tag(stream)
drop_origin_data()
default_time(time)
`,
  input: String.raw`{"log":"{\"level\":\"info\",\"msg\":\"order accepted\",\"took_ms\":41.7}","stream":"stdout","time":"2025-11-21T10:00:00.004Z","kubernetes":{"pod_name":"shop-api-6c9f-x2v","namespace_name":"shop","labels":{"app":"shop-api"}}}
{"log":"{\"level\":\"debug\",\"msg\":\"cache hit\",\"took_ms\":0.2}","stream":"stdout","time":"2025-11-21T10:00:00.310Z","kubernetes":{"pod_name":"shop-api-6c9f-x2v","namespace_name":"shop","labels":{"app":"shop-api"}}}
{"log":"WARN stock service is slow","stream":"stderr","time":"2025-11-21T10:00:01.871Z","kubernetes":{"pod_name":"shop-api-6c9f-9qt","namespace_name":"shop","labels":{"app":"shop-api"}}}
{"log":"{\"level\":\"error\",\"msg\":\"cannot reserve A-17\",\"took_ms\":2104}","stream":"stdout","time":"2025-11-21T10:00:05.873Z","kubernetes":{"pod_name":"shop-api-6c9f-9qt","namespace_name":"shop","labels":{"app":"shop-api"}}}
{"log":"I1121 10:00:06.100000 1 leaderelection.go:281] successfully renewed lease","stream":"stderr","time":"2025-11-21T10:00:06.100Z","kubernetes":{"pod_name":"controller-0","namespace_name":"kube-system","labels":{"app":"controller"}}}
`,
});

const syslog = example("syslog", english("RFC 3164 and 5424 in one script"), {
  title: "Syslog",
  source: "syslog",
  timeZone: "UTC",
  // Times in the older syslog format (RFC 3164) have no year. The script takes the year from the current time, so this
  // example sets a fixed current time.
  now: "2025-11-21T12:00:00Z",
  script: String.raw`
# <priority> holds facility * 8 + severity.
grok(_, "<%{INT:priority:int}>%{GREEDYDATA:rest}")

if grok(rest, "^1 %{NOTSPACE:time} %{NOTSPACE:host} %{NOTSPACE:app} %{NOTSPACE:pid} %{NOTSPACE:msg_id} (?:-|\\[%{DATA:data}\\]) ?%{GREEDYDATA:msg}") {
    add_key(rfc, 5424)
    default_time(time)
} elif grok(rest, "^%{SYSLOGTIMESTAMP:time} %{NOTSPACE:host} %{DATA:app}(?:\\[%{INT:pid}\\])?: %{GREEDYDATA:msg}") {
    add_key(rfc, 3164)
    default_time(time)
}

severity = priority % 8
if severity <= 3 {
    add_key(status, "error")
} elif severity == 4 {
    add_key(status, "warning")
} else {
    add_key(status, "info")
}
add_key(facility, (priority - severity) / 8)

for each in ["pid", "msg_id", "data"] {
    value = pt_kvs_get(each)
    if value == "-" || value == "" {
        pt_kvs_del(each)
    }
}
set_tag(host)
set_tag(app)
drop_key(rest)
`,
  input: `<38>Nov 21 10:00:00 web-1 sshd[2931]: Accepted publickey for deploy from 10.12.0.4 port 50312
<35>Nov 21 10:00:02 web-1 sshd[2944]: error: maximum authentication attempts exceeded for root
<78>Nov 21 10:00:05 db-1 CRON: (postgres) CMD (pg_backup)
<165>1 2025-11-21T10:00:07.003Z edge-2 haproxy 811 ID47 [exampleSDID@32473 iut="3" eventSource="lb"] backend shop is UP
<84>1 2025-11-21T10:00:09.500Z edge-2 sudo - - - pam_unix(sudo:auth): authentication failure
`,
});

const redis = example("redis", english("a short format: roles and marks by table"), {
  title: "Redis log",
  source: "redis",
  timeZone: "UTC",
  script: String.raw`
# pid:role time mark message
grok(_, "%{INT:pid:int}:%{WORD:role} (?P<time>\\d+ \\w+ \\d{4} %{TIME}) %{NOTSPACE:mark} %{GREEDYDATA:msg}")

group_in(mark, ["."], "debug", status)
group_in(mark, ["-"], "info", status)
group_in(mark, ["*"], "notice", status)
group_in(mark, ["#"], "warning", status)

group_in(role, ["M"], "primary", role)
group_in(role, ["S"], "replica", role)
group_in(role, ["C"], "child", role)
group_in(role, ["X"], "sentinel", role)

grok(msg, "%{INT:keys:int} keys in %{INT} seconds")
set_tag(role)
drop_key(mark)
default_time(time)
`,
  input: `812:M 21 Nov 2025 10:00:00.014 * Ready to accept connections tcp
812:M 21 Nov 2025 10:05:00.071 * 100 changes in 300 seconds. Saving...
940:C 21 Nov 2025 10:05:00.092 * DB saved on disk
812:M 21 Nov 2025 10:05:02.330 # WARNING Memory overcommit must be enabled!
877:S 21 Nov 2025 10:05:03.001 - Accepted 10.12.0.8:51200
`,
});

const tracing = example("tracing", english("spans as JSON points: slow ones marked"), {
  title: "Tracing spans",
  category: "tracing",
  form: "json",
  script: `
# Spans come as points, so there is no text to parse: the script only judges and renames.
rename(duration_us, duration)
add_key(duration_ms, duration_us / 1000.0)

if duration_us > 500000 {
    set_tag(slow, "yes")
}
if http_status >= 500 {
    set_tag(status, "error")
} else {
    set_tag(status, "ok")
}

url_parts = url_parse(url)
add_key(path, url_parts["path"])
drop_key(url)
`,
  input: `[
  {"measurement": "http.server", "tags": {"service": "shop-api", "trace_id": "5b8aa5a2d2c872e8"}, "fields": {"span_id": "51f1", "duration": 41713, "http_status": 201, "url": "https://shop.example/api/orders?draft=no"}, "time": 1763719200004000000},
  {"measurement": "http.client", "tags": {"service": "shop-api", "trace_id": "5b8aa5a2d2c872e8"}, "fields": {"span_id": "51f2", "duration": 2104882, "http_status": 504, "url": "http://stock:8080/reserve/A-17"}, "time": 1763719200005000000},
  {"measurement": "db.query", "tags": {"service": "shop-api", "trace_id": "5b8aa5a2d2c872e8"}, "fields": {"span_id": "51f3", "duration": 1204, "http_status": 0, "url": "mysql://db-1/shop"}, "time": 1763719200006000000}
]
`,
});

const metric = example("metric", english("line protocol: tags, units, values dropped"), {
  title: "Metrics",
  category: "metric",
  form: "lp",
  script: `
# Points of line protocol: measurement and tags first, then fields.
if pt_name() == "disk" {
    add_key(used_percent, 100.0 * used / total)
    if used_percent > 90.0 {
        set_tag(level, "full")
    }
}

# Loop devices are not disks.
if device == "loop0" {
    drop()
}

# A temperature in Fahrenheit becomes Celsius.
if unit == "F" {
    celsius = (value - 32.0) / 1.8
    add_key(value, celsius)
    set_tag(unit, "C")
}
`,
  input: `disk,host=db-1,device=sda1 used=72345600000i,total=107374182400i 1763719200000000000
disk,host=db-1,device=sdb1 used=105226698752i,total=107374182400i 1763719200000000000
disk,host=web-1,device=loop0 used=1048576i,total=1048576i 1763719200000000000
temperature,host=web-1,sensor=cpu,unit=F value=131 1763719201000000000
temperature,host=web-2,sensor=cpu,unit=C value=48.5 1763719201000000000
cpu,host=web-1 load=0.71,cores=8i,throttled=false 1763719202000000000
`,
});

const keyevent = example("keyevent", english("events as JSON: one becomes two"), {
  title: "Key events",
  category: "keyevent",
  form: "json",
  script: `
# An alert is an event; its recovery is a metric as well.
set_tag(host)
if df_status == "ok" {
    create_point("alert_recovered", {"host": host}, {"minutes": minutes}, category="M")
}
if df_status == "critical" {
    uppercase(title)
    add_key(page_someone, true)
}
`,
  input: `[
  {"measurement": "monitor", "fields": {"title": "disk sdb1 is full", "df_status": "critical", "host": "db-1", "minutes": 0}, "time": 1763719200000000000},
  {"measurement": "monitor", "fields": {"title": "error rate of shop-api", "df_status": "warning", "host": "web-1", "minutes": 3}, "time": 1763719260000000000},
  {"measurement": "monitor", "fields": {"title": "disk sdb1 is full", "df_status": "ok", "host": "db-1", "minutes": 12}, "time": 1763719920000000000}
]
`,
});

export const examples: readonly Example[] = [
  firstExample,
  apache,
  mysql,
  java,
  kubernetes,
  syslog,
  redis,
  tracing,
  metric,
  keyevent,
];
