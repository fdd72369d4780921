/**
 * Signing in on this machine.
 *
 * - `POST /auth/code` exchanges the machine's token for a one-time code, for `devflow open`.
 * - `POST /auth/exchange` exchanges the code, without a token, for the tab's own token.
 * - `POST /auth/token` exchanges the machine's or a tab's token for a ten-minute JWT for data-plane clients.
 */
import { DevflowError } from "@devflow/core/errors";
import { CodeIssued, CodeRequest, ExchangeAnswer, ExchangeRequest, TokenAnswer } from "@devflow/protocol";
import { Hono } from "hono";
import type { z } from "zod";
import { readBody } from "../request-checks/read-body.ts";
import { privateAnswer } from "../request-checks/security-headers.ts";
import type { ServerEnv } from "../server-env.ts";
import type { LocalUser } from "./local-user.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import type { Tokens } from "./tokens.ts";

const maxBodyBytes = 4096;

export function authRoutes(options: {
  readonly tokens: Tokens;
  readonly codes: OneTimeCodes;
  readonly user: LocalUser;
}): Hono<ServerEnv> {
  const { tokens, codes, user } = options;
  return new Hono<ServerEnv>()
    .post("/code", async (c) => {
      if (c.var.caller.kind !== "machine") throw notAllowed("Only this machine's own token may create a code.");
      const { forMinutes } = parse(CodeRequest, (await readBody(c.req.raw, maxBodyBytes)) || "{}", '{"forMinutes": 1}');
      return answer(CodeIssued, codes.issue(forMinutes));
    })
    .post("/exchange", async (c) => {
      const { code } = parse(ExchangeRequest, await readBody(c.req.raw, maxBodyBytes), '{"code": "…"}');
      const spent = codes.spend(code);
      if (spent === "locked") throw new DevflowError("too_many_attempts");
      if (spent === "refused") {
        throw new DevflowError("unauthenticated", {
          details: { reason: "the code is wrong, used or expired", next: "devflow open" },
        });
      }
      const { token, expiresAt } = await tokens.issue("tab", user.id);
      return answer(ExchangeAnswer, { token, expiresAt, user: { id: user.id, name: user.name } });
    })
    .post("/token", async (c) => {
      const { kind, claims } = c.var.caller;
      // Otherwise a ten-minute token could renew itself forever.
      if (kind === "data") throw notAllowed("A data-plane token cannot be exchanged for another.");
      const { token, lifetimeS } = await tokens.issue("data", claims.sub);
      return answer(TokenAnswer, { access_token: token, token_type: "bearer", expires_in: lifetimeS });
    });
}

function parse<S extends z.ZodObject>(contract: S, text: string, shape: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const parsed = contract.strict().safeParse(value);
  if (parsed.success) return parsed.data as z.output<S>;
  throw new DevflowError("input_invalid", {
    details: { problem: `The body is not ${shape}.`, next: "Create a code: devflow open" },
  });
}

function answer<S extends z.ZodType>(_contract: S, body: z.input<S>): Response {
  return Response.json(body, { headers: privateAnswer });
}

function notAllowed(problem: string): DevflowError {
  return new DevflowError("forbidden", { details: { problem, next: "Sign in: devflow open" } });
}
