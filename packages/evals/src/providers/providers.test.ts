import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsOrSkip, claudeHome, codexHome, startScriptedModel, temporaryFolder } from "@devflow/testkit";
import { createProvider, type ProviderContext } from "./create-provider.ts";
import { type ProviderFault, type ProviderRequest, providerFaultKinds } from "./provider.ts";
import { providerKind, providerSpec } from "./provider-spec.ts";

const key = "sk-test-0123456789abcdef";
const place = (more: Partial<ProviderContext> = {}): ProviderContext => ({
  env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key },
  childEnv: { PATH: process.env.PATH },
  cwd: temporaryFolder(),
  ...more,
});
const ask = (prompt: ProviderRequest["prompt"], vars: Record<string, unknown> = {}): ProviderRequest => ({
  prompt,
  vars,
  signal: new AbortController().signal,
});
const make = (spec: unknown, more: Partial<ProviderContext> = {}) =>
  createProvider(providerSpec.parse(spec), place(more));
const faultOf = (answer: Promise<unknown>): Promise<ProviderFault> =>
  answer.then(
    () => Promise.reject(new Error("it answered")),
    (fault: ProviderFault) => fault,
  );

const chat = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Hello?" },
] as const;

test.each([
  ["anthropic:claude-haiku-4-5", "anthropic"],
  ["openai:gpt-5.4-mini", "responses"],
  ["openai:chat:gpt-5.4-mini", "chat"],
] as const)(
  "%s: the prompt and the system prompt arrive, and text, tokens and the reason to stop come back",
  async (id, protocol) => {
    await using model = await startScriptedModel({
      steps: [
        {
          match: { system: "Be kind.", userText: "Hello?", protocol, apiKey: key },
          answer: { text: "Hi.", usage: { input: 120, output: 7, cacheRead: 20 } },
        },
      ],
    });
    const env = {
      ...place().env,
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_BASE_URL: model.openaiUrl,
    };
    const provider = make({ id, max_tokens: 50, temperature: 0 }, { env });
    const answer = await provider.call(ask(chat));
    // OpenAI counts cached tokens as input, Anthropic does not.
    const input = protocol === "anthropic" ? 120 : 100;
    expect(answer).toMatchObject({ output: "Hi.", tokens: { input, output: 7, cacheRead: 20, cacheWrite: 0 } });
    expect(answer.finishReason).toBe({ anthropic: "end_turn", responses: "completed", chat: "stop" }[protocol]);
    const body = JSON.stringify(model.requests[0]?.body);
    expect(body).toContain(":50");
    expect(body).toContain('"temperature":0');
    model.expectFollowed();
  },
);

test.each(["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini", "openai:chat:gpt-5.4-mini"])(
  "%s: with tools, the output has the calls that the model wanted to make",
  async (id) => {
    await using model = await startScriptedModel({
      steps: [{ answer: { text: "I look.", tools: [{ name: "find_order", arguments: { id: 7 } }] } }],
    });
    const env = { ...place().env, ANTHROPIC_BASE_URL: model.url, OPENAI_BASE_URL: model.openaiUrl };
    const { output } = await make({ id, tools: [{ name: "find_order", type: "function" }] }, { env }).call(
      ask("Where?"),
    );
    expect(output).toEqual({ response: "I look.", tool_calls: [{ name: "find_order", input: { id: 7 } }] });
  },
);

test.each([
  [{ error: { status: 429, headers: { "retry-after": "2" } } }, "rate_limited", true, 2_000],
  [{ error: { status: 429, headers: { "retry-after-ms": "150" } } }, "rate_limited", true, 150],
  [{ error: { status: 529 } }, "rate_limited", true, undefined],
  [{ error: { status: 500 } }, "failed", true, undefined],
  [{ error: { status: 400, message: `no ${key}` } }, "failed", false, undefined],
  [{ error: { status: 401, message: `wrong key ${key} or sk-ant-abcdefg` } }, "misconfigured", false, undefined],
  [{ malformed: "reset" }, "failed", true, undefined],
  [{ malformed: "cut", text: "half" }, "failed", true, undefined],
  [{ malformed: "invalid-json", text: "half" }, "failed", true, undefined],
] as const)("%j is the fault %s, and no message contains the key", async (answer, kind, isTransient, retryAfterMs) => {
  await using model = await startScriptedModel({ steps: [{ answer: answer as never }] });
  const fault = await faultOf(
    make("anthropic:claude-haiku-4-5", { env: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url } }).call(
      ask("?"),
    ),
  );
  expect({ kind: fault.kind, isTransient: fault.isTransient, retryAfterMs: fault.retryAfterMs }).toEqual({
    kind,
    isTransient,
    retryAfterMs,
  });
  expect(providerFaultKinds).toContain(fault.kind);
  expect(fault.message).not.toContain("sk-");
});

test("headers are heard of every answer, also of a refusal: that is where rate limits are learned", async () => {
  const headers = { "anthropic-ratelimit-requests-remaining": "3" };
  await using model = await startScriptedModel({
    steps: [{ answer: { error: { status: 429, headers } } }, { answer: { text: "ok", headers } }],
  });
  const heard: (string | null)[] = [];
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url };
  const onHeaders = (given: Headers) => void heard.push(given.get("anthropic-ratelimit-requests-remaining"));
  const provider = make("anthropic:claude-haiku-4-5", { env, onHeaders });
  await faultOf(provider.call(ask("?")));
  await provider.call(ask("?"));
  expect(heard).toEqual(["3", "3"]);
});

test("a provider that hangs is given up after its time, and one that is stopped ends with the signal's reason", async () => {
  await using model = await startScriptedModel({ steps: [{ times: 2, answer: { hang: true } }] });
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url };
  const slow = make({ id: "anthropic:claude-haiku-4-5", timeout_seconds: 0.1 }, { env });
  expect((await faultOf(slow.call(ask("?")))).message).toBe("no answer within 100 ms");
  const stop = new AbortController();
  const call = make("anthropic:claude-haiku-4-5", { env }).call({ ...ask("?"), signal: stop.signal });
  await model.waitFor(({ number }) => number === 2);
  stop.abort(new Error("stopped"));
  expect(call).rejects.toThrow("stopped");
});

test("a key is sent only where it belongs: to its provider, or to a server that the suite names together with the key", async () => {
  await using model = await startScriptedModel({ steps: [{ times: "always", answer: { text: "ok" } }] });
  const env = { OPENAI_API_KEY: key, OWN_KEY: "sk-own-0123456789" };
  const id = "openai:chat:llama";
  await make({ id, base_url: model.openaiUrl }, { env }).call(ask("?"));
  await make({ id, base_url: model.openaiUrl, key_env: "OWN_KEY" }, { env }).call(ask("?"));
  expect(model.requests.map(({ apiKey }) => apiKey)).toEqual(["", "sk-own-0123456789"]);
  expect(() => make("anthropic:claude-haiku-4-5", { env })).toThrow("ANTHROPIC_API_KEY is not set");
  expect(() => make({ id, base_url: model.openaiUrl, key_env: "NO_KEY" }, { env })).toThrow("NO_KEY is not set");
});

test("an endpoint gets prompt and vars, and answers plainly or with what it used", async () => {
  const asked: unknown[] = [];
  const answers = [
    { response: "plain" },
    { output: { response: "told" }, usage: [{ model: "gpt-5.4", input_tokens: 10, output_tokens: 2 }], turns: 3 },
    { output: "paid", cost_usd: 0.25 },
    { output: null, error: "out of order" },
  ];
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      asked.push([await request.json(), request.headers.get("authorization")]);
      return Response.json(answers[asked.length - 1]);
    },
  });
  const provider = make({ id: `${server.url}ask`, key_env: "APP_KEY" }, { env: { APP_KEY: "app" } });
  const request = ask("Hello?", { question: "Hello?" });
  expect(await provider.call(request)).toMatchObject({ output: { response: "plain" } });
  expect(await provider.call(request)).toMatchObject({
    output: { response: "told" },
    tokens: { input: 10, output: 2 },
    raw: { model: "gpt-5.4", turns: 3 },
  });
  expect(await provider.call(request)).toMatchObject({ output: "paid", costUsd: 0.25 });
  expect((await faultOf(provider.call(request))).message).toBe("it reported an error: out of order");
  expect(asked[0]).toEqual([{ prompt: "Hello?", vars: { question: "Hello?" } }, "Bearer app"]);
});

test("a command reads prompt and vars, prints JSON or text, and runs without a shell", async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, "app.mjs"),
    `let text = ""; for await (const part of process.stdin) text += part;
     const { prompt, vars } = JSON.parse(text);
     if (vars.exit) process.exit(3);
     console.log(vars.json ? JSON.stringify({ output: { response: prompt, args: process.argv.slice(2) } }) : "just " + prompt);`,
  );
  const id = `exec:${process.execPath} app.mjs "two words" '$HOME'`;
  const provider = make(id, { cwd });
  expect((await provider.call(ask("hi"))).output).toBe("just hi");
  expect((await provider.call(ask("hi", { json: true }))).output).toEqual({
    response: "hi",
    args: ["two words", "$HOME"],
  });
  expect(await faultOf(provider.call(ask("hi", { exit: true })))).toMatchObject({ kind: "failed", isTransient: false });
  expect(await faultOf(make("exec:no-such-program", { cwd }).call(ask("hi")))).toMatchObject({ kind: "misconfigured" });
});

test.each([
  ["anthropic:claude-haiku-4-5", { is: "model", dialect: "anthropic", model: "claude-haiku-4-5" }],
  ["anthropic:messages:claude-haiku-4-5", { is: "model", dialect: "anthropic", model: "claude-haiku-4-5" }],
  ["openai:gpt-5.4", { is: "model", dialect: "openai", model: "gpt-5.4" }],
  ["openai:responses:gpt-5.4", { is: "model", dialect: "openai", model: "gpt-5.4" }],
  ["openai:chat:ft:gpt-4o:acme", { is: "model", dialect: "openai-chat", model: "ft:gpt-4o:acme" }],
  ["https://app.example/ask", { is: "endpoint", url: "https://app.example/ask" }],
  ["agent:claude", { is: "agent", agent: "claude" }],
  ["agent:copilot", { is: "backend", name: "copilot" }],
  ["agent:HAL 9000", { problem: 'agent: needs claude, codex or the name of a backend, not "HAL 9000"' }],
  ["exec: ", { problem: "exec: needs a command, such as exec:node app.js" }],
  ["openai:", { problem: expect.stringContaining('"openai:" is not a provider') }],
  ["gpt-5.4", { problem: expect.stringContaining("use anthropic:<model>") }],
])("%s", (id, kind) => {
  expect(providerKind(id)).toEqual(kind as never);
});

const agents = await agentsOrSkip();

test.skipIf(!agents)(
  "the real Claude Code answers headless, in an empty folder, with its tool calls and its cost",
  async () => {
    await using model = await startScriptedModel({
      steps: [
        {
          match: { userText: "List the files.", toolResult: false },
          answer: { text: "I look.", tools: [{ name: "Bash", arguments: { command: "ls -a", description: "list" } }] },
        },
        { match: { toolResult: true }, answer: { text: "There are none.", usage: { input: 900, output: 40 } } },
      ],
    });
    const { env } = claudeHome({ model });
    const childEnv = { ...env, PATH: `${agents!.claude.binFolder}:${env.PATH}` };
    const provider = make({ id: "agent:claude", args: ["--allowedTools", "Bash"], timeout_seconds: 60 }, { childEnv });
    const answer = await provider.call(ask("List the files."));
    expect(answer).toMatchObject({
      output: { response: "There are none.", tool_calls: [{ name: "Bash", input: { command: "ls -a" } }] },
      raw: { turns: 2 },
    });
    expect(answer.costUsd).toBeGreaterThan(0);
    expect(answer.tokens?.output).toBeGreaterThan(0);
    expect(model.requests.at(-1)?.toolResults[0]?.text.split("\n")).toEqual([".", ".."]);
  },
  120_000,
);

test.skipIf(!agents)(
  "the real Codex answers headless, with its commands and its tokens",
  async () => {
    await using model = await startScriptedModel({
      steps: [
        {
          match: { userText: "Say hello." },
          answer: { text: "Hello.", usage: { input: 900, output: 40, cacheRead: 100 } },
        },
      ],
    });
    const { env } = codexHome({ model });
    const childEnv = { ...env, PATH: `${agents!.codex.binFolder}:${env.PATH}` };
    const answer = await make({ id: "agent:codex", timeout_seconds: 60 }, { childEnv }).call(ask("Say hello."));
    expect(answer).toMatchObject({
      output: { response: "Hello.", tool_calls: [] },
      tokens: { input: 800, output: 40, cacheRead: 100 },
    });
  },
  120_000,
);
