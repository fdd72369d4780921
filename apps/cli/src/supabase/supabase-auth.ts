/**
 * Supabase Auth over HTTP: the few documented endpoints that signing in needs.
 *
 * - `sendCode(project, email, name)` mails a code; `verifyCode(project, email, code)` a session for it.
 * - `providerUrl(project, given)` the page of a provider (PKCE); `exchangeCode(project, code, verifier)` a session for what it sent back.
 * - `renewSession(project, refreshToken)` a session, or `ended` when the project refuses the token.
 * - `endSession(project, accessToken, scope)` signs out.
 *
 * A network that fails and a project that breaks are `team_unreachable`: they say nothing about the sign-in.
 */
import { DevflowError } from "@devflow/core/errors";
import { networkReason } from "@devflow/core/network-reason";
import { shortLine } from "@devflow/core/plain-text";
import { z } from "zod";

export interface SupabaseProject {
  readonly url: string;
  /** Public by design: row-level security decides, and it is committed. */
  readonly anonKey: string;
}

const Session = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  user: z.object({
    id: z.uuid(),
    email: z.string().nullish(),
    user_metadata: z.looseObject({ name: z.string().optional(), full_name: z.string().optional() }).nullish(),
  }),
});
export type SupabaseSession = z.infer<typeof Session>;

/** Current releases name the error in `error_code`; older ones and the gateway say it in words only. */
const Failure = z.looseObject({
  error_code: z.string().optional(),
  msg: z.string().optional(),
  message: z.string().optional(),
  error_description: z.string().optional(),
});

const timeoutMs = 10_000;

export async function sendCode(project: SupabaseProject, email: string, name: string): Promise<void> {
  const { status, body } = await post(project, "/otp", { email, create_user: true, data: { name } });
  if (status !== 200) throw refused(project, status, body);
}

export async function verifyCode(project: SupabaseProject, email: string, code: string): Promise<SupabaseSession> {
  return sessionOf(project, await post(project, "/verify", { type: "email", email, token: code }));
}

export function providerUrl(
  project: SupabaseProject,
  {
    provider,
    redirectTo,
    challenge,
  }: { readonly provider: string; readonly redirectTo: string; readonly challenge: string },
): string {
  const query = new URLSearchParams({
    provider,
    redirect_to: redirectTo,
    code_challenge: challenge,
    code_challenge_method: "s256",
  });
  return `${project.url}/auth/v1/authorize?${query}`;
}

export async function exchangeCode(project: SupabaseProject, code: string, verifier: string): Promise<SupabaseSession> {
  const answer = await post(project, "/token?grant_type=pkce", { auth_code: code, code_verifier: verifier });
  return sessionOf(project, answer);
}

export async function renewSession(project: SupabaseProject, refreshToken: string): Promise<SupabaseSession | "ended"> {
  const answer = await post(project, "/token?grant_type=refresh_token", { refresh_token: refreshToken });
  const code = Failure.safeParse(answer.body).data?.error_code;
  // A proxy in between can refuse too; only what names the token ends the sign-in.
  const isEnded = answer.status === 400 || answer.status === 401 || answer.status === 403;
  if (isEnded && code !== undefined && endings.has(code)) return "ended";
  return sessionOf(project, answer);
}

const endings = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_not_found",
  "session_expired",
  "user_banned",
  "user_not_found",
]);

export async function endSession(
  project: SupabaseProject,
  accessToken: string,
  scope: "local" | "global",
): Promise<void> {
  const { status, body } = await post(project, `/logout?scope=${scope}`, {}, accessToken);
  // A session that is over already is signed out.
  if (status !== 204 && status !== 200 && status !== 401 && status !== 404) throw refused(project, status, body);
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function sessionOf(project: SupabaseProject, { status, body }: Answer): SupabaseSession {
  const session = Session.safeParse(body);
  if (status === 200 && session.success) return session.data;
  throw refused(project, status, body);
}

async function post({ url, anonKey }: SupabaseProject, path: string, body: object, bearer = anonKey): Promise<Answer> {
  try {
    const response = await fetch(`${url}/auth/v1${path}`, {
      method: "POST",
      headers: { apikey: anonKey, authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      // A redirect could lead a token to another host.
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  } catch (error) {
    throw new DevflowError("team_unreachable", {
      details: { server: url, reason: networkReason(error) },
      cause: error,
    });
  }
}

const again = "Try again: devflow sync setup";
const reasons: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  otp_expired: ["the code is wrong or has expired", again],
  otp_disabled: ["this project lets nobody new in", "Ask its owner to allow sign-ups, or to add you in its dashboard."],
  signup_disabled: [
    "this project lets nobody new in",
    "Ask its owner to allow sign-ups, or to add you in its dashboard.",
  ],
  email_address_invalid: [
    "the project does not accept this e-mail address",
    "Use another one: devflow sync setup --email <address>",
  ],
  over_email_send_rate_limit: ["the project has sent too many mails", "Wait a few minutes, then repeat the command."],
  over_request_rate_limit: ["there were too many attempts", "Wait a few minutes, then repeat the command."],
  bad_code_verifier: ["the answer of the provider belongs to another sign-in", again],
  flow_state_expired: ["it took too long in the browser", again],
  validation_failed: [
    "the project does not offer this way to sign in",
    "Look at its providers, or sign in by e-mail: devflow sync setup",
  ],
};

function refused({ url }: SupabaseProject, status: number, body: unknown): DevflowError {
  const said = Failure.safeParse(body).data ?? {};
  const known = reasons[said.error_code ?? ""];
  if (known) return new DevflowError("sign_in_refused", { details: { reason: known[0], next: known[1] } });
  const words = shortLine(said.msg ?? said.message ?? said.error_description ?? "", 200).replace(/\.$/, "");
  if (status === 401 && /api key/i.test(words)) {
    return new DevflowError("sign_in_refused", {
      details: {
        reason: `${url} does not accept the anon key`,
        next: "Check anonKey in .devflow.json against the API settings of the project.",
      },
    });
  }
  if (status >= 400 && status < 500 && words !== "")
    return new DevflowError("sign_in_refused", { details: { reason: words, next: again } });
  return new DevflowError("team_unreachable", { details: { server: url, reason: `it returned ${status}` } });
}
