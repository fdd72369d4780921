import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, runCli, temporaryHome } from "@devflow/testkit";

function place() {
  const home = temporaryHome();
  writeFileSync(join(home.path, "prompt.txt"), "be kind");
  const cache = (words: readonly string[], options: { env?: Record<string, string>; stdin?: string } = {}) =>
    runCli(["eval", "cache", ...words], { home, ...options });
  return { home, cache };
}

const cacheKeys = (text: string) => text.replace(/\b[0-9a-f]{16}\b/g, "<key>");

test("any language writes and reads: JSON in and out, exit code 1 is a miss", async () => {
  const { cache } = place();
  expect(await cache(["read", "my_suite", "abc123def456"])).toMatchObject({ code: 1, stdout: "" });
  expect(await cache(["write", "my_suite", "abc123def456", '{"response":"hi"}'])).toMatchObject({
    code: 0,
    stdout: "abc123def456\n",
  });
  expect(await cache(["read", "my_suite", "abc123def456"])).toMatchObject({ code: 0, stdout: '{"response":"hi"}\n' });
  await cache(["write", "my_suite", "from-stdin"], { stdin: "[1, 2]" });
  expect((await cache(["read", "my_suite", "from-stdin"])).json()).toEqual([1, 2]);
  expect(outputOf(await cache(["write", "my_suite", "bad", "{nope"]))).toMatchInlineSnapshot(`
    "--- stderr
    The output is not valid JSON: JSON Parse error: Expected '}'.
    Give JSON: devflow eval cache write my_suite abc123 '{"response":"…"}'
    --- exit code 65"
  `);
  expect(outputOf(await cache(["read", "my_suite"]))).toMatchInlineSnapshot(`
    "--- stderr
    No key was given.
    Give a key, or what it is computed from: --file <source> --input <json>
    --- exit code 64"
  `);
});

test("EVAL_CACHE=0 neither reads nor writes; EVAL_CACHE_CLEAR=1 clears once for all commands of one run", async () => {
  const { cache } = place();
  await cache(["write", "s", "old", "1"]);
  expect((await cache(["read", "s", "old"], { env: { EVAL_CACHE: "0" } })).code).toBe(1);
  await cache(["write", "s", "off", "1"], { env: { EVAL_CACHE: "0" } });
  expect((await cache(["read", "s", "off"])).code).toBe(1);
  const env = { EVAL_CACHE_CLEAR: "1" };
  expect((await cache(["read", "s", "old"], { env })).code).toBe(1);
  await cache(["write", "s", "new", "1"], { env });
  expect((await cache(["read", "s", "new"], { env })).code).toBe(0);
});

test("a key is made of what the output depends on, and why names the file or the field that changed", async () => {
  const { home, cache } = place();
  const parts = (input: string) => ["s", "--file", "prompt.txt", "--case", "refund", "--input", input];
  const { stdout } = await cache(["write", ...parts('{"q":1,"lang":"en"}')], { stdin: '{"response":"hi"}' });
  expect(stdout).toMatch(/^[0-9a-f]{16}\n$/);
  expect((await cache(["read", ...parts('{"lang":"en","q":1}')])).stdout).toBe('{"response":"hi"}\n');
  expect(cacheKeys(outputOf(await cache(["why", ...parts('{"q":1,"lang":"en"}')])))).toMatchInlineSnapshot(
    `"Hit: <key> is cached."`,
  );

  writeFileSync(join(home.path, "prompt.txt"), "be terse");
  const why = await cache(["why", ...parts('{"q":1,"lang":"de"}')]);
  expect(why.stdout).toContain(`the nearest entry, ${stdout.trim()}:`);
  expect(cacheKeys(outputOf(why))).toMatchInlineSnapshot(`
    "Miss: <key>. Differences from the nearest entry, <key>:
      file prompt.txt changed
      input lang changed"
  `);
  const attempt = await cache(["why", ...parts('{"q":1,"lang":"en"}'), "--attempt", "2", "--json"]);
  expect(attempt.json()).toMatchObject({
    isHit: false,
    differences: ["file prompt.txt changed", "attempt changed from 1 to 2"],
  });
  const other = await cache(["why", "s", "--case", "nobody", "--input", "1"]);
  expect(cacheKeys(outputOf(other))).toMatchInlineSnapshot(
    `"Miss: <key>. No cached entry of nobody records what its key was computed from."`,
  );
  expect(cacheKeys(outputOf(await cache(["read", ...parts('{"q":2}')])))).toMatchInlineSnapshot(`
    "--- stderr
    Miss: s has no entry <key>. To see why: devflow eval cache why, with the same flags
    --- exit code 1"
  `);
});

test("stats tell entries, size, days, hits and the dollars that hits saved; verify names what is damaged", async () => {
  const { home, cache } = place();
  expect(outputOf(await cache(["stats"]))).toMatchInlineSnapshot(`
    "No outputs are cached. To cache one: devflow eval cache write
    Judges' votes: none cached."
  `);
  const usage = [{ model: "claude-haiku-4-5", input_tokens: 1_000_000 }];
  await cache(["write", "posts", "a1", JSON.stringify({ response: "x", usage })]);
  await cache(["write", "mails", "b1", '"y"']);
  for (const key of ["a1", "a1"]) await cache(["read", "posts", key]);
  await cache(["read", "mails", "b1"]);
  expect(outputOf(await cache(["stats"]))).toMatchInlineSnapshot(`
    "suite  entries   size  from … to                hits                 saved
    mails        1  <size>  <time> … <time>     1  $0.0000 + 1 unpriced
    posts        1  <size>  <time> … <time>     2               $2.0000
    all          2  <size>                              3               $2.0000
    Judges' votes: none cached."
  `);
  expect(await cache(["verify"])).toMatchObject({ code: 0, stdout: "2 cached outputs checked, none damaged.\n" });
  writeFileSync(join(home.devflowHome, "eval-cache/mails/b1.json"), '{"_cache_version":');
  expect(outputOf(await cache(["verify"]))).toMatchInlineSnapshot(`
    "2 cached outputs checked, 1 damaged.
      damaged  <folder>/.devflow/eval-cache/mails/b1.json: not valid JSON
    Damaged entries count as misses and are replaced. To delete the whole cache: devflow eval cache clear
    --- exit code 1"
  `);
  expect((await cache(["read", "mails", "b1"])).code).toBe(1);
  expect((await cache(["clear", "posts"])).stdout).toBe("1 cached output deleted.\n");
  expect(readdirSync(join(home.devflowHome, "eval-cache"))).toEqual(["mails"]);
  expect(outputOf(await cache(["clear", "posts", "--judges"]))).toMatchInlineSnapshot(`
    "--- stderr
    Judges' votes belong to no suite: use --judges without a suite.
    devflow eval cache clear --judges
    --- exit code 64"
  `);
});
