/** Which files of a home a backup contains. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { temporaryFolder } from "@devflow/testkit";
import { filesOfHome } from "./home-files.ts";

test("what people attached to runs is there once, and uploads that nobody used are not", async () => {
  const root = temporaryFolder("home");
  const workspaces = join(root, "workspaces");
  for (const name of [
    "workspaces/run/attachments/1-shot.png",
    "workspaces/run/sessions/s/instructions/attachments/1-shot.png",
    "workspaces/run/sessions/s/instructions/prompt.md",
    "workspaces/run/main/.git",
    "uploads/unused",
  ]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "x");
  }
  expect((await filesOfHome(homeAt(root), workspaces)).map(({ name }) => name)).toEqual([
    "workspaces/run/attachments/1-shot.png",
    "workspaces/run/sessions/s/instructions/prompt.md",
  ]);
});
