/** The tasks of a run with lanes as a graph, a conflict that is decided there, and a lane as a run of its own. */
import { afterAll, beforeAll, expect, test } from "bun:test";
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

/** Two tasks that write the same line of the same file, and one that needs both. */
const tasks = [
  { id: "german", title: "Greet in German", dependsOn: [], writeSet: ["greetings.json"] },
  { id: "french", title: "Greet in French", dependsOn: [], writeSet: ["greetings.json"] },
  { id: "list", title: "List the <b>languages</b>", dependsOn: ["german", "french"], writeSet: ["languages.md"] },
];
const greeting = (text: string) => ({ "greetings.json": `{ "en": "Hello", ${text} }\n` });
const fake = {
  script: { tasks: { artifact: { tasks } }, integrate: "no_change" },
  lanes: {
    german: { implement: { files: greeting('"de": "Hallo"') } },
    french: [
      { implement: { files: greeting('"fr": "Bonjour"'), delayMs: 1_500 } },
      { implement: { files: greeting('"de": "Hallo", "fr": "Bonjour"') } },
    ],
  },
};

test("the graph shows what each lane does, a conflict is decided beside it, and a box opens its lane", async () => {
  const { runId } = await server.startRun({ template: "development-parallel-fake@1", title: "Greet", extra: { fake } });
  const gate = async () => {
    const run = await server.untilRun(runId, (one) => one.pendingApprovals > 0);
    return run.approvals.find((one) => one.state === "pending")!;
  };
  await server.decide((await gate()).id, "approve");
  const { page, complaints, close } = await signedIn(`/runs/${runId}`);
  const panel = page.locator('[data-gate-state="pending"]');
  await panel.getByText("german and french: greetings.json").waitFor();
  const graph = page.getByRole("region", { name: "Lanes" });
  expect(
    await graph.locator("[data-task]").evaluateAll((all) => all.map((one) => one.getAttribute("data-task"))),
  ).toEqual(["german", "french", "list"]);
  await panel.getByLabel("Do them side by side all the same").check();
  await panel.getByRole("button", { name: "Approve" }).click();
  await panel.getByText("How should it be resolved?").waitFor();
  await panel.locator("[data-gate-detail]").getByText('"fr": "Bonjour"').waitFor();
  await graph.locator('[data-task="german"][data-task-state="done"]').waitFor();
  if (process.env.DEVFLOW_TEST_SCREENSHOTS) await screenshots(runId);
  await panel.getByRole("button", { name: "Approve" }).click();
  await graph.getByText("3 of 3 merged").waitFor({ timeout: 60_000 });
  await graph.getByRole("link", { name: /^french: Merged, try 2/ }).click();
  await page.getByRole("link", { name: "Lane french of “Greet”" }).waitFor();
  await page.getByRole("heading", { name: "Greet in French" }).first().waitFor();
  await page.getByRole("link", { name: "Lane french of “Greet”" }).click();
  await page.waitForURL(new RegExp(`/runs/${runId}`));
  expect(complaints).toEqual([]);
  await close();
  await server.decide((await gate()).id, "approve");
  await server.untilRun(runId, (one) => one.hasReport);
}, 180_000);

test("lanes are not in the list of runs, and the graph fits a phone", async () => {
  const { page, complaints, close } = await signedIn("/runs", { viewport: phone });
  await page.getByRole("link", { name: "Greet", exact: true }).click();
  const graph = page.getByRole("region", { name: "Lanes" });
  await graph.getByText("3 of 3 merged").waitFor();
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  expect(fits).toBe(true);
  expect(await page.getByText("Greet in French", { exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

/** For a look at them: `DEVFLOW_TEST_SCREENSHOTS=<folder>`. */
async function screenshots(runId: string): Promise<void> {
  const folder = process.env.DEVFLOW_TEST_SCREENSHOTS;
  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["phone", { viewport: phone }],
  ] as const) {
    const { page, close } = await signedIn(`/runs/${runId}`, options);
    await page.getByRole("region", { name: "Lanes" }).waitFor();
    await page.screenshot({ path: `${folder}/lanes-${name}.png`, fullPage: true });
    await close();
  }
}
