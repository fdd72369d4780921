/** For what a team of one on this machine does not have. */
import { DevflowError } from "@devflow/core/errors";

export function requireTeamServer(server: string, what: string): void {
  if (server !== "local") return;
  throw new DevflowError("conflict", {
    details: {
      problem: `${what} needs a team server; the server of this machine is for you alone.`,
      next: "Set one up: docs/team.md",
    },
  });
}
