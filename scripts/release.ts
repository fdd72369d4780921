/** `npm run release`: `dist/release/` with archives and SHA256SUMS. `-- --target linux-x64` builds only that one. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeRelease } from "./release/make-release.ts";

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { target: { type: "string", multiple: true }, out: { type: "string" } } });
const into = values.out ?? join(root, "dist/release");
const released = await makeRelease({
  root,
  into,
  say: (line) => console.log(line),
  ...(values.target ? { only: values.target } : {}),
});
console.log(`\n${into}: ${released.filter(({ archive }) => archive).length} of ${released.length} targets. To try it:`);
console.log(`  devflow upgrade --from ${into}\n  npm install -g ${join(into, "npm/devflow")}`);
if (released.every(({ archive }) => !archive)) process.exitCode = 1;
