import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { temporaryFolder } from "@devflow/testkit";
import type { Answer, DaemonScope } from "../command.ts";
import { browseCommands } from "../commands/index.ts";
import { writeAvi } from "../commands/meta/avi.ts";
import { chain, parseSteps } from "../commands/meta/chain.ts";
import { splitWords } from "../commands/meta/split-words.ts";
import { Redactor, Ring } from "../logs/index.ts";
import { chromiumArguments, chromiumEnvironment } from "./chromium.ts";
import { CommandTable } from "./command-table.ts";
import { explainFailure } from "./explain-failure.ts";
import { decideSandbox, findChromium } from "./find-chromium.ts";
import { seal, sealingKey, unseal } from "./sealed.ts";
import { forDisk, fromDisk } from "./session-memory.ts";
import { Tokens } from "./tokens.ts";

describe("Chromium", () => {
  const program = (folder: string, name: string) => {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  test("is the configured one, else the first on PATH", () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const chrome = program(first, "google-chrome");
    const chromium = program(second, "chromium");
    const find = (configured?: string) => findChromium({ configured, folders: [first, second], platform: "linux" });
    expect(find()).toBe(chromium);
    expect(find(chrome)).toBe(chrome);
  });
  test("if missing, is an error with the command that installs it", () => {
    const find = (configured?: string) => () =>
      findChromium({ configured, folders: [temporaryFolder()], platform: "linux" });
    expect(find()).toThrow("Found no Chromium or Chrome on this machine");
    expect(find("/nowhere/chromium")).toThrow("browse_chromium names /nowhere/chromium, which is not an executable");
  });
  test.each([
    ["auto", false, "on"],
    ["auto", true, "off: Chromium has no sandbox for root"],
    ["off", false, "off: browse_sandbox is off"],
    ["on", true, "on"],
  ] as const)("with browse_sandbox %s and root %p has its sandbox %s", (choice, isRoot, words) => {
    expect(decideSandbox(choice, isRoot).words).toBe(words);
  });
  test("sees none of Devflow's secrets and gets no debugging port", () => {
    const env = {
      PATH: "/bin",
      HOME: "/h",
      DEVFLOW_ACCESS_TOKEN: "x",
      DEVFLOW_BROWSE_TOKEN: "x",
      ANTHROPIC_API_KEY: "x",
      AWS_SECRET: "x",
    };
    expect(chromiumEnvironment(env)).toEqual({ PATH: "/bin", HOME: "/h" });
    expect(chromiumArguments(1).filter((one) => /remote-debugging|disable-web-security/.test(one))).toEqual([]);
  });
});

describe("a failure", () => {
  const explain = (message: string) => {
    const { code, message: text, hint } = explainFailure(new Error(message), { command: "click @e3" });
    return { code, text, hint };
  };
  test.each([
    ["page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:1/", "browse_navigation_failed"],
    ["page.goto: net::ERR_CERT_AUTHORITY_INVALID at https://x/", "browse_navigation_failed"],
    ["locator.click: Error: strict mode violation: locator('a') resolved to 3 elements", "browse_page_failed"],
    ["locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for locator('#x')", "browse_page_failed"],
    ["page.evaluate: Target page, context or browser has been closed", "browse_lost"],
    ["page.evaluate: ReferenceError: nope is not defined\n    at eval (eval at evaluate (:1:1))", "browse_page_failed"],
    ["browserType.launch: Failed to launch the browser process\n[err] No usable sandbox!", "browse_start_failed"],
  ])("from Playwright becomes one or two lines that name a command: %s", (message, code) => {
    const explained = explain(message);
    expect(explained.code).toBe(code as typeof explained.code);
    expect(`${explained.text}\n${explained.hint}`.split("\n").length).toBeLessThanOrEqual(2);
    expect(`${explained.text} ${explained.hint}`).toMatch(/devflow |Start the server/);
    expect(explained.text).not.toMatch(/Call log|at eval/);
  });
  test("of Devflow itself in a command that acts advises to look before it is repeated", () => {
    const fault = new TypeError("x is not a function");
    const { code, hint } = explainFailure(fault, { command: "click @e3", acts: true });
    expect([code, hint]).toEqual(["browse_unexpected", expect.stringMatching(/^It may have been done, so look/)]);
    expect(explainFailure(fault, { command: "text" }).code).toBe("internal");
  });
  test("that is already a Devflow error stays unchanged", () => {
    const own = new DevflowError("browse_no_tab", { details: { tab: "t9", session: "default" } });
    expect(explainFailure(own, { command: "tab t9" })).toBe(own);
  });
});

describe("tokens", () => {
  test("identify the owner and sessions, and no other caller", () => {
    const tokens = new Tokens();
    const guest = tokens.issue("guest", "read");
    expect(tokens.callerOf(`Bearer ${tokens.owner}`)).toEqual({ kind: "owner" });
    expect(tokens.callerOf(`Bearer ${guest}`)).toEqual({ kind: "session", session: "guest", scope: "read" });
    for (const shown of [undefined, "", guest, `Bearer ${guest}x`, `bearer ${guest}`, "Bearer "])
      expect(tokens.callerOf(shown)).toBeUndefined();
    const successor = new Tokens();
    successor.inherit(tokens.handOver());
    expect(successor.callerOf(`Bearer ${guest}`)).toEqual({ kind: "session", session: "guest", scope: "read" });
    expect(successor.callerOf(`Bearer ${tokens.owner}`)).toBeUndefined();
    successor.revoke("guest");
    expect(successor.callerOf(`Bearer ${guest}`)).toBeUndefined();
  });
});

describe("a ring", () => {
  test("keeps the newest entries with increasing numbers", () => {
    const kept: number[] = [];
    const ring = new Ring<{ text: string }>(new Redactor(), ({ seq }) => kept.push(seq), 3);
    for (const text of ["a", "b", "c", "d", "e"]) ring.push({ text });
    expect(ring.since(0).map(({ seq, text }) => [seq, text])).toEqual([
      [3, "c"],
      [4, "d"],
      [5, "e"],
    ]);
    expect(ring.since(4).map(({ text }) => text)).toEqual(["e"]);
    expect([ring.seq, ring.since(5), kept]).toEqual([5, [], [1, 2, 3, 4, 5]]);
  });
  test("redacts a value that became secret after it was logged", () => {
    const redactor = new Redactor();
    const ring = new Ring<{ text: string }>(redactor);
    ring.push({ text: "cookie is opensesame42" });
    redactor.hide("opensesame42");
    expect(ring.since(0)[0]?.text).toBe("cookie is [redacted:known]");
  });
});

describe("the tabs file on disk", () => {
  const state = {
    cookies: [{ name: "c", value: "cookievalue" }] as never,
    origins: [{ origin: "http://x", localStorage: [{ name: "a", value: "localvalue" }] }],
  };
  const tab = (url: string) => ({ id: "t1", url, scroll: { x: 0, y: 5 }, sessionStorage: { s: "sessionvalue" } });
  const session = (url: string) => ({ name: "default", tabs: [tab(url)], current: "t1", nextTab: 2, lease: {}, state });
  test("has tabs, URLs and scroll positions, and no values of cookies or storage", () => {
    const text = forDisk([session("http://localhost:3000/cart?page=2")]);
    expect(text).not.toMatch(/cookievalue|localvalue|sessionvalue/);
    expect(fromDisk(text)).toEqual([
      {
        name: "default",
        current: "t1",
        nextTab: 2,
        lease: {},
        tabs: [{ id: "t1", url: "http://localhost:3000/cart?page=2", scroll: { x: 0, y: 5 } }],
      },
    ]);
  });
  test("has no secret from a URL, and marks that URL as cut", () => {
    const secret = `ghp_${"a1B2c3D4".repeat(5).slice(0, 36)}`;
    const text = forDisk([session(`https://user:${secret}@example.com/in?access_token=${secret}`)]);
    expect(text).not.toContain(secret);
    expect(fromDisk(text)[0]?.tabs[0]).toMatchObject({ url: "https://example.com/in", isCut: true });
  });
  test("that is not JSON is ignored", () => expect(fromDisk("{")).toEqual([]));
});

describe("saved state", () => {
  test("can be read only on this machine, and only unaltered", async () => {
    const file = join(temporaryFolder(), "key");
    const key = await sealingKey(file);
    expect(await sealingKey(file)).toEqual(key);
    const sealed = seal("secret words", key);
    expect(sealed).not.toContain("secret");
    expect(unseal(sealed, key)).toBe("secret words");
    const other = await sealingKey(join(temporaryFolder(), "key"));
    for (const [text, with_] of [
      [sealed, other],
      [sealed.replace(/.{6}\n$/, "AAAAA=\n"), key],
      ["plain", key],
    ] as const) {
      expect(() => unseal(text, with_)).toThrow("This file is not a state saved on this machine.");
    }
  });
});

describe("steps of a chain", () => {
  test.each([
    ["click @e3", ["click", "@e3"]],
    [`fill @e1 "two words"`, ["fill", "@e1", "two words"]],
    [`js 'a("b")'`, ["js", 'a("b")']],
    [`a\\ b "c\\"d" ''`, ["a b", 'c"d', ""]],
    ["  spaced   out ", ["spaced", "out"]],
  ])("%j is split as a shell would", (line, words) => expect(splitWords(line)).toEqual(words));
  test("come from lines with comments, or from JSON", () => {
    expect(parseSteps("# log in\ngoto x\n\nclick @e1")).toEqual([
      ["goto", "x"],
      ["click", "@e1"],
    ]);
    expect(parseSteps('[["goto", "x"], ["fill", "@e1", 5]]')).toEqual([
      ["goto", "x"],
      ["fill", "@e1", "5"],
    ]);
  });
  test("explain a command with --help, and a usage failure names the command that does", async () => {
    const table = new CommandTable(browseCommands);
    const runStep = async (words: readonly string[]): Promise<Answer> => {
      const { record, input } = table.parse({ words });
      return await ((await record.handler()) as (input: unknown, scope: unknown) => Promise<Answer>)(input, {});
    };
    const daemon = { runStep, describeStep: (words: readonly string[]) => table.describe(words) };
    const scope = { daemon, signal: new AbortController().signal } as unknown as DaemonScope;
    const text = async (...steps: string[]) => (await chain({ steps, goOn: true }, scope)).text;
    expect(await text("wait --help")).toStartWith("1 wait --help\ndevflow browse wait [<target>]\n");
    expect(await text("click -h")).toStartWith("1 click -h\ndevflow browse click <target>");
    expect(await text("click")).toBe(
      "1 click\nFAILED: <target> is missing.\nSee: devflow browse help click\n0 of 1 commands ran.",
    );
  });
});

test("a video shows each frame until the next one was taken", () => {
  const jpeg = (mark: number) => Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 100, 0, 200, 1, mark, 0, 0, 0]);
  const { bytes, seconds } = writeAvi([
    { image: jpeg(1), atMs: 0 },
    { image: jpeg(2), atMs: 250 },
    { image: jpeg(3), atMs: 1000 },
  ]);
  expect(seconds).toBe(1.1);
  expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  expect(bytes.toString("latin1").split("00dc").length - 1).toBe(22);
});
