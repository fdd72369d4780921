/**
 * 200 cases × 3 models, asked by Devflow itself and watched in a browser: killed twice, continued, stopped by its budget,
 * finished. No answer is asked for twice.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  devflowCommand,
  type ProcessResult,
  runCli,
  runProcess,
  startProcess,
  startScriptedModel,
  temporaryHome,
} from "@devflow/testkit";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";

const openPage = withChromium();
const [caseCount, atOnce] = [200, 4];
const models = ["claude-haiku-4-5", "gpt-5.4-mini", "gpt-5.4-nano"];
const suite = `suite: support
prompts: ["Question {{no}}: {{question}}"]
providers: ["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini", "openai:chat:gpt-5.4-nano"]
cases:
${Array.from(
  { length: caseCount },
  (_, no) =>
    `  - { name: case ${no}, no: "${no}.", question: is it so?, expectations: [{ type: response_contains, patterns: [yes] }] }`,
).join("\n")}
`;

/** Requests number 151 to 162 and 351 to 362 get no answer: as many as are in flight at once, so everything else is on disk. */
const silent = [151, 351].flatMap((first) => Array.from({ length: atOnce * models.length }, (_, more) => first + more));
const usage = { input: 1000, output: 100 };
const scenario = {
  steps: [
    ...silent.map((nth) => ({ match: { nth }, answer: { hang: true } })),
    { match: { userText: "7.:" }, times: "always", answer: { text: "no", usage, afterMs: 5 } },
    { times: "always", answer: { text: "yes", usage, afterMs: 5 } },
  ],
} as const;

const says = (page: Page, text: string) =>
  page.getByRole("region", { name: "Progress" }).getByText(text, { exact: true }).waitFor();
const jsonOf = <T>({ stdout }: ProcessResult): T => JSON.parse(stdout) as T;

test("killed twice, stopped by its budget, finished: every answer was asked for once, and the page showed it all", async () => {
  const home = temporaryHome();
  await using model = await startScriptedModel(scenario as never);
  mkdirSync(join(home.path, "evals"));
  writeFileSync(join(home.path, "evals/support.yaml"), suite);
  const env = home.environment({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "sk-test-0123456789abcdef",
    OPENAI_BASE_URL: model.openaiUrl,
    OPENAI_API_KEY: "sk-test-0123456789abcdef",
  });
  const words = ["eval", "check", "evals", "--run", "--concurrency", `${atOnce}`, "--json"];
  const argv = (...more: string[]) => [...devflowCommand(), ...words, ...more];
  const place = { env, cwd: home.path };
  const journal = () => {
    const folder = join(home.devflowHome, "eval-runs/support");
    const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(".jsonl"));
    return readFileSync(join(folder, name), "utf8");
  };
  const answersOnDisk = () => journal().match(/^\{"answered":/gm)?.length ?? 0;

  await using watching = startProcess(
    [...devflowCommand(), "eval", "watch", "support", "--port", "0", "--json"],
    place,
  );
  const [, link = ""] = await watching.waitForOutput(/"url":"([^"]+)"/, 60_000);
  const { page, complaints, close } = await openPage();
  await page.goto(link);

  // Killed for the first time, with twelve calls in flight.
  {
    await using first = startProcess(argv(), place);
    await first.waitForOutput(/600 calls/, 60_000);
    await says(page, "150 of 600");
    expect(answersOnDisk()).toBe(150);
    await page.locator('[data-watch-state="running"]').waitFor();
    first.signal("SIGKILL");
    await first.ended;
    await page.locator('[data-watch-state="died"]').waitFor();
  }

  // Continued, and killed again.
  {
    await using second = startProcess(argv(), place);
    await second.waitForOutput(/Continues the unfinished run: 150 answers/, 60_000);
    await second.waitForOutput(/12 calls had no answer yet/, 60_000);
    await says(page, "338 of 600");
    expect(answersOnDisk()).toBe(338);
    second.signal("SIGKILL");
    await second.ended;
  }

  // A budget that is already spent asks nothing; a little more is kept to.
  interface Told {
    readonly end: string;
    readonly done: number;
    readonly spent_usd: number;
    readonly stored: readonly string[];
  }
  const before = model.requests.length;
  const spent = await runProcess(argv("--max-usd", "0.001"), place);
  expect([spent.code, jsonOf<Told>(spent).done, model.requests.length]).toEqual([5, 338, before]);
  const limit = jsonOf<Told>(spent).spent_usd + 0.1;
  const limited = await runProcess(argv("--max-usd", `${limit}`), place);
  const told = jsonOf<Told>(limited);
  expect([limited.code, told.end, told.stored]).toEqual([5, "budget", []]);
  expect(told.done).toBeGreaterThan(338 + 20);
  expect(told.done).toBeLessThan(600);
  expect(told.spent_usd).toBeLessThanOrEqual(limit);
  expect(told.spent_usd).toBeGreaterThan(limit - 0.01);
  await page.getByText("Stopped: the budget of").waitFor();
  await says(page, `${told.done} of 600`);

  // The rest.
  const last = await runProcess(argv("--max-usd", "10"), place);
  expect([last.code, jsonOf<Told>(last).end, jsonOf<Told>(last).done]).toEqual([1, "complete", 600]);
  await page.locator('[data-watch-state="finished"]').waitFor();
  await says(page, "600 of 600");

  const answered = model.requests.filter(({ outcome }) => outcome === "answered");
  const counts = Map.groupBy(answered, (request) => `${request.model} ${request.lastUserText}`);
  expect([...counts.values()].filter(({ length }) => length !== 1)).toEqual([]);
  expect(counts.size).toBe(600);
  // What was in flight at the kills got no answer, and was asked again.
  expect(model.requests.length).toBe(600 + silent.length);

  const { runs } = (await runCli(["eval", "list", "--json"], { home })).json<{ runs: Record<string, unknown>[] }>();
  expect(runs.map(({ model, total, passed, failed }) => ({ model, total, passed, failed }))).toEqual(
    models.toReversed().map((name) => ({ model: name, total: 200, passed: 180, failed: 20 })),
  );
  expect(new Set(runs.map(({ matrix }) => matrix)).size).toBe(1);
  expect(readdirSync(join(home.devflowHome, "eval-runs/support")).filter((one) => one.endsWith(".jsonl"))).toEqual([]);
  // What this server does not have it refuses, and the browser tells the console so.
  expect(complaints.filter((text) => !text.includes("503"))).toEqual([]);
  await close();
}, 300_000);
