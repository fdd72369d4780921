/** A holder whose agent never answers. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expectNoLeaks, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { plainLaunch } from "../../testing/index.ts";
import { createHeldAdapter } from "./held-adapter.ts";
import { openWithin } from "./open-within.ts";

const holder = fileURLToPath(new URL("../../testing/holder-program.ts", import.meta.url));

test.each(["claude", "codex"])("%s that does not answer is ended, and the driver gets the reason", async (wire) => {
  const adapter = createHeldAdapter({
    wire,
    command: ["sh", "-c", "sleep 1000"],
    holderCommand: [process.execPath, holder],
    environment: () => temporaryHome().environment({ HOLDER_OPEN_LIMIT_MS: "300" }),
  });
  const input = {
    ...{ sessionId: `silent-${wire}`, runId: "run", roleId: "coder", laneId: "main", backend: wire },
    cwd: temporaryFolder("worktree"),
    folder: join(temporaryFolder("session"), "session"),
    ...{ writableFolders: [], variables: [], launch: plainLaunch, prelude: "" },
  };
  const call = { epoch: 1, signal: new AbortController().signal };
  await expect(adapter.start(input, call)).rejects.toMatchObject({
    code: "session_start_failed",
    details: { reason: "the agent's program runs, but did not answer within 0.3 s" },
  });
  await expectNoLeaks(5_000);
});

test("one that fails by itself says so", async () => {
  const wire = { open: () => Promise.reject(new Error("not logged in")), close: () => Promise.resolve() };
  await expect(openWithin(wire, 60_000)).rejects.toThrow("not logged in");
});
