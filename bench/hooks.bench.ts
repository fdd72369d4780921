import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshExecutable } from "../scripts/build/executable.ts";
import { defineBenchmark, type Goal, limitGoal } from "./benchmark.ts";

const edit = "after an edit";
const bashBefore = "before a shell command, 10,000 files";
const bashAfter = "after a shell command, 10,000 files";
const start = "start of a session, with a digest";

const p95Goal = (text: string, contender: string, limit: number): Goal => ({
  text,
  judge: (of) => ({ figure: `${of(contender).p95.toFixed(0)} ms`, met: of(contender).p95 <= limit }),
});

export default defineBenchmark({
  name: "hooks",
  what: "A hook of an agent, from starting the program until it exits: the record of an edit on disk (fsync), the worktree compared around a shell command, the digest at the start of a session.",
  unit: "ms",
  rounds: 60,
  warmUp: 5,
  goals: [
    limitGoal("an edit: median at most 15 ms", edit, 15, "ms"),
    p95Goal("an edit: p95 at most 30 ms", edit, 30),
    limitGoal("a shell command: at most 60 ms before it", bashBefore, 60, "ms"),
    limitGoal("a shell command: at most 60 ms after it", bashAfter, 60, "ms"),
    limitGoal("the start of a session: at most 150 ms", start, 150, "ms"),
  ],
  prepare: async ({ root }) => {
    const devflow = await freshExecutable(root);
    const folder = mkdtempSync(join(tmpdir(), "bench-hooks-"));
    const small = repository(join(folder, "small"), 10);
    const large = repository(join(folder, "large"), 10_000);
    const home = join(folder, "home");
    prepareHome(home);
    const call = (moment: string, input: object) => timeHook([devflow, "hook", "claude", moment], home, input);
    const event = (cwd: string, tool: string, given: object) => ({
      ...{ session_id: "s", cwd, tool_name: tool, tool_use_id: "t", tool_input: given },
    });
    const shell = event(large, "Bash", { command: "true" });
    return {
      contenders: [
        {
          name: edit,
          sample: async () => [
            call("post-tool", event(small, "Edit", { file_path: join(small, "src/d0/f0.ts"), new_string: "x" })),
          ],
        },
        { name: bashBefore, sample: async () => [call("pre-bash", shell)] },
        {
          name: bashAfter,
          sample: async () => {
            call("pre-bash", shell);
            return [call("post-tool", shell)];
          },
        },
        {
          name: start,
          sample: async () => [call("session-start", { session_id: "s", cwd: small, source: "startup" })],
        },
        { name: "devflow --version", sample: async () => [timeHook([devflow, "--version"], home, {})] },
      ],
      finish: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});

function repository(root: string, files: number): string {
  for (let at = 0; at < files; at++) {
    const folder = join(root, `src/d${at % Math.ceil(files / 20)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${at}.ts`), `export const value${at} = ${at};\n`);
  }
  if (files <= 20) writeFileSync(join(root, "src/d0/f0.ts"), "x\n");
  const git = (...words: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync([
      "git",
      "-C",
      root,
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@x",
      ...words,
    ]);
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  };
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", "https://example.com/acme/shop.git");
  git("add", "-A");
  git("commit", "-qm", "Start");
  return root;
}

/** A team that was seen before, and a digest of the usual size. */
function prepareHome(home: string): void {
  const team = "0191b2c3-0000-7000-8000-000000000002";
  const user = { id: "0191b2c3-0000-7000-8000-000000000001", name: "Ada" };
  mkdirSync(join(home, "teams/local"), { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  writeFileSync(
    join(home, "teams/local/membership.json"),
    JSON.stringify({ user, teams: [{ id: team, slug: "t", name: "T" }] }),
  );
  writeFileSync(join(home, "machine-id"), "bench-1\n");
  const cache = join(home, "teams/local", team, "example.com%2Facme%2Fshop");
  mkdirSync(cache, { recursive: true });
  const at = new Date().toISOString();
  const decisions = Array.from({ length: 300 }, (_, index) => ({
    ...{
      id: `0191b2c3-0000-7000-8000-${String(index).padStart(12, "0")}`,
      rev: 1,
      number: index,
      repo: null,
      type: "decision",
    },
    ...{
      title: `Decision ${index}`,
      state: "accepted",
      excerpt: "Because it is simpler. ".repeat(10),
      user_id: user.id,
    },
    ...{
      user_name: "Grace",
      agent_id: null,
      files: [`src/d${index}/f.ts`],
      features: [],
      supersedes: null,
      superseded_by: null,
    },
    ...{ intent_id: null, expires_at: null, source_file: null, source_number: null, created_at: at, updated_at: at },
  }));
  const digest = {
    at,
    repo: null,
    presence: [],
    intents: [],
    decisions,
    handoffs: [],
    hot_files: [],
    features: [],
    edits: [],
  };
  writeFileSync(join(cache, "brain.json"), JSON.stringify(digest));
}

function timeHook(command: readonly string[], home: string, input: object): number {
  const stdin = Buffer.from(JSON.stringify(input));
  const env = { PATH: process.env.PATH ?? "", HOME: home, DEVFLOW_HOME: home };
  const started = Bun.nanoseconds();
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd: "/", env, stdin, stdout: "ignore", stderr: "pipe" });
  const ms = (Bun.nanoseconds() - started) / 1e6;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
  return ms;
}
