/** A person comments on lines, attaches files, talks to an agent and answers it, in the browser and on a phone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CommentList, type RunDetail } from "@devflow/protocol";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { readabilityFaults } from "./screen-audit.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

async function signedIn(path: string, options: Parameters<typeof openPage>[0] = {}) {
  const opened = await openPage(options);
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const isAsked = (run: RunDetail) => run.pendingApprovals > 0;
const gate = (page: Page) => page.locator('[data-gate-state="pending"]');
const dialog = (page: Page) => page.getByRole("dialog", { name: /^Comment on / });
const line = (page: Page, text: string) => page.locator("#run-tab [data-line-row]", { hasText: text }).first();
const comments = async (runId: string) => {
  const answer = await fetch(`${server.url}/api/runs/${runId}/comments`, {
    headers: { authorization: `Bearer ${server.machineToken}` },
  });
  return CommentList.parse(await answer.json()).comments;
};
/** Nothing makes the page wider than the screen. */
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function runAtShipGate(title: string): Promise<string> {
  const { runId } = await server.startRun({ title });
  const planned = await server.untilRun(runId, isAsked);
  await server.decide(planned.approvals[0]!.id, "approve");
  await server.untilRun(runId, (run) =>
    run.approvals.some((one) => one.gate === "ship_approved" && one.state === "pending"),
  );
  return runId;
}
/** An agent that waits, so that it is at work for as long as a test needs. */
async function runAtWork(title: string, extra: Record<string, unknown> = {}): Promise<string> {
  const script = { implement: { scenario: "permission" } };
  const { runId } = await server.startRun({ title, extra: { fake: { script } }, ...extra });
  const planned = await server.untilRun(runId, isAsked);
  await server.decide(planned.approvals[0]!.id, "approve");
  await server.untilRun(runId, (run) => run.permissions.length > 0);
  return runId;
}

describe("comments on lines", () => {
  test("written by click and by keys, edited and removed, go with the request for changes, and are answered", async () => {
    const runId = await runAtShipGate("Comments");
    const { page, complaints, close } = await signedIn(`/runs/${runId}?tab=diff`);
    await line(page, "Bonjour").click();
    await dialog(page).getByRole("textbox", { name: "Comment" }).fill("Is it spoken there?");
    await dialog(page).getByRole("button", { name: "Add comment" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.locator('#run-tab [data-commented="1"]').waitFor();

    // By keys: the second line, and the one after it.
    await page.locator("#run-tab").getByRole("region", { name: "Changed lines" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await page.keyboard.type("Two of them");
    await page.keyboard.press("Control+Enter");
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("2 comments to send").waitFor();
    const kept = await comments(runId);
    expect(kept.map(({ text, endLine, line: first }) => [text, endLine - first])).toEqual([
      ["Is it spoken there?", 0],
      ["Two of them", 1],
    ]);

    const list = page.getByRole("region", { name: "Comments on lines" });
    await list.getByRole("article").first().getByRole("button", { name: "Edit" }).click();
    await list.getByRole("textbox", { name: "Comment" }).fill("Is it spoken there, really?");
    await list.getByRole("button", { name: "Save" }).click();
    await list.getByText("really?").waitFor();
    await list.getByRole("article").last().getByRole("button", { name: "Remove" }).click();
    await page.getByText("1 comment to send").waitFor();

    await gate(page).getByRole("region", { name: "Comments to send" }).getByText("really?").waitFor();
    expect(await readabilityFaults(page)).toEqual([]);
    // Without a comment of its own: the one on the line is enough.
    await gate(page).getByRole("button", { name: "Request changes" }).click();
    await server.untilRun(runId, (run) => run.phases.some((one) => one.key === "implement" && one.attempts === 2));
    await list.getByText("answered by attempt 2").waitFor();
    const { approvals } = await server.detail(runId);
    expect(approvals.findLast((one) => one.decision)?.decision?.comment).toContain("Is it spoken there, really?");
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("on a phone, with a picture; a second tab sees it without a reload", async () => {
    const runId = await runAtShipGate("Phone");
    const other = await signedIn(`/runs/${runId}?tab=diff`);
    const { page, complaints, close } = await signedIn(`/runs/${runId}?tab=diff`, { viewport: phone, hasTouch: true });
    await line(page, "Bonjour").tap();
    await dialog(page).getByRole("textbox", { name: "Comment" }).fill("Like this");
    await dialog(page)
      .locator('input[type="file"]')
      .setInputFiles({ name: "shot.png", mimeType: "image/png", buffer: png });
    await dialog(page).getByRole("list", { name: "Attached files" }).getByTitle("shot.png").waitFor();
    expect(await sideways(page)).toBe(0);
    await dialog(page).getByRole("button", { name: "Add comment" }).click();
    await page.locator("#run-tab").getByRole("img", { name: "shot.png" }).waitFor();
    await other.page.getByText("1 comment to send").waitFor();
    expect(await sideways(page)).toBe(0);
    expect(await readabilityFaults(page)).toEqual([]);
    expect([complaints, other.complaints]).toEqual([[], []]);
    await other.close();
    await close();
  }, 240_000);
});

describe("files", () => {
  test("of a new run are chosen, dropped and pasted, shown on its page, and refused when they lie", async () => {
    const { page, complaints, close } = await signedIn("/runs/new");
    await page.getByLabel("Requirements").fill("Greet like in the picture");
    await page.locator("#run-repository").fill(server.repository);
    await page.getByLabel("Template").selectOption("development-fake@1");
    const files = page.getByRole("list", { name: "Attached files" });
    await page
      .locator('form[aria-label="New run"] input[type="file"]')
      .setInputFiles({ name: "sketch.png", mimeType: "image/png", buffer: png });
    await files.getByTitle("sketch.png").waitFor();
    await page.evaluate(
      (bytes) => {
        const give = (type: "drop" | "paste", name: string, content: BlobPart) => {
          const data = new DataTransfer();
          data.items.add(new File([content], name));
          const zone = document.querySelector("[data-attach-zone]")!;
          zone.dispatchEvent(
            type === "drop"
              ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
              : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
          );
        };
        give("drop", "notes.txt", "dropped");
        give("paste", "pasted.png", new Uint8Array(bytes));
      },
      [...png],
    );
    await files.getByTitle("notes.txt").waitFor();
    await files.getByTitle("pasted.png").waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["no picture"], "liar.png"));
      const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector("[data-attach-zone]")!.dispatchEvent(event);
    });
    await page.getByText("liar.png is text/plain by its content").waitFor();
    await files.getByRole("button", { name: "Remove pasted.png" }).click();
    await page.getByRole("button", { name: "Start run" }).click();

    await page.getByRole("img", { name: "sketch.png" }).waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "notes.txt" }).click();
    expect((await downloading).suggestedFilename()).toBe("notes.txt");
    const { attachments } = await server.detail(new URL(page.url()).pathname.split("/").at(-1)!);
    expect(attachments.map(({ name }) => name).sort()).toEqual(["notes.txt", "sketch.png"]);
    // The refused upload is an answer of the server, and no fault of the page.
    expect(complaints.filter((one) => !one.includes("status of 400"))).toEqual([]);
    await close();
  }, 240_000);
});

describe("talking to an agent", () => {
  test("on a phone: what was said, by whom, and that the agent has it", async () => {
    const runId = await runAtWork("Talk");
    const { page, complaints, close } = await signedIn(`/runs/${runId}`, { viewport: phone });
    const box = page.getByRole("form", { name: "Say" });
    await box.getByRole("textbox").fill("Keep the old name");
    await box.getByRole("button", { name: "Say" }).click();
    const messages = page.getByRole("list", { name: "Messages" });
    await messages.getByText("Keep the old name").waitFor();
    await messages.getByText("received", { exact: true }).waitFor();
    await messages.getByText("you to coder").waitFor();
    // The list is live: a message may stand in it a moment before its sender has the answer.
    const field = await box.getByRole("textbox").elementHandle();
    await page.waitForFunction((one) => (one as HTMLTextAreaElement).value === "", field);
    expect(await sideways(page)).toBe(0);
    await page.getByRole("tab", { name: "Events" }).click();
    await page.locator("[data-seq]", { hasText: "you to coder, received: Keep the old name" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("on a phone a permission is answered, for the run or for longer, and what it covers is said", async () => {
    const runId = await runAtWork("Permission");
    const { page, complaints, close } = await signedIn(`/runs/${runId}`, { viewport: phone });
    const panel = page.getByRole("region", { name: "Permission" });
    await panel.getByText("Bash: npm test").waitFor();
    for (const name of ["Allow once", "Allow for this run", "Always in this repository", "Deny"]) {
      const found = await panel.getByRole("button", { name }).boundingBox();
      expect({ name, isTall: (found?.height ?? 0) >= 44, isInside: (found?.x ?? -1) >= 0 }).toEqual({
        name,
        isTall: true,
        isInside: true,
      });
    }
    expect(await readabilityFaults(page)).toEqual([]);
    expect(await sideways(page)).toBe(0);
    await panel.getByRole("button", { name: "Allow for this run" }).click();
    await panel.waitFor({ state: "detached" });
    const run = await server.untilRun(runId, isAsked);
    expect(run.cost.inputTokens).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);
});
