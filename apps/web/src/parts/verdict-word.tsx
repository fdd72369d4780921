/** A state: always a word, with a sign and a colour beside it. */
import type { Verdict } from "../model/health.ts";
import { Icon } from "./icon.tsx";

const looks = {
  ok: { icon: "check", colour: "text-good" },
  warning: { icon: "warning", colour: "text-warn" },
  fault: { icon: "warning", colour: "text-bad" },
} as const;

export function VerdictWord({ verdict, word }: { verdict: Verdict; word: string }) {
  const look = looks[verdict];
  return (
    <span className={`inline-flex items-center gap-1 font-medium whitespace-nowrap ${look.colour}`}>
      <Icon name={look.icon} />
      {word}
    </span>
  );
}
