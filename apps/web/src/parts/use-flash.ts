/** A class that flashes once whenever the value changes. */
import { useState } from "react";

export function useFlash(value: string): string {
  const [seen, setSeen] = useState({ value, times: 0 });
  // Detected while rendering, so that the flash starts with the new value and not one frame later.
  if (seen.value !== value) setSeen({ value, times: seen.times + 1 });
  return seen.times === 0 ? "" : seen.times % 2 === 1 ? "flash" : "flash-again";
}
