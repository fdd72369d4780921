/** What the server needs from browse: routes under `/api/browse`. `mountBrowse(routes)` returns them as a mount. */
import type { Hono } from "hono";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import type { Mounted } from "./mounts/mounts.ts";

export function mountBrowse(routes: Hono): Mounted {
  return { answer: mountedRoutes((app) => app.route("/api/browse", routes)) };
}
