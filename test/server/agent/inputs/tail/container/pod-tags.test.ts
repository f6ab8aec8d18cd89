import { expect, it } from "vitest";
import { podTags } from "../../../../../../server/agent/inputs/tail/container/pod-tags.ts";

const uid = "1b2c3d4e-0000-1111-2222-333344445555";
const id = "0123456789abcdef".repeat(4);

it.each([
  [`/var/log/pods/shop_web-7d9_${uid}/nginx/0.log`, "shop web-7d9 nginx"],
  [`/host/var/log/pods/shop_web-7d9_${uid}/nginx/12.log.20240102-030405.gz`, "shop web-7d9 nginx"],
  [`/var/log/pods/kube-system_etcd-box_${"a1".repeat(16)}/etcd/0.log`, "kube-system etcd-box etcd"],
  [`/var/log/containers/web-7d9_shop_nginx-proxy-${id}.log`, "shop web-7d9 nginx-proxy"],
  [`/var/lib/docker/containers/${id}/${id}-json.log`, ""],
  [`/var/log/pods/shop_web_${uid}/0.log`, ""],
  ["/var/log/nginx/access.log", ""],
])("%s", (path, expected) => {
  const tags = podTags(path);
  expect(tags.map(([, value]) => value).join(" ")).toBe(expected);
  expect(tags.map(([key]) => key)).toEqual(expected === "" ? [] : ["namespace", "pod", "container"]);
});
