/**
 * The browsers of this machine over HTTP, read-only. The contracts are in `@devflow/protocol`.
 *
 * - `machineBrowse(home)` the routes for `/api/browse`. The server that mounts them decides who may read. A workspace is
 *   found by its id in the home's list, never by a path from a request.
 */
import { DevflowError } from "@devflow/core/errors";
import type { BrowsePicture, BrowseWorkspace, BrowseWorkspaceList } from "@devflow/protocol";
import { Hono } from "hono";
import { z } from "zod";
import { type KnownWorkspace, knownWorkspaces } from "../workspaces/index.ts";
import { picture } from "./ask-daemon.ts";
import { bundleDetail, bundleLines, shotBytes } from "./bundle-view.ts";
import { withoutReceipts, workspaceView } from "./workspace-view.ts";

const maxWorkspaces = 50;
const Of = z.object({ session: z.string().min(1).max(500), tab: z.string().regex(/^t\d{1,9}$/) });

export function machineBrowse(home: string): Hono {
  const workspace = async (id: string): Promise<KnownWorkspace> => {
    const found = (await knownWorkspaces(home)).find((one) => one.id === id);
    if (found) return found;
    throw new DevflowError("not_found", {
      details: { what: "A workspace with that id", next: "Start one there: devflow browse goto <url>" },
    });
  };

  return new Hono()
    .use(async (c, next) => {
      c.header("cache-control", "no-store");
      await next();
    })
    .get("/workspaces", async (c) => c.json(await workspaceList(home)))
    .get("/workspaces/:id", async (c) => c.json(await workspaceView(await workspace(c.req.param("id")))))
    .get("/workspaces/:id/picture", async (c) => {
      const { root } = await workspace(c.req.param("id"));
      const of = Of.safeParse({ session: c.req.query("session"), tab: c.req.query("tab") });
      if (!of.success) {
        throw new DevflowError("input_invalid", { details: { problem: "A picture needs a session and a tab." } });
      }
      return c.json(pictureView(await picture(root, of.data)));
    })
    .get("/workspaces/:id/evidence", async (c) => c.json(await bundleLines((await workspace(c.req.param("id"))).root)))
    .get("/workspaces/:id/evidence/:bundle", async (c) =>
      c.json(await bundleDetail((await workspace(c.req.param("id"))).root, c.req.param("bundle"))),
    )
    .get("/workspaces/:id/evidence/:bundle/shots/:name", async (c) => {
      const { root } = await workspace(c.req.param("id"));
      const { type, bytes } = await shotBytes(root, c.req.param("bundle"), c.req.param("name"));
      return c.body(new Uint8Array(bytes), 200, {
        "content-type": type,
        "content-disposition": "attachment",
        "content-security-policy": "default-src 'none'; sandbox",
      });
    });
}

async function workspaceList(home: string): Promise<BrowseWorkspaceList> {
  const known = await knownWorkspaces(home);
  const views = await Promise.all(known.slice(0, maxWorkspaces).map(workspaceView));
  const workspaces = views.map(withoutReceipts).sort((a, b) => rank(a) - rank(b));
  return { workspaces, isWhole: known.length <= maxWorkspaces };
}

const rank = ({ state }: BrowseWorkspace): number => (state === "stopped" ? 1 : 0);

function pictureView(seen: Awaited<ReturnType<typeof picture>>): BrowsePicture {
  if (typeof seen === "string") return { state: "none", silentMs: null, at: null, jpeg: null };
  const { state, silentMs, at, jpeg } = seen;
  return { state, silentMs: silentMs === undefined ? null : Math.round(silentMs), at: at ?? null, jpeg: jpeg ?? null };
}
