import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { temporaryFolder } from "@devflow/testkit";
import { locateServer } from "./state.ts";

test("a home that is a file is refused, and named", async () => {
  const file = join(temporaryFolder("home"), "file");
  writeFileSync(file, "");
  await expect(locateServer(homeAt(file))).rejects.toMatchObject({ code: "home_unusable", details: { path: file } });
});
