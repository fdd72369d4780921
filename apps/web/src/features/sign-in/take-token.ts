/**
 * The token in `#token=…` (or the code in `#user_code=…`) of a one-time link. It is taken out of the address before it is used,
 * so that it is in no history and no screenshot.
 */
import { useEffect, useState } from "react";

export function useFragment(name: "token" | "user_code"): string {
  const [value, setValue] = useState(() => fragment(name));
  useEffect(() => {
    const take = () => {
      const given = fragment(name);
      if (!given) return;
      setValue(given);
      history.replaceState(history.state, "", location.pathname + location.search);
    };
    take();
    // Another link in the same tab changes only the fragment; the page is not loaded again.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [name]);
  return value;
}

const fragment = (name: string): string => new URLSearchParams(location.hash.slice(1)).get(name) ?? "";
