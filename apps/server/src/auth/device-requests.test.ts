import { expect, test } from "bun:test";
import { judgePoll } from "./device-requests.ts";

const row = { expiresAtMs: 100_000, polledAtMs: null, intervalS: 5, decision: null } as const;
const table: readonly (readonly [change: Partial<Parameters<typeof judgePoll>[0]>, now: number, verdict: string])[] = [
  [{}, 0, "authorization_pending"],
  [{ polledAtMs: 1_000 }, 5_999, "slow_down"],
  [{ polledAtMs: 1_000 }, 6_000, "authorization_pending"],
  [{ polledAtMs: 1_000, intervalS: 10 }, 6_000, "slow_down"],
  [{ decision: "approved" }, 0, "approved"],
  [{ decision: "approved", polledAtMs: 0 }, 1, "approved"],
  [{ decision: "denied" }, 0, "access_denied"],
  [{}, 100_000, "expired_token"],
  [{ decision: "approved" }, 100_000, "expired_token"],
];
test.each(table)("a request with %j, polled at %d, is %s", (change, now, verdict) => {
  expect(judgePoll({ ...row, ...change }, now)).toBe(verdict as never);
});
