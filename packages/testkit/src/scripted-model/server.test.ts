import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type ScenarioInput, startScriptedModel, temporaryFolder } from "../index.ts";
import { readScenario } from "./scenario.ts";

const asAgent = { "user-agent": "claude-cli/2.1.197 (external, cli)" };
const someTool = { name: "Write", input_schema: { type: "object" } };

interface Asked {
  readonly text?: string;
  readonly stream?: boolean;
  readonly headers?: Record<string, string>;
  readonly more?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

const askAnthropic = (url: string, { text = "hello", stream = false, headers = {}, more = {}, signal }: Asked = {}) =>
  fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "x-api-key": "key-1", "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "claude-test",
      max_tokens: 10,
      stream,
      messages: [{ role: "user", content: text }],
      tools: [someTool],
      ...more,
    }),
    ...(signal ? { signal } : {}),
  });

const askResponses = (url: string, { text = "hello", stream = false, headers = {}, more = {} }: Asked = {}) =>
  fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: "Bearer key-2", "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-test", stream, input: text, ...more }),
  });

interface Event {
  readonly event: string;
  readonly data: Record<string, never> & { [name: string]: unknown };
}

function eventsOf(stream: string): Event[] {
  return stream
    .trim()
    .split("\n\n")
    .map((frame) => {
      const [event = "", data = ""] = frame.split("\n");
      return { event: event.replace("event: ", ""), data: JSON.parse(data.replace("data: ", "")) };
    });
}

const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { type: string; message: string } }).error;
const textOf = async (response: Response) =>
  ((await response.json()) as { content: { text: string }[] }).content.map(({ text }) => text).join("");

describe("Anthropic Messages", () => {
  const answer: ScenarioInput["otherwise"] = {
    text: ["Hel", { text: "lo", afterMs: 5 }],
    tools: [
      { name: "Write", id: "toolu_1", arguments: { file_path: "/a", content: "a text longer than one piece" } },
      { name: "Read", id: "toolu_2", arguments: {} },
    ],
    usage: { input: 100, output: 20, cacheRead: 7, cacheWrite: 3 },
  };

  test("a streamed answer is pieces of text and tool calls, ended by the reason and the usage", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const response = await askAnthropic(model.url, { stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = eventsOf(await response.text());
    expect(events.every(({ event, data }) => event === data.type)).toBe(true);
    const kinds = events.map(({ event }) => event).filter((event, index, all) => event !== all[index - 1]);
    const block = ["content_block_start", "content_block_delta", "content_block_stop"];
    expect(kinds).toEqual(["message_start", ...block, ...block, ...block, "message_delta", "message_stop"]);
    const deltas = events.filter(({ event }) => event === "content_block_delta").map(({ data }) => data);
    const joined = (index: number, member: string) =>
      deltas
        .filter((one) => one.index === index)
        .map((one) => (one.delta as unknown as Record<string, string>)[member])
        .join("");
    expect([joined(0, "text"), joined(1, "partial_json"), joined(2, "partial_json")]).toEqual([
      "Hello",
      '{"file_path":"/a","content":"a text longer than one piece"}',
      "{}",
    ]);
    expect(events.at(-2)?.data).toEqual({
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 20 },
    } as never);
  });

  test("a client that does not stream gets the same answer in one piece", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const { id, ...body } = (await (await askAnthropic(model.url)).json()) as { id: string };
    expect(id).toMatch(/^msg_/);
    expect(body as unknown).toEqual({
      type: "message",
      role: "assistant",
      model: "claude-test",
      content: [
        { type: "text", text: "Hello" },
        {
          type: "tool_use",
          id: "toolu_1",
          name: "Write",
          input: { file_path: "/a", content: "a text longer than one piece" },
        },
        { type: "tool_use", id: "toolu_2", name: "Read", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 3, cache_read_input_tokens: 7 },
    });
  });

  test("tokens are counted, HEAD / is answered, and other paths are refused by name", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "x" } });
    const counted = await fetch(`${model.url}/v1/messages/count_tokens`, { method: "POST", body: "x".repeat(40) });
    expect(await counted.json()).toEqual({ input_tokens: 10 });
    expect((await fetch(model.url, { method: "HEAD" })).status).toBe(200);
    const other = await fetch(`${model.url}/v1/elsewhere`);
    expect({ status: other.status, message: (await errorOf(other)).message }).toEqual({
      status: 404,
      message: "The scripted model does not serve GET /v1/elsewhere.",
    });
    expect(model.others).toEqual(["POST /v1/messages/count_tokens", "HEAD /", "GET /v1/elsewhere"]);
  });
});

describe("OpenAI Responses", () => {
  const answer: ScenarioInput["otherwise"] = {
    text: ["Hel", "lo"],
    tools: [
      { name: "exec_command", id: "call_1", arguments: { cmd: "ls" } },
      { name: "apply_patch", id: "call_2", input: "*** Begin Patch" },
    ],
    usage: { input: 100, output: 20, cacheRead: 40, reasoning: 5 },
  };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  };

  test("a streamed answer is items of text, function and custom tool calls, ended by the usage", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const events = eventsOf(await (await askResponses(model.url, { stream: true })).text());
    const done = events.filter(({ event }) => event === "response.output_item.done").map(({ data }) => data.item);
    expect(done).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: "Hello" }] },
      { type: "function_call", call_id: "call_1", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
    ]);
    expect(events[0]?.event).toBe("response.created");
    expect(events.at(-1)).toMatchObject({ event: "response.completed", data: { response: { usage, output: done } } });
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index) as never);
  });

  test("a client that does not stream gets the same answer in one piece", async () => {
    await using model = await startScriptedModel({ otherwise: answer });
    const body = await (await askResponses(model.url)).json();
    expect(body).toMatchObject({ object: "response", status: "completed", model: "gpt-test", usage });
    expect((body as { output: unknown[] }).output.length).toBe(3);
  });
});

describe("which step answers", () => {
  test("steps without conditions answer in order, each once", async () => {
    await using model = await startScriptedModel({
      steps: [{ answer: { text: "one" } }, { answer: { text: "two" }, times: 2 }],
      otherwise: { text: "after" },
    });
    const heard: string[] = [];
    for (let turn = 0; turn < 4; turn++) heard.push(await textOf(await askAnthropic(model.url)));
    expect(heard).toEqual(["one", "two", "two", "after"]);
    model.expectFollowed();
  });

  test("conditions on text, model, protocol, count and tool results choose among steps", async () => {
    await using model = await startScriptedModel({
      steps: [
        { match: { toolResultText: "/created/i" }, answer: { text: "by result" }, times: "always" },
        { match: { toolResult: true }, answer: { text: "by any result" } },
        { match: { userText: "/^plan/" }, answer: { text: "by text" } },
        { match: { model: "opus" }, answer: { text: "by model" } },
        { match: { protocol: "responses" }, answer: { text: "by protocol" } },
        { match: { nth: 6 }, answer: { text: "by count" } },
      ],
    });
    const result = (content: string) => ({
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "Write", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: content }] }],
        },
      ],
    });
    const heard = [
      await textOf(await askAnthropic(model.url, { more: result("File Created") })),
      await textOf(await askAnthropic(model.url, { more: result("failed") })),
      await textOf(await askAnthropic(model.url, { text: "plan it" })),
      await textOf(await askAnthropic(model.url, { more: { model: "claude-opus" } })),
      ((await (await askResponses(model.url)).json()) as { output: { content: { text: string }[] }[] }).output[0]
        ?.content[0]?.text,
      await textOf(await askAnthropic(model.url)),
    ];
    expect(heard).toEqual(["by result", "by any result", "by text", "by model", "by protocol", "by count"]);
    model.expectFollowed();
  });

  test("an unmatched request is refused with what was asked, recorded, and not retried", async () => {
    await using model = await startScriptedModel({
      steps: [{ name: "plan", match: { userText: "plan" }, answer: { text: "x" } }],
    });
    const response = await askAnthropic(model.url, { text: "something else" });
    const { type, message } = await errorOf(response);
    expect({ status: response.status, type }).toEqual({ status: 400, type: "invalid_request_error" });
    expect(message).toMatch(
      /No step of the scenario answers this request.\n.*request 1 .*claude-test.*"something else"/s,
    );
    expect(() => model.expectFollowed()).toThrow(/no step; unmatched.*\n {2}never used: main: plan/);
  });

  test("several agents are distinguished by key, system prompt or first words, each with its own count", async () => {
    await using model = await startScriptedModel({
      sessions: [
        {
          name: "planner",
          when: { system: "You plan" },
          steps: [{ answer: { text: "p1" } }, { answer: { text: "p2" } }],
        },
        {
          name: "builder",
          when: { apiKey: "key-b" },
          steps: [{ match: { nth: 2 }, answer: { text: "b2" } }, { answer: { text: "b1" } }],
        },
        { name: "reviewer", when: { firstUserText: "review" }, steps: [{ answer: { text: "r" }, times: "always" }] },
      ],
      otherwise: { text: "nobody" },
    });
    const planner = { more: { system: [{ type: "text", text: "You plan things." }] } };
    const builder = { headers: { "x-api-key": "key-b" } };
    const heard = await Promise.all(
      [planner, builder, { text: "review this" }, {}].map((asked) => askAnthropic(model.url, asked).then(textOf)),
    );
    const again = await Promise.all([planner, builder].map((asked) => askAnthropic(model.url, asked).then(textOf)));
    expect([heard, again]).toEqual([
      ["p1", "b1", "r", "nobody"],
      ["p2", "b2"],
    ]);
    const sessions = model.requests.map(({ session, nth }) => `${session} ${nth}`).sort();
    expect(sessions).toEqual(["builder 1", "builder 2", "main 1", "planner 1", "planner 2", "reviewer 1"]);
  });

  test("agents that follow the same script at once each get their own copy", async () => {
    await using model = await startScriptedModel({
      each: "conversation",
      steps: [{ answer: { text: "one" } }, { answer: { text: "two" } }],
    });
    const ask = (id: string) => askAnthropic(model.url, { headers: { "x-claude-code-session-id": id } }).then(textOf);
    expect([await ask("a"), await ask("b"), await ask("b"), await ask("a")]).toEqual(["one", "one", "two", "two"]);
  });

  test("an agent's own requests use up no step", async () => {
    const steps = [
      { answer: { text: "the answer" } },
      { match: { background: true, userText: "title" }, answer: { text: "a title" } },
    ];
    await using model = await startScriptedModel({ steps, background: { text: "quiet" } });
    const own = { headers: asAgent, more: { tools: [] } };
    const heard = [
      await textOf(await askAnthropic(model.url, { ...own, text: "quota" })),
      await textOf(await askAnthropic(model.url, { ...own, text: "give it a title" })),
      await textOf(await askAnthropic(model.url, { headers: asAgent })),
    ];
    expect(heard).toEqual(["quiet", "a title", "the answer"]);
    expect(model.requests.map(({ step, isBackground }) => [step, isBackground])).toEqual([
      ["background", true],
      ["step 2", true],
      ["step 1", false],
    ]);
  });
});

describe("deliberate failures", () => {
  test("an error has its status, type and headers in both protocols", async () => {
    const limits = { "retry-after": "7", "anthropic-ratelimit-requests-remaining": "0" };
    await using model = await startScriptedModel({
      steps: [
        { answer: { error: { status: 429, headers: limits, message: "slow down" } } },
        { answer: { error: 529 } },
        { answer: { error: 500 } },
        { answer: { error: 429 } },
      ],
    });
    const limited = await askAnthropic(model.url);
    expect([
      limited.status,
      limited.headers.get("retry-after"),
      limited.headers.get("anthropic-ratelimit-requests-remaining"),
    ]).toEqual([429, "7", "0"]);
    expect(await errorOf(limited)).toEqual({ type: "rate_limit_error", message: "slow down" });
    const types = [await askAnthropic(model.url), await askAnthropic(model.url)].map(async (one) => [
      one.status,
      (await errorOf(one)).type,
    ]);
    expect(await Promise.all(types)).toEqual([
      [529, "overloaded_error"],
      [500, "api_error"],
    ]);
    expect(await errorOf(await askResponses(model.url))).toMatchObject({
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
    });
  });

  test("an error can come in the middle of a stream", async () => {
    const error = { status: 529, inStream: true };
    await using model = await startScriptedModel({ steps: [{ answer: { text: "half", error }, times: 2 }] });
    const response = await askAnthropic(model.url, { stream: true });
    expect(response.status).toBe(200);
    const events = eventsOf(await response.text());
    expect(events.at(-1)?.data.error).toEqual({ type: "overloaded_error", message: "scripted error 529" } as never);
    expect(events.some(({ event }) => event === "message_stop")).toBe(false);
    const failed = eventsOf(await (await askResponses(model.url, { stream: true })).text()).at(-1);
    expect(failed).toMatchObject({
      event: "response.failed",
      data: { response: { error: { code: "server_is_overloaded" } } },
    });
  });

  test("a stream can be broken, cut, or not a stream at all; a connection can be reset", async () => {
    await using model = await startScriptedModel({
      steps: [
        { answer: { text: ["a", "b", "c"], malformed: "broken-sse" } },
        { answer: { text: ["a", "b", "c"], malformed: "cut" } },
        { answer: { text: "a", malformed: "invalid-json" } },
        { answer: { text: "a", malformed: "cut" } },
        { answer: { malformed: "reset" } },
      ],
    });
    const broken = await (await askAnthropic(model.url, { stream: true })).text();
    expect(() => eventsOf(broken)).toThrow(/JSON/);
    expect(broken).toContain("message_stop");
    const cut = await askAnthropic(model.url, { stream: true });
    await expect(cut.text()).rejects.toThrow();
    const invalid = await askAnthropic(model.url, { stream: true });
    expect(invalid.headers.get("content-type")).toBe("application/json");
    await expect(invalid.json()).rejects.toThrow(/JSON/);
    await expect(askAnthropic(model.url).then((one) => one.text())).rejects.toThrow();
    await expect(askAnthropic(model.url)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("an answer can hang until the client gives up, or for a while, with or without a beginning", async () => {
    await using model = await startScriptedModel({
      steps: [
        { answer: { hang: true } },
        { answer: { text: "begun", hang: true } },
        { answer: { text: "late", hang: 50 } },
      ],
    });
    const giveUp = new AbortController();
    const silent = askAnthropic(model.url, { signal: giveUp.signal });
    await model.waitFor(({ number }) => number === 1);
    giveUp.abort();
    await expect(silent).rejects.toThrow();
    expect((await model.waitFor(({ outcome }) => outcome === "client went away")).number).toBe(1);

    const begun = (await askAnthropic(model.url, { stream: true })).body?.getReader();
    let heard = "";
    while (!heard.includes("begun")) heard += new TextDecoder().decode((await begun?.read())?.value);
    expect(heard).not.toContain("message_stop");
    await begun?.cancel();
    expect((await model.waitFor(({ number, outcome }) => number === 2 && outcome === "client went away")).number).toBe(
      2,
    );

    expect(await (await askAnthropic(model.url, { stream: true })).text()).toContain("message_stop");
  });

  test("closing the model ends hanging answers", async () => {
    const model = await startScriptedModel({ otherwise: { hang: true } });
    const hanging = askAnthropic(model.url);
    await model.waitFor(() => true);
    await model.close();
    await expect(hanging).rejects.toThrow();
    expect(model.requests.map(({ outcome }) => outcome)).toEqual(["closed"]);
  });
});

test("the model is reachable only on loopback", async () => {
  await using model = await startScriptedModel({ otherwise: { text: "x" } });
  expect(model.url).toBe(`http://127.0.0.1:${model.port}`);
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const outside = addresses
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  for (const address of ["127.0.0.2", ...outside]) {
    await expect(askAnthropic(`http://${address}:${model.port}`)).rejects.toThrow();
  }
});

describe("what was asked", () => {
  test("is recorded with its prompt, tools, results, key and body", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "x" } });
    await askResponses(model.url, {
      more: {
        instructions: "Be brief.",
        input: [
          { type: "message", role: "developer", content: [{ type: "input_text", text: "You are careful." }] },
          {
            type: "message",
            role: "user",
            content: [{ type: "input_text", text: "<environment_context>cwd</environment_context>" }],
          },
          { type: "message", role: "user", content: [{ type: "input_text", text: "do it" }] },
          { type: "function_call", call_id: "c1", name: "exec_command", arguments: "{}" },
          { type: "function_call_output", call_id: "c1", output: "done" },
        ],
        tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }],
      },
    });
    const [{ headers, body, ...request } = {} as never] = model.requests;
    expect(request as unknown).toEqual({
      number: 1,
      protocol: "responses",
      path: "/v1/responses",
      model: "gpt-test",
      apiKey: "key-2",
      conversation: "",
      isStreamed: false,
      system: "Be brief.\nYou are careful.",
      firstUserText: "do it",
      lastUserText: "do it",
      toolResults: [{ id: "c1", text: "done" }],
      tools: ["exec_command", "web_search"],
      isBackground: false,
      session: "main",
      nth: 1,
      step: "otherwise",
      outcome: "answered",
    });
  });

  test("can be awaited, and a timed-out wait reports what was asked instead", async () => {
    await using model = await startScriptedModel({ otherwise: { text: "x" } });
    const later = model.waitFor(({ lastUserText }) => lastUserText === "second");
    await askAnthropic(model.url, { text: "first" });
    await askAnthropic(model.url, { text: "second" });
    expect((await later).number).toBe(2);
    const vain = model.waitFor(({ lastUserText }) => lastUserText === "third", AbortSignal.timeout(20));
    await expect(vain).rejects.toThrow(/was not asked that. It was asked:\n.*"first"\n.*"second"/s);
  });
});

describe("a scenario file", () => {
  const folder = temporaryFolder();
  const file = join(folder, "scenario.yaml");

  test("is YAML or JSON, with values from the test in it", async () => {
    writeFileSync(file, 'steps:\n  - match: { userText: "{{word}}" }\n    answer: { text: "to {{cwd}}" }\n');
    await using model = await startScriptedModel(file, { values: { word: "hello", cwd: "/somewhere" } });
    expect(await textOf(await askAnthropic(model.url))).toBe("to /somewhere");
  });

  test("with faults is refused with all of them at once", async () => {
    writeFileSync(
      file,
      `steps:
  - answer: { txt: hi }
  - answer: { error: 200 }
  - answer: { text: hi, error: 500 }
  - match: { userText: "/(/", protocol: telepathy }
    answer: { text: "{{nowhere}}", malformed: sometimes }
  - answer: { tools: [{ name: Write }] }
sessions:
  - { name: a, when: {}, steps: [] }
`,
    );
    const message = await startScriptedModel(file).catch((error: Error) => error.message);
    expect(
      String(message)
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(":")[0]),
    ).toEqual([
      "{{nowhere}} has no value",
      "steps.0.answer",
      "steps.0.answer",
      "steps.1.answer.error.status",
      "steps.2.answer",
      "steps.3.match.protocol",
      "steps.3.match.userText",
      "steps.3.answer.malformed",
      "steps.4.answer.tools.0",
      "sessions.0.when",
      "sessions.0.steps",
    ]);
  });

  test("matches the README", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const examples = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
    const read = examples.map((text) => {
      writeFileSync(file, text);
      return readScenario(file, { folder: "/somewhere" }).steps.length;
    });
    expect(read).toEqual([2, 3]);
  });

  test("that is missing or not YAML is reported", async () => {
    writeFileSync(file, "steps: [");
    await expect(startScriptedModel(file)).rejects.toThrow(/is not a scenario:\n.*line 1/);
    await expect(startScriptedModel(join(folder, "none.yaml"))).rejects.toThrow(
      /none.yaml is not a scenario:\n.*ENOENT/,
    );
  });
});
