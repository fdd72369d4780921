/** An error has the same message and exit code whether it happened in the command or in the server. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { socketPath } from "@devflow/browse/client";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { devflowCommand, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { z } from "zod";
import { callServer } from "./server/client.ts";
import { findServer } from "./server/state.ts";

/** A response of a newer Devflow. */
const newer = {
  code: "not_invented_yet",
  class: "user",
  message: "The moon is in the wrong quarter.\nIt is waning.",
  hint: "Wait two weeks, then: devflow run list",
  status: 418,
  exit: 71,
  details: { quarter: 3 },
} as const;
const printed = { code: 71, stdout: "", stderr: `${newer.message}\n${newer.hint}\n` };
const { code, message, hint, details } = newer;
const printedJson = { error: { code, message, hint, details } };

describe("a server", () => {
  const it: Promise<RunsServer> = startRunsServer();
  afterAll(async () => (await it).stop(), 120_000);

  test("and the command line report the same error", async () => {
    const { home, repository, call } = await it;
    const answer = await call("/api/runs/preview", {
      body: { template: "nothing@1", repository, requirements: "-", clientToken: "1", overrides: {}, queue: false },
    });
    const { exit, status, class: errorClass, ...words } = answer.json.error;
    expect({ status, errorClass }).toEqual({ status: answer.status, errorClass: "user" });
    const line = ["run", "start", "--dry-run", "--template", "nothing@1"];
    const run = (...more: string[]) =>
      runProcess([...devflowCommand(), ...line, ...more], { env: home.environment(), cwd: repository });
    const asJson = await run("--json");
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([exit, { error: words }]);
    const asText = await run();
    expect([asText.code, asText.stderr]).toEqual([exit, `${[words.message, words.hint].filter(Boolean).join("\n")}\n`]);
  }, 60_000);

  test("passes on the database's own message", async () => {
    const { home } = await it;
    const state = await findServer(homeAt(home.devflowHome));
    if (!state) throw new Error("the server is not found");
    const make = () =>
      callServer(state, "/rest/v1/rpc/create_team", z.unknown(), {
        method: "POST",
        body: { name: "Moon", slug: "moon" },
      });
    await make();
    const error: unknown = await make().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DevflowError);
    expect(errorReport(error)).toEqual({
      ...{ code: "23505", class: "user", message: "the slug moon is taken", hint: "choose another slug" },
      ...{ status: 409, exit: 75, details: {} },
    });
  }, 60_000);
});

describe("a newer server", () => {
  const home = temporaryHome();
  const answers: { status: number; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      const { status, body } = answers[0] ?? { status: newer.status, body: JSON.stringify({ error: newer }) };
      return new Response(body, { status });
    },
  });
  afterAll(() => server.stop(true));

  const devflow = async (...words: string[]) => {
    mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
    const state = { host: "127.0.0.1", port: server.port, token: "t".repeat(43), version: "9.9.9" };
    writeFileSync(
      join(home.devflowHome, "server.json"),
      JSON.stringify({ ...proofOfSelf(), ...state, startedAt: new Date().toISOString() }),
      { mode: 0o600 },
    );
    return await runProcess([...devflowCommand(), ...words], { env: home.environment(), cwd: temporaryFolder() });
  };

  test("is quoted with message, hint and exit code for an error that this version does not know", async () => {
    expect(await devflow("run", "list")).toMatchObject(printed);
    const asJson = await devflow("run", "list", "--json");
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([71, printedJson]);
  });

  test("that sends something else is reported, and its text cannot control the terminal", async () => {
    answers.push({ status: 502, body: "\u001b[2J<h1>Bad gateway</h1>" });
    const { code: exit, stderr } = await devflow("run", "list");
    expect([exit, stderr.split("\n")[0]]).toEqual([
      76,
      "Cannot read the server's response to /api/runs?limit=20: it returned 502: <h1>Bad gateway</h1>.",
    ]);
    answers[0] = { status: 200, body: '{"runs": 3}' };
    const odd = await devflow("run", "list");
    expect([odd.code, odd.stderr.split("\n")[0]]).toEqual([
      76,
      expect.stringContaining(": runs: Invalid input: expected array"),
    ]);
  });
});

describe("a newer browser daemon", () => {
  const reply = { ok: false, error: newer, notes: ["A remark."] };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(reply) });
  const home = temporaryHome({ isKept: true });
  const folder = join(home.devflowHome, "browse-workspaces");
  afterAll(() => {
    server.stop(true);
    home.remove();
  });

  const browse = async (words: readonly string[], stdin = "") => {
    const cwd = temporaryFolder("ws");
    mkdirSync(join(cwd, ".devflow"), { mode: 0o700 });
    const state = {
      ...{ port: server.port, token: "t".repeat(43), startedAt: new Date().toISOString(), binaryVersion: version },
      ...{ executable: devflowCommand()[0], executableTime: Number.MAX_SAFE_INTEGER },
    };
    writeFileSync(join(cwd, ".devflow/browse.json"), JSON.stringify({ ...proofOfSelf(), ...state }), { mode: 0o600 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const answer = (socket: { end(text: string): unknown }) => void socket.end(`${JSON.stringify(reply)}\n`);
    const quick = Bun.listen({ unix: socketPath(home.devflowHome, cwd) ?? "", socket: { data: answer } });
    const ran = await runProcess([...devflowCommand(), "browse", ...words], { env: home.environment(), cwd, stdin });
    quick.stop(true);
    return ran;
  };

  // Input from standard input takes the complete command line, the rest the quick path.
  test.each([
    ["on the quick path", ["click", "@e1"]],
    ["on the full path", ["js", "-"]],
  ])("is quoted with message, hint and exit code %s", async (_, words) => {
    expect(await browse(words, "1 + 1")).toMatchObject({ ...printed, stderr: `A remark.\n${printed.stderr}` });
    const asJson = await browse([...words, "--json"], "1 + 1");
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([71, printedJson]);
  });
});
