import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { EvalWatch, EvalWatchList } from "@devflow/protocol";
import { devflowCommand, outputOf, runCli, startProcess, type TemporaryHome, temporaryHome } from "@devflow/testkit";

const startedAt = new Date(Date.now() - 60_000).toISOString();

function partial(home: TemporaryHome, pid: number, content: object): void {
  const folder = join(home.devflowHome, "eval-partials/posts");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "next.tmp"),
    JSON.stringify({ suite: "posts", run_id: "r", timestamp: startedAt, ...content }),
  );
  renameSync(join(folder, "next.tmp"), join(folder, `worker_${pid}.json`));
}
const results = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `case ${n}`,
    passed: n !== 1,
    duration_ms: 100 * n,
    failures: n === 1 ? [{ message: "too \u001b[31mlong" }] : [],
    finished_at: new Date(Date.now() - 1000 * (count - n)).toISOString(),
  }));
/** Nobody has this pid: Linux counts to 4 million. */
const nobody = 4_194_305;

test("a run that is over is shown and told; names of others cannot paint the terminal", async () => {
  const home = temporaryHome();
  partial(home, 7, { worker: { finished: true, expected: 3 }, all_results: results(3) });
  const { code, stdout, stderr } = await runCli(["eval", "watch"], { home, isTerminal: true });
  expect(code).toBe(0);
  expect(stdout).toMatch(/posts.*standard tier, .*finished/);
  expect(stdout).toContain("3/3  100.0 %");
  expect(stdout).toContain("2 passed");
  expect(stdout).toContain("too long");
  expect(stderr).toContain("The run ended. See it: devflow eval show r");
  const plain = await runCli(["eval", "watch", "posts"], { home });
  expect(outputOf(plain)).toMatchInlineSnapshot(`
    "  pass   case 0  <duration>
      FAIL   case 1  <duration>  too long
      pass   case 2  <duration>
    2 passed, 1 failed
    --- stderr
    The run ended. See it: devflow eval show r"
  `);
});

test("workers that died before the end: exit code 1, each is named, and what is there can be stored", async () => {
  const home = temporaryHome();
  partial(home, nobody, { planned: 9, worker: { running: "case 2" }, all_results: results(2) });
  expect(outputOf(await runCli(["eval", "watch"], { home }))).toMatchInlineSnapshot(`
    "  pass   case 0  <duration>
      FAIL   case 1  <duration>  too long
    --- stderr
    Worker 4194305 died after 2 results on "case 2".
    All workers have ended. To store the finished results: devflow eval push --partials posts
    --- exit code 1"
  `);
}, 30_000);

test("while nobody writes it waits and says what to start; Ctrl-C ends it", async () => {
  const home = temporaryHome();
  await using watching = startProcess([...devflowCommand(), "eval", "watch"], { env: home.environment() });
  await watching.waitForOutput(/To start one: devflow eval check/, 60_000);
  watching.signal("SIGINT");
  expect((await watching.ended).code).toBe(130);
}, 90_000);

test("--port: the same contract on loopback, behind the same request checks as the whole server, with small deltas as results land", async () => {
  const home = temporaryHome();
  partial(home, process.pid, { planned: 4, worker: { running: "case 1" }, all_results: results(1) });
  await using serving = startProcess([...devflowCommand(), "eval", "watch", "posts", "--port", "0", "--json"], {
    env: home.environment(),
  });
  const [, link = ""] = await serving.waitForOutput(/"url":"([^"]+)"/, 60_000);
  const { origin, pathname, searchParams, hash, port } = new URL(link);
  expect([new URL(link).hostname, pathname, searchParams.get("suite")]).toEqual(["127.0.0.1", "/evals/watch", "posts"]);

  const taken = await runCli(["eval", "watch", "--port", port], { home });
  expect(outputOf(taken)).toMatchInlineSnapshot(`
    "--- stderr
    Port <port> on 127.0.0.1 is already in use.
    Let Devflow pick a free port: devflow eval watch --port <port>
    --- exit code 75"
  `);

  // The request checks.
  expect(await (await fetch(`${origin}/health`)).json()).toEqual({ ok: true });
  expect((await fetch(`${origin}/api/evals/watch`)).status).toBe(401);
  expect((await fetch(`${origin}/api/evals/watch`, { headers: { authorization: "Bearer guess" } })).status).toBe(401);
  expect((await fetch(`${origin}/health`, { headers: { origin: "http://evil.example" } })).status).toBe(403);
  expect(await statusWithHost(Number(port), "evil.example")).toBe(403);
  const exchange = (code: string) =>
    fetch(`${origin}/auth/exchange`, {
      method: "POST",
      body: JSON.stringify({ code }),
      headers: { "content-type": "application/json" },
    });
  const code = hash.replace("#code=", "");
  const { token } = (await (await exchange(code)).json()) as { token: string };
  expect((await exchange(code)).status).toBe(401);

  // The contract.
  const headers = { authorization: `Bearer ${token}` };
  const get = async (path: string) => await (await fetch(`${origin}${path}`, { headers })).json();
  expect(EvalWatchList.parse(await get("/api/evals/watch")).suites).toMatchObject([
    { suite: "posts", done: 1, expected: 4 },
  ]);
  expect(EvalWatch.parse(await get("/api/evals/watch/posts"))).toMatchObject({
    state: "running",
    workers: [{ pid: process.pid, running: "case 1" }],
  });
  expect(await get("/api/evals/runs")).toMatchObject({ runs: [] });
  const refused = await fetch(`${origin}/api/runs`, { headers });
  expect([refused.status, ((await refused.json()) as { error: { hint: string } }).error.hint]).toEqual([
    503,
    "Start it: devflow up -d",
  ]);

  const stream = await fetch(`${origin}/sse/evals/watch?suite=posts`, { headers });
  const frames = framesOf(stream);
  expect((await frames.next()).value).toMatchObject({ event: "snapshot", data: { done: 1 } });
  partial(home, process.pid, { planned: 4, worker: { running: "case 2" }, all_results: results(2) });
  const { value: delta } = await frames.next();
  expect(delta).toMatchObject({
    event: "delta",
    data: { done: 2, tally: { passed: 1, failed: 1 }, rows: [{ name: "case 1" }] },
  });
  expect(JSON.stringify(delta).length).toBeLessThan(1500);
  await frames.return(undefined);

  serving.signal("SIGINT");
  const { code: exit, stdout, stderr } = await serving.ended;
  expect(exit).toBe(0);
  const logs = readdirSync(join(home.devflowHome, "log")).map((name) =>
    readFileSync(join(home.devflowHome, "log", name), "utf8"),
  );
  expect([stdout.replace(code, ""), stderr, ...logs].join("\n")).not.toContain(token);
  expect(logs.join("\n")).not.toContain(code);
}, 120_000);

/** fetch would not let us lie about the host. */
function statusWithHost(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: "/health", headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end();
  });
}

async function* framesOf(answer: Response): AsyncGenerator<{ event: string; data: unknown }> {
  let text = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const frame = text.slice(0, end);
      text = text.slice(end + 2);
      const event = /^event: (.*)$/m.exec(frame)?.[1];
      if (event === "snapshot" || event === "delta")
        yield { event, data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "{}") };
    }
  }
}
