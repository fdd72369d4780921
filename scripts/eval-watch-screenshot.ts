/**
 * `bun scripts/eval-watch-screenshot.ts` takes docs/images/eval-watch.png: a run of 200 cases on three scripted models, with a
 * budget, watched while it runs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, startProcess, startScriptedModel, temporaryHome } from "@devflow/testkit";
import { launchChromium, wide } from "@devflow/web/chromium";

const topics = ["opening hours", "refunds", "delivery", "warranty", "gift cards", "invoices"];
const cases = Array.from({ length: 200 }, (_, no) => {
  const topic = topics[no % topics.length] ?? "";
  const name = `${topic} ${Math.floor(no / topics.length) + 1}`;
  return `  - { name: ${name}, category: ${topic}, question: "${name}?", expectations: [{ type: response_contains, patterns: [policy] }] }`;
});
const suite = `suite: support
prompts: ["Answer as our support would: {{question}}"]
providers: ["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini", "openai:chat:gpt-5.4-nano"]
cases:
${cases.join("\n")}
`;

const home = temporaryHome();
await using model = await startScriptedModel({
  steps: [
    {
      match: { userText: "/refunds \\d*[27]|warranty \\d*3/" },
      times: "always",
      answer: { text: "I do not know.", usage: { input: 820, output: 95 }, afterMs: 240 },
    },
    {
      times: "always",
      answer: { text: "As our policy says …", usage: { input: 900, output: 140 }, afterMs: 200 },
    },
  ],
});
mkdirSync(join(home.path, "evals"));
writeFileSync(join(home.path, "evals/support.yaml"), suite);
const key = "scripted-model-key";
const env = home.environment({
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: key,
  OPENAI_BASE_URL: model.openaiUrl,
  OPENAI_API_KEY: key,
  EVAL_LABEL: "shorter-prompt",
});
const place = { env, cwd: home.path };
const words = ["eval", "check", "evals", "--run", "--max-usd", "2", "--concurrency", "4"];
await using running = startProcess([...devflowCommand(), ...words], place);
await using watching = startProcess([...devflowCommand(), "eval", "watch", "support", "--port", "0", "--json"], place);
const [, link = ""] = await watching.waitForOutput(/"url":"([^"]+)"/, 60_000);
const browser = await launchChromium({ isWhole: true });
try {
  const page = await browser.newPage({ viewport: wide, reducedMotion: "reduce", deviceScaleFactor: 2 });
  await page.goto(link);
  await page.locator('[data-watch-state="running"]').waitFor();
  await page.locator("[data-row-no]").nth(150).waitFor({ timeout: 120_000 });
  const path = join(import.meta.dirname, "../docs/images/eval-watch.png");
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
} finally {
  await browser.close();
  await running.stop();
}
