/** Shown in a tab that is not signed in: how to sign in to this server, or the page that a one-time link leads to. */
import { type SignInWays, signInPaths } from "@devflow/protocol";
import { type SignOutReason, signOutReasons } from "../../model/session.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { ConfirmCard } from "./confirm-page.tsx";
import { InviteCard, LinkCard, SetupCard } from "./link-cards.tsx";
import { SignInCard } from "./sign-in-card.tsx";
import { TeamSignInCard } from "./team-sign-in-card.tsx";

export function SignInPage({ reason, ways }: { reason: SignOutReason; ways: SignInWays | undefined }) {
  const why = signOutReasons[reason];
  if (ways?.mode !== "team") return <LocalCard why={why} />;
  switch (location.pathname) {
    case signInPaths.setup:
      return <SetupCard />;
    case signInPaths.invite:
      return <InviteCard />;
    case signInPaths.link:
      return <LinkCard />;
    case signInPaths.confirm:
      return <ConfirmCard />;
    default:
      return <TeamSignInCard why={why} canMail={ways.email} />;
  }
}

function LocalCard({ why }: { why: string }) {
  return (
    <SignInCard title="Sign in to Devflow" why={why}>
      <p className="mt-2 text-ink-soft">
        No password is needed on this machine. Run this command in a terminal to open a signed-in tab:
      </p>
      <div className="mt-4">
        <CopyCommand command="devflow open" />
      </div>
      <p className="mt-6 text-meta text-ink-soft">
        It starts the server if none is running. Each tab has its own token, which is deleted when you close the tab.
      </p>
    </SignInCard>
  );
}
