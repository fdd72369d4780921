/**
 * The two OAuth routes of a team server.
 *
 * - `requestGrant(server, fields)` a grant, or the OAuth error that the server answered.
 * - `requestDevice(server, terminal)` begins to sign in a terminal.
 * - `revokeToken(server, token)` ends the sign-in of a refresh token (RFC 7009).
 * - `terminalName()` how this terminal calls itself.
 *
 * A network that fails and a server that breaks are `team_unreachable`: they say nothing about the token.
 */
import { hostname } from "node:os";
import { DevflowError } from "@devflow/core/errors";
import { networkReason } from "@devflow/core/network-reason";
import { DeviceAnswer, Grant, OAuthFailure } from "@devflow/protocol";
import { accountName } from "../sync/person.ts";

const timeoutMs = 10_000;

export type GrantOutcome =
  | { readonly grant: Grant }
  | { readonly refused: OAuthFailure["error"]; readonly description?: string | undefined };

export async function requestGrant(server: string, fields: Readonly<Record<string, string>>): Promise<GrantOutcome> {
  const { status, body } = await postForm(server, "/auth/oauth/token", { client_id: "devflow", ...fields });
  const grant = Grant.safeParse(body);
  if (status === 200 && grant.success) return { grant: grant.data };
  const failure = OAuthFailure.safeParse(body);
  if (status === 400 && failure.success) {
    const { error, error_description: description } = failure.data;
    return { refused: error, description };
  }
  throw unreachable(server, `it returned ${status} instead of a token`);
}

export async function requestDevice(server: string, terminal: string): Promise<DeviceAnswer> {
  const { status, body } = await postForm(server, "/auth/oauth/device", { client_id: "devflow", terminal });
  const answer = DeviceAnswer.safeParse(body);
  if (status === 200 && answer.success) return answer.data;
  throw unreachable(server, status === 404 ? "it is not a Devflow team server" : `it returned ${status}`);
}

export async function revokeToken(server: string, token: string): Promise<void> {
  const { status } = await postForm(server, "/auth/oauth/revoke", { client_id: "devflow", token });
  if (status !== 200) throw unreachable(server, `it returned ${status}`);
}

export function terminalName(): string {
  return `${accountName()}@${hostname()}`;
}

async function postForm(server: string, path: string, fields: Readonly<Record<string, string>>) {
  try {
    const response = await fetch(`${server}${path}`, {
      method: "POST",
      body: new URLSearchParams(fields),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json().catch(() => undefined);
    return { status: response.status, body };
  } catch (error) {
    throw unreachable(server, networkReason(error), error);
  }
}

function unreachable(server: string, reason: string, cause?: unknown): DevflowError {
  return new DevflowError("team_unreachable", { details: { server, reason }, ...(cause ? { cause } : {}) });
}
