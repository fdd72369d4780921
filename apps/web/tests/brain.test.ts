/** The brain's screens with records, live, and with everything hostile in them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { withChromium } from "./browser.ts";
import { waitUntilLive } from "./chromium.ts";
import { auditScreens } from "./screen-audit.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
let server: TestServer;
const repo = "github.com/acme/shop";
const agent = { id: uuidv7<"agent">(), host: "claude", session: "s", machine: "laptop" };
const [old, next, hostile] = [uuidv7<"decision">(), uuidv7<"decision">(), uuidv7<"decision">()];

beforeAll(async () => {
  server = await startTestServer();
  await push("decision", decision(old, "Sessions live in Redis", { files: ["src/session.ts"] }));
  await push(
    "decision",
    decision(next, "Sessions live in Postgres", { supersedes: old, files: ["src/session.ts"], features: ["login"] }),
  );
  await push(
    "decision",
    decision(uuidv7(), "No deploys before the audit", { type: "freeze", expires_at: "2099-01-01T00:00:00Z" }),
  );
  await push("decision", decision(hostile, hostileTexts[0]!, { body: hostileTexts.join("\n\n") }));
  await push("intent", intent("Limit requests per key", ["src/limit.ts"]));
  await push("intent", intent(hostileTexts[1]!, []));
  await push("handoff", { agent, text: hostileTexts.join("\n"), files: [], branch: "main", source: "auto" });
  for (let n = 0; n < 5; n++) await push("agent_edit", edit("src/session.ts"));
  await push("agent_edit", edit("src/limit.ts"));
  // One line, three agents.
  await push("decision", decision(uuidv7(), "Tills count in cents", { files: ["src/till.ts"] }));
  const tills = intent("Fix the till", ["src/till.ts"]);
  await push("intent", tills);
  for (const [host, prompt] of [
    ["claude", "Count in cents"],
    ["codex", "Round down"],
    ["run", "Say so in the log"],
  ] as const) {
    const by = { ...agent, id: uuidv7<"agent">(), host };
    await push("agent_edit", { ...edit("src/till.ts"), agent: by, prompt, intent_id: tills.intent_id });
  }
  await push("feature_tag", { feature: "checkout", files: ["src/till.ts"], decisions: [] });
}, 240_000);
afterAll(() => server.stop());

const decision = (id: string, title: string, fields: object) => ({
  ...{
    decision_id: id,
    rev: 1,
    type: "decision",
    title,
    body: "Because it was **simple**.",
    state: "accepted",
    files: [],
  },
  ...{ features: [], ...fields },
});
const intent = (text: string, files: string[]) => ({
  ...{
    intent_id: uuidv7(),
    rev: 1,
    agent,
    state: "active",
    text,
    branch: "limits",
    files,
    features: [],
    decisions: [],
  },
  ...{ source: "inferred", confidence: 0.7 },
});
const edit = (file: string) => ({
  ...{
    agent,
    file,
    tool: "Edit",
    lines: [[1, 3]],
    branch: "limits",
    commit: null,
    via: "edit",
    prompt: "Keep sessions",
  },
});
async function push(kind: string, payload: object): Promise<void> {
  const record = { id: uuidv7(), kind, schema_version: 1, at: new Date().toISOString(), repo, payload };
  const [answer] = (await server.rpc("push_records", { team_id: server.teamId, records: [record] })) as {
    status: string;
    reason: string;
  }[];
  expect([answer?.status, answer?.reason]).toEqual(["stored", null as never]);
}
async function signedIn(path: string) {
  const opened = await openPage();
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}

test("the freeze, the people and the intents of this moment; somebody who comes appears without a reload", async () => {
  const { page, complaints, close } = await signedIn("/brain");
  await page.getByRole("region", { name: "Freezes" }).getByText("No deploys before the audit").waitFor();
  await page.getByRole("region", { name: "About to do" }).getByText("inferred, 70% sure").first().waitFor();
  await page.getByText("Nobody is at work").waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await server.rpc("heartbeat", {
    team_id: server.teamId,
    agent,
    repo,
    intent_text: "Checkout",
    files: ["src/limit.ts"],
  });
  const here = page.getByRole("region", { name: "At work" });
  await here.getByText("Checkout").waitFor();
  await push("intent", intent("Something new", []));
  await page.getByText("Something new").waitFor();
  await server.rpc("heartbeat", { team_id: server.teamId, agent, state: "left" });
  await page.getByText("Nobody is at work").waitFor();
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test("decisions: what holds is listed, a search finds the successor and says why, the timeline tells the rest", async () => {
  const { page, complaints, close } = await signedIn("/brain/decisions");
  const list = page.getByRole("region", { name: "Newest first" });
  await list.getByText("Sessions live in Postgres").waitFor();
  expect(await list.getByText("Sessions live in Redis").count()).toBe(0);
  await page.getByLabel("Also what no longer holds").check();
  await list.getByText("Sessions live in Redis").waitFor();
  await page.getByLabel("Also what no longer holds").uncheck();
  await page.getByRole("searchbox", { name: "Search decisions" }).fill("redis");
  const found = page.getByRole("region", { name: "Best first" });
  await found.getByText("Found: replaces #1 Sessions live in Redis").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("redis");
  await found.getByRole("link", { name: "Sessions live in Postgres" }).click();
  await page.getByRole("heading", { level: 1, name: "#2 Sessions live in Postgres" }).waitFor();
  await page.getByRole("region", { name: "Decision" }).locator("strong", { hasText: "simple" }).waitFor();
  await page.getByRole("link", { name: "an earlier decision" }).click();
  await page.getByRole("heading", { level: 1, name: "#1 Sessions live in Redis" }).waitFor();
  await page.getByText("Superseded", { exact: true }).waitFor();
  await page.getByRole("region", { name: "Timeline" }).getByText("by #2 Sessions live in Postgres").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("the map of hot files leads to a file's story", async () => {
  const { page, complaints, close } = await signedIn("/brain/files");
  const map = page.getByRole("list", { name: "Hot files" });
  await map.getByText("5 edits, 1 agent, 1 person").waitFor();
  await map.getByRole("link", { name: "src/session.ts" }).click();
  await page.getByRole("heading", { level: 1, name: "src/session.ts" }).waitFor();
  await page.getByRole("region", { name: "Decisions" }).getByText("Sessions live in Postgres").waitFor();
  await page.getByRole("region", { name: "Edits (5)" }).getByText("“Keep sessions”").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("why a line is as it is: the three agents that changed it, what they were asked for, and what was decided", async () => {
  const { page, complaints, close } = await signedIn(`/brain/files?file=src/till.ts&in=${encodeURIComponent(repo)}`);
  await page.getByRole("spinbutton", { name: "Line" }).fill("2");
  const why = page.getByRole("region", { name: "Why" });
  for (const asked of ["Count in cents", "Round down", "Say so in the log"])
    await why.getByText(`“${asked}”`).waitFor();
  const kinds = await why.locator("li span.font-medium").allTextContents();
  expect(kinds).toEqual(["Edit", "Edit", "Edit", "Intent", "Decision"]);
  await why.getByText("it covers the line, 50% sure").first().waitFor();
  await why.getByText("#5 Tills count in cents (accepted)").waitFor();
  await why.getByText("devflow brain why src/till.ts:2").waitFor();
  expect(new URL(page.url()).searchParams.get("line")).toBe("2");
  await page.getByRole("spinbutton", { name: "Line" }).fill("40");
  await why.getByText("the last edits of the file before the commit, 20% sure").first().waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("the screens are readable in light and dark, wide and on a phone, fit, and run nothing of anybody's", async () => {
  const opened = await openPage({ colorScheme: "light", reducedMotion: "reduce" });
  const paths = [
    "/brain",
    "/brain/decisions",
    `/brain/decisions/${hostile}`,
    "/brain/intents?all=true",
    "/brain/handoffs",
  ];
  const story = `/brain/files?file=${encodeURIComponent("src/session.ts")}&in=${encodeURIComponent(repo)}`;
  expect(
    await auditScreens(opened, server, [...paths, "/brain/files", story, `${story}&line=2`], { mayFail: true }),
  ).toEqual([]);
  expect(opened.complaints).toEqual([]);
  await opened.close();
}, 300_000);
