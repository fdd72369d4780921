/**
 * A native run of 200 cases on three models with the executable: killed twice, continued, stopped by its budget, finished; watched
 * in Chromium all the time. No answer that arrived is paid for twice. Part of `npm run soak`.
 */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess, startProcess, startScriptedModel, temporaryHome } from "@devflow/testkit";
import { launchChromium, wide } from "@devflow/web/chromium";
import { freshExecutable } from "../../scripts/build/executable.ts";

const count = 200;
const models = ["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini", "openai:chat:gpt-5.4-nano"];
const concurrency = 4;

test("200 cases × 3 models: killed twice, continued, stopped by the budget, watched; nothing is paid for twice", async () => {
  const devflow = await freshExecutable(join(import.meta.dir, "../.."));
  const home = temporaryHome();
  await using model = await startScriptedModel({
    steps: [
      {
        match: { userText: "/number \\d*7\\?/" },
        times: "always",
        answer: { text: "I do not know.", usage: { input: 1000, output: 100 }, afterMs: 20 },
      },
      { times: "always", answer: { text: "As our policy says.", usage: { input: 1000, output: 100 }, afterMs: 20 } },
    ],
  });
  mkdirSync(join(home.path, "evals"));
  const cases = Array.from(
    { length: count },
    (_, n) =>
      `  - { name: case ${n}, question: number ${n}?, expectations: [{ type: response_contains, patterns: [policy] }] }`,
  );
  writeFileSync(
    join(home.path, "evals/support.yaml"),
    `suite: support\nprompts: ["{{question}}"]\nproviders: ${JSON.stringify(models)}\ncases:\n${cases.join("\n")}\n`,
  );
  const key = "scripted-model-key";
  const env = home.environment({
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: key },
    ...{ OPENAI_BASE_URL: model.openaiUrl, OPENAI_API_KEY: key },
  });
  const place = { env, cwd: home.path };
  const words = ["eval", "check", "evals", "--run", "--json", "--concurrency", String(concurrency)];
  const asked = () => model.requests.length;
  const untilAsked = async (number: number) => {
    while (asked() < number) await Bun.sleep(20);
  };
  const ended = (stdout: string) =>
    JSON.parse(stdout) as { end: string; done: number; spent_usd: number; stored: string[] };

  await using watching = startProcess([devflow, "eval", "watch", "support", "--port", "0", "--json"], place);
  const [, link = ""] = await watching.waitForOutput(/"url":"([^"]+)"/, 60_000);
  const browser = await launchChromium({ isWhole: true });
  try {
    const page = await browser.newPage({ viewport: wide, reducedMotion: "reduce" });
    await page.goto(link);
    const state = (name: string) => page.locator(`[data-watch-state="${name}"]`).waitFor({ timeout: 60_000 });

    for (const kills of [150, 330]) {
      const running = startProcess([devflow, ...words], place);
      await untilAsked(kills);
      await state("running");
      process.kill(running.pid, "SIGKILL");
      await running.ended;
      await state("died");
    }
    const stopped = await runProcess([devflow, ...words, "--max-usd", "0.6"], place);
    expect(stopped.code).toBe(5);
    expect(stopped.stderr).toContain("Continues the unfinished run");
    const first = ended(stopped.stdout);
    expect(first.end).toBe("budget");
    expect(first.spent_usd).toBeLessThanOrEqual(0.6);
    await page.getByText("the budget of $0.6 is spent").first().waitFor({ timeout: 60_000 });

    const done = await runProcess([devflow, ...words, "--max-usd", "50"], place);
    expect(done.code).toBe(1);
    const last = ended(done.stdout);
    expect([last.end, last.done, last.stored.length]).toEqual(["complete", 3 * count, 3]);
    await state("finished");
    expect(await page.locator("[data-watch-state]").textContent()).toContain("600");

    // Only calls that were in flight when the process was killed are made again, and that is told.
    const times = Map.groupBy(model.requests, ({ model: name, lastUserText }) => `${name} ${lastUserText}`);
    expect(times.size).toBe(3 * count);
    const again = asked() - times.size;
    const told = [stopped, done].map(({ stderr }) => Number(/(\d+) calls? had no answer yet/.exec(stderr)?.[1] ?? 0));
    expect(again).toBeLessThanOrEqual(2 * models.length * concurrency);
    expect(again).toBeLessThanOrEqual(Math.max(...told) + models.length * concurrency);
  } finally {
    await browser.close();
  }
}, 600_000);
