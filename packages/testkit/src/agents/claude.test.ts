import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  agentsOrSkip,
  claudeHome,
  expectNoLeaks,
  runProcess,
  startProcess,
  startScriptedModel,
  temporaryFolder,
} from "../index.ts";
import type { ScriptedModel } from "../scripted-model/server.ts";

const agents = await agentsOrSkip();
const claude = agents?.claude.executable ?? "";
const writeAFile = fileURLToPath(new URL("../../scenarios/write-a-file.yaml", import.meta.url));
const flags = ["--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];
const headless = (prompt: string) => [claude, "-p", prompt, ...flags];
const timeoutMs = 30_000;

interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly [name: string]: unknown;
}

async function run(model: ScriptedModel, prompt: string, cwd: string) {
  const { env } = claudeHome({ model });
  const { code, stdout } = await runProcess(headless(prompt), { env, cwd, timeoutMs });
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Message);
  return { code, messages, result: messages.find(({ type }) => type === "result") };
}

describe.skipIf(!agents)("the real Claude Code with a scripted model", () => {
  test(
    "writes a file as the script says",
    async () => {
      const folder = temporaryFolder("ws");
      await using model = await startScriptedModel(writeAFile, { values: { folder } });
      const { code, messages, result } = await run(model, "Please write hello.txt", folder);
      expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("hello from the script\n");
      expect(code).toBe(0);
      expect(messages[0]).toMatchObject({ type: "system", subtype: "init", cwd: folder });
      expect(result).toMatchObject({
        subtype: "success",
        result: "hello.txt is written.",
        usage: { input_tokens: 2500, output_tokens: 100, cache_read_input_tokens: 1000 },
      });

      const asked = model.requests.filter(({ isBackground }) => !isBackground);
      expect(asked.map(({ step, lastUserText }) => [step, lastUserText])).toEqual([
        ["Claude Code writes", "Please write hello.txt"],
        ["says so", "Please write hello.txt"],
      ]);
      expect(asked[0]?.tools).toContain("Write");
      expect(asked[1]?.toolResults[0]?.text).toContain("File created successfully");
      await expectNoLeaks();
    },
    timeoutMs,
  );

  test(
    "retries after 429 and 529, and continues",
    async () => {
      const headers = { "retry-after": "0", "anthropic-ratelimit-requests-remaining": "0" };
      await using model = await startScriptedModel({
        steps: [
          { answer: { error: { status: 429, headers } } },
          { answer: { error: { status: 529, headers } } },
          { answer: { text: "at last" } },
        ],
      });
      const { code, messages, result } = await run(model, "Say something", temporaryFolder("ws"));
      expect({ code, result: result?.result }).toEqual({ code: 0, result: "at last" });
      const retries = messages.filter(({ subtype }) => subtype === "api_retry").map((one) => one.error_status);
      expect(retries).toEqual([429, 529]);
      model.expectFollowed();
    },
    timeoutMs,
  );

  test(
    "calls several tools in one turn and returns each result",
    async () => {
      const folder = temporaryFolder("ws");
      const write = (name: string) => ({ name: "Write", arguments: { file_path: join(folder, name), content: name } });
      await using model = await startScriptedModel({
        steps: [
          { answer: { tools: [write("a.txt"), write("b.txt")] } },
          { match: { toolResult: true }, answer: { text: "both" } },
        ],
      });
      const { result } = await run(model, "Write both", folder);
      expect(result?.result).toBe("both");
      expect(["a.txt", "b.txt"].map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["a.txt", "b.txt"]);
      expect(model.requests.at(-1)?.toolResults.length).toBe(2);
    },
    timeoutMs,
  );

  test(
    "can be ended while the model hangs, and no process is left",
    async () => {
      await using model = await startScriptedModel({ otherwise: { text: "thinking", hang: true } });
      const { env } = claudeHome({ model });
      await using agent = startProcess(headless("Think"), { env, cwd: temporaryFolder("ws"), stdin: "" });
      const hanging = await model.waitFor(({ isBackground }) => !isBackground);
      await agent.stop();
      await model.waitFor(({ number, outcome }) => number === hanging.number && outcome === "client went away");
      await expectNoLeaks();
    },
    timeoutMs,
  );

  test(
    "two at once are distinguished by their keys",
    async () => {
      await using model = await startScriptedModel({
        sessions: [
          { name: "first", when: { apiKey: "sk-scripted-first-agent" }, steps: [{ answer: { text: "to the first" } }] },
          {
            name: "second",
            when: { apiKey: "sk-scripted-second-agent" },
            steps: [{ answer: { text: "to the second" } }],
          },
        ],
      });
      const said = ["sk-scripted-first-agent", "sk-scripted-second-agent"].map(async (apiKey) => {
        const { env } = claudeHome({ model, apiKey });
        const words = [claude, "-p", "Who are you?", "--output-format", "json"];
        return (await runProcess(words, { env, cwd: temporaryFolder("ws"), timeoutMs })).json<{ result: string }>()
          .result;
      });
      expect(await Promise.all(said)).toEqual(["to the first", "to the second"]);
      model.expectFollowed();
    },
    timeoutMs,
  );
});
