// The bundled dashboards for the logs of programs that write JSON lines, for the logs of the components of
// Kubernetes, and for logins over SSH.

import { bars, dashboard, logs, type ReadyDashboard, table, toplist, value } from "./template.ts";

const needs = (name: string) => `logs with source=${name}, which the ready script ${name}.p parses`;

const kubernetes = dashboard({ name: "kubernetes", title: "Kubernetes", needs: needs("kubernetes") }, [
  [
    value("Messages", "L::kubernetes:(count(*))"),
    value("Errors", "L::kubernetes:(count(*)) {status IN ['error', 'critical']}"),
    value("Pods with errors", "L::kubernetes:(count_distinct(pod)) {status IN ['error', 'critical']}"),
  ],
  [bars("Messages by status", "L::kubernetes:(count(*)) [::auto] BY status")],
  [
    toplist(
      "Events",
      "L::kubernetes:(count(event) AS messages) {event = exists()} BY event SORDER BY messages DESC SLIMIT 10",
    ),
    toplist("Pods", "L::kubernetes:(count(pod) AS messages) {pod = exists()} BY pod SORDER BY messages DESC SLIMIT 10"),
    toplist("Places in the code", "L::kubernetes:(count(*) AS messages) BY file SORDER BY messages DESC SLIMIT 10"),
  ],
  [
    table(
      "Errors by pod",
      "L::kubernetes:(count(error) AS errors) {error = exists()} BY pod, error SORDER BY errors DESC SLIMIT 20",
    ),
  ],
  [logs("Errors", "L::kubernetes:(status, message) {status IN ['error', 'critical', 'warning']} LIMIT 100")],
]);

const json = dashboard({ name: "json", title: "JSON logs", needs: needs("json") }, [
  [
    value("Messages", "L::json:(count(*))"),
    value("Errors", "L::json:(count(*)) {status IN ['error', 'critical']}"),
    value("Warnings", "L::json:(count(*)) {status = 'warning'}"),
  ],
  [
    bars("Messages by status", "L::json:(count(*)) [::auto] BY status"),
    bars("HTTP status codes", "L::json:(count(status_code)) {status_code = exists()} [::auto] BY status_code"),
  ],
  [
    toplist(
      "Most frequent messages",
      "L::json:(count(msg) AS messages) {msg = exists()} BY msg SORDER BY messages DESC SLIMIT 10",
    ),
    toplist(
      "Callers",
      "L::json:(count(caller) AS messages) {caller = exists()} BY caller SORDER BY messages DESC SLIMIT 10",
    ),
  ],
  [logs("Errors", "L::json:(status, message) {status IN ['error', 'critical']} LIMIT 100")],
]);

const sshd = dashboard({ name: "sshd", title: "Logins over SSH", needs: needs("sshd") }, [
  [
    value("Logins", "L::sshd:(count(*)) {event = 'accepted'}"),
    value("Failed attempts", "L::sshd:(count(*)) {event IN ['failed', 'invalid_user', 'too_many_failures']}"),
    value("Addresses", "L::sshd:(count_distinct(client_ip))"),
  ],
  [bars("Events", "L::sshd:(count(event)) {event = exists()} [::auto] BY event")],
  [
    toplist(
      "Addresses of failed attempts",
      "L::sshd:(count(event) AS attempts) {event = 'failed'} BY client_ip SORDER BY attempts DESC SLIMIT 10",
    ),
    toplist(
      "Users of failed attempts",
      "L::sshd:(count(event) AS attempts) {event = 'failed'} BY user SORDER BY attempts DESC SLIMIT 10",
    ),
  ],
  [table("Logins", "L::sshd:(user, client_ip, auth_method) {event = 'accepted'} LIMIT 100")],
]);

export const programDashboards: readonly ReadyDashboard[] = [kubernetes, json, sshd];
