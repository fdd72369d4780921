/** The machines of the fleet: who may see them is decided by row-level security, who may change them here. */
import { DevflowError } from "@devflow/core/errors";
import { HostRequest } from "@devflow/protocol";
import { Hono } from "hono";
import { fleetView } from "../fleet/fleet-view.ts";
import { drainHost, mayManageHost, removeHost } from "../fleet/host-repository.ts";
import type { RunsParts } from "../routes.ts";
import { notFound, type Reader } from "../views/index.ts";
import { actorOf, bodyOf, type RunsContext, type RunsEnv, refuseAgent } from "./request.ts";

export function fleetRoutes({ context }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });
  const managed = async (c: RunsContext): Promise<string> => {
    refuseAgent(actorOf(c));
    const wanted = c.req.param("host") ?? "";
    const { hosts } = await fleetView(context, reader(c));
    const found = hosts.filter((one) => one.host === wanted || one.name === wanted);
    if (found.length !== 1 || !found[0]) throw notFound(`The machine ${wanted}`, "See them: devflow fleet list");
    const { host } = found[0];
    if (await mayManageHost(reader(c), host)) return host;
    throw new DevflowError("forbidden", {
      details: {
        problem: "Only admins may drain or remove a machine.",
        next: "Ask an owner or admin of the team: devflow team members",
      },
    });
  };
  return new Hono<RunsEnv>()
    .get("/", async (c) => c.json(await fleetView(context, reader(c))))
    .post("/:host/drain", async (c) => {
      const host = await managed(c);
      const { undo } = await bodyOf(c, HostRequest);
      await drainHost(context.database, host, !undo);
      return c.json(await fleetView(context, reader(c)));
    })
    .post("/:host/remove", async (c) => {
      await removeHost(context.database, await managed(c));
      return c.json(await fleetView(context, reader(c)));
    });
}
