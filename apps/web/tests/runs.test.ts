/** A person takes work through a run in the browser: against the real server, with fake agents as real processes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initRepository } from "@devflow/git";
import type { RunDetail } from "@devflow/protocol";
import { type CliResult, runCli } from "@devflow/testkit";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
/** The headless shell has no notifications. */
const openWholePage = withChromium({ isWhole: true });
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

async function signedIn(path = "/", options: Parameters<typeof openPage>[0] = {}) {
  const opened = await openPage(options);
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const isAsked = (run: RunDetail) => run.pendingApprovals > 0;
const gate = (page: Page, state = "pending") => page.locator(`[data-gate-state="${state}"]`);
const tab = (page: Page, name: string) => page.getByRole("tablist", { name: "Details" }).getByRole("tab", { name });
const runAt = (page: Page) => new URL(page.url()).pathname.split("/").at(-1)!;

async function runAtGate(request: Parameters<TestServer["startRun"]>[0] = {}): Promise<string> {
  const { runId } = await server.startRun(request);
  await server.untilRun(runId, isAsked);
  return runId;
}

describe("a new user's path", () => {
  test("new run, plan, request changes with a comment, approve, review, report", async () => {
    const { page, complaints, close } = await signedIn("/runs");
    await page.getByText("No runs yet").waitFor();
    await page.getByRole("link", { name: "New run" }).click();

    await page.getByRole("button", { name: "Start run" }).click();
    await page.getByText("Enter the requirements.", { exact: true }).waitFor();
    await page.getByLabel("Requirements").fill("Greet in **several** languages\n\n- German\n- <b>French</b>");
    await page.getByRole("button", { name: "Preview Markdown" }).click();
    await page.locator("strong", { hasText: "several" }).waitFor();
    expect(await page.getByText("<b>French</b>").count()).toBe(1);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Title").fill("Greetings");
    await page.locator("#run-repository").fill(server.repository);
    await page.getByLabel("Template").selectOption("development-fake@1");
    await page.locator('[data-role="reviewer#1"]', { hasText: "fake-reviewer" }).waitFor();
    await page.locator('[data-role="coder"]').getByText("Why not the other").click();
    await page.locator('[data-role="coder"]', { hasText: "claude-coder@1" }).waitFor();
    await page.getByRole("button", { name: "Start run" }).click();

    await gate(page).getByRole("heading", { name: "Is this the right plan?" }).waitFor();
    await gate(page).getByText("The table, then the fallback.").waitFor();
    await page.keyboard.press("c");
    await page.getByText("Describe what should change").waitFor();
    await page.keyboard.type("Tests first, please");
    await page.keyboard.press("Control+Enter");

    // The same gate for the second attempt, with the new plan in it.
    await gate(page).getByText("Tests first, then the table, then the fallback.").waitFor();
    await gate(page).getByText("attempt 2").first().waitFor();
    expect((await server.detail(runAt(page))).phases.find((phase) => phase.key === "plan")?.comment).toBe(
      "Tests first, please",
    );
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Approve: Is this the right plan?" }).waitFor();
    await page.keyboard.press("Enter");

    await gate(page).getByRole("heading", { name: "Ship this change?" }).waitFor();
    await gate(page).locator('[data-line="added"]', { hasText: "Bonjour" }).waitFor();
    await gate(page).getByRole("tab", { name: "Findings" }).click();
    await gate(page).getByText("The languages are not sorted").waitFor();
    await gate(page).getByRole("button", { name: "Approve" }).click();

    await page.locator('[data-run-state="completed"]').waitFor();
    await tab(page, "Report").click();
    await page.getByRole("article", { name: "Report" }).getByRole("heading", { name: "Greetings" }).waitFor();
    expect(new URL(page.url()).searchParams.get("tab")).toBe("report");
    await page.reload();
    await page.getByRole("article", { name: "Report" }).getByText("Tests first, please").waitFor();
    expect(await page.locator('[data-phase="fix"]').getAttribute("data-phase-state")).toBe("skipped");
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("every tab of a run shows what the run has, and each has an address", async () => {
    const runId = await runAtGate({ title: "Tabs" });
    const { page, complaints, close } = await signedIn(`/runs/${runId}`);
    await tab(page, "Transcript").click();
    await page.getByText(/wrote .*plan\.json/).waitFor();
    await tab(page, "Artifacts").click();
    await page.getByRole("navigation", { name: "Artifacts" }).getByRole("link", { name: "spec.json" }).click();
    await page.getByText("Right-to-left rendering").waitFor();
    await page.getByRole("button", { name: "Raw" }).last().click();
    await page.locator("pre", { hasText: '"acceptanceCriteria"' }).waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).last().click();
    expect((await downloading).suggestedFilename()).toBe("spec.json");
    await tab(page, "Events").click();
    await page.locator('[data-seq="1"]', { hasText: "run.created" }).click();
    await page.getByRole("complementary", { name: "Event 1" }).getByText("run.created").waitFor();
    await page.reload();
    await page.getByRole("complementary", { name: "Event 1" }).waitFor();
    for (const [name, text] of [
      ["Diff", "No changes yet"],
      ["Findings", "The review has not run yet."],
      ["Commands", "No commands yet"],
      ["Report", "The report is written when the run ends"],
    ] as const) {
      await tab(page, name).click();
      await page.locator("#run-tab").getByText(text).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test("pausing, resuming and aborting say what they do, and abort asks first", async () => {
    const runId = await runAtGate({ title: "Controls" });
    const { page, complaints, close } = await signedIn(`/runs/${runId}`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator('[data-run-state="paused"]').waitFor();
    await page.getByText("The run is paused. Resume it to decide").waitFor();
    expect(await gate(page).getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator('[data-run-state="awaiting_approval"]').waitFor();
    await page.getByRole("button", { name: "Abort", exact: true }).click();
    await page.keyboard.press("Escape");
    expect((await server.detail(runId)).state).toBe("awaiting_approval");
    await page.getByRole("button", { name: "Abort", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Abort run" }).click();
    await page.locator('[data-run-state="aborted"]').waitFor();
    await tab(page, "Report").click();
    await page.getByRole("article", { name: "Report" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("a double click starts one run, and a refused start says why at the field that it is about", async () => {
    const { page, close } = await signedIn("/runs/new");
    const before = (await server.runCount()) ?? 0;
    await page.getByLabel("Requirements").fill("Twice");
    await page.locator("#run-repository").fill(server.repository);
    await page.getByLabel("Template").selectOption("development-fake@1");
    await page.getByRole("button", { name: "Start run" }).dblclick();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    expect(await server.runCount()).toBe(before + 1);

    await page.goto(`${server.url}/runs/new`);
    await page.getByLabel("Requirements").fill("Nowhere");
    await page.locator("#run-repository").fill("/no/such/folder");
    await page.getByLabel("Template").selectOption("development-fake@1");
    await page.getByRole("button", { name: "Start run" }).click();
    await page.locator("#run-repository-fault").getByText("The folder /no/such/folder was not found.").waitFor();
    await page.locator("#run-repository:focus").waitFor();
    await page.locator("#run-repository").fill(server.repository);
    await page.locator("#run-repository-fault").waitFor({ state: "detached" });
    await page.getByLabel("Base branch").fill("mian");
    await page.getByRole("button", { name: "Start run" }).click();
    await page.locator("#run-baseBranch-fault").getByText("The branch mian was not found.").waitFor();
    await close();
  });
});

describe("several people at one gate", () => {
  test("who comes late is told who decided, and the decision stands", async () => {
    const runId = await runAtGate({ title: "Late" });
    const slow = await signedIn(`/runs/${runId}`);
    await gate(slow.page).waitFor();
    // This page hears nothing more, as behind a lost connection, and still shows the open gate.
    const deaf = slow.page.context();
    await deaf.route("**/sse/**", (route) => route.abort());
    await slow.page.reload();
    await gate(slow.page).waitFor();
    await deaf.route(/\/api\/(runs|approvals)(\?|\/[0-9a-f-]{36}$)/, (route) => route.abort());
    const fast = await signedIn(`/runs/${runId}`);
    await gate(fast.page).getByRole("button", { name: "Approve" }).click();
    await gate(fast.page).getByRole("heading", { name: "Ship this change?" }).waitFor();
    await gate(slow.page).getByRole("button", { name: "Reject" }).click();
    await slow.page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await slow.page.getByText("Someone else decided first.").waitFor();
    await slow.page.getByText("This gate was already decided").waitFor();
    expect((await server.detail(runId)).approvals[0]?.decision?.verdict).toBe("approve");
    await slow.close();
    await fast.close();
  });

  test("two browsers and a terminal that decide at the same moment: one wins, the others are told who did", async () => {
    const runId = await runAtGate({ title: "At once" });
    const [one, two] = await Promise.all([signedIn(`/runs/${runId}`), signedIn(`/runs/${runId}`)]);
    // The browsers' decisions are held until both are on their way, so that neither page can hear of the other's first;
    // the terminal's leaves with them.
    let terminal: Promise<CliResult> | undefined;
    const held: (() => void)[] = [];
    for (const { page } of [one, two]) {
      await page.route("**/decisions", async (route) => {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          if (held.length < 2) return;
          terminal = runCli(["run", "approve", runId, "-m", "from the terminal"], {
            home: server.home,
            cwd: server.repository,
          });
          for (const release of held) release();
        });
        await route.continue();
      });
      await gate(page).waitFor();
    }
    await gate(one.page).getByLabel("Comment").fill("from one");
    await gate(two.page).getByLabel("Comment").fill("from two");
    await Promise.all([
      gate(one.page).getByRole("button", { name: "Approve" }).click(),
      gate(two.page).getByRole("button", { name: "Request changes" }).click(),
    ]);
    const { approvals } = await server.untilRun(runId, (run) => run.approvals[0]?.decision != null);
    const winner = approvals[0]?.decision?.comment;
    expect(["from one", "from two", "from the terminal"]).toContain(winner ?? "");
    for (const [name, { page }] of Object.entries({ "from one": one, "from two": two })) {
      if (name === winner) continue;
      await page.getByText("Someone else decided first.").waitFor();
      await page.getByText(/already decided: .* by Ada Lovelace/).waitFor();
    }
    const typed = await terminal;
    if (winner === "from the terminal") expect(typed).toMatchObject({ code: 0 });
    else expect(typed?.stderr).toMatch(/already decided: .* by Ada Lovelace \(web\)/);
    await one.close();
    await two.close();
  }, 240_000);
});

describe("when something went wrong", () => {
  test("the gate offers to try again or to give up, and findings can be waived one by one", async () => {
    const findings = ["Crashes without a name", "Forgets the time zone"].map((summary) => ({
      severity: "high",
      category: "correctness",
      summary,
      evidence: "seen",
    }));
    const artifact = { reviewer: "r", summary: "Read.", findings };
    const fix = ["1", "2"].map((text) => ({ scenario: "ok", files: { "fixed.txt": text } }));
    const extra = { fake: { delayMs: 5, script: { review: { scenario: "ok", artifact }, fix } } };
    const runId = await runAtGate({ title: "Waive", extra });
    const { page, complaints, close } = await signedIn(`/runs/${runId}`);
    await gate(page).getByRole("button", { name: "Approve" }).click();
    await gate(page).getByText("after 2 rounds of fixing").waitFor();
    await page.locator('[data-run-state="paused"]', { hasText: "Stopped" }).waitFor();
    const acts = await gate(page).getByRole("form", { name: "Decision" }).getByRole("button").allTextContents();
    expect(acts.map((text) => text.replace(/[a-z]$/, ""))).toEqual([
      "Try again",
      "Try again with a comment",
      "Give up",
    ]);
    for (const { summary } of findings) {
      const finding = gate(page).getByRole("listitem").filter({ hasText: summary });
      await finding.getByRole("button", { name: "Waive…" }).click();
      await finding.getByLabel("Why may it stand?").fill(`${summary}: known.`);
      await finding.getByRole("button", { name: "Waive this finding" }).click();
      await finding.getByText(`${summary}: known.`).waitFor();
    }
    await gate(page).getByRole("button", { name: "Continue" }).click();
    await gate(page).getByRole("heading", { name: "Ship this change?" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("work that is added at an open gate is shown, and the approval of what was there before is refused", async () => {
    const runId = await runAtGate({ title: "Added" });
    const { page, close } = await signedIn(`/runs/${runId}`);
    await gate(page).getByRole("button", { name: "Approve" }).click();
    await gate(page).getByRole("heading", { name: "Ship this change?" }).waitFor();
    const { worktree } = await server.detail(runId);
    writeFileSync(join(worktree, "slipped-in.txt"), "surprise\n");
    await gate(page).getByRole("button", { name: "Approve" }).click();
    await page.getByText("Not approved.").waitFor();
    await page.locator("[data-added-work]", { hasText: "slipped-in.txt" }).waitFor();
    expect((await server.detail(runId)).state).toBe("awaiting_approval");
    await close();
  }, 240_000);
});

describe("beside the gates", () => {
  test("an agent that asks for permission is in every list, and waits until it is answered", async () => {
    const extra = { fake: { script: { spec: "permission", plan: "permission" } } };
    const { runId } = await server.startRun({ title: "May I", extra });
    const { page, complaints, close } = await signedIn("/runs");
    await page.locator(`[data-run="${runId}"]`, { hasText: "Needs permission" }).waitFor();
    await page.getByRole("navigation", { name: "Runs" }).getByRole("link", { name: "Approvals" }).click();
    const request = page
      .getByRole("list", { name: "Permission requests" })
      .getByRole("listitem")
      .filter({ hasText: "May I" });
    await request.getByRole("heading", { name: "Allow architect to use Bash?" }).waitFor();
    await request.getByText("npm test", { exact: true }).waitFor();
    await request.getByRole("button", { name: "Deny" }).click();
    await server.untilRun(runId, (run) => run.phase?.key === "plan" && run.permissions.length > 0);
    await page.goto(`${server.url}/runs/${runId}`);
    await page.locator('[data-run-state="planning"]', { hasText: "Needs permission" }).waitFor();
    const panel = page.locator("[data-permission]");
    await panel.getByRole("button", { name: "Allow once" }).click();
    await panel.waitFor({ state: "detached" });
    await gate(page).getByRole("heading", { name: "Is this the right plan?" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("what a command printed is read where the command stands, without the secrets that it knows", async () => {
    const repository = join(server.home.path, "tested");
    const test = `console.log("\\u001b[32mgreen\\u001b[0m"); console.error(require("fs").readFileSync(".env", "utf8"))`;
    await initRepository(repository, {
      files: {
        "test.cjs": test,
        ".devflow.json": JSON.stringify({ copy: [".env"], test: [[process.execPath, "test.cjs"]] }),
      },
      message: "Start",
      env: server.environment,
    });
    writeFileSync(join(repository, ".env"), "PASSWORD=correct-horse-battery\n");
    const runId = await runAtGate({ title: "Tested", repository });
    const { page, complaints, close } = await signedIn(`/runs/${runId}?tab=commands`);
    await page.getByText("No commands yet").waitFor();
    await gate(page).getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Show log", exact: true }).first().click();
    await page.getByRole("region", { name: "Output" }).getByText("green", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Errors" }).getByText("PASSWORD=[redacted:").waitFor();
    expect(complaints).toEqual([]);
    await close();
  }, 240_000);

  test("the systems' navigation shows Runs as the place of sessions, templates and personas", async () => {
    const { page, close } = await signedIn("/sessions");
    const runs = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" });
    for (const path of ["/sessions", "/templates", "/personas", "/templates/development@1"]) {
      await page.goto(server.url + path);
      await runs.and(page.locator('[aria-current="true"]')).waitFor();
    }
    await page.goto(`${server.url}/evals`);
    await runs.and(page.locator(":not([aria-current])")).waitFor();
    await close();
  });
});

describe("the dashboard", () => {
  test("of the home page counts runs by state, lists what waits, what is active and what ended, and follows by itself", async () => {
    const runId = await runAtGate({ title: "Seen at home" });
    const { page, complaints, close } = await signedIn("/");
    const region = (name: string) => page.getByRole("region", { name, exact: true });
    await region("Waiting for you").getByText("Seen at home").waitFor();
    await region("Active").getByText("Seen at home").waitFor();
    const { approvals } = await server.detail(runId);
    await server.decide(approvals[0]!.id, "abort");
    await region("Ended").getByText("Seen at home").waitFor();
    await region("Waiting for you").getByText("Seen at home").waitFor({ state: "detached" });
    await region("Ended").getByRole("link", { name: "Seen at home" }).click();
    await page.waitForURL(new RegExp(runId));
    await page.goto(server.url);
    await region("Runs").getByRole("link", { name: "Aborted" }).click();
    await page.waitForURL(/state=aborted/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a run that starts elsewhere appears, moves and asks without a reload", async () => {
    const { page, complaints, close } = await signedIn("/runs");
    const { runId } = await server.startRun({ title: "From elsewhere" });
    const row = page.locator(`[data-run="${runId}"]`);
    await row.getByText("Needs approval").waitFor();
    await page.getByRole("region", { name: "Open questions" }).getByText("From elsewhere").waitFor();
    const { approvals } = await server.detail(runId);
    await server.decide(approvals[0]!.id, "abort");
    await row.getByText("Aborted").waitFor();
    expect(await row.getAttribute("class")).toContain("flash");
    await page.getByRole("region", { name: "Open gates" }).getByText("From elsewhere").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  test("filters stand in the address, and the keys walk, select and open", async () => {
    await runAtGate({ title: "Needle in the list" });
    const { page, complaints, close } = await signedIn("/runs");
    await page.getByRole("table", { name: "Runs" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle xray");
    await page.getByText("No matching runs").waitFor();
    await page.getByLabel("Filter runs").fill("needle");
    await page.waitForURL(/q=needle/);
    await page.getByRole("navigation", { name: "States" }).getByRole("link", { name: "Needs approval" }).click();
    await page.waitForURL(/state=awaiting_approval/);
    await page.reload();
    // The gate above the list has the same name and may be there first.
    await page.locator("[data-row]").first().waitFor();
    expect(await page.locator("[data-row]").count()).toBe(1);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("No matching runs").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByLabel("Filter runs").fill("needle");
    await page.locator("[data-run]", { hasText: "Paused" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Needle in the list" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("approvals", () => {
  test("the count is in the frame, the keys decide, and what is decided stays on the page", async () => {
    const first = await runAtGate({ title: "First gate" });
    await runAtGate({ title: "Second gate" });
    const { page, complaints, close } = await signedIn("/");
    await page
      .getByRole("navigation", { name: "Main" })
      .getByText(/\d+ waiting/)
      .waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { level: 1, name: "Approvals" }).waitFor();
    await page.getByRole("navigation", { name: "Open gates" }).getByRole("link", { name: "First gate" }).click();
    await page.locator(`[data-gate]`).getByText("The table, then the fallback.").waitFor();
    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Reject and fail the run?" }).waitFor();
    await page.keyboard.press("Escape");
    expect((await server.detail(first)).state).toBe("awaiting_approval");
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Approve: Is this the right plan?" }).waitFor();
    expect((await server.detail(first)).state).toBe("awaiting_approval");
    await page.keyboard.press("Enter");
    await page.getByText("Approved by you").waitFor();
    await page.getByRole("link", { name: "Next gate" }).click();
    await gate(page).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("the browser is asked for notifications only after a click, and told of gates that open then", async () => {
    const { page, close } = await openWholePage({ permissions: ["notifications"] });
    await page.goto(await server.signInUrl("/approvals"));
    await waitUntilLive(page);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const Real = window.Notification;
      // Only counts what the page hands to the system.
      window.Notification = class extends Real {
        constructor(title: string, options?: NotificationOptions) {
          super(title, options);
          seen.push(`${title}: ${options?.body}`);
        }
      };
    });
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByRole("button", { name: "Stop notifying me" }).waitFor();
    await runAtGate({ title: "Ring" });
    await server.startRun({ title: "Ask", extra: { fake: { script: { spec: "permission" } } } });
    await page.waitForFunction(() => {
      const { seen } = window as unknown as { seen: string[] };
      return seen.includes("Ring: Is this the right plan?") && seen.includes("Ask: Allow architect to use Bash?");
    });
    await close();
  });
});

test("templates, personas and sessions are listed, filtered and opened", async () => {
  await runAtGate({ title: "For its sessions" });
  const { page, complaints, close } = await signedIn("/templates");
  await page.getByRole("link", { name: "development-fake@1" }).click();
  await page.getByText("gates: plan_approved").waitFor();
  await page.getByText("back to implement while there are failures, at most 2 times").waitFor();
  await page.getByText("Instructions").first().click();
  await page.getByText("{{requirements}}").first().waitFor();
  await page.goto(`${server.url}/personas?q=codex-rev`);
  await page.getByRole("link", { name: "codex-reviewer@1" }).click();
  await page.waitForURL(/\/personas\/codex-reviewer/);
  // The list is there until the page of the persona is.
  await page.getByRole("heading", { name: "codex-reviewer@1" }).waitFor();
  await page.getByRole("main").getByText("code_review").waitFor();
  await page.goto(`${server.url}/sessions?q=its+sessions`);
  await page.getByRole("link", { name: "architect" }).click();
  await page.getByText(/wrote .*plan\.json/).waitFor();
  await page.goto(`${server.url}/runs/01890000-0000-7000-8000-000000000000`);
  await page.getByText("No such run").waitFor();
  expect(complaints.filter((text) => !text.includes("status of 404"))).toEqual([]);
  await close();
});

test("on a phone a gate can be found, read and decided", async () => {
  const runId = await runAtGate({ title: "By thumb" });
  const { page, complaints, close } = await signedIn("/runs", { viewport: phone });
  await page.getByRole("link", { name: /questions? waits? for you/ }).click();
  await page.getByRole("navigation", { name: "Open gates" }).getByRole("link", { name: "By thumb" }).click();
  await gate(page).getByText("The table, then the fallback.").waitFor();
  // In reach: while the evidence is read from its beginning, all verdicts are on the screen, above the navigation.
  const approve = gate(page).getByRole("button", { name: "Approve" });
  const bottom = async (of: typeof approve) => ((box) => (box ? box.y + box.height : 0))(await of.boundingBox());
  const navigation = await page.getByRole("navigation", { name: "Main" }).boundingBox();
  await gate(page).evaluate((panel) => panel.scrollIntoView());
  expect(await bottom(gate(page).getByRole("button", { name: "Abort run" }))).toBeLessThanOrEqual(navigation?.y ?? 0);
  await approve.click();
  await page.getByText("Approved by you").waitFor();
  expect((await server.detail(runId)).approvals[0]?.state).toBe("approved");
  expect(complaints).toEqual([]);
  await close();
});

test("a step that fails is shown with its reason and the next try until it succeeds", async () => {
  const runId = await runAtGate();
  const { page, complaints, close } = await signedIn(`/runs/${runId}`);
  await gate(page).waitFor();
  const failure = {
    ...{ step: "open_gate", code: "disk_full", reason: "The disk that holds /w is full.", hint: "Free some space." },
    ...{ failures: 3, at: new Date().toISOString(), nextTryAt: new Date(Date.now() + 5_000).toISOString() },
  };
  const set = async (value: typeof failure | null) => {
    await server.database.asEngine(
      (tx) => tx`update app.runs set step_failure = ${value && tx.json(value)} where id = ${runId}`,
    );
    await server.database.sql`select pg_notify('run_events', ${`another-process ${runId}`})`;
  };
  await set(failure);
  const note = page.locator('[data-step-failure="disk_full"]');
  await note.getByText("The disk that holds /w is full.").waitFor();
  expect(await note.innerText()).toMatch(
    /Free some space\.\s+open gate failed 3 times, last just now\. It is tried again at/,
  );
  await set(null);
  await note.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await close();
});
