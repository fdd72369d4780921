import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readErrorReport } from "./error-report.ts";
import { DevflowError, type ErrorCode, errorRegistry, errorReport, toDevflowError } from "./errors.ts";

const codes = Object.keys(errorRegistry) as ErrorCode[];
const page = readFileSync(join(import.meta.dir, "../../../docs/errors.md"), "utf8");
const documented = [...page.matchAll(/^\| <a id="\w+"><\/a>`(\w+)` \|/gm)].map(([, code]) => code);

describe("the registry", () => {
  test("every code is in docs/errors.md, and every code there is in the registry", () => {
    expect(documented.length).toBeGreaterThan(20);
    expect(documented.toSorted()).toEqual(codes.toSorted());
  });

  test("no code is defined twice", () => {
    const source = readFileSync(join(import.meta.dir, "errors.ts"), "utf8");
    const table = source.slice(source.indexOf("errorRegistry = {"), source.indexOf("as const satisfies"));
    const written = [...table.matchAll(/^ {2}(\w+): \{/gm)].map(([, code]) => code);
    expect(written).toEqual([...new Set(written)]);
    expect(written).toEqual(codes);
  });

  test.each(codes)("%s: has a class, a matching status and exit code, a message and a hint", (code) => {
    const entry = errorRegistry[code];
    expect(code).toMatch(/^[a-z][a-z_]*[a-z]$/);
    expect(["recoverable", "human_required", "user", "fatal"]).toContain(entry.class);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    // sysexits.h: a shell script can distinguish them, and none looks like a signal. The one exception is 3, the documented code of a second server on a machine.
    const isOurs = code === "session_host_taken";
    expect(isOurs ? entry.exit === 3 : entry.exit >= 64 && entry.exit <= 78).toBe(true);
    expect(entry.message).not.toBe("");
    expect(entry.hint).not.toBe("");
    if (entry.class === "user") expect(entry.status).toBeLessThan(500);
  });

  test.each(codes)("%s: every placeholder can be filled, and none is left", (code) => {
    const { message, hint } = errorRegistry[code];
    const names = [...`${message} ${hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const details = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    const error = new DevflowError(code, { details });
    expect(`${error.message} ${error.hint}`).not.toMatch(/[{}]/);
    for (const name of names) expect(`${error.message} ${error.hint}`).toContain(`<${name}>`);
  });
});

describe("an error", () => {
  test("has its row, its details and its cause", () => {
    const cause = new Error("refused");
    const error = new DevflowError("port_in_use", {
      details: { port: 80, host: "127.0.0.1", other: 81 },
      cause,
    });
    expect(error).toMatchObject({
      ...{ name: "DevflowError", code: "port_in_use", class: "fatal", status: 500, exit: 69, cause },
      message: "Port 80 on 127.0.0.1 is already in use.",
      hint: "Use another one: devflow up --port 81",
    });
    expect(error).toBeInstanceOf(Error);
    expect(new DevflowError("conflict").cause).toBeUndefined();
  });

  test("a detail is text and not a template", () => {
    const error = new DevflowError("conflict", { details: { problem: "{next} $& $1 {problem}", next: "now" } });
    expect(error.message).toBe("{next} $& $1 {problem}");
  });

  test("a missing hint is empty", () => {
    expect(new DevflowError("conflict", { details: { problem: "p" } }).hint).toBe("");
  });
});

describe("anything thrown", () => {
  test.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["SQLITE_FULL", "disk_full"],
    ["EACCES", "permission_denied"],
    ["EPERM", "permission_denied"],
    ["EROFS", "permission_denied"],
  ])("the system error %s becomes %s, with the path", (code, expected) => {
    const thrown = Object.assign(new Error("x"), { code, path: "/data" });
    const error = toDevflowError(thrown);
    expect([error.code as string, error.details.path, error.cause]).toEqual([expected, "/data", thrown]);
    expect(error.message).toContain("/data");
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", "text"],
    ["an error of the language", new TypeError("boom")],
    ["an object with an odd message", { message: 3 }],
    ["an object without a prototype", Object.create(null)],
  ])("%s becomes a report that can be printed", (_name, thrown) => {
    const report = errorReport(thrown);
    expect(report).toMatchObject({ code: "internal", status: 500, exit: 70 });
    expect(JSON.parse(JSON.stringify(report)).message).toBeString();
  });

  test("a DevflowError is kept as it is", () => {
    const error = new DevflowError("usage", { details: { problem: "p", next: "n" } });
    expect(toDevflowError(error)).toBe(error);
    expect(errorReport(error)).toEqual({
      ...{ code: "usage", class: "user", message: "p", hint: "n", status: 400, exit: 64 },
      details: { problem: "p", next: "n" },
    });
  });
});

describe("over a wire", () => {
  const sent = (error: unknown) => JSON.parse(JSON.stringify(errorReport(error))) as unknown;
  const received = (value: unknown) => {
    const report = readErrorReport(value);
    return report && new DevflowError(report);
  };

  test.each(codes)("%s: is the same on the receiving side", (code) => {
    const { message, hint } = errorRegistry[code];
    const names = [...`${message} ${hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const error = new DevflowError(code, { details: Object.fromEntries(names.map((name) => [name, `<${name}>`])) });
    const there = received(sent(error));
    expect(there).toBeInstanceOf(DevflowError);
    expect(errorReport(there)).toEqual(errorReport(error));
  });

  test("a newer process's messages and unknown codes are kept, with hint, details and exit code", () => {
    const reworded = { ...errorReport(new DevflowError("server_busy")), message: "Stopping.", hint: "Wait." };
    expect(errorReport(received(reworded))).toEqual(reworded);
    const unknown = { ...reworded, code: "not_invented_yet", exit: 71, details: { left: 3 } };
    expect(errorReport(received(unknown))).toEqual(unknown);
  });

  test("missing and invalid fields are filled in, and the message is kept", () => {
    expect(readErrorReport({ code: "c", message: "m" })).toEqual({
      ...{ code: "c", message: "m", hint: "", class: "fatal", status: 500, exit: 70, details: {} },
    });
    const odd = { code: "c", message: "m", hint: 1, class: "odd", status: 200, exit: 0, details: ["x"] };
    expect(readErrorReport(odd)).toEqual(readErrorReport({ code: "c", message: "m" }));
  });

  test.each([[undefined], [null], ["text"], [[]], [{ code: "c" }], [{ message: "m" }], [{ code: 1, message: "m" }]])(
    "%j is not a report",
    (value) => expect(readErrorReport(value)).toBeUndefined(),
  );
});
