/** Secrets planted in pages, cookies, headers, URLs and forms do not appear in anything that the browser writes. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowserBench, until } from "./browser-bench.ts";

const canary = {
  cookie: "canarycookie9f8e7d6c5b4a",
  setCookie: "canarysetcookie1a2b3c4d5e",
  authorization: "canarybearer0918273645aa",
  apiKey: "canaryapikey5647382910bb",
  password: "Canary-Passw0rd-typed",
  inUrl: "canaryurltoken00112233445566",
  github: `ghp_${"Canary0123456789".repeat(3).slice(0, 36)}`,
};
const bench = await openBrowserBench({
  "/": (_, response) => {
    response.setHeader("set-cookie", `session=${canary.setCookie}; HttpOnly`);
    response.end(`<!doctype html><title>Log in</title>
      <form action="/in"><label>Name <input id="name"></label>
      <label>Password <input id="password" type="password" oninput="console.log('typed ' + this.value)"></label></form>
      <script>
        document.cookie = "own=${canary.cookie}";
        console.log("key ${canary.github}", document.cookie);
        const headers = { authorization: "Bearer ${canary.authorization}", "x-api-key": "${canary.apiKey}" };
        fetch("/data?access_token=${canary.inUrl}", { headers });
      </script>`);
  },
  "/data": (_, response) => void response.setHeader("content-type", "application/json").end("{}"),
});

test("nothing that is written or logged contains them", async () => {
  const output: string[] = [];
  const record = async (...words: string[]) => void output.push(await bench.text(...words));
  await bench.text("goto", bench.url("/?warm"));
  await record("har", "start");
  await record("trace", "start");
  await record("goto", bench.url("/"));
  await until("its request is done", async () => (await bench.text("network")).includes("/data"));
  await record("fill", "#password", canary.password);
  await record("trace", "stop");
  await record("har", "stop");
  await record("console");
  await record("network");
  await record("status");
  await record("tabs");
  const late = await bench.call(["fill", "#nowhere", canary.password, "--timeout", "1000"]);
  output.push(JSON.stringify(late));
  await bench.text("state", "save", "login.state");
  await until(
    "the logs are written",
    () => readdirSync(join(bench.workspace.browseFolder, "logs/default")).length >= 2,
  );
  await bench.stop();
  const files = filesUnder(bench.workspace.root).filter((file) => file !== bench.workspace.stateFile);
  expect(files.map((file) => file.split("/").at(-1))).toEqual(
    expect.arrayContaining(["console.ndjson", "network.ndjson", "login.state"]),
  );
  for (const [kind, secret] of Object.entries(canary)) {
    for (const file of files) expect([kind, file, readFileSync(file).includes(secret)]).toEqual([kind, file, false]);
    for (const text of output) expect([kind, text, text.includes(secret)]).toEqual([kind, text, false]);
  }
}, 180_000);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
