/** The code that decides the next step does no I/O, so it can run anywhere: in a page, in a test, in a workflow. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Every module that is loaded with this one; erased imports do not count. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const match of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)) {
    const specifier = match[1] ?? "";
    if (specifier.startsWith("node:") || !/^[.@]/.test(specifier)) seen.add(specifier);
    else if (specifier.startsWith(".")) loadedWith(join(dirname(path), specifier), seen);
    else loadedWith(fileURLToPath(import.meta.resolve(specifier)), seen);
  }
  return seen;
}

test("deciding a run's next step loads no module that reads, writes or waits", () => {
  const loaded = [...loadedWith(join(import.meta.dir, "next-step.ts"))];
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter((one) => !one.startsWith("/")).sort()).toEqual(["zod"]);
  expect(loaded.filter((one) => /packages\/(db|git|session)\//.test(one))).toEqual([]);
});
