import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import { Secret } from "@devflow/core/secret";
import { type ScenarioInput, startScriptedModel, temporaryFolder } from "@devflow/testkit";
import { checkExpectation, questionFor } from "../expectations/index.ts";
import { createJudge, judgeCache, judgeProvider, parseJudgeProfiles } from "./index.ts";
import type { JudgeOptions } from "./judge.ts";

const key = "sk-test-0123456789abcdef";
const given = { name: "a case", input: { topic: "rents" } };
const scored = (scores: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, { reasoning: "because", score }]));
const tool = (scores: Record<string, unknown>) => ({ tools: [{ name: "record_scores", arguments: scored(scores) }] });
const profilesOf = (yaml: string) => parseJudgeProfiles(new TextEncoder().encode(yaml), "judge-profiles.yaml");

async function judgeWith(scenario: ScenarioInput, yaml: string, more: Partial<JudgeOptions> = {}) {
  const model = await startScriptedModel(scenario);
  const judge = createJudge({
    profiles: profilesOf(yaml),
    tier: "standard",
    isFullRun: false,
    providers: {
      anthropic: { baseUrl: model.url, key: new Secret(key) },
      openai: { baseUrl: model.openaiUrl, key: new Secret(key) },
    },
    clock: { ...systemClock, sleep: async () => undefined },
    ...more,
  });
  async function check(expectation: { type: string; [name: string]: unknown }, output: unknown = "Rents fell.") {
    const asked = questionFor(expectation, output, given, judge.profileNames);
    if (!asked || "outcome" in asked) return { outcome: asked?.outcome, judged: undefined };
    const judged = await judge.ask(asked.question, output, given);
    return { outcome: checkExpectation(expectation, output, given, judged), judged };
  }
  return { model, judge, check, [Symbol.asyncDispose]: () => model.close() };
}

const quality = { type: "quality_check", criteria: { accuracy: 0.7, tone: 0.5 } };
const plain = "profiles: { default: { model: claude-sonnet-4-6 } }";

test("Anthropic Messages: sends a strict schema, and returns scores and usage", async () => {
  const answer = { ...tool({ accuracy: 0.9, tone: 0.4 }), usage: { input: 100, output: 20, cacheRead: 50 } };
  await using judges = await judgeWith({ steps: [{ match: { protocol: "anthropic" }, answer }] }, plain);
  const { outcome, judged } = await judges.check(quality);
  expect(outcome).toMatchObject({ status: "fail", expected: 0.5, actual: 0.4, place: "criterion tone" });
  expect(outcome?.message).toBe("1 of 2 criteria below their threshold: tone 0.4 < 0.5");
  expect(judged?.usage).toEqual([
    {
      model: "claude-sonnet-4-6",
      calls: 1,
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 50,
      cacheWriteTokens: 0,
      costUsd: null,
    },
  ]);
  const request = judges.model.requests[0];
  expect(request?.apiKey).toBe(key);
  expect(request?.body).toMatchObject({
    tool_choice: { type: "tool" },
    tools: [{ strict: true, input_schema: { required: ["accuracy", "tone"], additionalProperties: false } }],
  });
  expect(request?.lastUserText).toContain("Rents fell.");
  expect(request?.lastUserText).toContain('"topic":"rents"');
  judges.model.expectFollowed();
});

test("OpenAI Responses: the same, with a 1 to 5 scale converted", async () => {
  const yaml =
    "profiles: { default: { model: gpt-5.4, scale: { min: 1, max: 5 }, criteria: { accuracy: { threshold: 0.5, weight: 3 } } } }";
  const answer = {
    text: JSON.stringify(scored({ accuracy: 4, tone: 3 })),
    usage: { input: 120, cacheRead: 100, output: 9 },
  };
  await using judges = await judgeWith({ steps: [{ match: { protocol: "responses" }, answer }] }, yaml);
  const { outcome, judged } = await judges.check(quality);
  expect(outcome).toMatchObject({ status: "pass", score: (0.75 * 3 + 0.5) / 4 });
  expect(judged?.scores).toEqual({ accuracy: 0.75, tone: 0.5 });
  expect(judged?.usage[0]).toMatchObject({ model: "gpt-5.4", calls: 1, outputTokens: 9, cacheReadTokens: 100 });
  expect(judges.model.requests[0]?.body).toMatchObject({
    text: { format: { type: "json_schema", strict: true } },
    store: false,
  });
});

test("chat completions of a compatible server work", async () => {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    bodies.push({ path: request.url, ...JSON.parse(text) });
    const content = `Here you are:\n\`\`\`json\n${JSON.stringify(scored({ accuracy: 1, tone: 1 }))}\n\`\`\``;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 7, completion_tokens: 3 } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const yaml = "profiles: { default: { model: llama, provider: openai-chat } }";
  await using judges = await judgeWith({ otherwise: { text: "no" } }, yaml, {
    providers: { anthropic: { baseUrl, key: undefined }, openai: { baseUrl, key: undefined } },
  });
  const { outcome, judged } = await judges.check(quality);
  expect(outcome?.status).toBe("pass");
  expect(judged?.usage[0]).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  expect(bodies).toMatchObject([{ path: "/v1/chat/completions", response_format: { type: "json_schema" } }]);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

test("rate limits and server errors are retried, and retry-after is respected", async () => {
  const pauses: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void pauses.push(ms) };
  const steps = [
    { answer: { error: { status: 429, headers: { "retry-after": "7" } } } },
    { answer: { error: 529 } },
    { answer: { text: "half", malformed: "invalid-json" as const } },
    { answer: tool({ accuracy: 1, tone: 1 }) },
  ];
  await using judges = await judgeWith({ steps }, plain, { clock });
  expect((await judges.check(quality)).outcome?.status).toBe("pass");
  expect(pauses).toEqual([7_000, 1_000, 2_000]);
});

test("a judge that keeps failing is an error, not a failure, and its message contains no key", async () => {
  const steps = [
    { times: "always" as const, answer: { error: { status: 401, message: `bad key ${key} and sk-ant-other12345` } } },
  ];
  await using judges = await judgeWith({ steps }, plain);
  const { outcome, judged } = await judges.check(quality);
  expect(outcome).toMatchObject({
    status: "error",
    message: expect.stringContaining("HTTP 401: bad key [redacted] and [redacted]"),
  });
  expect(JSON.stringify({ outcome, judged })).not.toContain(key);
  expect(judges.model.requests).toHaveLength(1);
});

test("a judge that hangs is given up after its timeout, on each attempt", async () => {
  await using judges = await judgeWith(
    { steps: [{ times: "always", answer: { hang: true } }] },
    "profiles: { default: { model: claude-x, timeout_ms: 150 } }",
    { attempts: 2 },
  );
  const { outcome } = await judges.check(quality);
  expect(outcome).toMatchObject({
    status: "error",
    message: expect.stringContaining("after 2 attempts: no answer within 150 ms"),
  });
});

test("an invalid answer is sent back once", async () => {
  const steps = [
    { answer: tool({ accuracy: 0.9 }) },
    { match: { userText: '"tone" is missing' }, answer: tool({ accuracy: 0.9, tone: 0.9 }) },
  ];
  await using judges = await judgeWith({ steps }, plain);
  const { outcome, judged } = await judges.check(quality);
  expect(outcome?.status).toBe("pass");
  expect(judged?.usage).toHaveLength(2);

  const twice = [{ answer: tool({ accuracy: 7, tone: 1 }) }, { answer: { text: "I would rather not." } }];
  await using stubborn = await judgeWith({ steps: twice }, plain);
  expect((await stubborn.check(quality)).outcome).toMatchObject({
    status: "error",
    message: expect.stringContaining("gave no usable scores in two attempts: the answer is not a JSON object"),
  });
});

test("several judges vote, each vote is stored, and judges for full runs vote only there", async () => {
  const yaml = `
profiles:
  default:
    vote: majority
    judges: [{ model: claude-a, votes: 2 }, { model: gpt-b }, { model: claude-c, tier: full }]
`;
  const scenario: ScenarioInput = {
    steps: [
      { match: { model: "claude-a" }, answer: tool({ accuracy: 0.9, tone: 0.9 }) },
      { match: { model: "claude-a" }, answer: tool({ accuracy: 0.1, tone: 0.9 }) },
      { match: { model: "gpt-b" }, answer: { text: JSON.stringify(scored({ accuracy: 0.8, tone: 0.1 })) } },
    ],
  };
  await using judges = await judgeWith(scenario, yaml);
  const { outcome, judged } = await judges.check(quality);
  expect(judged?.scores).toEqual({ accuracy: 0.8, tone: 0.9 });
  expect(outcome?.status).toBe("pass");
  expect(judged?.votes.map(({ model }) => model)).toEqual(["claude-a", "claude-a", "gpt-b"]);
  expect(judged?.identities.map(({ model }) => model)).toEqual(["claude-a", "gpt-b"]);

  const full: ScenarioInput = {
    steps: [...scenario.steps!, { match: { model: "claude-c" }, answer: tool({ accuracy: 0.1, tone: 1 }) }],
  };
  await using all = await judgeWith(full, yaml, { isFullRun: true });
  expect((await all.check(quality)).judged?.scores.accuracy).toBe(0.1);
});

test("votes are cached by model, rubric and content, and a broken entry is asked for again", async () => {
  const folder = temporaryFolder();
  const cache = judgeCache(folder, Date.now);
  const scenario: ScenarioInput = { steps: [{ times: "always", answer: tool({ accuracy: 1, tone: 1 }) }] };
  await using judges = await judgeWith(scenario, plain, { cache });
  await judges.check(quality);
  const again = await judges.check(quality);
  expect(again.judged).toMatchObject({ usage: [], votes: [{ cached: true }] });
  expect(again.outcome?.status).toBe("pass");
  expect(judges.model.requests).toHaveLength(1);
  await judges.check(quality, "Rents rose.");
  expect(judges.model.requests).toHaveLength(2);
  // Another threshold is not another question; another criterion is.
  await judges.check({ ...quality, criteria: { accuracy: 1, tone: 0 } });
  expect(judges.model.requests).toHaveLength(2);
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (!name.endsWith(".json")) continue;
    expect(readFileSync(join(folder, name), "utf8")).not.toContain(key);
    writeFileSync(join(folder, name), '{"_cache_version": 1, "scores": {"accuracy": 99}}');
  }
  expect((await judges.check(quality)).outcome?.status).toBe("pass");
  expect(judges.model.requests).toHaveLength(3);
});

test("tiers, aliases and the file's own table choose the model", async () => {
  const yaml = "tiers: { full: my-judge }\nprofiles: { default: {}, strict: { model: opus }, quick: { model: haiku } }";
  const scenario: ScenarioInput = {
    steps: [
      { match: { model: "claude-sonnet-4-6" }, answer: tool({ accuracy: 1, tone: 1 }) },
      { match: { model: "my-judge" }, answer: { text: JSON.stringify(scored({ accuracy: 1, tone: 1 })) } },
      { match: { model: "claude-haiku-4-5" }, answer: tool({ accuracy: 1, tone: 1 }) },
    ],
  };
  await using judges = await judgeWith(scenario, yaml);
  await judges.check(quality);
  await judges.check({ ...quality, judge_profile: "strict" });
  await judges.check({ ...quality, judge_profile: "quick" });
  judges.model.expectFollowed();
  expect((await judges.check({ ...quality, judge_profile: "strickt" })).outcome).toMatchObject({
    status: "error",
    message: 'unknown judge profile "strickt"; did you mean strict?',
  });
});

test("voice_check takes a profile name or a description; question_quality calls no judge for an output without questions", async () => {
  const yaml =
    "profiles: { default: { model: claude-x }, terse: { model: claude-x, criteria: { brevity: { threshold: 0.9 } } } }";
  const scenario: ScenarioInput = {
    steps: [
      { match: { system: "- brevity" }, answer: tool({ brevity: 0.8 }) },
      { match: { system: "- voice: like a pilot" }, answer: tool({ voice: 0.8 }) },
      { match: { userText: "1. Why?" }, answer: tool({ depth: 0.7 }) },
    ],
  };
  await using judges = await judgeWith(scenario, yaml);
  expect((await judges.check({ type: "voice_check", criteria: "terse" })).outcome).toMatchObject({
    status: "fail",
    expected: 0.9,
  });
  expect((await judges.check({ type: "voice_check", criteria: "like a pilot" })).outcome?.status).toBe("pass");
  expect((await judges.check({ type: "question_quality", criteria: ["depth"] }, "So. Why?")).outcome?.status).toBe(
    "pass",
  );
  expect((await judges.check({ type: "question_quality", criteria: ["depth"] }, "So.")).outcome?.status).toBe("fail");
  expect((await judges.check({ ...quality }, { title: "x" })).outcome).toMatchObject({
    status: "fail",
    message: "output has no text to judge",
  });
  judges.model.expectFollowed();
});

test("a criterion called constructor or toString is a name like any other", async () => {
  const names = { constructor: 0.7, toString: 0.2, hasOwnProperty: 0.5 };
  const answer = tool({ constructor: 0.9, toString: 0.1, hasOwnProperty: 0.5 });
  await using judges = await judgeWith({ steps: [{ match: { protocol: "anthropic" }, answer }] }, plain);
  const { outcome, judged } = await judges.check({ type: "quality_check", criteria: names });
  expect(outcome?.message).toBe("1 of 3 criteria below their threshold: toString 0.1 < 0.2");
  expect(Object.entries(judged?.scores ?? {})).toEqual([
    ["constructor", 0.9],
    ["toString", 0.1],
    ["hasOwnProperty", 0.5],
  ]);
  expect(judges.model.requests[0]?.lastUserText).not.toContain("[native code]");
});

test("the configured judge answers any prompt with text, for suites of other tools", async () => {
  const steps = [
    {
      match: { protocol: "anthropic" as const },
      answer: { tools: [{ name: "record_scores", arguments: { answer: '{"pass":true}' } }] },
    },
  ];
  await using model = await startScriptedModel({ steps });
  const target = { baseUrl: model.url, key: new Secret(key) };
  const provider = judgeProvider({
    profiles: profilesOf(plain),
    tier: "standard",
    providers: { anthropic: target, openai: target },
  });
  const { signal } = new AbortController();
  expect(await provider.call({ prompt: "Is it polite?", vars: {}, signal })).toMatchObject({ output: '{"pass":true}' });
  expect(model.requests[0]?.lastUserText).toBe("Is it polite?");
});

test("errors in judge-profiles.yaml are reported with their line", () => {
  expect(() => profilesOf("profiles:\n  a:\n    modle: x\n    vote: loudest\n")).toThrow(
    /judge-profiles.yaml:4 profiles\.a\.vote[\s\S]*judge-profiles.yaml:3 profiles\.a\.modle: unknown key "modle"/,
  );
});
