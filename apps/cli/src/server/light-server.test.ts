import { expect, test } from "bun:test";
import { join } from "node:path";
import { runProcess, temporaryHome } from "@devflow/testkit";

/** Each of these alone would double the server's memory and its start: 50 MB and 200 ms for the browser's driver. */
const heavy = "playwright-core|axe-core|typescript|vite";

test("the server loads no browser driver and no build tool", async () => {
  const server = join(import.meta.dir, "run-server.ts");
  const script = `
    Bun.plugin({ name: "heavy", setup: (build) => build.onLoad({ filter: /node_modules\\/(${heavy})\\// }, ({ path }) => {
      console.error("loaded " + path);
      process.exit(3);
    }) });
    await import(${JSON.stringify(server)});
    console.log("light");`;
  const { stdout, stderr } = await runProcess([process.execPath, "-e", script], {
    env: temporaryHome().environment(),
    cwd: import.meta.dir,
  });
  expect({ stdout, stderr }).toEqual({ stdout: "light\n", stderr: "" });
});
