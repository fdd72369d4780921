/** The real Qwen Code with Devflow's hooks, on a scripted model: `npm run soak -- --agents`. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { acpAgentOrSkip, acpHome, runProcess, startScriptedModel } from "@devflow/testkit";
import { clonedRepository, devflowOnPath, rememberTeam, spooled, writeDigest } from "./hooked-machine.ts";

const qwen = await acpAgentOrSkip("qwen");
const bin = devflowOnPath();
const timeoutMs = 180_000;

test.skipIf(!qwen)(
  "Qwen Code hears the digest, and its edits are in the log",
  async () => {
    const { clone } = await clonedRepository({ "notes.md": "one\ntwo\nthree\n" });
    const call = (name: string, given: Record<string, unknown>) => ({
      answer: { tools: [{ name, arguments: given }] },
    });
    await using model = await startScriptedModel({
      steps: [
        call("read_file", { file_path: join(clone, "notes.md") }),
        call("edit", { file_path: join(clone, "notes.md"), old_string: "two", new_string: "2" }),
        call("run_shell_command", { command: "sed -i 's/three/3/' notes.md", is_background: false }),
        { answer: { text: "Done." } },
      ],
      background: { text: "ok" },
    });
    const { home, env: own } = acpHome("qwen", { model });
    const env = { ...own, PATH: `${bin}:${own.PATH}` };
    rememberTeam(home.devflowHome);
    const run = (...words: string[]) => runProcess(words, { env, cwd: clone, timeoutMs });
    expect((await run("devflow", "hooks", "install", "--host", "qwen")).code).toBe(0);
    const { localName } = await import("@devflow/team/repository-name");
    const freeze = {
      ...{
        id: "0191b2c3-0000-7000-8000-00000000000a",
        rev: 1,
        number: 1,
        repo: null,
        type: "freeze",
        title: "Hands off the till",
      },
      ...{
        state: "accepted",
        excerpt: "",
        user_id: "0191b2c3-0000-7000-8000-000000000003",
        user_name: "Grace",
        agent_id: null,
      },
      ...{ files: [], features: [], supersedes: null, superseded_by: null, intent_id: null, expires_at: null },
      ...{
        source_file: null,
        source_number: null,
        created_at: "2026-11-16T08:00:00Z",
        updated_at: "2026-11-16T08:00:00Z",
      },
    };
    writeDigest(home.devflowHome, localName(join(clone, ".git"), "box-1"), { decisions: [freeze] });
    const [program = ""] = qwen?.command ?? [];
    const result = await run(program, "--auth-type", "openai", "--approval-mode", "yolo", "-p", "Number the notes");
    expect([result.code, result.stderr]).toEqual([0, expect.any(String)]);
    expect(JSON.stringify(model.requests[0]?.body)).toContain("Hands off the till");
    const edits = spooled(home.devflowHome, "agent_edit").map(({ payload: { file, tool, via, lines, agent } }) => ({
      ...{ file, tool, via, lines, host: agent.host },
    }));
    expect(edits).toEqual([
      { file: "notes.md", tool: "edit", via: "edit", lines: [[2, 2]], host: "qwen" },
      { file: "notes.md", tool: "run_shell_command", via: "bash", lines: [[2, 3]], host: "qwen" },
    ]);
    expect(spooled(home.devflowHome, "intent")[0]?.payload).toMatchObject({ source: "inferred" });
  },
  timeoutMs,
);
