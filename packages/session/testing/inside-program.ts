/** The first program in a sandbox, for tests. Run as `bun inside-program.ts <forwards> -- <command>`. */
import { runInside } from "../src/sandbox/run-inside.ts";

const [forwards = "[]", , ...command] = process.argv.slice(2);
process.exit(await runInside(JSON.parse(forwards), command));
