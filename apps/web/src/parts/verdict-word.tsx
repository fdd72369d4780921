/** A health state as a word, with an icon and a colour. */
import type { Verdict } from "../model/health.ts";
import { Icon } from "./icon.tsx";

const verdicts = {
  ok: { icon: "check", colour: "text-good" },
  warning: { icon: "warning", colour: "text-warn" },
  fault: { icon: "warning", colour: "text-bad" },
} as const;

export function VerdictWord({ verdict, word }: { verdict: Verdict; word: string }) {
  const { icon, colour } = verdicts[verdict];
  return (
    <span className={`inline-flex items-center gap-1 font-medium whitespace-nowrap ${colour}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
