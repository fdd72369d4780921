import { expect, test } from "bun:test";
import { systemClock } from "@devflow/core/clock";
import { quietLog } from "@devflow/testkit";
import { changeHub } from "./change-hub.ts";

test("a stream that is opened while memberships are checked stays open", async () => {
  const team = "6b1f3a52-9f4e-4a8e-8d1c-0f5b5d0c6a11";
  let answer: () => void = () => {};
  let isSlow = false;
  const hub = changeHub({
    store: {
      changesAfter: async () => [],
      heads: async () => new Map([[team, 1]]),
      announce: async () => {},
      async teamsOf(users) {
        if (isSlow) await new Promise<void>((resolve) => (answer = resolve));
        return new Map(users.map((user) => [user, new Set(user === "left" && isSlow ? [] : [team])]));
      },
    },
    clock: systemClock,
    log: quietLog,
    limits: { maxStreams: 10, maxWaitingBytes: 1e6 },
  });
  const request = { expiresAtMs: Number.POSITIVE_INFINITY, teamId: team, after: new Map<string, number>() };
  const isOpen = async (stream: ReadableStream<Uint8Array>) => {
    const reader = stream.getReader();
    await reader.read();
    return await Promise.race([reader.read().then(({ done }) => !done), Bun.sleep(50).then(() => true)]);
  };
  const left = await hub.subscribe({ ...request, userId: "left" });
  isSlow = true;
  const checked = hub.checkMemberships();
  isSlow = false;
  const late = await hub.subscribe({ ...request, userId: "late" });
  isSlow = true;
  answer();
  await checked;
  expect([await isOpen(left), await isOpen(late)]).toEqual([false, true]);
  await hub.stop();
});
