import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeAt } from "./home.ts";
import { ensurePrivateHome } from "./private-home.ts";

const folder = mkdtempSync(join(tmpdir(), "devflow-home-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

function made(name: string, mode: number, file?: string) {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, mode);
  if (file) writeFileSync(join(path, file), "");
  return homeAt(path);
}

test("a new home is closed to others, and one that is closed stays as it is", async () => {
  const home = homeAt(join(folder, "new"));
  expect(await ensurePrivateHome(home)).toEqual({ closedFrom: undefined });
  expect(await ensurePrivateHome(home)).toEqual({ closedFrom: undefined });
  expect(modeOf(home.root)).toBe("700");
});

test.each([0o777, 0o755, 0o750, 0o701])("a home with mode %o is closed to others", async (mode) => {
  const home = made(`open-${mode}`, mode, "machine-id");
  expect(await ensurePrivateHome(home)).toEqual({ closedFrom: mode });
  expect(modeOf(home.root)).toBe("700");
});

test.each([
  ["a folder of other things", made("project", 0o755, "README.md")],
  ["a shared folder like /tmp", made("shared", 0o1777, "config.yaml")],
])("%s is refused and left as it is", async (_name, home) => {
  const before = modeOf(home.root);
  await expect(ensurePrivateHome(home)).rejects.toMatchObject({
    code: "home_unusable",
    message: expect.stringMatching(/others can (read|write to) it, and it holds other files/),
  });
  expect(modeOf(home.root)).toBe(before);
});
