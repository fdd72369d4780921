/** docs/team-failures.md names a test for every row, and the tests exist. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const page = readFileSync(join(root, "docs/team-failures.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| (?!what goes wrong|threat |---)/.test(line) && !line.startsWith("|---"));

test("every row names a test that exists", () => {
  expect(rows.length).toBeGreaterThan(35);
  const missing = rows.filter((row) => {
    const [, file = "", name = ""] = /\| `([^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? [];
    return name === "" || !readFileSync(join(root, file), "utf8").includes(`"${name}"`);
  });
  expect(missing).toEqual([]);
});

test("no package that is delivered depends on a client library of Supabase", () => {
  const names = ["apps", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
        readFileSync(join(root, folder, name, "package.json"), "utf8"),
      ) as { dependencies?: object; optionalDependencies?: object };
      return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
    }),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => name.includes("supabase"))).toEqual([]);
});
