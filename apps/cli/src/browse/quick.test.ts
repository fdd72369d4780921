import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { devflowCommand, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";

test("a daemon that dies during a command is reported as an error, without a stack trace", async () => {
  const home = temporaryHome();
  const cwd = temporaryFolder("ws");
  // It accepts the command and dies, as after a kill -9 at the wrong moment.
  const daemon = createServer((socket) => socket.once("data", () => socket.destroy()));
  await new Promise<void>((resolve) => daemon.listen(0, "127.0.0.1", resolve));
  try {
    mkdirSync(join(cwd, ".devflow"), { mode: 0o700 });
    const state = {
      ...proofOfSelf(),
      port: (daemon.address() as AddressInfo).port,
      token: "t".repeat(43),
      startedAt: new Date().toISOString(),
      binaryVersion: version,
      executable: devflowCommand()[0],
      executableTime: Number.MAX_SAFE_INTEGER,
    };
    writeFileSync(join(cwd, ".devflow/browse.json"), JSON.stringify(state), { mode: 0o600 });
    const { code, stderr } = await runProcess([...devflowCommand(), "browse", "click", "@e1"], {
      env: home.environment(),
      cwd,
    });
    expect([code, stderr.split("\n").length]).toEqual([expect.any(Number), 3]);
    expect(code).not.toBe(0);
    expect(stderr).not.toMatch(/^\s+at /m);
  } finally {
    daemon.close();
  }
});
