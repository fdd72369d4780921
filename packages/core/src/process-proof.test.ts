import { describe, expect, test } from "bun:test";
import { isSameProcess, processIdentity, proofOfSelf } from "./process-proof.ts";

describe("proof of a process", () => {
  test("this process is recognized, also from another process", () => {
    const proof = proofOfSelf();
    expect(isSameProcess(proof)).toBe(true);
    const program = `
      const { isSameProcess } = await import(${JSON.stringify(`${import.meta.dir}/process-proof.ts`)});
      console.log(isSameProcess(${JSON.stringify(proof)}));`;
    expect(Bun.spawnSync([process.execPath, "-e", program]).stdout.toString()).toBe("true\n");
  });

  test("a live pid with another start time is not the same process", () => {
    expect(isSameProcess({ pid: process.pid, identity: "another boot:1" })).toBe(false);
    expect(isSameProcess({ pid: process.ppid, identity: proofOfSelf().identity })).toBe(false);
  });

  test("a process that has ended has no identity, and a file without an identity matches nothing", async () => {
    const child = Bun.spawn(["sleep", "600"]);
    const identity = processIdentity(child.pid);
    expect(identity).toBeString();
    expect(isSameProcess({ pid: child.pid, identity: identity ?? "" })).toBe(true);
    child.kill("SIGKILL");
    await child.exited;
    expect(processIdentity(child.pid)).toBeUndefined();
    expect(isSameProcess({ pid: child.pid, identity: identity ?? "" })).toBe(false);
    expect(isSameProcess({ pid: child.pid } as never)).toBe(false);
  });

  test("a process whose name has brackets and spaces is read correctly", async () => {
    const child = Bun.spawn(["sleep", "600"], { argv0: "odd) (name" });
    expect(processIdentity(child.pid)).toBeString();
    child.kill("SIGKILL");
    await child.exited;
  });

  test("numbers that are not pids have no identity", () => {
    expect([0, -1, 1.5, Number.NaN, 2 ** 31].map(processIdentity)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
