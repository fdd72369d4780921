/**
 * The token in `#token=…` (or the code in `#user_code=…`) of a one-time link. It is taken out of the address before it is used,
 * so that it is in no history and no screenshot.
 */
import { useEffect, useState } from "react";

export function useFragment(name: "token" | "user_code"): string {
  const [value] = useState(() => new URLSearchParams(location.hash.slice(1)).get(name) ?? "");
  useEffect(() => {
    if (value) history.replaceState(history.state, "", location.pathname + location.search);
  }, [value]);
  return value;
}
