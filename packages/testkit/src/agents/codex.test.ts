import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  agentsOrSkip,
  codexHome,
  expectNoLeaks,
  runProcess,
  startProcess,
  startScriptedModel,
  temporaryFolder,
} from "../index.ts";
import type { ScriptedModel } from "../scripted-model/server.ts";

const agents = await agentsOrSkip();
const codex = agents?.codex.executable ?? "";
const writeAFile = fileURLToPath(new URL("../../scenarios/write-a-file.yaml", import.meta.url));
const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
const headless = (prompt: string) => [codex, "exec", ...flags, prompt];
const timeoutMs = 30_000;

interface CodexEvent {
  readonly type: string;
  readonly message?: string;
  readonly item?: { readonly type: string; readonly text?: string; readonly exit_code?: number };
  readonly usage?: Record<string, number>;
}

async function run(model: ScriptedModel, prompt: string, cwd: string) {
  const { env } = codexHome({ model });
  const { code, stdout } = await runProcess(headless(prompt), { env, cwd, timeoutMs });
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CodexEvent);
  const items = events.filter(({ type }) => type === "item.completed").map(({ item }) => item);
  const said = items.filter((item) => item?.type === "agent_message").map((item) => item?.text);
  return { code, events, items, said };
}

describe.skipIf(!agents)("the real Codex with a scripted model", () => {
  test(
    "writes a file as the script says",
    async () => {
      const folder = temporaryFolder("ws");
      await using model = await startScriptedModel(writeAFile, { values: { folder } });
      const { code, events, items, said } = await run(model, "Please write hello.txt", folder);
      expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("hello from the script\n");
      expect(code).toBe(0);
      expect(said).toEqual(["I will write it.", "hello.txt is written."]);
      expect(items.find((item) => item?.type === "command_execution")?.exit_code).toBe(0);
      expect(events.at(-1)).toMatchObject({
        type: "turn.completed",
        usage: { input_tokens: 2500, cached_input_tokens: 1000, output_tokens: 100 },
      });

      expect(model.requests.map(({ step, lastUserText }) => [step, lastUserText])).toEqual([
        ["Codex writes", "Please write hello.txt"],
        ["says so", "Please write hello.txt"],
      ]);
      expect(model.requests[0]?.tools).toContain("exec_command");
      expect(model.requests[0]?.system).toContain("Codex");
      expect(model.requests[1]?.toolResults[0]?.text).toContain("exited with code 0");
      await expectNoLeaks();
    },
    timeoutMs,
  );

  test(
    "retries after 429 and 500, and continues",
    async () => {
      const headers = { "retry-after": "0" };
      await using model = await startScriptedModel({
        steps: [
          { answer: { error: { status: 429, headers } } },
          { answer: { error: { status: 500, headers } } },
          { answer: { text: "at last" } },
        ],
      });
      const { code, said } = await run(model, "Say something", temporaryFolder("ws"));
      expect({ code, said }).toEqual({ code: 0, said: ["at last"] });
      model.expectFollowed();
    },
    timeoutMs,
  );

  test(
    "survives a stream that is cut",
    async () => {
      await using model = await startScriptedModel({
        steps: [{ answer: { text: ["never ", "heard"], malformed: "cut" } }, { answer: { text: "heard" } }],
      });
      const { code, said } = await run(model, "Say something", temporaryFolder("ws"));
      expect({ code, said: said.at(-1) }).toEqual({ code: 0, said: "heard" });
      model.expectFollowed();
    },
    timeoutMs,
  );

  test(
    "can be ended while the model hangs, and no process is left",
    async () => {
      await using model = await startScriptedModel({ otherwise: { text: "thinking", hang: true } });
      const { env } = codexHome({ model });
      await using agent = startProcess(headless("Think"), { env, cwd: temporaryFolder("ws"), stdin: "" });
      await model.waitFor(() => true);
      await agent.stop();
      await model.waitFor(({ outcome }) => outcome === "client went away");
      await expectNoLeaks();
    },
    timeoutMs,
  );

  let codexHomePath = "";
  test("has its own home, outside the system's temp folder", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "x" } });
    codexHomePath = String(codexHome({ model }).env.CODEX_HOME);
    expect(codexHomePath).toContain(join(".cache", "codex-homes"));
    expect(readFileSync(join(codexHomePath, "config.toml"), "utf8")).toContain(model.openaiUrl);
  });
  test("which is removed after the test", () => {
    expect([codexHomePath !== "", existsSync(codexHomePath)]).toEqual([true, false]);
  });
});
