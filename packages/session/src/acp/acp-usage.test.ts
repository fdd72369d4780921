import { expect, test } from "bun:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { usageMeter } from "./acp-usage.ts";

const of = (inputTokens: number, outputTokens: number, cacheReadTokens = 0, costUsd: number | null = null) => [
  { model: "m", inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0, costUsd },
];
const usage = (inputTokens: number, outputTokens: number, cachedReadTokens: number, totalTokens: number) => ({
  usage: { inputTokens, outputTokens, cachedReadTokens, totalTokens },
});

test("cached tokens are not counted as input, whether the agent counts them there or not", () => {
  expect(usageMeter("turn").turn(usage(1093, 60, 7, 1160), "m")).toEqual(of(1093, 60, 7));
  expect(usageMeter("turn").turn(usage(1100, 60, 7, 1160), "m")).toEqual(of(1093, 60, 7));
});

test("what a process has used in all is split into turns", () => {
  const meter = usageMeter("process");
  expect(meter.turn(usage(1100, 60, 7, 1160), "m")).toEqual(of(1093, 60, 7));
  expect(meter.turn(usage(1120, 70, 7, 1190), "m")).toEqual(of(20, 10));
  expect(meter.turn(usage(1120, 70, 7, 1190), "m")).toEqual([]);
});

test("the requests of a turn are added up from its chunks", () => {
  const meter = usageMeter("chunks");
  const chunk = (used: object): SessionUpdate => ({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "" },
    _meta: { usage: used },
  });
  meter.heard(chunk(usage(100, 20, 7, 120).usage));
  meter.heard(chunk(usage(1000, 40, 0, 1040).usage));
  expect(meter.turn({}, "m")).toEqual(of(1093, 60, 7));
  expect(meter.turn({}, "m")).toEqual([]);
});

test("a quota names its models", () => {
  const answer = {
    _meta: { quota: { model_usage: [{ model: "pro", token_count: { input_tokens: 10, output_tokens: 5 } }] } },
  };
  expect(usageMeter("quota").turn(answer, "m")).toEqual([{ ...of(10, 5)[0], model: "pro" }] as never);
  expect(usageMeter("quota").turn({}, "m")).toEqual([]);
});

test("dollars of a process are split into turns; other money is not taken for dollars", () => {
  const meter = usageMeter("turn");
  const cost = (amount: number, currency = "USD"): SessionUpdate => ({
    sessionUpdate: "usage_update",
    used: 1,
    size: 1,
    cost: { amount, currency },
  });
  meter.heard(cost(0.5));
  expect(meter.turn(usage(10, 5, 0, 15), "m")).toEqual(of(10, 5, 0, 0.5));
  meter.heard(cost(0.75));
  meter.heard(cost(9, "EUR"));
  expect(meter.turn(usage(10, 5, 0, 15), "m")).toEqual(of(10, 5, 0, 0.25));
});

test("a cancelled turn without usage reports none", () => {
  expect(usageMeter("turn").turn({ usage: null }, "m")).toEqual([]);
});
