/** Signs in with the code in the URL, and removes the code from the URL first. */
import type { AppServices } from "./app-context.tsx";
import { ApiFault } from "./model/api-fault.ts";
import { takeCode } from "./model/session.ts";

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
