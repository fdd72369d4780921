/** A server as a process of its own, which a test can kill; it reads its options as JSON from standard input. */
import { fileURLToPath } from "node:url";

export type { ServerProcessOptions } from "./fixtures/server-process.ts";

export const serverProgram = fileURLToPath(new URL("./fixtures/server-process.ts", import.meta.url));
