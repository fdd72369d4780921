import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { inspect } from "node:util";
import { DevflowError, errorReport } from "./errors.ts";
import { Secret } from "./secret.ts";

const value = "s3cret-value";
const secret = new Secret(value);

describe("a secret", () => {
  test("is read only with reveal()", () => {
    expect(secret.reveal()).toBe(value);
    expect(Object.keys(secret)).toEqual([]);
    expect(JSON.stringify(Object.getOwnPropertyDescriptors(secret))).toBe("{}");
  });

  test.each([
    ["a template", () => `${secret}`],
    ["joined text", () => `${["a", secret].join(" ")}`],
    ["added text", () => `a ${String(secret)}`],
    ["JSON", () => JSON.stringify({ deep: [{ secret }] })],
    ["an inspection", () => inspect({ deep: { secret } }, { depth: 9, showHidden: true })],
    ["Bun's inspection", () => Bun.inspect({ deep: [secret] })],
    ["an error's message", () => new DevflowError("internal", { details: { problem: secret } }).message],
    [
      "an error's report",
      () => JSON.stringify(errorReport(new DevflowError("conflict", { details: { problem: secret, secret } }))),
    ],
    ["an error's inspection", () => inspect(new Error("x", { cause: { secret } }), { depth: 9 })],
    ["a number", () => String(Number(secret))],
  ])("does not print in %s", (_name, print) => {
    const printed = print();
    expect(printed).not.toContain(value);
    expect(printed).toMatch(/\[redacted\]|NaN/);
  });

  test("does not print with console.log, console.error or an uncaught error", () => {
    const program = `
      import { Secret } from ${JSON.stringify(join(import.meta.dir, "secret.ts"))};
      const secret = new Secret(["s3cret", "value"].join("-"));
      console.log(secret, { secret }, [secret], "%s %o %j", secret);
      console.error(secret);
      console.table([{ secret }]);
      throw Object.assign(new Error("failed with " + secret), { secret });`;
    const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", program]);
    const printed = `${stdout}${stderr}`;
    expect(printed).toContain("failed with [redacted]");
    expect(printed).not.toContain(value);
  });
});
