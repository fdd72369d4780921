/** What the server answers is one table, and each row comes into memory when somebody first asks for it. */
import { afterAll, describe, expect, test } from "bun:test";
import { DevflowError } from "@devflow/core/errors";
import { Failure } from "@devflow/protocol";
import { Hono } from "hono";
import { mountBrowse } from "../src/index.ts";
import { mountAt, mountTable } from "../src/mounts/table.ts";
import { startTestServer } from "./test-server.ts";

const loads = { runs: 0, evals: 0, browse: 0 };
let isBroken = true;
const it = await startTestServer({
  systems: {
    browse: async () => {
      loads.browse += 1;
      await Bun.sleep(30);
      return mountBrowse(new Hono().get("/workspaces", (c) => c.json({ path: c.req.path })));
    },
    evals: async () => {
      loads.evals += 1;
      if (isBroken) throw new DevflowError("disk_full", { details: { path: "/tmp/evals" } });
      return mountBrowse(new Hono());
    },
    runs: async () => {
      loads.runs += 1;
      throw new Error("postgres://devflow:hunter2@db/devflow is not there");
    },
  },
});
afterAll(() => it.stop(), 60_000);

const get = (path: string, token = it.token) =>
  fetch(`${it.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe("a system", () => {
  test("is loaded once, by the first request for it, however many come at the same time", async () => {
    await get("/api/status");
    expect(loads.browse).toBe(0);
    const answers = await Promise.all(Array.from({ length: 5 }, () => get("/api/browse/workspaces")));
    expect(await Promise.all(answers.map((one) => one.json()))).toEqual(
      Array.from({ length: 5 }, () => ({ path: "/api/browse/workspaces" })),
    );
    expect((await get("/api/browse/workspaces")).status).toBe(200);
    expect(loads.browse).toBe(1);
  });

  test("that cannot be loaded says why, and the next request tries again", async () => {
    const refused = await get("/api/evals/suites");
    expect(refused.status).toBe(507);
    expect(Failure.parse(await refused.json()).error.code).toBe("disk_full");
    isBroken = false;
    expect((await get("/api/evals/suites")).status).toBe(404);
    expect(loads.evals).toBe(2);
  });

  test("that fails in a way nobody foresaw tells the log, and not who asked", async () => {
    const refused = await get("/api/runs");
    expect(refused.status).toBe(500);
    expect(await refused.text()).not.toContain("hunter2");
    expect(it.logged()).toContain("request failed");
  });

  test("is not loaded for those who may not use it", async () => {
    const before = { ...loads };
    expect((await fetch(`${it.url}/api/evals/suites`)).status).toBe(401);
    expect((await get("/api/evals/suites", it.stranger.token)).status).toBe(403);
    expect((await get("/api/nothing")).status).toBe(404);
    expect(loads).toEqual(before);
  });
});

describe("the table", () => {
  const rows = Object.entries(mountTable);

  test("gives every path to one row", () => {
    const prefixes = rows.flatMap(([, { paths }]) => Object.keys(paths));
    expect(new Set(prefixes).size).toBe(prefixes.length);
    for (const prefix of prefixes) {
      const inside = prefixes.filter((other) => other !== prefix && other.startsWith(`${prefix}/`));
      expect({ prefix, inside }).toEqual({ prefix, inside: [] });
    }
    expect(mountAt("/api/runs/1")).toBe("runs");
    expect(mountAt("/api/runsome")).toBeUndefined();
  });

  test("lets nobody in without a token but to health and to signing in", () => {
    const open = (where: string) =>
      rows
        .filter(([, { access, on }]) => access === "anyone" && (on === where || on === "both"))
        .flatMap(([, { paths }]) => Object.keys(paths));
    expect(open("local")).toEqual(["/health", "/auth/ways", "/auth/exchange"]);
    expect(open("team")).toEqual([
      "/health",
      "/auth/ways",
      "/auth/oauth",
      "/auth/session",
      "/auth/invite",
      "/auth/email",
    ]);
  });

  test("keeps on this machine what is only for its owner", () => {
    for (const [name, { access, on }] of rows) {
      if (access === "owner") expect({ name, on }).toEqual({ name, on: "local" });
    }
  });
});
