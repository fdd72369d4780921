/** Alerts of the teams that this machine is signed in to. Only a warning: everything else goes on without them. */
import { homeAt } from "@devflow/core/home";
import { alertProblem } from "../../alerts/alert-lines.ts";
import { callRpc } from "../../server/client.ts";
import { readAuth } from "../../team/auth-file.ts";
import { addressFor } from "../../team/token-for.ts";
import { type Check, pass, warn } from "../check.ts";

export const checkAlerts: Check = {
  name: "alerts",
  run: async ({ inspection, env }) => {
    const home = homeAt(inspection.home);
    const servers = Object.keys(await readAuth(home));
    if (servers.length === 0) return pass("not signed in to a team server");
    const found: string[] = [];
    let asked = 0;
    for (const server of servers) {
      try {
        const address = await addressFor(home, env, server);
        for (const team of await callRpc(address, "my_teams", {})) {
          const problem = alertProblem(await callRpc(address, "alert_state", { team_id: team.id }));
          asked += 1;
          if (problem !== undefined) found.push(`${team.name}: ${problem}`);
        }
      } catch {
        // A server that cannot be reached, or is older: not a fault of this machine.
      }
    }
    if (found.length > 0) return warn(found.join("; "), "See what is wrong: devflow team alerts show");
    return pass(asked === 0 ? "the team server cannot be asked" : "all messages were sent");
  },
};
