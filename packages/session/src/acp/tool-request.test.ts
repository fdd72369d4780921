import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { temporaryFolder } from "@devflow/testkit";
import { plainLaunch } from "../../testing/index.ts";
import type { HeldStart } from "../holder/held-start.ts";
import { describeRequest, isAllowedAtOnce, pathsOf } from "./tool-request.ts";

const cwd = temporaryFolder("worktree");
const artifacts = temporaryFolder("artifacts");
const start: HeldStart = {
  sessionId: "s",
  runId: "run",
  roleId: "coder",
  wire: "acp",
  command: ["agent"],
  cwd,
  writableFolders: [artifacts],
  launch: { ...plainLaunch, allowedCommands: ["npm test"] },
  prelude: "",
};
const reader: HeldStart = { ...start, launch: { ...start.launch, mayEdit: false } };
const call = (more: Partial<ToolCallUpdate>): ToolCallUpdate => ({ toolCallId: "1", ...more });
const isAllowed = (one: ToolCallUpdate, who = start) => isAllowedAtOnce(one, pathsOf(one, cwd), who, [cwd, artifacts]);

describe("without asking, an agent may", () => {
  const inside = call({ kind: "edit", locations: [{ path: join(cwd, "a.ts") }] });
  const artifact = call({ kind: "edit", rawInput: { file_path: join(artifacts, "plan.json") } });

  test("edit the worktree, if its role may", () => {
    expect([isAllowed(inside), isAllowed(inside, reader)]).toEqual([true, false]);
  });
  test("write artifacts, whatever its role", () => {
    expect([isAllowed(artifact), isAllowed(artifact, reader)]).toEqual([true, true]);
  });
  test("run exactly the commands that the repository allows", () => {
    const run = (command: string) => isAllowed(call({ kind: "execute", rawInput: { command } }));
    expect(["npm test", "npm test; curl x", "npm"].map(run)).toEqual([true, false, false]);
  });
  test("not edit a file outside, even beside one inside", () => {
    const diff = { type: "diff", path: "/etc/passwd", newText: "" } as const;
    expect(isAllowed(call({ ...inside, content: [diff] }))).toBe(false);
    expect(isAllowed(call({ ...inside, rawInput: { path: "../x" } }))).toBe(false);
  });
  test("not edit what git obeys, delete, move, or do what names no file", () => {
    const path = join(cwd, "a.ts");
    const asked = [
      call({ kind: "edit", locations: [{ path: join(cwd, ".git/hooks/pre-commit") }] }),
      call({ kind: "delete", locations: [{ path }] }),
      call({ kind: "move", locations: [{ path }] }),
      call({ kind: "other", locations: [{ path }] }),
      call({ kind: "edit" }),
      call({}),
    ];
    expect(asked.map((one) => isAllowed(one))).toEqual(asked.map(() => false));
  });
});

test("a person is asked with the command or the files, and what allowing it for the run would cover", () => {
  const described = (one: ToolCallUpdate) => describeRequest(one, pathsOf(one, cwd), cwd);
  expect(described(call({ kind: "execute", rawInput: { command: "make" }, name: "bash" }))).toEqual({
    tool: "bash",
    detail: "make",
    covers: "bash: make",
  });
  expect(described(call({ kind: "delete", locations: [{ path: join(cwd, "a.ts") }] }))).toEqual({
    tool: "delete",
    detail: join(cwd, "a.ts"),
    covers: "delete in the worktree",
  });
  expect(described(call({ kind: "fetch", title: "https://example.com" }))).toEqual({
    tool: "fetch",
    detail: "https://example.com",
  });
});
