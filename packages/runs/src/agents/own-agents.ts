/** A person's own backends as the engine drives them; see `DrivenAgent`. */
import { isAbsolute } from "node:path";
import type { OwnBackend } from "../definitions/index.ts";
import type { DrivenAgent } from "./driven-agent.ts";

/** `find` resolves to the path of a program, or undefined. */
export async function findOwnAgents(
  backends: readonly OwnBackend[],
  find: (program: string) => Promise<string | undefined>,
): Promise<DrivenAgent[]> {
  return await Promise.all(
    backends.map(async ({ definition, file }): Promise<DrivenAgent> => {
      const { name: backend, command, environment: variables, vendor, mode, profile } = definition;
      const [program = "", ...words] = command;
      const path = isAbsolute(program) ? program : await find(program);
      if (path === undefined) {
        const reason = `${program} is not on your PATH; install it, or change \`command\` in ${file}`;
        return { backend, available: false, reason };
      }
      return {
        backend,
        available: true,
        adapters: [{ name: backend, wire: "acp" }],
        command: [path, ...words],
        vendor: vendor ?? backend,
        variables,
        settings: { ...(profile ? { profile } : {}), ...(mode ? { mode } : {}) },
      };
    }),
  );
}
