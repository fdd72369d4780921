import { describe, expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { proofOfSelf } from "@devflow/core/process-proof";
import { runProcess, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { usageCounts } from "../usage-log.ts";
import { logSkillUse } from "./index.ts";
import { collectFacts, preambleText } from "./preamble.ts";
import { countSessions } from "./sessions.ts";

const git = async (cwd: string, ...words: string[]) => {
  const env = temporaryHome().environment({
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  });
  const { code, stderr } = await runProcess(["git", ...words], { cwd, env });
  if (code !== 0) throw new Error(stderr);
};

async function repository() {
  const folder = temporaryFolder("repo");
  await git(folder, "init", "-q", "-b", "main");
  await git(folder, "commit", "-q", "--allow-empty", "-m", "first");
  return folder;
}

describe("the number of agents", () => {
  test("includes the live ones seen in the last two hours, and drops the others", async () => {
    const folder = join(temporaryFolder("sessions"), "s");
    const now = Date.now();
    await using other = startProcess(["sleep", "60"], { env: { PATH: process.env.PATH ?? "" } });
    const { processIdentity } = await import("@devflow/core/process-proof");
    expect(countSessions(folder, proofOfSelf(), now)).toBe(1);
    const others = { pid: other.pid, identity: processIdentity(other.pid) ?? "" };
    expect(countSessions(folder, others, now)).toBe(2);
    utimesSync(join(folder, String(other.pid)), (now - 3 * 3_600_000) / 1000, (now - 3 * 3_600_000) / 1000);
    expect(countSessions(folder, proofOfSelf(), now)).toBe(1);
    countSessions(folder, others, now);
    await other.stop();
    expect(countSessions(folder, proofOfSelf(), now)).toBe(1);
  });

  test("includes an agent once, however many shells it starts", async () => {
    const home = temporaryFolder("home");
    const place = { cwd: "/", home, version: "1.2.3", nowMs: Date.now(), isContributor: false };
    await using shell = startProcess(["sh", "-c", "sleep 60; true"], { env: { PATH: process.env.PATH ?? "" } });
    await collectFacts({ ...place, callerPid: shell.pid });
    expect((await collectFacts({ ...place, callerPid: process.pid })).sessions).toBe(1);
  });
});

test("with three or more agents, questions begin with where they come from", () => {
  const facts = { version: "1.2.3", isContributor: false, contributorFolder: "/h/contributor-notes" };
  expect(preambleText({ ...facts, sessions: 2 })).not.toContain("agents are at work");
  expect(preambleText({ ...facts, sessions: 3 })).toContain("3 agents are at work on this machine");
});

test("every known fact is printed, one line each", () => {
  const text = preambleText({
    version: "1.2.3",
    repository: "shop",
    branch: "cart",
    base: "main",
    sessions: 1,
    openGates: 2,
    update: "1.3.0",
    teamCacheAgeMs: 2 * 3_600_000,
    isContributor: true,
    contributorFolder: "/h/contributor-notes",
  });
  expect(text.split("\n")).toEqual([
    "devflow 1.2.3 · repository shop · branch cart · base main",
    "update: Devflow 1.3.0 is available; tell the person: devflow upgrade",
    "team cache: 2 h old",
    "gates: 2 waiting for a person; you may not decide them: devflow run list",
    expect.stringContaining("I recommend B, because"),
    expect.stringContaining("/h/contributor-notes/<date>-<subject>.md"),
  ]);
});

test("the age of the team cache is that of this repository's newest copy", async () => {
  const home = temporaryFolder("home");
  const root = await repository();
  const folder = join(home, "teams/server/team", root.split("/").at(-1) ?? "");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".meta.json"), "{}");
  const nowMs = Date.now() + 3_600_000;
  const place = { cwd: root, home, version: "1", nowMs, callerPid: process.pid, isContributor: false };
  const { teamCacheAgeMs = 0 } = await collectFacts(place);
  expect(Math.round(teamCacheAgeMs / 60_000)).toBe(60);
});

test("uses are counted on this machine, and a truncated line is ignored", () => {
  const file = join(temporaryFolder("log"), "deep/skill-use.jsonl");
  expect(usageCounts(file).size).toBe(0);
  logSkillUse(file, { at: "2026-01-01T00:00:00Z", skill: "qa" });
  logSkillUse(file, { at: "2026-01-02T00:00:00Z", skill: "qa", repository: "shop" });
  writeFileSync(file, '{"at":"2026-01', { flag: "a" });
  expect([...usageCounts(file)]).toEqual([["qa", { times: 2, last: "2026-01-02T00:00:00Z" }]]);
});
