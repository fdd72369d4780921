/** Sends a form once per click, and keeps why it failed. */
import { useRef, useState } from "react";

export function useSending() {
  const busy = useRef(false);
  const [state, setState] = useState<{ isSending: boolean; fault: Error | undefined }>({
    isSending: false,
    fault: undefined,
  });
  return {
    ...state,
    /** False when it failed. */
    async send(act: () => Promise<void>): Promise<boolean> {
      // Ignore the second click of a double click.
      if (busy.current) return false;
      busy.current = true;
      setState({ isSending: true, fault: undefined });
      try {
        await act();
        setState({ isSending: false, fault: undefined });
        return true;
      } catch (cause) {
        setState({ isSending: false, fault: cause instanceof Error ? cause : new Error(String(cause)) });
        return false;
      } finally {
        busy.current = false;
      }
    },
  };
}
