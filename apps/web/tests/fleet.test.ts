/** The machines of the fleet in the browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { version } from "@devflow/core/version";
import { withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { auditScreens } from "./screen-audit.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

const connected = { kind: "connected", message: "127.0.0.1:7233, namespace devflow", since: "2026-01-01T00:00:00Z" };
const away = { ...connected, kind: "unreachable", message: "127.0.0.1:7233 does not answer." };

const announce = (host: string, name: string, silentSeconds: number, engine: object, label: string) =>
  server.database.asEngine(
    (tx) => tx`
      insert into app.hosts (host, name, version, labels, agents, places, workspace_root, public_key, suspect_ms, lost_ms, beat_at, engine)
      values (${host}, ${name}, ${version}, array[${label}], '[{"backend": "fake", "available": true}]', 4, '/nowhere', '', 120000,
        600000, now() - make_interval(secs => ${silentSeconds}), ${tx.json(engine as never)})`,
  );

test("without machines the screen says who drives the runs", async () => {
  const { page, complaints, close } = await openPage();
  await page.goto(await server.signInUrl("/fleet"));
  await waitUntilLive(page);
  await page.getByText("This server drives its runs itself").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("machines have their state in words, what is wrong is said, and names are only text", async () => {
  await announce("build-1", "build-1", 3, connected, "gpu");
  await announce("build-2", hostileTexts[0] ?? "", 150, connected, hostileTexts[1] ?? "");
  await announce("build-3", "build-3", 3_700, connected, "eu");
  await announce("build-4", "build-4", 3, away, "eu");
  const opened = await openPage();
  const { page } = opened;
  expect(await auditScreens(opened, server, ["/fleet"])).toEqual([]);
  const cells = await page
    .locator("main table tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td, th")].slice(0, 2).map((cell) => cell.textContent)),
    );
  expect(cells.map(([, state]) => state).toSorted()).toEqual(["Lost", "No Temporal", "Present", "Silent"]);
  await page.getByText("Temporal, as seen from build-4: 127.0.0.1:7233 does not answer.").waitFor();
  await opened.close();
  if (process.env.DEVFLOW_TEST_SCREENSHOTS) await screenshots();
});

/** For a look at them: `DEVFLOW_TEST_SCREENSHOTS=<folder>`. */
async function screenshots(): Promise<void> {
  const folder = process.env.DEVFLOW_TEST_SCREENSHOTS;
  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["phone", { viewport: phone }],
  ] as const) {
    const { page, close } = await openPage(options);
    await page.goto(await server.signInUrl("/fleet"));
    await page.locator("main table").waitFor();
    await page.screenshot({ path: `${folder}/fleet-${name}.png`, fullPage: true });
    await close();
  }
}
