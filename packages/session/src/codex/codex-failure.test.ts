import { expect, test } from "bun:test";
import { codexFailure, renewedAt } from "./codex-failure.ts";

test("errors of the provider are named by their status, and 429 is a rate limit", () => {
  const retried = { message: "Reconnecting... 1/5", additionalDetails: "too many" };
  const with429 = { ...retried, codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 429 } } };
  expect(codexFailure(with429)).toEqual({ reason: "the model's provider answered 429: too many", isRateLimit: true });
  const with529 = { message: "overloaded", codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 529 } } };
  expect(codexFailure(with529)).toEqual({
    reason: "the model's provider answered 529: overloaded",
    isRateLimit: false,
  });
  const used = { message: "You have hit your usage limit.", codexErrorInfo: "usageLimitExceeded" };
  expect(codexFailure(used)).toEqual({ reason: "You have hit your usage limit.", isRateLimit: true });
  const cut = { message: "cut", codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } } };
  expect(codexFailure(cut)).toEqual({ reason: "cut", isRateLimit: false });
});

test("a limit is renewed when the last used-up window is", () => {
  const open = { usedPercent: 99, resetsAt: 3_000 };
  expect(renewedAt({ primary: { usedPercent: 100, resetsAt: 1_000 }, secondary: open })).toEqual(new Date(1_000_000));
  expect(renewedAt({ primary: open, secondary: null })).toBe(undefined);
});
