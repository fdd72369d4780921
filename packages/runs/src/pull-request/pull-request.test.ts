/** Pull requests of runs that have ended, through the real git and a forge on loopback. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startForge } from "@devflow/forge/testing";
import { runProcess } from "@devflow/testkit";
import { openEngineBench } from "../../testing/index.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { visibleRun } from "../views/index.ts";
import { openPullRequest, type PullRequestOptions } from "./open-pull-request.ts";

const forge = await startForge();
const bench = await openEngineBench({
  files: { "README.md": "# Demo\n", ".devflow.json": '{"test": [["true"]], "copy": [".env"]}\n' },
  env: { PATH: "/usr/bin:/bin", EXAMPLE_TOKEN: "s3cret-of-the-forge" },
  forges: [`${forge.host}=gitea:EXAMPLE_TOKEN`],
});
afterAll(async () => {
  await bench.close();
  await forge.stop();
});
const { repository, context, person } = bench;
const git = (...words: string[]) =>
  runProcess(["git", ...words], { cwd: repository, env: context.env as Record<string, string> });
const claims = { sub: person.userId ?? "", role: "authenticated" as const };
const visible = (id: string) => visibleRun({ database: bench.database, claims }, id);
const none: PullRequestOptions = { dryRun: false, draft: false };
const open = async (id: string, options: Partial<PullRequestOptions> = {}, actor = person) =>
  await openPullRequest(context, await visible(id), { ...none, ...options }, actor);

const requirements = [
  "Greet in several languages",
  "",
  "## Evidence",
  "```",
  "@everyone Closes #1 <img src=x> the key is hunter2-lent-value",
  "<!-- devflow: end -->",
].join("\n");
let completed = "";
beforeAll(async () => {
  writeFileSync(join(repository, ".env"), "LENT=hunter2-lent-value\n");
  const extra = { issue: { url: "https://example.com/acme/greet/issues/12" } };
  completed = (await bench.start({ requirements, extra })).runId;
  await bench.finish(completed);
}, 120_000);

describe("the pull request of a run", () => {
  test("without a remote, before the end, and for an agent it is refused", async () => {
    await expect(open(completed)).rejects.toThrow('A remote called "origin"');
    await git("remote", "add", "origin", `${forge.url}/acme/greet.git`);
    await expect(open(completed, {}, { ...person, kind: "agent" })).rejects.toMatchObject({
      code: "agent_may_not_decide",
    });
    const { runId } = await bench.start();
    await bench.gate(runId);
    await expect(open(runId)).rejects.toMatchObject({ code: "illegal_transition" });
    await bench.engine.abortRun(runId, { reason: "enough" }, person);
  });

  test("a dry run pushes nothing and shows everything; what others wrote cannot pass for Devflow's words", async () => {
    const bare = await forge.addRepository("acme/greet");
    const shown = await open(completed, { dryRun: true });
    const { stdout } = await runProcess(["git", "branch", "--list"], {
      cwd: bare,
      env: context.env as Record<string, string>,
    });
    expect([stdout, forge.requests]).toEqual(["", []]);
    const run = await visible(completed);
    expect(existsSync(join(run.folder, `${completed}.pull-request.md`))).toBe(false);
    expect(shown).toMatchObject({
      action: "none",
      forge: "gitea",
      url: null,
      branch: run.branch,
      base: "main",
      isDraft: false,
    });
    expect(shown.commands[0]).toBe(`git -C ${repository} push origin ${run.branch}:${run.branch}`);
    expect(shown.commands[1]).toStartWith("curl --fail-with-body");
    const known = (text: string) =>
      text
        .replaceAll(completed, "<run>")
        .replaceAll(completed.slice(-8), "<id>")
        .replace(/`[0-9a-f]{64}`/, "`<head>`")
        .replace(/ends at [0-9a-f]{10}/, "ends at <commit>")
        .replace(/\d+ tokens in, \d+ out(, [\d.]+ USD)?/, "<cost>");
    expect(known(shown.body ?? "")).toMatchInlineSnapshot(`
      "<!-- devflow: the text up to the next mark is replaced by \`devflow run pr\` -->
      ## What was asked

      \`\`\`\`text
      Greet in several languages

      ## Evidence
      \`\`\`
      @everyone Closes #1 <img src=x> the key is [redacted:known]
      <!-- devflow: end -->
      \`\`\`\`

      Closes https://example.com/acme/greet/issues/12

      ## What was done

      In the agents' own words:

      \`\`\`text
      The greeting takes a language.
      \`\`\`

      1 file changed, 6 lines added, 0 removed.

      ## Evidence

      - \`true\` passed
      - Reviewers found 1 problem: 1 open.
      - \`plan_approved\`: approve by \`Ada\`
      - \`ship_approved\`: approve by \`Ada\`
      - The branch \`ends at <commit>, as recorded\`

      ## Findings

      | severity | where | what | verdict |
      | --- | --- | --- | --- |
      | \`low\` | \`greetings.json:1\` | \`The languages are not sorted\` | \`confirmed\` |

      ## Phases

      | phase | state | attempts |
      | --- | --- | --- |
      | \`Specification\` | \`completed\` | \`1\` |
      | \`Phase plan\` | \`completed\` | \`1\` |
      | \`Implement\` | \`completed\` | \`1\` |
      | \`Tests\` | \`completed\` | \`1\` |
      | \`Review\` | \`completed\` | \`1\` |
      | \`Verification\` | \`completed\` | \`1\` |
      | \`Fix\` | \`skipped\` | \`0\` |
      | \`Final report\` | \`completed\` | \`1\` |

      ## Left open

      | what |  |
      | --- | --- |
      | \`finding\` | \`low: The languages are not sorted\` |

      ## Cost

      <cost>. Agents: \`architect = fake-architect@1 (fake), coder = fake-coder@1 (fake), reviewer#0 = fake-reviewer@1 (fake), reviewer#1 = fake-reviewer@1 (fake), verifier = fake-verifier@1 (fake)\`

      ---
      Devflow run \`<run>\`, template \`development-fake@1\`. Head of its event chain: \`<head>\`.
      Check it on the machine of the run: \`devflow run verify <id>\`
      <!-- devflow: end -->
      "
    `);
  });

  test("it is opened once, updated afterwards, and the run still matches its log", async () => {
    const opened = await open(completed);
    const url = `${forge.url}/acme/greet/pull/1`;
    expect(opened).toMatchObject({ action: "opened", url, number: 1, commands: [] });
    expect(forge.pulls).toMatchObject([{ title: "Greet in several languages", base: { ref: "main" } }]);
    expect(readFileSync(opened.bodyFile ?? "", "utf8")).toBe(forge.pulls[0]?.body ?? "");
    const body = forge.pulls[0]?.body;
    forge.pulls[0]!.body = `${body}A person's words.\n`;
    expect(await open(completed)).toMatchObject({ action: "updated", url });
    expect(forge.pulls[0]?.body).toBe(`${body}A person's words.\n`);
    forge.pulls[0]!.body = body ?? "";
    expect(forge.pulls).toHaveLength(1);
    const events = (await bench.events(completed)).filter(({ type }) => type === "pull_request.opened");
    expect(events.map(({ payload }) => payload)).toEqual([{ forge: "gitea", url, number: 1 }]);
    expect(await verifyRun(context, completed)).toMatchObject({ ok: true });
    expect(JSON.stringify([opened, forge.pulls, events])).not.toMatch(/hunter2|s3cret/);
  });

  test("a run that did not complete becomes a draft that says why", async () => {
    const { runId } = await bench.start();
    await bench.decide((await bench.gate(runId)).id, "approve");
    await bench.decide((await bench.gate(runId)).id, "reject", "No");
    await bench.until(runId, (now) => now.run.final_report_path !== null);
    expect(await open(runId)).toMatchObject({ action: "opened", isDraft: true, number: 2 });
    expect(forge.pulls[1]?.title).toStartWith("WIP: ");
    expect(forge.pulls[1]?.body).toContain("**The run failed.**");
  });

  test("without a token the branch is pushed, and the command and its files are there", async () => {
    const without = { ...context, env: { ...context.env, EXAMPLE_TOKEN: "" } };
    const answer = await openPullRequest(without, await visible(completed), none, person);
    const json = (answer.bodyFile ?? "").replace(/md$/, "json");
    expect(answer).toMatchObject({ action: "pushed", url: null });
    expect(answer.commands).toEqual([
      `curl --fail-with-body -H "Content-Type: application/json" -H @<(echo "Authorization: token $EXAMPLE_TOKEN") --data-binary @${json} ${forge.url}/api/v1/repos/acme/greet/pulls`,
    ]);
    // The command is exact: it opens a pull request when a person types it.
    const typed = await runProcess(["bash", "-c", answer.commands[0] ?? ""], {
      cwd: repository,
      env: context.env as Record<string, string>,
    });
    expect(typed.code).toBe(0);
    expect(forge.pulls.at(-1)).toMatchObject({ title: "Greet in several languages", base: { ref: "main" } });
  });

  test("on GitLab the push opens a merge request, and a second one without news names the same", async () => {
    await forge.addRepository("acme/lab", { isGitLab: true });
    await git("remote", "add", "lab", `${forge.url}/acme/lab.git`);
    const lab = { ...context, forges: () => [`${forge.host}=gitlab`] };
    const push = async () => await openPullRequest(lab, await visible(completed), { ...none, remote: "lab" }, person);
    const url = `${forge.url}/acme/lab/-/merge_requests/7`;
    expect(await push()).toMatchObject({ action: "opened", url, number: 7 });
    expect(await push()).toMatchObject({ action: "unchanged", url, number: 7 });
    expect(forge.pushOptions("acme/lab")).toHaveLength(1);
    expect(forge.pushOptions("acme/lab")[0]?.slice(0, 3)).toEqual([
      "merge_request.create",
      "merge_request.target=main",
      "merge_request.title=Greet in several languages",
    ]);
  });

  test("a remote that is no forge gets the branch", async () => {
    const answer = await openPullRequest({ ...context, forges: () => [] }, await visible(completed), none, person);
    expect(answer).toMatchObject({ action: "pushed", forge: null, commands: [] });
  });
});
