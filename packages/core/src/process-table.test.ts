import { afterEach, expect, test } from "bun:test";
import { ancestry, liveProcess, liveProcesses } from "./process-table.ts";

const started: { kill(signal: NodeJS.Signals): void; exited: Promise<number> }[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) {
    one.kill("SIGKILL");
    await one.exited;
  }
});

/** A pid exists a moment before its program does. */
async function untilItIs(pid: number, program: string): Promise<void> {
  while (liveProcess(pid)?.argv[0] !== program) await Bun.sleep(1);
}

/** A shell that starts a sleep and waits: a child and a grandchild of this process. */
async function family(): Promise<{ shell: number; sleep: number }> {
  const shell = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; wait"], {
    env: { PATH: process.env.PATH ?? "", FAMILY: "ours" },
    stdout: "pipe",
  });
  started.push(shell);
  const { value } = await shell.stdout.getReader().read();
  const sleep = Number(new TextDecoder().decode(value));
  started.push({ kill: (signal) => process.kill(sleep, signal), exited: Promise.resolve(0) });
  await untilItIs(sleep, "sleep");
  return { shell: shell.pid, sleep };
}

test("a process has a parent, a name, a command line and its start environment", async () => {
  const { shell, sleep } = await family();
  const found = liveProcess(sleep);
  expect(found).toMatchObject({ pid: sleep, parent: shell, name: "sleep", argv: ["sleep", "600"] });
  expect(found?.group).toBeGreaterThan(0);
  if (process.platform === "linux") expect(found?.variables).toContain("FAMILY=ours");
});

test("the ancestry of a process leads through its parents to this one", async () => {
  const { shell, sleep } = await family();
  const pids = [...ancestry(sleep)].map(({ pid }) => pid);
  expect(pids.slice(0, 3)).toEqual([sleep, shell, process.pid]);
});

test("the full list contains a process's children and their children", async () => {
  const { shell, sleep } = await family();
  const parents = new Map(liveProcesses().map(({ pid, parent }) => [pid, parent]));
  expect([parents.get(sleep), parents.get(shell)]).toEqual([shell, process.pid]);
});

test("a name with brackets and spaces does not shift the other fields", async () => {
  const child = Bun.spawn(["sleep", "600"], { argv0: "odd) (name 1" });
  started.push(child);
  await untilItIs(child.pid, "odd) (name 1");
  expect(liveProcess(child.pid)).toMatchObject({ parent: process.pid, argv: ["odd) (name 1", "600"] });
});

test("a process that has ended and numbers that are not pids are not listed", async () => {
  const child = Bun.spawn(["sleep", "600"]);
  child.kill("SIGKILL");
  await child.exited;
  expect([child.pid, 0, -1, 1.5, Number.NaN, 2 ** 31].map(liveProcess)).toEqual(Array(6).fill(undefined));
  expect([...ancestry(child.pid)]).toEqual([]);
});

test("a killed process that its parent has not reaped is not listed", async () => {
  // The shell becomes a program that never waits for its child: the child stays a zombie.
  const parent = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; exec sleep 601"], { stdout: "pipe" });
  started.push(parent);
  const { value } = await parent.stdout.getReader().read();
  const zombie = Number(new TextDecoder().decode(value));
  await untilItIs(parent.pid, "sleep");
  process.kill(zombie, "SIGKILL");
  while (liveProcess(zombie) !== undefined) await Bun.sleep(1);
  expect(process.kill(zombie, 0)).toBe(true);
});
