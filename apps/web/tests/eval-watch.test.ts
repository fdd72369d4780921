/** A person watches a run while four real workers write, one of them is killed, and the connection comes and goes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineEvals } from "@devflow/evals/http";
import { openStore } from "@devflow/evals/store";
import { EvalWatch } from "@devflow/protocol";
import { folderAssets, mountEvals, startEvalServer } from "@devflow/server";
import { devflowCommand, quietLog, type RunningProcess, startProcess, temporaryHome } from "@devflow/testkit";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { builtWeb } from "./built-web.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
const suite = "night answers";
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

interface Worker extends AsyncDisposable {
  readonly pid: number;
  readonly running: RunningProcess;
  add(name: string, status?: "pass" | "fail" | "error"): void;
}

async function startWorker(runId: string): Promise<Worker> {
  const program = join(import.meta.dirname, "eval-worker.ts");
  const running = startProcess([process.execPath, program, suite, runId, "5"], { env: server.home.environment() });
  const pid = Number((await running.waitForOutput(/^(\d+)\n/))[1]);
  return {
    pid,
    running,
    add: (name, status = "pass") => running.write(`${JSON.stringify({ name, status })}\n`),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

const done = (page: Page, text: string) =>
  page.getByRole("region", { name: "Progress" }).getByText(text, { exact: true }).waitFor();
const worker = (page: Page, { pid }: Worker, state: string) =>
  page.locator(`[data-worker="${pid}"][data-worker-state="${state}"]`).waitFor();

test("four workers write, one is killed -9, the server goes and comes back: the page tells all of it", async () => {
  const { page, complaints, close } = await openPage();
  await page.goto(await server.signInUrl("/evals/watch"));
  await waitUntilLive(page);
  await page.getByText("No eval run in progress").waitFor();

  await using first = await startWorker("night-1");
  await using second = await startWorker("night-1");
  await using third = await startWorker("night-1");
  await using fourth = await startWorker("night-1");
  // The page that was empty finds the run by itself.
  await page.locator('[data-watch-state="running"]').waitFor();
  await done(page, "0 of 20");
  for (const one of [first, second, third, fourth]) await worker(page, one, "running");

  first.add("greets by name");
  second.add("quotes the policy", "fail");
  third.add("finds the order", "error");
  fourth.add("says goodbye");
  await done(page, "4 of 20");
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
  await row("quotes the policy").getByText("says 14 days instead of 30").waitFor();
  await row("finds the order").getByText("Error", { exact: true }).waitFor();
  await done(page, "1 failed, 1 error");

  // A result lands on top, and what was there stays what it was.
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("[data-row-no]")) (each as HTMLElement).title = "seen before";
  });
  first.add("thanks for waiting");
  await done(page, "5 of 20");
  expect(await page.locator("tbody tr").first().innerText()).toContain("thanks for waiting");
  expect(await page.locator('tr[title="seen before"]').count()).toBe(4);

  process.kill(third.pid, "SIGKILL");
  await worker(page, third, "dead");
  await page.getByRole("alert").getByText(`Worker ${third.pid} died after 1 result, 4 missing`).waitFor();
  await page.locator('[data-watch-state="running"]').waitFor();

  // While nobody serves, the workers go on.
  await server.disconnect();
  await page.getByText("Connection lost").waitFor();
  for (let at = 0; at < 4; at += 1) second.add(`unseen ${at}`);
  await server.reconnect();
  await done(page, "9 of 20");
  expect(await page.locator("tbody tr").count()).toBe(9);

  for (const one of [first, second, fourth]) one.running.write("end\n");
  for (const one of [first, second, fourth]) await worker(page, one, "finished");
  await page.locator('[data-watch-state="died"]').waitFor();
  await page.getByRole("button", { name: `Copy devflow eval push --partials '${suite}'` }).waitFor();
  // Between the lists that a page asks for when its server is back there may be one that found nobody.
  expect(complaints).toEqual([]);
  await close();
}, 300_000);

test("what goes over the wire is one snapshot and then small deltas", async () => {
  const name = "small answers";
  const program = join(import.meta.dirname, "eval-worker.ts");
  await using running = startProcess([process.execPath, program, name, "small-1", "60"], {
    env: server.home.environment(),
  });
  await running.waitForOutput(/\d+\n/);
  for (let at = 0; at < 40; at += 1) running.write(`${JSON.stringify({ name: `case ${at}`, status: "pass" })}\n`);
  const headers = { authorization: `Bearer ${server.machineToken}` };
  const snapshot = async () =>
    EvalWatch.parse(
      await (await fetch(`${server.url}/api/evals/watch/${encodeURIComponent(name)}`, { headers })).json(),
    );
  while ((await snapshot()).done < 40) await Bun.sleep(20);

  const stop = new AbortController();
  const answer = await fetch(`${server.url}/sse/evals/watch?suite=${encodeURIComponent(name)}`, {
    headers,
    signal: stop.signal,
  });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const frames = framesOf(answer.body as ReadableStream<Uint8Array>);
  const first = await nextOf(frames, "snapshot");
  expect(JSON.parse(first.data).rows).toHaveLength(40);
  running.write(`${JSON.stringify({ name: "one more", status: "pass" })}\n`);
  const delta = await nextOf(frames, "delta");
  expect(JSON.parse(delta.data).rows.map((row: { name: string }) => row.name)).toEqual(["one more"]);
  expect(delta.data.length).toBeLessThan(1200);
  expect(first.data.length).toBeGreaterThan(5 * delta.data.length);
  stop.abort();
}, 120_000);

test("the watch page fits a phone", async () => {
  await using one = await startWorker("night-2");
  one.add("fits into little room", "fail");
  const { page, complaints, close } = await openPage({ viewport: phone });
  await page.goto(await server.signInUrl(`/evals/watch?suite=${encodeURIComponent(suite)}`));
  await page.getByRole("row", { name: /fits into little room/ }).waitFor();
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways).toBeLessThanOrEqual(0);
  expect(complaints).toEqual([]);
  await close();
}, 120_000);

test("the page of eval watch --port shows evals only, and needs no database", async () => {
  const home = temporaryHome();
  const store = await openStore(home.devflowHome);
  await using alone = startProcess(
    [process.execPath, join(import.meta.dirname, "eval-worker.ts"), "alone", "alone-1", "2"],
    { env: home.environment() },
  );
  await alone.waitForOutput(/\d+\n/);
  alone.write(`${JSON.stringify({ name: "the only case", status: "pass" })}\n`);
  const own = startEvalServer({
    config: { host: "127.0.0.1", port: 0, allowHosts: [], home: home.devflowHome },
    evals: async () => mountEvals(machineEvals(home.devflowHome, store, { pollMs: 50 })),
    log: quietLog,
    webAssets: folderAssets(builtWeb()),
  });
  const { page, complaints, close } = await openPage();
  await page.goto(`${own.url}/evals/watch#code=${own.issueCode(5)}`);
  await waitUntilLive(page);
  await page.getByRole("row", { name: /the only case/ }).waitFor();
  const systems = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await page.getByText("Eval results on this machine").waitFor();
  expect(await systems.allInnerTexts()).toEqual([expect.stringContaining("Evals")]);
  await page.getByRole("navigation", { name: "Evals" }).getByRole("link", { name: "Runs" }).click();
  await page.getByText("No eval runs yet").waitFor();
  // What it does not have it refuses, and the browser tells the console so.
  expect(complaints.filter((text) => !text.includes("503"))).toEqual([]);
  await close();
  await own.stop();
  store.close();
}, 120_000);

interface Frame {
  readonly event: string;
  readonly data: string;
}

async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const part = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      if (part("event")) yield { event: part("event"), data: part("data") };
    }
  }
}

async function nextOf(frames: AsyncGenerator<Frame>, event: string): Promise<Frame> {
  for (;;) {
    const { value, done: isOver } = await frames.next();
    if (isOver) throw new Error(`the stream ended before ${event}`);
    if (value.event === event) return value;
  }
}

test("a promptfoo suite is watched while it runs, when it was killed, and to its end", async () => {
  const { page, complaints, close } = await openPage();
  const folder = join(server.home.path, "greetings");
  mkdirSync(folder);
  const tests = Array.from(
    { length: 6 },
    (_, n) => `  - { vars: { n: ${n} }, assert: [{ type: contains, value: "${n}" }] }`,
  );
  writeFileSync(
    join(folder, "promptfooconfig.yaml"),
    `description: greetings\nprompts: ['Hello {{n}}', 'Dear {{n}}']\nproviders: ['exec:sh ask.sh']\nevaluateOptions: { maxConcurrency: 1 }\ntests:\n${tests.join("\n")}\n`,
  );
  // Each question waits until the test lets it go on.
  writeFileSync(
    join(folder, "ask.sh"),
    'while [ "$(wc -l < go)" -le "$(wc -l < asked)" ]; do kill -0 $PPID 2>/dev/null || exit 1; sleep 0.05; done\necho "$1" >> asked\nprintf %s "$1"\n',
  );
  const goOn = (questions: number) => writeFileSync(join(folder, "go"), "go\n".repeat(questions));
  const asked = () => readFileSync(join(folder, "asked"), "utf8").split("\n").length - 1;
  writeFileSync(join(folder, "asked"), "");
  goOn(4);
  const start = () =>
    startProcess([...devflowCommand(), "eval", "check", "promptfooconfig.yaml"], {
      env: server.home.environment(),
      cwd: folder,
    });
  await page.goto(await server.signInUrl("/evals/watch?suite=greetings"));
  await waitUntilLive(page);
  {
    await using first = start();
    await done(page, "4 of 12");
    await page.locator('[data-watch-state="running"]').waitFor();
    first.signal("SIGKILL");
    await first.ended;
    await page.locator('[data-watch-state="died"]').waitFor();
  }
  await using second = start();
  await done(page, "4 of 12");
  await page.locator('[data-watch-state="running"]').waitFor();
  goOn(12);
  expect((await second.ended).code).toBe(0);
  await done(page, "12 of 12");
  await page.locator('[data-watch-state="finished"]').waitFor();
  expect(asked()).toBe(12);
  expect(complaints).toEqual([]);
  await close();
}, 120_000);
