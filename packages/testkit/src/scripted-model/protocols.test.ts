/** The protocols of other vendors: OpenAI Chat Completions and Gemini. */
import { describe, expect, test } from "bun:test";
import { type ScenarioInput, startScriptedModel } from "../index.ts";

const answer: ScenarioInput["otherwise"] = {
  text: ["Hel", { text: "lo", afterMs: 5 }],
  tools: [{ name: "write", id: "call_1", arguments: { path: "/a", content: "a text longer than one piece" } }],
  usage: { input: 100, output: 20, cacheRead: 7 },
};

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const eventsOf = (stream: string) =>
  stream
    .trim()
    .split("\n\n")
    .map((frame) => frame.replace(/^data: /, ""))
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));

describe("OpenAI Chat Completions", () => {
  const tools = [{ type: "function", function: { name: "write", parameters: {} } }];
  const ask = (url: string, more: object = {}) =>
    post(
      `${url}/chat/completions`,
      { model: "m", messages: [{ role: "user", content: "hello" }], tools, ...more },
      { authorization: "Bearer key-1" },
    );

  test("a streamed answer is deltas of text and of tool calls, then the reason, then the usage", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const text = await (await ask(model.openaiUrl, { stream: true })).text();
    expect(text).toEndWith("data: [DONE]\n\n");
    const chunks = eventsOf(text);
    const deltas = chunks.flatMap(({ choices }) => choices.map((one: { delta: object }) => one.delta));
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("Hello");
    const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, id: "call_1", type: "function", function: { name: "write" } });
    expect(calls.length).toBeGreaterThan(2);
    expect(JSON.parse(calls.map((one) => one.function.arguments).join(""))).toEqual({
      path: "/a",
      content: "a text longer than one piece",
    });
    expect(chunks.at(-2).choices[0].finish_reason).toBe("tool_calls");
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 7 } },
    });
  });

  test("a client that does not stream gets the same answer in one piece", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "Hello" } });
    expect(await (await ask(model.openaiUrl)).json()).toMatchObject({
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
  });

  test("steps see system, user text, tools and results", async () => {
    await using model = await startScriptedModel({
      steps: [
        {
          match: { protocol: "chat", userText: "/^go$/", system: "Be brief", toolResultText: "written" },
          answer: { text: "ok" },
        },
      ],
    });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "written" },
    ];
    expect((await ask(model.openaiUrl, { messages })).status).toBe(200);
    model.expectFollowed();
    expect(model.requests[0]).toMatchObject({
      tools: ["write"],
      apiKey: "key-1",
      firstUserText: "go",
      toolResults: [{ id: "call_1", text: "written" }],
    });
  });

  test("an error has OpenAI's shape, also inside a stream", async () => {
    await using model = await startScriptedModel({
      steps: [{ answer: { error: 429 } }, { answer: { text: "half", error: { status: 500, inStream: true } } }],
    });
    const refused = await ask(model.openaiUrl);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: { message: "scripted error 429", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } },
    ]);
    const chunks = eventsOf(await (await ask(model.openaiUrl, { stream: true })).text());
    expect(chunks.at(-1)).toMatchObject({ error: { type: "api_error" } });
  });
});

describe("Gemini", () => {
  const tools = [{ functionDeclarations: [{ name: "write" }, { name: "read" }] }];
  const contents = [{ role: "user", parts: [{ text: "hello" }] }];
  const ask = (url: string, method: string, more: object = {}) =>
    post(
      `${url}/v1beta/models/gemini-x:${method}?alt=sse`,
      { contents, tools, ...more },
      { "x-goog-api-key": "key-1" },
    );

  test("a streamed answer is texts, then the calls with the reason and the usage", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const chunks = eventsOf(await (await ask(model.url, "streamGenerateContent")).text());
    const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
    expect(parts).toEqual([
      { text: "Hel" },
      { text: "lo" },
      { functionCall: { id: "call_1", name: "write", args: { path: "/a", content: "a text longer than one piece" } } },
    ]);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, cachedContentTokenCount: 7 },
    });
  });

  test("a client that does not stream gets the same answer in one piece, and tokens can be counted", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "Hello" } });
    expect(await (await ask(model.url, "generateContent")).json()).toMatchObject({
      candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
    });
    expect(await (await ask(model.url, "countTokens")).json()).toEqual({ totalTokens: expect.any(Number) });
  });

  test("steps see model, system, user text, tools and results", async () => {
    await using model = await startScriptedModel({
      steps: [
        {
          match: { protocol: "gemini", model: "gemini-x", userText: "hello", toolResultText: "written" },
          answer: { text: "ok" },
        },
      ],
    });
    const results = {
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "write", response: { output: "written" } } }],
    };
    const more = { systemInstruction: { parts: [{ text: "Be brief." }] }, contents: [...contents, results] };
    expect((await ask(model.url, "generateContent", more)).status).toBe(200);
    model.expectFollowed();
    expect(model.requests[0]).toMatchObject({
      tools: ["write", "read"],
      system: "Be brief.",
      apiKey: "key-1",
      toolResults: [{ id: "c1", text: '{"output":"written"}' }],
    });
  });

  test("an error has Google's shape", async () => {
    await using model = await startScriptedModel({ steps: [{ answer: { error: 429 } }] });
    const refused = await ask(model.url, "generateContent");
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: { code: 429, message: "scripted error 429", status: "RESOURCE_EXHAUSTED" } },
    ]);
  });
});
