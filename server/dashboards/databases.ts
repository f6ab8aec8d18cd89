// The bundled dashboards for the logs of databases.

import { bars, dashboard, lines, logs, type ReadyDashboard, table, toplist, value } from "./template.ts";

const needs = (name: string) => `logs with source=${name}, which the ready script ${name}.p parses`;

const mysql = dashboard({ name: "mysql", title: "MySQL", needs: `${needs("mysql")}: slow query log and error log` }, [
  [
    value("Slow queries", "L::mysql:(count(query_time))"),
    value("Longest query", "L::mysql:(max(query_time))", "s"),
    value("Rows examined", "L::mysql:(sum(rows_examined))"),
    value("Errors", "L::mysql:(count(*)) {status = 'error'}"),
  ],
  [
    bars("Slow queries", "L::mysql:(count(query_time)) [::auto]"),
    lines("Longest query", "L::mysql:(max(query_time)) [::auto]", "s"),
  ],
  [
    toplist(
      "Time by database",
      "L::mysql:(sum(query_time) AS time) {query_time = exists(), db_name = exists()} BY db_name SORDER BY time DESC SLIMIT 10",
      "s",
    ),
    toplist(
      "Slow queries by user",
      "L::mysql:(count(query_time) AS queries) {query_time = exists(), db_user = exists()} BY db_user SORDER BY queries DESC SLIMIT 10",
    ),
    toplist(
      "Rows examined by client",
      "L::mysql:(sum(rows_examined) AS rows) {query_time = exists(), client_ip = exists()} BY client_ip SORDER BY rows DESC SLIMIT 10",
    ),
  ],
  [table("Slowest queries", "L::mysql:(top(query_time, 20), lock_time, rows_sent, rows_examined, db_name, sql)")],
  [
    bars("Messages by status", "L::mysql:(count(reason)) {reason = exists()} [::auto] BY status"),
    logs(
      "Errors and warnings",
      "L::mysql:(status, message) {status IN ['error', 'warning'], reason = exists()} LIMIT 100",
    ),
  ],
]);

const postgresql = dashboard({ name: "postgresql", title: "PostgreSQL", needs: needs("postgresql") }, [
  [
    value("Messages", "L::postgresql:(count(*))"),
    value("Errors", "L::postgresql:(count(*)) {status IN ['error', 'critical']}"),
    value("Longest statement", "L::postgresql:(max(duration_ms))", "ms"),
  ],
  [
    bars("Messages by status", "L::postgresql:(count(*)) [::auto] BY status"),
    lines("Longest statement", "L::postgresql:(max(duration_ms)) [::auto]", "ms"),
  ],
  [
    toplist(
      "Errors by database",
      "L::postgresql:(count(*) AS errors) {status = 'error', db_name = exists()} BY db_name SORDER BY errors DESC SLIMIT 10",
    ),
    toplist(
      "Time by database",
      "L::postgresql:(sum(duration_ms) AS time) {duration_ms = exists(), db_name = exists()} BY db_name SORDER BY time DESC SLIMIT 10",
      "ms",
    ),
  ],
  [table("Slowest statements", "L::postgresql:(top(duration_ms, 20), db_name, user, sql)")],
  [logs("Errors", "L::postgresql:(status, message) {status IN ['error', 'critical']} LIMIT 100")],
]);

const redis = dashboard({ name: "redis", title: "Redis", needs: needs("redis") }, [
  [
    value("Messages", "L::redis:(count(*))"),
    value("Warnings", "L::redis:(count(*)) {status = 'warning'}"),
    value("Processes", "L::redis:(count_distinct(pid))"),
  ],
  [
    bars("Messages by status", "L::redis:(count(*)) [::auto] BY status"),
    bars("Messages by role", "L::redis:(count(*)) [::auto] BY role"),
  ],
  [toplist("Most frequent messages", "L::redis:(count(*) AS messages) BY reason SORDER BY messages DESC SLIMIT 10")],
  [logs("Warnings", "L::redis:(role, message) {status = 'warning'} LIMIT 100")],
]);

export const databaseDashboards: readonly ReadyDashboard[] = [mysql, postgresql, redis];
