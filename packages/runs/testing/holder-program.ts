/** The holder of a real agent as a program of its own: `bun holder-program.ts <folder>`. */
import { runSessionHolder } from "../src/session-holder.ts";

const given = Object.entries(process.env).flatMap(([name, value]) =>
  value === undefined ? [] : [[name, value] as const],
);
await runSessionHolder(process.argv[2] ?? ".", Object.fromEntries(given)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
