/** Shown in a tab without a token: the reason, and the command that opens a signed-in tab. */
import { useEffect } from "react";
import { type SignOutReason, signOutReasons } from "../../model/session.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";

export function SignInPage({ reason }: { reason: SignOutReason }) {
  useEffect(() => {
    document.title = "Sign in · Devflow";
  }, []);
  const why = signOutReasons[reason];
  return (
    <main className="grid min-h-dvh place-items-center bg-sunken p-4">
      <div className="w-full max-w-[440px] rounded-panel border border-line bg-raised p-8">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <h1 className="mt-4 text-title tracking-tight">Sign in to Devflow</h1>
        {why && (
          <p role="status" className="mt-2 font-medium text-warn">
            {why}
          </p>
        )}
        <p className="mt-2 text-ink-soft">
          No password is needed on this machine. Run this command in a terminal to open a signed-in tab:
        </p>
        <div className="mt-4">
          <CopyCommand command="devflow open" />
        </div>
        <p className="mt-6 text-meta text-ink-soft">
          It starts the server if none is running. Each tab has its own token, which is deleted when you close the tab.
        </p>
      </div>
    </main>
  );
}
