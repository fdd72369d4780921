import "./model/strict-zod.ts";
import "./styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { AppServicesProvider } from "./app-context.tsx";
import { createApi } from "./model/api.ts";
import { createSession } from "./model/session.ts";
import { createTeamSession } from "./model/team-session.ts";
import { signInAtStart, signInFromAddress } from "./sign-in.ts";

const session = createSession({ storage: sessionStorage, now: Date.now });
const api = createApi({
  fetch: (url, init) => fetch(url, init),
  origin: "",
  token: () => team.token(),
  onUnauthorised: () => session.end("refused"),
});
const team = createTeamSession({ session, signIn: api.signIn, storage: sessionStorage, now: Date.now });
const services = { api, session, team };

void signInAtStart(services);
// `devflow open` may reuse a tab: then only the fragment changes and the page is not loaded again.
window.addEventListener("hashchange", () => void signInFromAddress(services));

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <AppServicesProvider value={services}>
      <App />
    </AppServicesProvider>
  </StrictMode>,
);
