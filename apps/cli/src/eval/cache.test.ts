import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, temporaryHome } from "@devflow/testkit";

function place() {
  const home = temporaryHome();
  writeFileSync(join(home.path, "prompt.txt"), "be kind");
  const cache = (words: readonly string[], options: { env?: Record<string, string>; stdin?: string } = {}) =>
    runCli(["eval", "cache", ...words], { home, ...options });
  return { home, cache };
}

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
  expect(await cache(["write", "my_suite", "bad", "{nope"])).toMatchObject({
    code: 65,
    stderr: expect.stringContaining("Give JSON"),
  });
  expect(await cache(["read", "my_suite"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("--file <source> --input <json>"),
  });
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
  expect((await cache(["why", ...parts('{"q":1,"lang":"en"}')])).stdout).toContain("Hit");

  writeFileSync(join(home.path, "prompt.txt"), "be terse");
  const why = await cache(["why", ...parts('{"q":1,"lang":"de"}')]);
  expect(why.stdout).toContain(
    `Differences from the nearest entry, ${stdout.trim()}:\n  file prompt.txt changed\n  input lang changed`,
  );
  const attempt = await cache(["why", ...parts('{"q":1,"lang":"en"}'), "--attempt", "2", "--json"]);
  expect(attempt.json()).toMatchObject({
    isHit: false,
    differences: ["file prompt.txt changed", "attempt changed from 1 to 2"],
  });
  const other = await cache(["why", "s", "--case", "nobody", "--input", "1"]);
  expect(other.stdout).toContain("No cached entry of nobody");
  expect((await cache(["read", ...parts('{"q":2}')])).stderr).toContain("devflow eval cache why");
});

test("stats tell entries, size, days, hits and the dollars that hits saved; verify names what is damaged", async () => {
  const { home, cache } = place();
  expect((await cache(["stats"])).stdout).toContain("No outputs are cached");
  const usage = [{ model: "claude-haiku-4-5", input_tokens: 1_000_000 }];
  await cache(["write", "posts", "a1", JSON.stringify({ response: "x", usage })]);
  await cache(["write", "mails", "b1", '"y"']);
  for (const key of ["a1", "a1"]) await cache(["read", "posts", key]);
  await cache(["read", "mails", "b1"]);
  const { stdout } = await cache(["stats"]);
  const today = new Date().toISOString().slice(0, 4);
  expect(stdout).toMatch(new RegExp(`posts +1 +\\d+ B +${today}.* … ${today}.* +2 +\\$2\\.0000`));
  expect(stdout).toMatch(/mails +1 .* 1 +\$0\.0000 \+ 1 unpriced/);
  expect(stdout).toMatch(/all +2 .* 3 +\$2\.0000/);
  expect(await cache(["verify"])).toMatchObject({ code: 0, stdout: "2 cached outputs checked, none damaged.\n" });
  writeFileSync(join(home.devflowHome, "eval-cache/mails/b1.json"), '{"_cache_version":');
  const broken = await cache(["verify"]);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/1 damaged.*\n.*mails\/b1\.json: not valid JSON/);
  expect((await cache(["read", "mails", "b1"])).code).toBe(1);
  expect((await cache(["clear", "posts"])).stdout).toBe("1 cached output deleted.\n");
  expect(readdirSync(join(home.devflowHome, "eval-cache"))).toEqual(["mails"]);
  expect((await cache(["clear", "posts", "--judges"])).code).toBe(64);
});
