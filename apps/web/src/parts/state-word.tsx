/** A state as a word, with an icon and a colour. */
import type { Tone, Word } from "../model/runs/run-words.ts";
import { Icon, type IconName } from "./icon.tsx";

const tones: Record<Tone, { readonly icon: IconName; readonly colour: string }> = {
  good: { icon: "check", colour: "text-good" },
  warn: { icon: "warning", colour: "text-warn" },
  bad: { icon: "close", colour: "text-bad" },
  busy: { icon: "runs", colour: "text-accent" },
  calm: { icon: "circle", colour: "text-ink-soft" },
};

export function StateWord({ word, tone }: Word) {
  const { icon, colour } = tones[tone];
  return (
    <span className={`inline-flex items-center gap-1 align-bottom font-medium whitespace-nowrap ${colour}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
