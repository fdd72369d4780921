/**
 * `POST /auth/oauth/device`, `/token` and `/revoke`, as RFC 8628, 6749, 8693 and 7009 describe them: forms in, JSON out, failures
 * as `{"error": "…"}`, so that any OAuth client works.
 */

import { assertNever } from "@devflow/core/assert-never";
import { DevflowError } from "@devflow/core/errors";
import {
  accessTokenType,
  type DeviceAnswer,
  type Grant,
  grantTypes,
  notAMember,
  type OAuthFailure,
  signInPaths,
} from "@devflow/protocol";
import { Hono } from "hono";
import { readBody } from "../request-checks/read-body.ts";
import { privateAnswer } from "../request-checks/security-headers.ts";
import type { ServerEnv } from "../server-env.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { type DeviceRequests, deviceLifetimeS } from "./device-requests.ts";
import { labelOf } from "./label.ts";
import type { SignIns } from "./sign-ins.ts";

const maxBodyBytes = 8192;

export function oauthRoutes(options: {
  readonly publicUrl: string;
  readonly devices: Pick<DeviceRequests, "start" | "poll">;
  readonly signIns: Pick<SignIns, "refresh" | "grantOf" | "end">;
  readonly accessTokens: AccessTokens;
}): Hono<ServerEnv> {
  const { publicUrl, devices, signIns, accessTokens } = options;

  async function byDeviceCode(code: string): Promise<Response> {
    const answer = await devices.poll(code);
    if (typeof answer === "string") return failure(answer);
    return granted({ ...(await signIns.grantOf(answer.signIn)), refresh_token: answer.signIn.secret });
  }

  async function byRefreshToken(token: string): Promise<Response> {
    const used = await signIns.refresh(token, "terminal");
    if (used === "removed") return failure("invalid_grant", notAMember);
    return used ? granted({ ...used.grant, refresh_token: used.secret }) : failure("invalid_grant");
  }

  async function byAccessToken(form: URLSearchParams): Promise<Response> {
    if (form.get("subject_token_type") !== accessTokenType)
      return failure("invalid_request", notSupported("subject_token_type"));
    const grant = await accessTokens.exchange(form.get("subject_token") ?? "");
    return grant ? granted(grant) : failure("invalid_grant");
  }

  return new Hono<ServerEnv>()
    .post("/device", async (c) => {
      const form = await readForm(c.req.raw);
      try {
        const { deviceCode, userCode, intervalS } = await devices.start(labelOf(form.get("terminal"), "a terminal"));
        const page = `${publicUrl}${signInPaths.device}`;
        const answer: DeviceAnswer = {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}#user_code=${userCode}`,
          expires_in: deviceLifetimeS,
          interval: intervalS,
        };
        return Response.json(answer, { headers: privateAnswer });
      } catch (error) {
        if (error instanceof DevflowError && error.code === "too_many_attempts")
          return failure("temporarily_unavailable");
        throw error;
      }
    })
    .post("/revoke", async (c) => {
      // The answer is the same for a token that is worth nothing.
      await signIns.end((await readForm(c.req.raw)).get("token") ?? "");
      return new Response(null, { headers: privateAnswer });
    })
    .post("/token", async (c) => {
      const form = await readForm(c.req.raw);
      const given = form.get("grant_type");
      const known = Object.entries(grantTypes).find(([, type]) => type === given)?.[0] as
        | keyof typeof grantTypes
        | undefined;
      if (known === undefined)
        return failure(given ? "unsupported_grant_type" : "invalid_request", notSupported("grant_type"));
      c.var.logged.grant = known;
      switch (known) {
        case "device":
          return await byDeviceCode(form.get("device_code") ?? "");
        case "refresh":
          return await byRefreshToken(form.get("refresh_token") ?? "");
        case "exchange":
          return await byAccessToken(form);
        default:
          return assertNever(known);
      }
    });
}

async function readForm(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(request, maxBodyBytes));
}

function granted(grant: Grant): Response {
  return Response.json(grant, { headers: privateAnswer });
}

function failure(error: OAuthFailure["error"], description?: string): Response {
  const body: OAuthFailure = { error, ...(description ? { error_description: description } : {}) };
  return Response.json(body, { status: error === "temporarily_unavailable" ? 503 : 400, headers: privateAnswer });
}

const notSupported = (field: string): string => `${field} is missing or not supported`;
