/** Comments on lines, files and messages, as a person types them. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliResult, outputOf, type RunCliOptions, runCli } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const devflow = (words: readonly string[], options: Partial<RunCliOptions> = {}): Promise<CliResult> =>
  runCli(words, { home: it.home, cwd: it.repository, ...options });
const text = async (...words: string[]) => outputOf(await devflow(words));

async function startRun(...more: string[]): Promise<string> {
  const words = ["run", "start", "Greet in several languages", "--template", "development-fake@1", "--json", ...more];
  const answer = await devflow(words);
  expect(answer).toMatchObject({ code: 0 });
  return answer.json<{ runId: string }>().runId;
}
const untilGate = (id: string) => devflow(["run", "watch", id, "--until-gate"]);

describe("comments on lines", () => {
  test("are collected, listed, changed, removed, and sent with a request for changes", async () => {
    const id = await startRun();
    await untilGate(id);
    await devflow(["run", "approve", id]);
    await untilGate(id);
    expect(await text("run", "comment", "list", id)).toMatchInlineSnapshot(`
      "No comments on lines of “Greet in several languages”.
      Add one: devflow run comment <id> <file>:<line> -m "…""
    `);
    expect(await text("run", "comment", id, "greetings.json:2", "-m", "Why English first?")).toMatchInlineSnapshot(`
      "Kept as a draft: greetings.json:2
        | "en": "Hello",
      Send it: devflow run request-changes <id>"
    `);
    expect(await text("run", "comment", id, "greetings.json:2-3", "-m", "Sort these")).toMatchInlineSnapshot(`
      "Kept as a draft: greetings.json:2-3
        | "en": "Hello",
      Send all 2 drafts: devflow run request-changes <id>"
    `);
    const [, second] = (await devflow(["run", "comment", "list", id, "--json"])).json<{ comments: { id: string }[] }>()
      .comments;
    const named = second?.id.slice(-8) ?? "";
    expect(await text("run", "comment", "edit", id, named, "-m", "Sort\nthese two")).toMatchInlineSnapshot(
      `"Changed: greetings.json:2-3"`,
    );
    expect(await text("run", "comment", "list", id)).toMatchInlineSnapshot(`
      "2 drafts. Send: devflow run request-changes <id>
        <id>  greetings.json:2
            |   "en": "Hello",
            Ada: Why English first?
        <id>  greetings.json:2-3
            |   "en": "Hello",
            |   "fr": "Bonjour",
            Ada: Sort
            these two"
    `);
    expect(await text("run", "comment", id, "greetings.json:1", "-m", "A mistake")).toMatchInlineSnapshot(`
      "Kept as a draft: greetings.json:1
        | {
      Send all 3 drafts: devflow run request-changes <id>"
    `);
    const mistake = (await devflow(["run", "comment", "list", id, "--json"])).json<{ comments: { id: string }[] }>()
      .comments[2];
    expect(await text("run", "comment", "remove", id, mistake?.id ?? "")).toMatchInlineSnapshot(
      `"Removed: greetings.json:1"`,
    );
    expect((await devflow(["run", "show", id])).stdout).toContain("2 not sent yet: devflow run comment list");

    expect(await text("run", "request-changes", id, "-m", "Nearly")).toMatchInlineSnapshot(`
      "Changes requested with 2 comments on lines: ship of “Greet in several languages”.
      Next: devflow run watch <id>"
    `);
    await untilGate(id);
    expect(await text("run", "comment", "list", id)).toMatchInlineSnapshot(`
      "2 comments sent
        <id>  greetings.json:2, answered by attempt 2 of implement
            |   "en": "Hello",
            Ada: Why English first?
        <id>  greetings.json:2-3, answered by attempt 2 of implement
            |   "en": "Hello",
            |   "fr": "Bonjour",
            Ada: Sort
            these two"
    `);
    expect(await text("run", "request-changes", id)).toMatchInlineSnapshot(`
      "--- stderr
      What should change?
      Add a comment: devflow run request-changes <id> -m "…"
      --- exit code 64"
    `);
    expect(await text("run", "comment", "remove", id, named)).toMatchInlineSnapshot(`
      "--- stderr
      Comment <id> was sent to the agent and stays as it is.
      See what there is: devflow run comment list <id>
      --- exit code 75"
    `);
    await devflow(["run", "abort", id]);
  }, 180_000);

  test("on removed lines name them as they were before the change", async () => {
    const id = await startRun();
    await untilGate(id);
    await devflow(["run", "approve", id]);
    await untilGate(id);
    const { worktree } = (await it.call(`/api/runs/${id}`)).json as { worktree: string };
    const readme = join(worktree, "README.md");
    writeFileSync(readme, "Shop, but without a title\nAnd two lines\n");
    expect(await text("run", "comment", id, "README.md:1", "--old", "-m", "Keep the title")).toMatchInlineSnapshot(`
      "Kept as a draft: README.md:1 (before the change)
        | # Shop
      Send it: devflow run request-changes <id>"
    `);
    expect(await text("run", "comment", id, "README.md:2", "--old", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      README.md has 1 line before the change; there is no line 2.
      See the diff: devflow run diff <id>
      --- exit code 65"
    `);
    rmSync(readme);
    expect(await text("run", "comment", id, "README.md:1", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      README.md was removed by the change.
      Comment on a line that it had: devflow run comment <id> README.md:1 --old -m "…"
      --- exit code 65"
    `);
    await devflow(["run", "comment", id, "README.md:1", "--old", "-m", "Why?"]);
    expect(await text("run", "comment", id, "greetings.json:1", "--old", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      greetings.json has no lines of text before the change.
      See the diff: devflow run diff <id>
      --- exit code 65"
    `);
    expect(await text("run", "comment", "list", id)).toMatchInlineSnapshot(`
      "2 drafts. Send: devflow run request-changes <id>
        <id>  README.md:1 (before the change)
            | # Shop
            Ada: Keep the title
        <id>  README.md:1 (before the change)
            | # Shop
            Ada: Why?"
    `);
    await devflow(["run", "abort", id]);
  }, 180_000);

  test("of a draft that is left behind a note tells, and a wrong place is refused", async () => {
    const id = await startRun();
    await untilGate(id);
    await devflow(["run", "approve", id]);
    await untilGate(id);
    expect(await text("run", "comment", id, "greetings.json", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      "greetings.json" names no line.
      For example: devflow run comment <id> src/greet.ts:12 -m "…"
      --- exit code 64"
    `);
    expect(await text("run", "comment", id, "greetings.json:99", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      greetings.json has 6 lines; there is no line 99.
      See the diff: devflow run diff <id>
      --- exit code 65"
    `);
    expect(await text("run", "comment", id, "/etc/passwd:1", "-m", "x")).toMatchInlineSnapshot(`
      "--- stderr
      Run <id> has not changed /etc/passwd.
      See the diff: devflow run diff <id>
      --- exit code 65"
    `);
    expect(await text("run", "comment", id, "greetings.json:1")).toMatchInlineSnapshot(`
      "--- stderr
      The comment is missing.
      Add it: devflow run comment <id> greetings.json:1 -m "…"
      --- exit code 64"
    `);
    const asAgent = { env: { DEVFLOW_SESSION_TOKEN: "dfs_x" } };
    expect((await devflow(["run", "comment", id, "greetings.json:1", "-m", "x"], asAgent)).code).toBe(77);
    await devflow(["run", "comment", id, "greetings.json:1", "-m", "Later"]);
    expect(await text("run", "approve", id)).toMatchInlineSnapshot(`
      "Approved: ship of “Greet in several languages”.
      Next: devflow run watch <id>
      --- stderr
      1 comment on lines was not sent: devflow run comment list <id>"
    `);
  }, 180_000);
});

describe("files and messages", () => {
  test("a run starts with files, and a message takes files and comments along", async () => {
    const folder = join(it.home.path, "files");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "spec.txt"), "token AKIAIOSFODNN7EXAMPLE");
    writeFileSync(join(folder, "fake.png"), "no picture");
    symlinkSync("/etc/passwd", join(folder, "link.txt"));
    const started = ["run", "start", "Greet", "--template", "development-fake@1"];
    const attach = (...names: string[]) => names.flatMap((name) => ["--attach", join(folder, name)]);
    expect(outputOf(await devflow([...started, ...attach("link.txt")]))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/files/link.txt cannot be attached: it is a link; name the file itself.
      Attach another one: --attach <file>
      --- exit code 64"
    `);
    expect(outputOf(await devflow([...started, ...attach("none.txt")]))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/files/none.txt cannot be attached: there is no such file.
      Attach another one: --attach <file>
      --- exit code 64"
    `);
    expect(outputOf(await devflow([...started, ...attach("spec.txt", "fake.png")]))).toMatchInlineSnapshot(`
      "--- stderr
      Secrets were taken out of spec.txt.
      fake.png is text/plain by its content, and not image/png as its name says.
      Attach another file, or rename it.
      --- exit code 65"
    `);

    const words = [...attach("spec.txt"), "--scenario", "implement=permission"];
    const begun = await devflow([...started, ...words]);
    expect(outputOf(begun)).toMatchInlineSnapshot(`
      "Run <id> started.
      Follow it: devflow run watch <id>
      --- stderr
      Secrets were taken out of spec.txt.
      Its agents are fake: they go through every phase, but do not write what you asked for."
    `);
    const id = (await it.call("/api/runs?limit=1")).json.runs[0].id as string;
    await untilGate(id);
    expect((await devflow(["run", "show", id])).stdout).toContain("spec.txt  text/plain, 20 B");
    await devflow(["run", "approve", id]);
    await untilGate(id);
    const run = (await it.call(`/api/runs/${id}`)).json;
    writeFileSync(join(run.worktree, "README.md"), "# Other\n");
    expect(await text("run", "say", id, "--with-comments")).toMatchInlineSnapshot(`
      "--- stderr
      There are no comments to send.
      Write one: devflow run comment <id> <file>:<line> -m "…"
      --- exit code 75"
    `);
    await devflow(["run", "comment", id, "README.md:1", "-m", "Keep it"]);
    expect(await text("run", "say", id, "--with-comments", "-m", "See", ...attach("spec.txt"))).toMatchInlineSnapshot(`
      "Said. Watch what the agent makes of it: devflow run watch <id>
      --- stderr
      Secrets were taken out of spec.txt."
    `);
    while ((await it.call(`/api/runs/${id}`)).json.messages[0].receivedAt === null) await Bun.sleep(20);
    const shown = (await devflow(["run", "show", id])).stdout;
    expect(shown).toMatch(/to coder by .+ \(cli\), received: “See A comment on lines of the diff\./);
    expect((await devflow(["run", "events", id])).stdout).toContain("message.received");
    await devflow(["run", "abort", id]);
  }, 180_000);

  test("an attachment is downloaded only by those who may see the run, and never as a page", async () => {
    const upload = (headers: Record<string, string>) =>
      fetch(`${it.url}/api/runs/attachments?name=page.txt`, {
        method: "POST",
        headers: { "content-type": "application/octet-stream", ...headers },
        body: "<script>alert(1)</script>",
      });
    expect((await upload({})).status).toBe(401);
    const kept = (await (await upload({ authorization: `Bearer ${it.token}` })).json()) as { id: string };
    const id = (
      await it.call("/api/runs", {
        body: {
          template: "development-fake@1",
          repository: it.repository,
          requirements: "x",
          clientToken: crypto.randomUUID(),
          attachments: [kept.id],
        },
      })
    ).json.runId as string;
    const path = `/api/runs/${id}/attachments/${kept.id}/content`;
    const answer = await it.call(path);
    expect([answer.status, answer.text]).toEqual([200, "<script>alert(1)</script>"]);
    expect(answer.headers.get("content-disposition")).toStartWith("attachment;");
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect((await it.call(path, { token: it.stranger.token })).status).toBe(404);
    expect((await it.call(`/api/runs/${id}/comments`, { token: it.stranger.token })).status).toBe(404);
    const large = await fetch(`${it.url}/api/runs/attachments?name=large.bin`, {
      method: "POST",
      headers: { authorization: `Bearer ${it.token}`, "content-type": "application/octet-stream" },
      body: new Uint8Array(10 * 1024 * 1024 + 1),
    });
    expect([large.status, await large.text()]).toEqual([400, expect.stringContaining("larger than 10 MB")]);
    await devflow(["run", "abort", id]);
  }, 180_000);
});
