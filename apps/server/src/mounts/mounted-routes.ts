/**
 * Routes of a mount as one function, so that they can be created after the server has begun to listen.
 *
 * - `mountedRoutes(add)` routes find the caller in the context, and their errors reach the server.
 * - `Unmatched` is thrown when none of them matches.
 */
import { Hono } from "hono";
import type { ServerEnv } from "../server-env.ts";

export type Answer = (request: Request, env: ServerEnv["Bindings"]) => Promise<Response>;

export class Unmatched extends Error {}

export function mountedRoutes(add: (app: Hono<ServerEnv>) => void): Answer {
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    if (c.env.caller) c.set("caller", c.env.caller);
    c.set("logged", c.env.logged ?? {});
    await next();
  });
  add(app);
  app.notFound(() => {
    throw new Unmatched();
  });
  app.onError((error) => {
    throw error;
  });
  return async (request, env) => app.fetch(request, env);
}
