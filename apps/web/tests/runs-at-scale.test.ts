/** Long runs and long lists: what exists in the page stays small, and the end of it all can be reached. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
const eventCount = 5_000;
const chunkCount = 20_000;
let server: TestServer;
let runId: string;
let sessionId: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ runId } = await server.startRun({ title: "A long one" }));
  const run = await server.untilRun(runId, (each) => each.pendingApprovals > 0);
  sessionId = run.sessions[0]!.id;
  await server.database.asEngine(async (tx) => {
    await tx`
      insert into app.run_events (run_id, seq, team_id, type, payload, idempotency_key, actor, ts, prev_hash, hash)
      select ${runId}, n, ${server.teamId}, 'usage.recorded', jsonb_build_object('number', n), 'long:' || n,
        '{"userId": null, "kind": "ci", "via": "engine"}', now(), '', md5(n::text)
      from generate_series(${run.eventSeq + 1}::int, ${eventCount}::int) n`;
    await tx`update app.runs set event_seq = ${eventCount} where id = ${runId}`;
    await tx`
      insert into app.transcript_chunks (session_id, seq, team_id, content)
      select ${sessionId}, 1000000 + n, ${server.teamId}, 'chunk ' || n || E' of the transcript\\n'
      from generate_series(1, ${chunkCount}::int) n`;
    await tx`
      insert into app.runs
      select (jsonb_populate_record(r, jsonb_build_object('id', c.id, 'root_run_id', c.id, 'title', 'Copy ' || c.n, 'branch', 'b' || c.n,
        'client_token', 'copy' || c.n, 'state', 'completed', 'ended_at', now()))).*
      from app.runs r, (select n, gen_random_uuid() as id from generate_series(1, 600) n) c where r.id = ${runId}`;
  });
}, 240_000);
afterAll(() => server.stop());

async function opened(path: string) {
  const { page, complaints, close } = await openPage();
  await page.goto(await server.signInUrl(path));
  await waitUntilLive(page);
  return { page, complaints, close };
}
/** Older events come page by page, so the end moves: scrolled to it again until the first one is there. */
const scrollToFirst = (page: Page) =>
  page.waitForFunction(() => {
    const box = document.querySelector('[role="region"][aria-label="Events"], section[aria-label="Events"]')!;
    box.scrollTo({ top: box.scrollHeight });
    return document.querySelector('[data-seq="1"]') !== null;
  });

test("five thousand events: a few rows exist, the first and the last can be seen", async () => {
  const { page, complaints, close } = await opened(`/runs/${runId}?tab=events`);
  await page.locator(`[data-seq="${eventCount}"]`).waitFor();
  // The first 200 come alone and all exist; with the older ones it becomes a window.
  await page.waitForFunction(() => document.querySelectorAll("[data-seq]").length < 120);
  await scrollToFirst(page);
  await page.locator('[data-seq="1"]', { hasText: "run.created" }).click();
  await page.getByRole("complementary", { name: "Event 1" }).waitFor();
  expect(await page.locator("[data-seq]").count()).toBeLessThan(120);
  expect(complaints).toEqual([]);
  await close();
});

test("twenty thousand chunks: the end is shown, the beginning is there, and the page has few elements", async () => {
  const { page, complaints, close } = await opened(`/runs/${runId}?tab=transcript&session=${sessionId}`);
  const screen = page.getByRole("region", { name: "Transcript of architect" });
  await screen.getByText(`chunk ${chunkCount} of the transcript`).waitFor();
  await page.getByText("Loading earlier output…").waitFor({ state: "detached" });
  await page.waitForFunction(
    () => document.querySelector('[aria-label^="Transcript of"]')!.textContent!.includes("chunk 1 of the transcript"),
    undefined,
  );
  await page.waitForFunction(() => {
    const box = document.querySelector('[aria-label^="Transcript of"]')!;
    return box.scrollHeight - box.scrollTop - box.clientHeight < 24 && box.scrollTop > 1_000;
  });
  expect(await screen.locator("pre").count()).toBeLessThan(200);
  const text = (await screen.textContent()) ?? "";
  const numbers = [...text.matchAll(/chunk (\d+) of/g)].map((match) => Number(match[1]));
  expect(numbers).toEqual(Array.from({ length: chunkCount }, (_, index) => index + 1));

  await screen.evaluate((box) => box.scrollTo({ top: 0 }));
  await page.getByRole("button", { name: "Follow output" }).click();
  await page.waitForFunction(() => {
    const box = document.querySelector('[aria-label^="Transcript of"]')!;
    return box.scrollHeight - box.scrollTop - box.clientHeight < 24;
  });
  expect(complaints).toEqual([]);
  await close();
});

test("six hundred runs: a few rows exist, the keys walk beyond them, and a filter finds one", async () => {
  const { page, complaints, close } = await opened("/runs");
  await page.locator("[data-run]").first().waitFor();
  expect(await page.locator("[data-run]").count()).toBeLessThan(120);
  for (let row = 2; row <= 61; row += 1) {
    await page.keyboard.press("j");
    // A person sees each step before the next; rows are made while the list scrolls.
    await page.waitForFunction(
      (wanted) => document.activeElement?.closest("[data-run]")?.getAttribute("aria-rowindex") === String(wanted),
      row,
    );
  }
  await page.getByLabel("Filter runs").fill("Copy 599");
  await page.getByRole("link", { name: "Copy 599" }).waitFor();
  // Ids are searched too, and some may hold the number by chance.
  expect(await page.locator("[data-run]").count()).toBeLessThan(12);
  expect(complaints).toEqual([]);
  await close();
});
