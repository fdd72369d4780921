/** A hook of an agent in a terminal: asks the session's holder, and prints its answer. */
import type { HandlerOf } from "@devflow/core/command";
import { runHook } from "@devflow/runs/session-hook";
import type { sessionHookRecord } from "./internal-commands.ts";

export const sessionHook: HandlerOf<typeof sessionHookRecord> = ({ socket }) =>
  runHook(socket, { input: process.stdin, print: (answer) => void process.stdout.write(answer) });
