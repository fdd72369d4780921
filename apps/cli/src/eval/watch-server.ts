import type { CommandContext } from "@devflow/core/command";
export async function serveWatch(
  _given: { suite?: string | undefined; port: number },
  _context: CommandContext,
): Promise<number> {
  return 0;
}
