/**
 * Signing this machine in to a team in a Supabase project.
 *
 * - `signInByMail(context, project, person, ask)` a code that Supabase Auth sends by mail.
 * - `signInByProvider(context, project, provider)` in a browser, by a provider that the project offers (PKCE, on a port of this machine
 *   that the system chooses).
 *
 * Both end with the session in auth.json.
 */
import { createHash, randomBytes } from "node:crypto";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { openInBrowser } from "../server/open-in-browser.ts";
import { changeAuth, type StoredSignIn } from "../team/auth-file.ts";
import {
  exchangeCode,
  providerUrl,
  type SupabaseProject,
  type SupabaseSession,
  sendCode,
  verifyCode,
} from "./supabase-auth.ts";
import { waitForRedirect } from "./wait-for-redirect.ts";

export async function signInByMail(
  context: CommandContext,
  project: SupabaseProject,
  { email, name }: { readonly email: string; readonly name: string },
  ask: (question: string) => Promise<string>,
): Promise<StoredSignIn> {
  await sendCode(project, email, name);
  const code = await ask(`${project.url} has sent a code to ${email}. Type it here:`);
  if (!/^\d{6,10}$/.test(code)) {
    throw new DevflowError("sign_in_refused", {
      details: { reason: "that is not the code of the mail", next: "Try again: devflow sync setup" },
    });
  }
  return await keepSession(context, project, await verifyCode(project, email, code));
}

export async function signInByProvider(
  context: CommandContext,
  project: SupabaseProject,
  provider: string,
): Promise<StoredSignIn> {
  const verifier = randomBytes(48).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  await using redirect = waitForRedirect();
  const url = providerUrl(project, { provider, redirectTo: redirect.url, challenge });
  context.output.note(`To sign in to ${project.url}, open this page:\n\n  ${url}\n`);
  if (context.output.isTerminal) openInBrowser(url);
  const code = await redirect.code(context.signal);
  return await keepSession(context, project, await exchangeCode(project, code, verifier));
}

async function keepSession(
  context: CommandContext,
  { url, anonKey }: SupabaseProject,
  session: SupabaseSession,
): Promise<StoredSignIn> {
  const home = homeAt(context.config().home);
  const stored = await changeAuth(home, url, async (now) => ({
    ...(now?.user_id === session.user.id ? now : {}),
    ...signInOfSession(session),
    anon_key: anonKey,
  }));
  return stored ?? signInOfSession(session);
}

/** What a session leaves in auth.json. */
function signInOfSession({ access_token, refresh_token, expires_in, user }: SupabaseSession): StoredSignIn {
  const { name, full_name } = user.user_metadata ?? {};
  return {
    user_id: user.id,
    name: name ?? full_name ?? user.email ?? "",
    access_token,
    refresh_token,
    expires_at: Math.floor(Date.now() / 1000) + expires_in,
  };
}
