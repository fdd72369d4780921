/** The browse commands by what they do to the page, as names only: one of them in full is a `help` away. */
import { type AnyCommand, commandEffects } from "@devflow/core/command";

const titles = { read: "Look", write: "Act", meta: "Around" } as const;

export function commandReference(commands: readonly AnyCommand[]): string {
  const browse = commands.filter(({ name, hidden }) => name.startsWith("browse ") && !hidden);
  return commandEffects
    .flatMap((effect) => {
      const names = browse.filter((one) => one.effect === effect).map(({ name }) => name.slice("browse ".length));
      return names.length > 0 ? [`${titles[effect]}: ${names.join(" ")}`] : [];
    })
    .join("\n");
}
