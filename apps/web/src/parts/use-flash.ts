/** A class that flashes once whenever the value changes after it was first shown. */
import { useState } from "react";

export function useFlash(value: string): string {
  const [seen, setSeen] = useState({ value, times: 0 });
  // A change is noticed while rendering, so that the flash begins with the new value and not one frame later.
  if (seen.value !== value) setSeen({ value, times: seen.times + 1 });
  return seen.times === 0 ? "" : seen.times % 2 === 1 ? "flash" : "flash-again";
}
