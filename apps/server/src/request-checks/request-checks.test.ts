import { expect, test } from "bun:test";
import { allowedHosts, checkRequest, type RequestHead } from "./request-checks.ts";

const head: RequestHead = {
  method: "GET",
  path: "/api/status",
  host: "127.0.0.1:4780",
  origin: null,
  fetchSite: null,
  fetchMode: null,
  fetchDest: null,
};
const hosts = allowedHosts({ host: "127.0.0.1", port: 4780, allowHosts: [] });

test("the server accepts loopback names with its port, its own host, and allowed hosts", () => {
  expect([...hosts]).toEqual(["127.0.0.1:4780", "localhost:4780", "[::1]:4780"]);
  expect([...allowedHosts({ host: "10.0.0.5", port: 80, allowHosts: ["Box", "a:9000"] })]).toEqual([
    "127.0.0.1:80",
    "localhost:80",
    "[::1]:80",
    "10.0.0.5:80",
    "box",
    "box:80",
    "a:9000",
  ]);
  expect(allowedHosts({ host: "0.0.0.0", port: 80, allowHosts: [] }).has("0.0.0.0:80")).toBe(false);
  expect(allowedHosts({ host: "fd00::1", port: 80, allowHosts: [] }).has("[fd00::1]:80")).toBe(true);
});

const accepted: Partial<RequestHead>[] = [
  {},
  { host: "LocalHost:4780" },
  { origin: "http://127.0.0.1:4780", fetchSite: "same-origin" },
  { fetchSite: "none", fetchMode: "navigate", fetchDest: "document" },
  { path: "/", fetchSite: "cross-site", fetchMode: "navigate", fetchDest: "document" },
];
test.each(accepted)("a request with %j is accepted", (part) => {
  expect(checkRequest({ ...head, ...part }, hosts)).toBeUndefined();
});

const refused: Partial<RequestHead>[] = [
  { host: null },
  { host: "" },
  { host: "evil.example:4780" },
  { host: "127.0.0.1:4781" },
  { origin: "null" },
  { origin: "" },
  { origin: "http://127.0.0.1:4781" },
  { origin: "http://127.0.0.1:4780/path" },
  { fetchSite: "same-site" },
  { fetchSite: "cross-site" },
  { fetchSite: "cross-site", fetchMode: "navigate", fetchDest: "document" },
  { path: "/", fetchSite: "cross-site", fetchMode: "navigate", fetchDest: "iframe" },
  { path: "/", method: "POST", fetchSite: "cross-site", fetchMode: "navigate", fetchDest: "document" },
];
test.each(refused)("a request with %j is refused", (part) => {
  expect(checkRequest({ ...head, ...part }, hosts)).toBeString();
});
