/** The card of every page before signing in, with what went wrong. */
import { type ReactNode, useEffect } from "react";
import { ApiFault } from "../../model/api-fault.ts";

export function SignInCard({ title, why, children }: { title: string; why?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Devflow`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center bg-sunken p-4">
      <div className="w-full max-w-[440px] rounded-panel border border-line bg-raised p-6 wide:p-8">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <h1 className="mt-4 text-title tracking-tight break-words">{title}</h1>
        {why && (
          <p role="status" className="mt-2 font-medium text-warn">
            {why}
          </p>
        )}
        {children}
      </div>
    </main>
  );
}

export function CardFault({ fault }: { fault: Error | undefined }) {
  if (!fault) return null;
  return (
    <p role="alert" className="mt-4 text-bad break-words">
      {fault.message} {fault instanceof ApiFault && fault.next}
    </p>
  );
}
