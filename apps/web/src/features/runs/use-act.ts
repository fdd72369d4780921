/** Something a person does to a run, sent once however often the answer is lost, with what came of it. */
import { useRef, useState } from "react";
import { ApiFault } from "../../model/api-fault.ts";
import { type Attempt, tokenFor } from "../../model/runs/act-once.ts";

export interface Act<Wish> {
  readonly isSending: boolean;
  /** What the server said against it, or that it could not be reached. */
  readonly fault: Error | undefined;
  /** False when it was refused or never arrived. */
  send(wish: Wish): Promise<boolean>;
}

export function useAct<Wish>(perform: (wish: Wish, clientToken: string) => Promise<unknown>): Act<Wish> {
  const attempt = useRef<Attempt>(undefined);
  const busy = useRef(false);
  const [state, setState] = useState<{ isSending: boolean; fault: Error | undefined }>({
    isSending: false,
    fault: undefined,
  });
  return {
    ...state,
    async send(wish) {
      // A double click is one click.
      if (busy.current) return false;
      busy.current = true;
      const now = tokenFor(attempt.current, JSON.stringify(wish), () => crypto.randomUUID());
      attempt.current = now;
      setState({ isSending: true, fault: undefined });
      try {
        await perform(wish, now.token);
        attempt.current = { ...now, isAnswered: true };
        setState({ isSending: false, fault: undefined });
        return true;
      } catch (cause) {
        const fault = cause instanceof Error ? cause : new Error(String(cause));
        attempt.current = { ...now, isAnswered: fault instanceof ApiFault && fault.kind === "refused" };
        setState({ isSending: false, fault });
        return false;
      } finally {
        busy.current = false;
      }
    },
  };
}
