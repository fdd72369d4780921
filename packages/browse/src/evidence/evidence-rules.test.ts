import { describe, expect, test } from "bun:test";
import { optionsOf } from "@devflow/core/command";
import { parseCommandLine } from "@devflow/core/command-line";
import { browseCommands, cliRecordOf } from "../commands/index.ts";
import type { CommandBody, Outcome, RecordedReceipt, StartBody } from "../journal/index.ts";
import { wordsOf } from "./command-words.ts";
import { compareOutcomes, withoutShifts } from "./compare-outcomes.ts";
import { playwrightSpec } from "./playwright-spec.ts";
import { replay } from "./replay.ts";
import { sealInput, unsealInput } from "./seal-input.ts";

describe("arguments in the journal", () => {
  test("plain text is kept, secret fields become placeholders, and a replay fills them in again", () => {
    const plain = sealInput("fill", { target: "@e1", value: "Ada" });
    expect(plain).toEqual({ input: { target: "@e1", value: "Ada" }, secrets: [] });
    const sealed = sealInput("fill", { target: "@e2", value: "hunter2" }, { isSecretField: true, firstNumber: 3 });
    expect(sealed).toEqual({ input: { target: "@e2", value: "{{SECRET_3}}" }, secrets: ["SECRET_3"] });
    expect(unsealInput(sealed.input, { SECRET_3: "hunter2" })).toEqual({
      input: { target: "@e2", value: "hunter2" },
      missing: [],
    });
    expect(unsealInput(sealed.input, {}).missing).toEqual(["SECRET_3"]);
  });

  test("cookies, headers, stored values, passwords in URLs and tokens are never kept", () => {
    const canary = "canary-7f3a9c";
    const inputs: [string, Record<string, unknown>][] = [
      ["cookie", { name: "sid", value: canary }],
      ["headers", { headers: [`X-Key: ${canary}`] }],
      ["storage-set", { key: "token", value: canary }],
      ["goto", { url: `https://ada:${canary}@app.test/` }],
      ["goto", { url: "https://app.test/", auth: `ada:${canary}` }],
      ["type", { text: `ghp_${"a1B2".repeat(9)}` }],
    ];
    for (const [command, input] of inputs) {
      const sealed = JSON.stringify(sealInput(command, input).input);
      expect([command, sealed]).toEqual([command, expect.stringContaining("SECRET_1")]);
      expect(sealed).not.toContain(canary);
    }
  });
});

describe("a difference", () => {
  const receipt = (change: Partial<RecordedReceipt>): Outcome => ({
    kind: "receipt",
    receipt: {
      ...{ did: "clicked @e3", changes: [], more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [] },
      effect: true,
      ...change,
    },
  });

  test("is not reported when only refs, ports and times differ", () => {
    const recorded = receipt({
      changes: ['+ @e9 heading "Saved in 12 ms"'],
      url: { from: "", to: "http://127.0.0.1:4000/a" },
    });
    const again = receipt({
      changes: ['+ @e4 heading "Saved in 7 ms"'],
      url: { from: "", to: "http://localhost:5000/a" },
    });
    expect(compareOutcomes(recorded, again)).toEqual([]);
  });

  test("is reported line by line", () => {
    const recorded = receipt({ changes: ['+ @e9 heading "Saved"'], url: { from: "/", to: "/done" } });
    const again = receipt({ changes: ['+ @e9 alert "Failed"'], console: ["boom"] });
    expect(compareOutcomes(recorded, again)).toEqual([
      "url: /done → nothing",
      'change is gone: + heading "Saved"',
      'change is new: + alert "Failed"',
      "console error is new: boom",
    ]);
    expect(compareOutcomes(receipt({}), receipt({ effect: false }))).toEqual(["it has no effect now"]);
  });

  test("is not reported when an effect only comes a moment later", () => {
    const gone = 'change is gone: + heading "Saved"';
    const fresh = 'change is new: + heading "Saved"';
    expect(withoutShifts([[gone, "url: a → b"], [fresh]])).toEqual([["url: a → b"], []]);
    expect(withoutShifts([[fresh], [], [gone]])).toEqual([[], [], []]);
    expect(withoutShifts([[gone], [fresh, fresh]])).toEqual([[], [fresh]]);
    const far = [[gone], [], [], [fresh]];
    expect(withoutShifts(far)).toEqual(far);
  });

  test("is reported when a command fails that worked before, and vice versa", () => {
    const failed: Outcome = { kind: "failed", code: "browse_covered", message: "covered" };
    expect(compareOutcomes(receipt({}), failed)).toEqual(["it worked, and now it fails: covered"]);
    expect(compareOutcomes(failed, receipt({}))).toEqual(["it failed (covered), and now it works"]);
    expect(compareOutcomes(failed, failed)).toEqual([]);
    expect(compareOutcomes(failed, { ...failed, code: "browse_deadline" })).toEqual([
      "it fails differently: covered → covered",
    ]);
  });
});

test("any command arguments become words that parse to the same arguments", () => {
  const records = browseCommands.map((record) => ({ ...cliRecordOf(record), handler: async () => async () => {} }));
  const strange = ["--json", "-x", "a b", "", 'say "hi"', "--", "-5", "@e3", "ü🍪\nnew line"];
  const fills = strange.map((value) => ({ target: "@e1", value }));
  for (const [name, inputs] of Object.entries({ fill: fills, click: [{ target: "-", button: "right" }] })) {
    const record = browseCommands.find((one) => one.name === name);
    if (!record) throw new Error(name);
    for (const input of inputs) {
      const parsed = parseCommandLine(["browse", ...wordsOf(record, input)], records);
      const own = optionsOf(record.args).map(({ key }) => [key, parsed.input[key]]);
      expect(Object.fromEntries(own)).toMatchObject(input);
    }
  }
});

const startBody: StartBody = {
  ...{ kind: "start", version: 1, bundle: "b1", name: "buys", session: "s", devflow: "0" },
  ...{ commit: "abc", branch: null, changedFiles: 0, tabs: [] },
};

const body = (command: string, change: Partial<CommandBody>): CommandBody => ({
  kind: "command",
  command,
  effect: "write",
  tab: "t1",
  url: null,
  input: {},
  targets: {},
  outcome: { kind: "done" },
  ms: 1,
  ...change,
});

test("a replay waits for the tab that a page opens, so that later tabs keep their numbers", async () => {
  const tabs = ["t7"];
  const ran: string[] = [];
  const openTab = (by: string) => {
    tabs.push(`t${7 + tabs.length}`);
    ran.push(`${by} opened ${tabs.at(-1)}`);
  };
  const run = async (words: readonly string[]) => {
    ran.push(words.join(" "));
    if (words[0] === "click") setTimeout(() => openTab("page"), 200);
    if (words[0] === "newtab") openTab("command");
    if (words[0] === "closetab") tabs.splice(1);
    return { text: "", data: {} };
  };
  const commands = [
    body("click", { input: { target: "css=a" } }),
    body("newtab", { tab: "t3" }),
    body("tab", { tab: "t2", input: { id: "t2" } }),
    body("closetab", { tab: null }),
    body("newtab", { tab: "t4" }),
  ].map((one, index) => ({ seq: index + 1, at: "", body: one }));
  const bundle = { folder: "", isEnded: true, start: startBody, commands, head: "" };
  const signal = AbortSignal.timeout(60_000);
  await replay(bundle, { commands: browseCommands, run, tabs: async () => [...tabs], secrets: {}, signal });
  expect(ran.slice(0, 5)).toEqual([
    "click --tab=t7 -- css=a",
    "page opened t8",
    "newtab",
    "command opened t9",
    "tab -- t8",
  ]);
  expect(ran.slice(5, 7)).toEqual(["closetab", "newtab"]);
});

test("the spec repeats what was recorded, expects what was seen, and guesses nothing", () => {
  const save = { selector: "x", code: "getByRole('button', { name: 'Save' })", role: "button", name: "Save" };
  const saved: RecordedReceipt = {
    ...{ did: "", more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [], effect: true },
    url: { from: "http://a.test/", to: "http://a.test/done" },
    changes: ['+ @e9 heading "It\\"s saved"'],
  };
  const commands = [
    body("goto", { input: { url: "http://a.test/" } }),
    body("fill", { input: { target: "css=#pw", value: "{{SECRET_1}}" } }),
    body("click", {
      input: { target: "@e3" },
      targets: { target: save },
      outcome: { kind: "receipt", receipt: saved },
    }),
    body("throttle", { input: { network: "slow\n*/ process.exit()" } }),
    body("text", { effect: "read" }),
  ].map((one, index) => ({ seq: index + 1, at: "", body: one }));
  const spec = playwrightSpec({
    start: startBody,
    commands,
    head: "0".repeat(64),
  });
  expect(spec.split("\n").slice(2)).toEqual([
    "// Needs the environment variable SECRET_1.",
    'import { expect, test } from "@playwright/test";',
    "",
    'test("buys", async ({ context, page }) => {',
    '  await page.goto("http://a.test/");',
    '  await page.locator("#pw").fill(process.env.SECRET_1 ?? "");',
    "  await page.getByRole('button', { name: 'Save' }).click();",
    '  await expect(page).toHaveURL("http://a.test/done");',
    '  await expect(page.getByRole("heading", { name: "It\\"s saved" }).first()).toBeVisible();',
    '  // 4: devflow browse throttle {"network":"slow\\n*/ process.exit()"}',
    "});",
    "",
  ]);
});
