/**
 * Signing in without a click: with the code in the URL, which is removed from the URL first, or with what a team server's
 * browser kept.
 */
import type { AppServices } from "./app-context.tsx";
import { ApiFault } from "./model/api-fault.ts";
import { takeCode } from "./model/session.ts";

export async function signInAtStart(services: AppServices): Promise<void> {
  const { api, session, team } = services;
  if (takeCode(location.hash) !== undefined) return signInFromAddress(services);
  if (session.state().is === "signed-in") return;
  const before = session.state();
  session.exchanging();
  const ways = await api.signIn.ways().catch(() => undefined);
  if (ways) session.know(ways);
  if (ways?.mode === "team" && (await team.resume())) return;
  session.end(before.is === "signed-out" ? before.reason : "none");
}

export async function signInFromAddress({ api, session }: AppServices): Promise<void> {
  const code = takeCode(location.hash);
  if (code === undefined) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  session.exchanging();
  try {
    session.accept(await api.exchange(code));
  } catch (fault) {
    session.end(fault instanceof ApiFault && fault.kind === "unreachable" ? "unreachable" : "code-refused");
  }
}
