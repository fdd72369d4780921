#!/usr/bin/env bun
/** The `devflow-worker` executable: drives the runs of this machine that belong to Temporal. Agents' own processes first. */
const words = process.argv.slice(2);
const [first = "", second = ""] = words;

switch (first) {
  case "fake-agent": {
    process.on("SIGHUP", () => undefined);
    (await import("@devflow/runs/fake-agent")).runFakeAgent(second);
    break;
  }
  case "session-holder": {
    const { processEnvironment } = await import("@devflow/core/environment");
    const given = Object.entries(processEnvironment()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    await (await import("@devflow/runs/session-holder")).runSessionHolder(second, Object.fromEntries(given));
    break;
  }
  case "session-hook": {
    const { runHook } = await import("@devflow/runs/session-hook");
    const print = (answer: string) => void process.stdout.write(answer);
    await runHook(second, { input: process.stdin, print });
    break;
  }
  case "sandbox-inside": {
    const { runInside } = await import("@devflow/runs/sandbox-inside");
    process.exitCode = await runInside(JSON.parse(second), words.slice(words[2] === "--" ? 3 : 2));
    break;
  }
  default:
    process.exitCode = await (await import("./worker-program.ts")).workerProgram(words);
}

export {};
