/** A gate that tells of what agents did, and a fork beside its origin, in the browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { RunStarted } from "@devflow/protocol";
import { withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

async function signedIn(path: string, options: Parameters<typeof openPage>[0] = {}) {
  const opened = await openPage(options);
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}

/** Approves every gate to the end. */
async function finish(runId: string): Promise<void> {
  for (;;) {
    const run = await server.untilRun(runId, (one) => one.hasReport || one.pendingApprovals > 0);
    const gate = run.approvals.find((one) => one.state === "pending");
    if (!gate) return;
    await server.decide(gate.id, "approve");
  }
}

test("a gate shows what the agents did before anyone decides, on a phone too", async () => {
  const script = { plan: { scenario: "ok", commands: ["rm -rf dist", "git push --force <b>origin</b>"] } };
  const { runId } = await server.startRun({ title: "Rough", extra: { fake: { script } } });
  await server.untilRun(runId, (run) => run.pendingApprovals > 0);
  const { page, complaints, close } = await signedIn(`/runs/${runId}`, { viewport: phone });
  const gate = page.locator('[data-gate-state="pending"]');
  await gate.getByText("Before you decide, look at what the agents did.").waitFor();
  expect(await gate.locator("[data-audit] pre").allTextContents()).toEqual([
    "git push --force <b>origin</b>",
    "rm -rf dist",
  ]);
  await page.getByRole("tablist", { name: "Details" }).getByRole("tab", { name: "Audit" }).click();
  await page.locator("#run-tab").getByText("it overwrites what others may have pushed").waitFor();
  expect(complaints).toEqual([]);
  await close();
  await finish(runId);
});

test("a fork is shown beside its origin, and each leads to the other", async () => {
  const { runId: origin } = await server.startRun({ title: "First" });
  await finish(origin);
  const answer = await fetch(`${server.url}/api/runs/${origin}/fork`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.machineToken}`, "content-type": "application/json" },
    body: JSON.stringify({ at: "review", instructions: "Look twice.", clientToken: randomUUID() }),
  });
  const { runId: fork } = RunStarted.parse(await answer.json());
  await finish(fork);
  const { page, complaints, close } = await signedIn(`/runs/${fork}`);
  const comparison = page.getByRole("region", { name: "Comparison" });
  await comparison.getByText("Compared from review on").waitFor();
  await comparison.getByRole("row", { name: "Instructions the template's its own" }).waitFor();
  await comparison.getByText("The work of both is the same.").waitFor();
  await comparison.getByRole("link", { name: "Origin" }).click();
  await page.waitForURL(new RegExp(`/runs/${origin}`));
  const facts = page.getByRole("region", { name: "Facts" });
  await facts.getByText("at review, completed").waitFor();
  await facts.getByRole("link", { name: fork.slice(-8) }).click();
  await page.waitForURL(new RegExp(`/runs/${fork}`));
  expect(complaints).toEqual([]);
  await close();
});
