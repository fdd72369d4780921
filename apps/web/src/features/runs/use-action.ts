/** Sends an action of a person. Retrying after a lost response does not repeat the action. */
import { useRef, useState } from "react";
import { ApiFault } from "../../model/api-fault.ts";
import { type Attempt, tokenFor } from "../../model/runs/client-token.ts";

export interface Action<Input> {
  readonly isSending: boolean;
  /** Why it failed: the server refused it or could not be reached. */
  readonly fault: Error | undefined;
  /** False if it failed. */
  send(input: Input): Promise<boolean>;
}

export function useAction<Input>(perform: (input: Input, clientToken: string) => Promise<unknown>): Action<Input> {
  const attempt = useRef<Attempt>(undefined);
  const busy = useRef(false);
  const [state, setState] = useState<{ isSending: boolean; fault: Error | undefined }>({
    isSending: false,
    fault: undefined,
  });
  return {
    ...state,
    async send(input) {
      // Ignore the second click of a double click.
      if (busy.current) return false;
      busy.current = true;
      const now = tokenFor(attempt.current, JSON.stringify(input), () => crypto.randomUUID());
      attempt.current = now;
      setState({ isSending: true, fault: undefined });
      try {
        await perform(input, now.token);
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
