/** Preloaded into a program: at its end writes the modules it has loaded into the file that LOADED_MODULES names. */
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const file = process.env.LOADED_MODULES;
  if (file) writeFileSync(file, [Bun.main, ...Object.keys(require.cache)].join("\n"));
});
