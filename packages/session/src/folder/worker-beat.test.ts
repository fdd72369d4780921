import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { watchWorkerBeat, writeWorkerBeat } from "./worker-beat.ts";

test("a worker that is not heard of is told of once, and again after it was heard", async () => {
  const workspace = temporaryFolder();
  const session = join(workspace, "run", "sessions", "session");
  mkdirSync(session, { recursive: true });
  let silences = 0;
  let heard = Promise.withResolvers<void>();
  const stop = watchWorkerBeat(
    session,
    () => {
      silences += 1;
      heard.resolve();
    },
    5,
  );
  await Bun.sleep(60);
  expect(silences).toBe(0);
  for (const count of [1, 2]) {
    heard = Promise.withResolvers<void>();
    await writeWorkerBeat(workspace, { count, limitMs: 20 });
    await heard.promise;
    await Bun.sleep(60);
    expect(silences).toBe(count);
  }
  stop();
});
