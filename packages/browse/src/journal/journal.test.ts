import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killAt, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import type { CommandBody, EntryBody } from "./entry.ts";
import { checkJournal, openJournal } from "./journal.ts";

const start: EntryBody = {
  kind: "start",
  version: 1,
  bundle: "b",
  name: "try",
  session: "default",
  devflow: "0",
  commit: null,
  branch: null,
  changedFiles: 0,
  tabs: [],
};
const command = (value: string): CommandBody => ({
  kind: "command",
  command: "fill",
  effect: "write",
  tab: "t1",
  url: "http://a.test/",
  input: { target: "@e1", value },
  targets: {},
  outcome: { kind: "done" },
  ms: 1,
});
const at = new Date("2026-01-02T03:04:05Z");

async function written(path = join(temporaryFolder("journal"), "journal.jsonl")): Promise<string> {
  const journal = await openJournal(path);
  await Promise.all([start, command("one"), command("two"), command("three")].map((body) => journal.append(body, at)));
  await journal.append({ kind: "end", commands: 3, reason: "stopped" }, at);
  await journal.close();
  return readFileSync(path, "utf8");
}

test("a written journal passes the check, with its entries in order", async () => {
  const { entries, fault, isTorn } = checkJournal(await written());
  expect([fault, isTorn]).toEqual([undefined, false]);
  expect(entries.map(({ body }) => (body.kind === "command" ? body.input.value : body.kind))).toEqual([
    "start",
    "one",
    "two",
    "three",
    "end",
  ]);
});

describe("every edit is detected", () => {
  test("any single character changed, anywhere", async () => {
    const text = await written();
    for (let index = 0; index < text.length; index++) {
      const other = text[index] === "a" ? "b" : "a";
      const { fault, isTorn, entries } = checkJournal(text.slice(0, index) + other + text.slice(index + 1));
      // The last character is a newline: without it the last line is torn and does not count.
      if (index === text.length - 1) expect([isTorn, entries.length]).toEqual([true, 4]);
      else expect([index, fault]).toEqual([index, expect.any(String)]);
    }
  });

  test("a line removed, duplicated, moved, or added after the end", async () => {
    const lines = (await written()).trimEnd().split("\n");
    const fault = (changed: readonly (string | undefined)[]) => checkJournal(`${changed.join("\n")}\n`).fault;
    for (let index = 0; index < lines.length - 1; index++) {
      expect(fault(lines.toSpliced(index, 1))).toEqual(expect.any(String));
      expect(fault(lines.toSpliced(index, 0, lines[index] ?? ""))).toEqual(expect.any(String));
      const moved = lines.with(index, lines[index + 1] ?? "").with(index + 1, lines[index] ?? "");
      expect(fault(moved)).toEqual(expect.any(String));
    }
    expect(fault([...lines, lines.at(-1)])).toEqual(expect.any(String));
  });

  test("an unknown member, and other JSON with the same meaning", async () => {
    const text = await written();
    expect(checkJournal(text.replace('"ms":1', '"ms":1,"note":"added"')).fault).toBe("line 2 was changed");
    expect(checkJournal(text.replace('"ms":1', '"ms": 1')).fault).toBe("line 2 was changed");
    expect(checkJournal(text.replace('"ms":1', '"ms":1,"ms":1')).fault).toBe("line 2 was changed");
    expect(checkJournal("").fault).toBe("it is empty");
    expect(checkJournal("nonsense\n").fault).toBe("line 1 is not a journal entry");
  });
});

describe("a writer that is killed", () => {
  const script = (path: string) => `
    import { openJournal } from ${JSON.stringify(fileURLToPath(new URL("./journal.ts", import.meta.url)))};
    const journal = await openJournal(${JSON.stringify(path)});
    await journal.append(${JSON.stringify(start)}, new Date());
    for (let n = 0; ; n++) {
      await journal.append(${JSON.stringify(command("x".repeat(3000)))}, new Date());
      if (n === 20) console.log("many");
    }`;

  test("at any moment leaves a valid journal, and the next writer continues it", async () => {
    const path = join(temporaryFolder("journal"), "journal.jsonl");
    const home = temporaryHome();
    await using writer = startProcess([process.execPath, "-e", script(path)], { env: home.environment() });
    await writer.waitForOutput(/many/, 60_000);
    writer.signal("SIGKILL");
    await writer.ended;
    const left = readFileSync(path, "utf8");
    const whole = checkJournal(left);
    expect(whole.fault).toBeUndefined();
    expect(whole.entries.length).toBeGreaterThan(20);

    appendFileSync(path, '{"seq":99,"at":"2026-');
    expect(checkJournal(readFileSync(path, "utf8"))).toMatchObject({ fault: undefined, isTorn: true });
    const journal = await openJournal(path);
    await journal.append(command("after"), at);
    await journal.close();
    const { entries, fault, isTorn } = checkJournal(readFileSync(path, "utf8"));
    expect([fault, isTorn, entries.length]).toEqual([undefined, false, whole.entries.length + 1]);
  }, 120_000);

  test("between writing a line and syncing it leaves a valid journal too", async () => {
    const path = join(temporaryFolder("journal"), "journal.jsonl");
    const env = temporaryHome().environment(killAt("evidenceAfterWriteBeforeSync", 3));
    await using writer = startProcess([process.execPath, "-e", script(path)], { env });
    expect((await writer.ended).killedBy).toBe("SIGKILL");
    expect(checkJournal(readFileSync(path, "utf8"))).toMatchObject({ fault: undefined, isTorn: false });
  }, 120_000);
});
