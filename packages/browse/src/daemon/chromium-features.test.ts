/** Chromium with Devflow's arguments, behind the real proxy. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { liveProcess } from "@devflow/core/process-table";
import { testChromium } from "@devflow/testkit/chromium";
import { type Browser, chromium } from "playwright-core";
import { html, type Site, startSite } from "../../testing/bench-site.ts";
import { openProxy, type SocksProxy } from "../policy/index.ts";
import { chromiumArguments } from "./chromium.ts";

let site: Site;
let proxy: SocksProxy;
let browser: Browser;
const hosts: string[] = [];
beforeAll(async () => {
  site = await startSite({
    "/": html(`<form><label>Name <input></label><label>Mail <input type=email></label></form>`),
  });
  proxy = await openProxy({
    hostRefusal: (host) => {
      hosts.push(host);
      return host === "127.0.0.1" ? undefined : "only the test's site is asked";
    },
    ownPorts: () => [],
  });
  const { args = [], ...options } = testChromium({ isWhole: true });
  browser = await chromium.launch({ ...options, args: [...args, ...chromiumArguments(proxy.port)] });
});
afterAll(async () => {
  await browser.close();
  await Promise.all([proxy.close(), site.close()]);
});

test("the list of features that are off has all that Playwright switches off", async () => {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const argv = liveProcess(processInfo.find(({ type }) => type === "browser")?.id ?? 0)?.argv ?? [];
  const lists = argv.join(" ").match(/--disable-features=\S+/g) ?? [];
  const [playwrights = [], last = []] = [lists[0], lists.at(-1)].map((list) => list?.split(/[=,]/).slice(1));
  expect(playwrights.length).toBeGreaterThan(5);
  expect(playwrights.filter((feature) => !last.includes(feature))).toEqual([]);
  expect(last).toContain("AutofillServerCommunication");
});

test("what is typed into a form makes Chromium ask nobody how to complete it", async () => {
  const page = await browser.newPage();
  await page.goto(site.url("/"));
  for (const text of ["Ada", "Grace"]) {
    await page.getByLabel("Name").fill(text);
    // Chromium asks within 0.2 s.
    await Bun.sleep(500);
  }
  expect(hosts).toContain("127.0.0.1");
  expect(hosts.filter((host) => host.includes("autofill"))).toEqual([]);
});
