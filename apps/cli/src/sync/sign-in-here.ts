/**
 * Signing this machine in, in each of the ways a server offers.
 *
 * - `signInByLink(context, link, person)` by a setup, invite or sign-in link; `signInByCode(context, server)` by the device flow.
 *
 * Both end with the sign-in in auth.json.
 */
import { systemClock } from "@devflow/core/clock";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { homeAt } from "@devflow/core/home";
import { Grant, grantTypes } from "@devflow/protocol";
import { callServer } from "../server/client.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import { changeAuth, type StoredSignIn } from "../team/auth-file.ts";
import { requestDevice, requestGrant, terminalName } from "../team/oauth-client.ts";
import { signInOf } from "../team/token-for.ts";
import type { OneTimeLink } from "./one-time-link.ts";

export interface NewPerson {
  readonly name: string;
  readonly email?: string | undefined;
  /** For a setup link: the team's name. */
  readonly team?: string;
}

export async function signInByLink(
  context: CommandContext,
  link: OneTimeLink,
  person: NewPerson,
): Promise<StoredSignIn> {
  const { server, purpose, token } = link;
  const { name, email, team } = person;
  const about =
    purpose === "link" ? {} : { name, ...(email ? { email } : {}), ...(purpose === "setup" ? { team } : {}) };
  const grant = await callServer({ url: server }, `/auth/session/${purpose}`, Grant, {
    method: "POST",
    body: { token, terminal: terminalName(), ...about },
  });
  return await keep(context, server, grant);
}

export async function signInByCode(context: CommandContext, server: string): Promise<StoredSignIn> {
  const { output, signal } = context;
  const device = await requestDevice(server, terminalName());
  output.note(`To sign in to ${server}, open this page and check that it shows the code ${device.user_code}:\n`);
  output.note(`  ${device.verification_uri_complete}\n`);
  if (output.isTerminal) openInBrowser(device.verification_uri_complete);
  let intervalS = device.interval;
  for (;;) {
    await systemClock.sleep(intervalS * 1000, signal).catch((cause) => {
      throw signal.aborted ? refused("interrupted") : cause;
    });
    const outcome = await requestGrant(server, { grant_type: grantTypes.device, device_code: device.device_code });
    if ("grant" in outcome) return await keep(context, server, outcome.grant);
    if (outcome.refused === "slow_down") intervalS += 5;
    else if (outcome.refused !== "authorization_pending") throw refused(outcome.refused);
  }
}

async function keep(context: CommandContext, server: string, grant: Grant): Promise<StoredSignIn> {
  faultPoint("afterSignInBeforeSaved");
  const home = homeAt(context.config().home);
  // Another person's teams and whatever else was known about them does not become this one's.
  const stored = await changeAuth(home, server, async (now) =>
    signInOf(grant, now?.user_id === grant.user.id ? now : undefined),
  );
  return stored ?? signInOf(grant, undefined);
}

function refused(error: string): DevflowError {
  const reasons: Readonly<Record<string, string>> = {
    access_denied: "somebody denied it in the browser",
    expired_token: "nobody confirmed the code within ten minutes",
    interrupted: "it was interrupted before the code was confirmed",
  };
  return new DevflowError("sign_in_refused", {
    details: { reason: reasons[error] ?? `the server answered ${error}`, next: "Try again: devflow sync setup" },
  });
}
