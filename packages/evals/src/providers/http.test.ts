/** HTTP endpoints of promptfoo suites, against a server on loopback. */
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeWorkerCommand } from "@devflow/evals/testing/promptfoo";
import { temporaryFolder } from "@devflow/testkit";
import { openCodePool } from "../code/index.ts";
import { createProviders } from "../promptfoo/index.ts";
import { httpLacks, httpProvider } from "./http.ts";
import type { ProviderFault } from "./provider.ts";

const folder = temporaryFolder();
const code = openCodePool({ command: codeWorkerCommand(), cwd: folder, env: { PATH: process.env.PATH } });
const seen: { method: string; url: string; headers: Record<string, string>; body: string }[] = [];
let busy = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 30,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    seen.push({ method: request.method, url: pathname + search, headers, body: await request.text() });
    if (pathname === "/slow") await Bun.sleep(20_000);
    if (pathname === "/huge") return new Response("x".repeat(17 * 1024 * 1024));
    if (pathname === "/text") return new Response("plain words");
    if (pathname === "/nothing") return Response.json({ output: null });
    if (pathname === "/busy") {
      busy += 1;
      return busy % 2 === 1
        ? new Response("", { status: 429, headers: { "retry-after-ms": "20" } })
        : Response.json("ok");
    }
    const status = Number(/^\/status\/(\d+)/.exec(pathname)?.[1] ?? 200);
    return Response.json({ said: "hello", choices: [{ text: "first" }], tokens: 7 }, { status });
  },
});
afterAll(async () => {
  await server.stop(true);
  await code.close();
});

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const make = (path: string, config: Record<string, unknown> = {}) =>
  httpProvider({ id: "app", url: at(path), config, folder, env: { TOKEN: "t-1" }, code });
const ask = (path: string, config: Record<string, unknown> = {}, vars: Record<string, unknown> = {}) =>
  make(path, config).call({ prompt: 'say "hi"\nplease', vars, signal: new AbortController().signal });
const faultOf = (answer: Promise<unknown>): Promise<ProviderFault> =>
  answer.then(
    () => Promise.reject(new Error("it answered")),
    (fault: ProviderFault) => fault,
  );

test("url, headers, query, body and auth are templates; the body is JSON, whatever the prompt contains", async () => {
  await ask(
    "/v1/{{ tenant }}",
    {
      method: "post",
      headers: { "x-tenant": "{{ tenant }}", "x-key": "{{ env.TOKEN }}" },
      queryParams: { lang: "{{ lang }}" },
      body: { input: "{{ prompt }}", history: "{{ history | dump }}", list: [1, "{{ lang }}"], on: true },
      auth: { type: "basic", username: "ada", password: "{{ env.TOKEN }}" },
    },
    { tenant: "acme", lang: "fr & en", history: [{ role: "user" }] },
  );
  const { method, url, headers, body } = seen.at(-1)!;
  expect({ method, url, tenant: headers["x-tenant"], key: headers["x-key"], type: headers["content-type"] }).toEqual({
    method: "POST",
    url: "/v1/acme?lang=fr+%26+en",
    tenant: "acme",
    key: "t-1",
    type: "application/json",
  });
  expect(headers.authorization).toBe(`Basic ${btoa("ada:t-1")}`);
  expect(JSON.parse(body)).toEqual({
    input: 'say "hi"\nplease',
    history: [{ role: "user" }],
    list: [1, "fr & en"],
    on: true,
  });
});

test("without a method it is a GET without a body, as in promptfoo; a text is sent as it is", async () => {
  await ask("/get?q=1", { body: { a: 1 }, queryParams: { q: "2" }, auth: { type: "bearer", token: "b" } });
  expect(seen.at(-1)).toMatchObject({ method: "GET", url: "/get?q=1&q=2", body: "" });
  expect(seen.at(-1)?.headers.authorization).toBe("Bearer b");
  await ask("/form", { method: "PUT", body: "prompt={{ prompt | urlencode }}", auth: apiKey("header") });
  expect(seen.at(-1)).toMatchObject({ method: "PUT", body: "prompt=say%20%22hi%22%0Aplease" });
  expect(seen.at(-1)?.headers).toMatchObject({ "content-type": "text/plain", "x-api": "k" });
  await ask("/key", { auth: apiKey("query") });
  expect(seen.at(-1)?.url).toBe("/key?x-api=k");
});

const apiKey = (placement: string) => ({ type: "api_key", placement, keyName: "x-api", value: "k" });

test.each([
  ["without a transform, the JSON", undefined, { said: "hello", choices: [{ text: "first" }], tokens: 7 }],
  ["an expression", "json.choices[0].text", "first"],
  ["a function", "(json, text) => text.length", "56"],
  ["a function with the status", "(json, text, context) => String(context.response.status)", "200"],
  ["a function in a file", "file://parse.mjs:last", "hello!"],
])("its output is %s", async (_, transformResponse, expected) => {
  writeFileSync(join(folder, "parse.mjs"), "export const last = (json) => json.said + '!';\n");
  const { output } = await ask("/x", transformResponse === undefined ? {} : { transformResponse });
  expect(output).toEqual(expected as never);
});

test("a transform may also report tokens and cost", async () => {
  const transformResponse = "({ output: json.said, tokenUsage: { prompt: 3, completion: json.tokens }, cost: 0.5 })";
  expect(await ask("/x", { transformResponse })).toMatchObject({
    output: "hello",
    tokens: { input: 3, output: 7 },
    costUsd: 0.5,
  });
  expect((await ask("/text")).output).toBe("plain words");
});

test.each([
  ["an error of the server", "/status/503", {}, "app: the server answered 503", true],
  ["a status that the suite refuses", "/status/404", { validateStatus: "status === 200" }, "answered 404", false],
  ["a status that a function refuses", "/x", { validateStatus: "(status) => status > 299" }, "answered 200", false],
  ["a transform that throws", "/x", { transformResponse: "json.no.such" }, "transformResponse failed", false],
  ["an answer without an output", "/nothing", {}, "it gave no output", false],
  ["an answer without end", "/huge", {}, "its answer is larger than 16777216 bytes", false],
  ["no answer in time", "/slow", { timeout: 200 }, "app: no answer within 200 ms", true],
])("%s is a fault, and says so", async (_, path, config, message, isTransient) => {
  const fault = await faultOf(ask(path, config));
  expect(fault.message).toContain(message);
  expect([fault.name, fault.kind, fault.isTransient]).toEqual(["ProviderFault", "failed", isTransient]);
});

test("a status that the suite accepts is an answer, also of an error; nothing listens: a fault that may pass", async () => {
  expect((await ask("/status/500", { validateStatus: "true", transformResponse: "json.said" })).output).toBe("hello");
  expect((await ask("/status/404", { transformResponse: "json.said" })).output).toBe("hello");
  const nobody = httpProvider({ id: "app", url: "http://127.0.0.1:1/", config: {}, folder, env: {}, code });
  const fault = await faultOf(nobody.call({ prompt: "x", vars: {}, signal: new AbortController().signal }));
  expect([fault.kind, fault.isTransient]).toEqual(["failed", true]);
});

test("a URL that is none is told as it was filled in", async () => {
  const broken = httpProvider({ id: "app", url: "nowhere/{{ prompt }}", config: {}, folder, env: {}, code });
  const fault = await faultOf(broken.call({ prompt: "x", vars: {}, signal: new AbortController().signal }));
  expect(fault.message).toBe("app: nowhere/x is not a valid URL");
});

test("a run that is stopped ends with the signal's reason", async () => {
  const stop = new AbortController();
  const answer = make("/slow").call({ prompt: "x", vars: {}, signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  expect(await answer.then(String, String)).toBe("Error: enough");
});

test("in a suite, an endpoint that is busy is waited for", async () => {
  const { signal } = new AbortController();
  const { provider } = createProviders({
    ...{ folder, env: {}, code, signal, providers: [] },
    modelProvider: (id) => `${id} is not known`,
  });
  const given = { id: at("/busy"), label: undefined, config: {}, prompts: undefined, transform: undefined, delayMs: 0 };
  const made = provider(given);
  if (typeof made === "string") throw new Error(made);
  expect(await made.call({ prompt: "x", vars: {}, signal })).toMatchObject({ output: "ok" });
  expect(busy).toBe(2);
});

test.each([
  [{ request: "POST / HTTP/1.1" }, "request is not supported"],
  [{ transformRequest: "{}" }, "transformRequest is not supported"],
  [{ signatureAuth: { type: "pem" } }, "signatureAuth is not supported"],
  [{ auth: { type: "oauth" } }, "auth of the type oauth is not supported"],
  [{ auth: { type: "bearer", token: "x" }, multipart: null }, undefined],
])("%j is known not to work before anything is sent", (config, expected) => {
  const lack = httpLacks(config);
  if (expected === undefined) expect(lack).toBeUndefined();
  else expect(lack).toStartWith(expected);
});
