/**
 * A stand-in for a Supabase project, for tests: the gateway's key, Supabase Auth's documented endpoints, and PostgREST's calls over a
 * database that is shaped like a project's. Supabase Auth and PostgREST themselves are not run.
 *
 * - `startSupabaseStandIn({ database })` on loopback. `mails` are the codes that it "sent"; `revoke(email)` ends a person's sessions;
 *   `breakDown(status)` lets Auth fail until it is called without one; `seen` each request's path.
 */
import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import { systemClock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import { Hono } from "hono";
import { jwtVerify, SignJWT } from "jose";
import { Refusal } from "../src/data-plane/failure.ts";
import { dataPlaneRoutes } from "../src/data-plane/routes.ts";
import type { ServerEnv } from "../src/server-env.ts";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

const answerOf = (error: Error): Response =>
  error instanceof Refusal
    ? Response.json(error.body, { status: error.status })
    : Response.json({ message: error.message }, { status: 500 });

export async function startSupabaseStandIn({
  database,
  exposes = ["public", "api"],
}: {
  database: () => Promise<Database>;
  exposes?: string[];
}) {
  const key = randomBytes(32);
  const anonKey = await new SignJWT({ role: "anon" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer("supabase")
    .sign(key);
  const people = new Map<string, Person>();
  const codes = new Map<string, string>();
  const flows = new Map<string, { readonly challenge: string; readonly person: Person }>();
  const refreshTokens = new Map<string, { readonly person: Person; readonly session: string; used: boolean }>();
  const mails: { readonly to: string; readonly code: string }[] = [];
  const seen: string[] = [];
  let broken: number | undefined;
  let isSignUpOpen = true;
  /** PostgREST reads the schema when it is first asked. */
  let plane: Hono<ServerEnv> | undefined;

  const failure = (status: number, error_code: string, msg: string) =>
    Response.json({ code: status, error_code, msg }, { status });
  const personOf = (email: string, name: string): Person => {
    const known = people.get(email) ?? { id: randomUUID(), email, name };
    people.set(email, known);
    return known;
  };
  async function sessionFor(person: Person, session: string = randomUUID()): Promise<Response> {
    const refresh = randomBytes(9).toString("base64url");
    refreshTokens.set(refresh, { person, session, used: false });
    const access = await new SignJWT({
      email: person.email,
      phone: "",
      app_metadata: { provider: "email", providers: ["email"] },
      user_metadata: { name: person.name },
      role: "authenticated",
      aal: "aal1",
      session_id: session,
      is_anonymous: false,
    })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setSubject(person.id)
      .setAudience("authenticated")
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(key);
    return Response.json({
      access_token: access,
      token_type: "bearer",
      expires_in: 3600,
      expires_at: Math.floor(Date.now() / 1000) + 3600,
      refresh_token: refresh,
      user: {
        id: person.id,
        aud: "authenticated",
        role: "authenticated",
        email: person.email,
        user_metadata: { name: person.name },
      },
    });
  }

  const auth = new Hono()
    .post("/otp", async (c) => {
      const { email, data, create_user: mayCreate } = await c.req.json();
      if (!people.has(email) && (!isSignUpOpen || mayCreate === false))
        return failure(422, "otp_disabled", "Signups not allowed for otp");
      personOf(email, data?.name ?? "");
      const code = String(randomInt(1e6)).padStart(6, "0");
      codes.set(email, code);
      mails.push({ to: email, code });
      return c.json({});
    })
    .post("/verify", async (c) => {
      const { type, email, token } = await c.req.json();
      const person = people.get(email);
      if (type !== "email" || !person || codes.get(email) !== token)
        return failure(403, "otp_expired", "Token has expired or is invalid");
      codes.delete(email);
      return await sessionFor(person);
    })
    .get("/authorize", (c) => {
      const { provider, redirect_to, code_challenge, code_challenge_method } = c.req.query();
      if (provider !== "github")
        return failure(400, "validation_failed", "Unsupported provider: provider is not enabled");
      if (code_challenge_method !== "s256") return failure(400, "validation_failed", "Unknown code challenge method");
      const code = randomUUID();
      flows.set(code, { challenge: code_challenge ?? "", person: personOf("octo@example.org", "Octo") });
      return c.redirect(`${redirect_to}?code=${code}`, 302);
    })
    .post("/token", async (c) => {
      const given = await c.req.json();
      if (c.req.query("grant_type") === "pkce") {
        const flow = flows.get(given.auth_code);
        flows.delete(given.auth_code);
        const challenge = createHash("sha256").update(given.code_verifier).digest("base64url");
        if (flow?.challenge !== challenge) return failure(400, "bad_code_verifier", "code challenge does not match");
        return await sessionFor(flow.person);
      }
      const known = refreshTokens.get(given.refresh_token);
      if (!known) return failure(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
      if (known.used) {
        for (const [token, one] of refreshTokens) if (one.session === known.session) refreshTokens.delete(token);
        return failure(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
      }
      known.used = true;
      return await sessionFor(known.person, known.session);
    })
    .post("/logout", async (c) => {
      const { payload } = await jwtVerify(c.req.header("authorization")?.slice(7) ?? "", key);
      for (const [token, one] of refreshTokens)
        if (one.session === payload.session_id || (c.req.query("scope") === "global" && one.person.id === payload.sub))
          refreshTokens.delete(token);
      return c.body(null, 204);
    });

  const app = new Hono<ServerEnv>()
    .use(async (c, next) => {
      seen.push(`${c.req.method} ${c.req.path}`);
      // A browser that is sent to a provider has no key.
      if (c.req.header("apikey") !== anonKey && c.req.path !== "/auth/v1/authorize")
        return c.json(
          { message: "Invalid API key", hint: "Double check your Supabase `anon` or `service_role` API key." },
          401,
        );
      if (broken !== undefined && c.req.path.startsWith("/auth/")) return c.body("upstream", broken as 503);
      await next();
    })
    .use("/rest/v1/*", async (c, next) => {
      const profile = c.req.header("content-profile") ?? exposes[0] ?? "";
      if (!exposes.includes(profile))
        throw new Refusal(406, {
          code: "PGRST106",
          message: `Invalid schema: ${profile}`,
          hint: `Only the following schemas are exposed: ${exposes.join(", ")}`,
        });
      if (profile !== "api")
        throw new Refusal(404, { code: "PGRST202", message: "Could not find the function in the schema cache" });
      try {
        const { payload } = await jwtVerify(c.req.header("authorization")?.slice(7) ?? "", key);
        c.set("caller", { claims: payload } as never);
      } catch {
        throw new Refusal(401, { code: "PGRST301", message: "JWT expired" });
      }
      c.set("logged", {});
      await next();
    })
    .route("/auth/v1", auth as never)
    .all("/rest/v1/*", async (c) => {
      plane ??= new Hono<ServerEnv>().route(
        "/rest/v1",
        dataPlaneRoutes({
          database: await database(),
          clock: systemClock,
          limits: { bodyBytes: 4e6, rows: 1000 },
          wrote: () => {},
        }),
      );
      const { caller, logged } = c.var;
      const served = new Hono<ServerEnv>()
        .use(async (inner, next) => {
          inner.set("caller", caller);
          inner.set("logged", logged);
          await next();
        })
        .route("/", plane)
        .onError(answerOf);
      return await served.fetch(c.req.raw, c.env);
    })
    .onError(answerOf);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => app.fetch(request, { server: { timeout() {} } } as never),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    anonKey,
    mails,
    seen,
    breakDown(status?: number) {
      broken = status;
    },
    closeSignUp() {
      isSignUpOpen = false;
    },
    revoke(email: string) {
      for (const [token, { person }] of refreshTokens) if (person.email === email) refreshTokens.delete(token);
    },
    stop: () => server.stop(true),
  };
}
