import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bestEffort } from "./best-effort.ts";
import { DevflowError } from "./errors.ts";
import { createLog, fileDestination } from "./log.ts";
import { Secret } from "./secret.ts";

function logToLines(level: "info" | "trace" = "info") {
  const lines: string[] = [];
  const log = createLog({ level, module: "test", destination: { write: (line: string) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "null") };
}

describe("the log", () => {
  test("a line is one JSON object with time, level, module, the event's facts and its name", () => {
    const { log, lines, last } = logToLines();
    log.info({ runId: "r1", to: "planning" }, "phase state\nchanged");
    expect(lines).toHaveLength(1);
    expect(last()).toEqual({
      ...{ level: "info", module: "test", runId: "r1", to: "planning", msg: "phase state\nchanged" },
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("messages below the level are not written", () => {
    const { log, lines } = logToLines();
    log.debug("quiet");
    expect(lines).toEqual([]);
  });

  test.each([
    ...["token", "authorization", "Authorization", "password", "secret", "apiKey", "api_key", "cookie", "set-cookie"],
    ...["accessToken", "access_token", "refresh_token", "oneTimeCode", "code_verifier", "machineToken", "databaseUrl"],
  ])("a member called %s is never printed, at the top or two levels down", (name) => {
    const { log, lines } = logToLines();
    log.info({ [name]: "s3cret-value", a: { [name]: "s3cret-value", b: { [name]: "s3cret-value" } } }, "x");
    log.child({ [name]: "s3cret-value" }).info("y");
    log.info({ headers: [{ [name]: "s3cret-value" }] }, "z");
    expect(lines.join("")).not.toContain("s3cret-value");
    expect(lines[0]?.match(/\[redacted\]/g)).toHaveLength(3);
  });

  test("token counts are printed", () => {
    const { log, last } = logToLines();
    log.info({ inputTokens: 512, usage: { tokens: 3, cachedToken: null } }, "asked the model");
    expect(last()).toMatchObject({ inputTokens: 512, usage: { tokens: 3, cachedToken: null } });
  });

  test("an error's details are redacted too, and a cycle in the data is harmless", () => {
    const { log, lines, last } = logToLines();
    const loop: Record<string, unknown> = { token: "s3cret-value" };
    loop.self = loop;
    log.info({ loop }, "x");
    log.error({ err: new DevflowError("conflict", { details: { problem: "p", token: "s3cret-value" } }) }, "y");
    expect(lines.join("")).not.toContain("s3cret-value");
    expect(last().err.details).toEqual({ problem: "p", token: "[redacted]" });
  });

  test("a secret is never printed, and an error keeps its code, details and cause", () => {
    const { log, lines, last } = logToLines();
    const cause = new Error("socket closed");
    log.error(
      {
        err: new DevflowError("db_unreachable", {
          details: { reason: "gone", url: new Secret("s3cret-value") },
          cause,
        }),
      },
      "failed",
    );
    expect(lines.join("")).not.toContain("s3cret-value");
    expect(last().err).toMatchObject({
      code: "db_unreachable",
      message: expect.stringContaining("Cannot reach Postgres: gone"),
    });
    expect(last().err.stack).toContain("socket closed");
  });

  test("a log file is private to the user and every line is written at once", () => {
    const folder = mkdtempSync(join(tmpdir(), "devflow-log-"));
    const path = join(folder, "server.log");
    const log = createLog({ level: "info", module: "test", destination: fileDestination(path) });
    log.info("one");
    expect(readFileSync(path, "utf8")).toContain('"msg":"one"');
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    rmSync(folder, { recursive: true });
  });
});

describe("best effort", () => {
  test("work that succeeds returns its value and is not logged", async () => {
    const { log, lines } = logToLines();
    expect(await bestEffort("add up", log, async () => 1 + 1)).toBe(2);
    expect(lines).toEqual([]);
  });

  test("work that fails is logged and counted by its name, and the caller continues", async () => {
    const { log, last } = logToLines();
    const fail = () => bestEffort("push eval run", log, () => Promise.reject(new Error("offline")));
    expect([await fail(), await fail()]).toEqual([undefined, undefined]);
    expect(last()).toMatchObject({
      level: "warn",
      what: "push eval run",
      times: 2,
      err: { message: "offline" },
      msg: "best effort failed",
    });
    const throwing = () => {
      throw new Error("before the promise");
    };
    expect(await bestEffort("throw at once", log, throwing)).toBeUndefined();
    expect(last()).toMatchObject({ what: "throw at once", times: 1 });
  });
});
