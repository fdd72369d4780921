/** Preloaded into a program: at its end writes the modules it has loaded into the file that LOADED_MODULES names. */
import { writeFileSync } from "node:fs";

const write = () => {
  const file = process.env.LOADED_MODULES;
  if (file) writeFileSync(file, [Bun.main, ...Object.keys(require.cache)].join("\n"));
};
process.on("exit", write);
// An end without that event, as of a command to a browser that runs.
const native = process as unknown as { reallyExit(code: number): never };
const { reallyExit } = native;
native.reallyExit = (code) => {
  write();
  return reallyExit(code);
};
