/** A holder for tests: an artifact is valid when it is a JSON object with `ok: true`. Run as `bun holder-program.ts <folder>`. */
import { readFileSync } from "node:fs";
import { runHolder, wires } from "../src/wires.ts";

const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);

await runHolder(process.argv[2] ?? ".", {
  wires,
  env,
  ...(env.HOLDER_OPEN_LIMIT_MS ? { openLimitMs: Number(env.HOLDER_OPEN_LIMIT_MS) } : {}),
  async checkArtifact({ expectedArtifact }) {
    try {
      const found = JSON.parse(readFileSync(expectedArtifact, "utf8")) as { ok?: unknown };
      return found.ok === true ? [] : ["/ok: must be true"];
    } catch (error) {
      return [(error as Error).message];
    }
  },
}).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
