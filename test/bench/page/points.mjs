// Makes varied points of one hour up to now, as bodies of line protocol: access logs of a shop and metrics of its
// hosts.

import { Dice } from "../../../dist/test/bench/data/dice.js";

const hourMs = 3_600_000;
/**
 * Distance in milliseconds between the start of the hour and the earliest possible point. Because of this
 * distance, all points are within the last hour during the whole benchmark.
 */
const marginMs = 300_000;
const perBody = 20_000;

/**
 * Picks a value from a list at random. The first values of the list are picked often and the others rarely, as
 * with real URLs and clients.
 */
const skewed = (dice, from) => from[Math.floor(from.length * dice.fraction() ** 3)];

function* bodiesOf(count, lineOf) {
  for (let at = 0; at < count; at += perBody) {
    const lines = [];
    for (let each = at; each < Math.min(count, at + perBody); each++) lines.push(lineOf());
    yield lines.join("\n");
  }
}

function timeOf(dice) {
  const ms = Date.now() - hourMs + marginMs + dice.fraction() * (hourMs - marginMs);
  return `${Math.floor(ms)}${dice.digits(6)}`;
}

/** Returns bodies with `count` log points of the source `shop`. */
export function shopLogs(count) {
  const dice = new Dice(31);
  const urls = Array.from({ length: 3000 }, () => dice.path().split("?")[0]);
  const clients = Array.from({ length: 20_000 }, () => dice.address());
  const hosts = Array.from({ length: 24 }, (_, at) => `web-${at}`);
  const services = ["cart", "search", "login", "items", "images", "pay"];
  return bodiesOf(count, () => {
    const code = dice.pick([200, 200, 200, 200, 200, 200, 201, 204, 301, 304, 304, 404, 404, 403, 500, 502]);
    const status = code >= 500 ? "error" : code >= 400 ? "warning" : code >= 300 ? "notice" : "OK";
    const [url, client] = [skewed(dice, urls), skewed(dice, clients)];
    const [method, bytes] = [dice.pick(["GET", "GET", "GET", "POST", "PUT"]), dice.below(10 ** dice.within([2, 6]))];
    const ms = (2 + 400 * dice.fraction() ** 4).toFixed(3);
    const message = `${client} \\"${method} ${url}\\" ${code} ${bytes} ${dice.sentence(dice.within([2, 10]))}`;
    const tags = `host=${dice.pick(hosts)},service=${dice.pick(services)}`;
    const fields = `status="${status}",status_code=${code}i,http_method="${method}",http_url="${url}",client_ip="${client}",bytes=${bytes}i,duration_ms=${ms},message="${message}"`;
    return `shop,${tags} ${fields} ${timeOf(dice)}`;
  });
}

/** Returns bodies with `count` metric points of the measurement `shop_host`. */
export function hostMetrics(count) {
  const dice = new Dice(32);
  return bodiesOf(count, () => {
    const host = dice.below(60);
    const fields = `usage=${(100 * dice.fraction()).toFixed(2)},load=${(8 * dice.fraction()).toFixed(3)},memory=${dice.below(2 ** 34)}i`;
    return `shop_host,host=web-${host},region=r${host % 5} ${fields} ${timeOf(dice)}`;
  });
}
