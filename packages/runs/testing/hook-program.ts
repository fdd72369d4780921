/** A hook of an agent in a terminal, for tests: `bun hook-program.ts <socket>`. */
import { runHook } from "../src/session-hook.ts";

await runHook(process.argv[2] ?? "", { input: process.stdin, print: (answer) => void process.stdout.write(answer) });
