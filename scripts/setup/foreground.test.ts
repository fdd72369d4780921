import { expect, test } from "bun:test";
import { join } from "node:path";
import { runProcess, startProcess, temporaryHome } from "@devflow/testkit";

const module = join(import.meta.dir, "foreground.mjs");
const env = temporaryHome().environment();
const wrapper = (program: string) => [
  "node",
  "--input-type=module",
  "-e",
  `const { runInForeground } = await import(${JSON.stringify(module)});
   process.exitCode = await runInForeground(${JSON.stringify(process.execPath)}, ["-e", ${JSON.stringify(program)}]);`,
];

/** Prints the signals it received, and exits a while after SIGTERM, like a server that shuts down cleanly. */
const listens = `
  const got = [];
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {
    got.push(signal);
    if (signal === "SIGTERM") setTimeout(() => { console.log("got " + got.join(",")); process.exit(5); }, 200);
  });
  setInterval(() => {}, 1000);
  console.log("ready");`;

test("the exit code is the program's own", async () => {
  expect((await runProcess(wrapper("process.exit(7)"), { env })).code).toBe(7);
});

test("a program that was killed gives 128 plus the number of the signal", async () => {
  expect((await runProcess(wrapper('process.kill(process.pid, "SIGKILL")'), { env })).code).toBe(137);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} to the wrapper asks the program to stop, and waits for it`, async () => {
    await using running = startProcess(wrapper(listens), { env });
    await running.waitForOutput(/ready/);
    running.signal(signal);
    const { code, stdout } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 5, stdout: "ready\ngot SIGTERM\n" });
  });
}

test("Ctrl-C, which reaches the whole group, interrupts the program once", async () => {
  await using running = startProcess(wrapper(listens), { env });
  await running.waitForOutput(/ready/);
  process.kill(-running.pid, "SIGINT");
  const { code, stdout } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 5, stdout: "ready\ngot SIGINT,SIGTERM\n" });
});
