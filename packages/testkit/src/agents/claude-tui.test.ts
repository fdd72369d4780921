/** Claude Code's TUI in its own tmux, with hooks that report what happens inside. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  agentsOrSkip,
  canRun,
  claudeHome,
  expectNoLeaks,
  lackOfProgram,
  runProcess,
  startScriptedModel,
  temporaryFolder,
} from "../index.ts";

const agents = await agentsOrSkip();
const hasTmux = await canRun("the test of Claude Code's TUI", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

const hookEvents = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] as const;

interface HookRecord {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly [name: string]: unknown;
}

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined, show: () => Promise<string>) {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`${what} did not happen. The screen:\n${await show()}`);
}

describe.skipIf(!agents || !hasTmux)("Claude Code's TUI in tmux", () => {
  test("takes a prompt, uses a tool, shows the answer, and its hooks report each step", async () => {
    const workspace = temporaryFolder("ws");
    await using model = await startScriptedModel({
      steps: [
        {
          match: { userText: "Write the file" },
          answer: {
            tools: [{ name: "Write", arguments: { file_path: join(workspace, "a.txt"), content: "by the TUI" } }],
          },
        },
        { match: { toolResult: true }, answer: { text: ["The file ", { text: "is written.", afterMs: 50 }] } },
      ],
    });
    const { home, env } = claudeHome({ model, workspace });
    const told = join(home.path, "hooks.jsonl");
    const settings = join(home.path, "settings.json");
    // One line per event: a hook's input is one JSON object without a line end.
    const hook = { hooks: [{ type: "command", command: `{ cat; echo; } >> ${told}` }] };
    writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(hookEvents.map((event) => [event, [hook]])) }));
    const hooks = () =>
      existsSync(told)
        ? readFileSync(told, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as HookRecord)
        : [];

    const tmuxEnv = { ...env, TMUX_TMPDIR: home.path };
    const tmux = async (words: readonly string[], stdin = "") => {
      const result = await runProcess(["tmux", "-L", "tui", "-f", "/dev/null", ...words], {
        env: tmuxEnv,
        stdin,
        cwd: workspace,
      });
      if (result.code !== 0) throw new Error(`tmux ${words[0]}: ${result.stderr}`);
      return result.stdout;
    };
    const screen = () => tmux(["capture-pane", "-p", "-t", "agent"]);
    const claude = [agents?.claude.executable ?? "", "--settings", settings, "--permission-mode", "acceptEdits"];
    try {
      await tmux(["new-session", "-d", "-s", "agent", "-x", "160", "-y", "50", "-c", workspace, ...claude]);
      await until("SessionStart", () => hooks().find((one) => one.hook_event_name === "SessionStart"), screen);
      await until("the prompt", async () => ((await screen()).includes("❯") ? true : undefined), screen);

      await tmux(["load-buffer", "-"], "Write the file\nas I say.");
      await tmux(["paste-buffer", "-p", "-d", "-t", "agent"]);
      await until(
        "the echo",
        async () => (/Write the file|Pasted text/.test(await screen()) ? true : undefined),
        screen,
      );
      await tmux(["send-keys", "-t", "agent", "Enter"]);

      const stop = await until("Stop", () => hooks().find((one) => one.hook_event_name === "Stop"), screen);
      expect(stop.last_assistant_message).toBe("The file is written.");
      await until(
        "the answer",
        async () => ((await screen()).includes("The file is written.") ? true : undefined),
        screen,
      );
      expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("by the TUI");

      expect(hooks().map((one) => one.hook_event_name)).toEqual([...hookEvents]);
      expect(hooks()[1]?.prompt).toBe("Write the file\nas I say.");
      expect(hooks()[2]).toMatchObject({ tool_name: "Write", tool_input: { file_path: join(workspace, "a.txt") } });
      expect(new Set(hooks().map(({ session_id }) => session_id)).size).toBe(1);
      const asked = model.requests.filter(({ isBackground }) => !isBackground);
      expect(asked.map(({ lastUserText }) => lastUserText)).toEqual([
        "Write the file\nas I say.",
        "Write the file\nas I say.",
      ]);
      expect(asked[0]?.conversation).toBe(String(hooks()[0]?.session_id));
      model.expectFollowed();
    } finally {
      await tmux(["kill-server"]);
    }
    await expectNoLeaks(5000);
  }, 60_000);
});
