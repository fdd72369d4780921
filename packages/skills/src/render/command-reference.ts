/** The browse commands grouped by effect, names only; `browse help <command>` has the details. */
import { type AnyCommand, commandEffects } from "@devflow/core/command";

const titles = { read: "Read", write: "Act", meta: "Manage" } as const;

export function commandReference(commands: readonly AnyCommand[]): string {
  const browse = commands.filter(({ name, hidden }) => name.startsWith("browse ") && !hidden);
  return commandEffects
    .flatMap((effect) => {
      const names = browse.filter((one) => one.effect === effect).map(({ name }) => name.slice("browse ".length));
      return names.length > 0 ? [`${titles[effect]}: ${shortened(names).join(" ")}`] : [];
    })
    .join("\n");
}

/** `state save` and `state load` become `state save|load`. */
function shortened(names: readonly string[]): string[] {
  const byFirst = Map.groupBy(names, (name) => name.split(" ")[0] ?? name);
  return [...byFirst].map(([first, some]) => {
    const seconds = some.map((name) => name.slice(first.length + 1)).filter(Boolean);
    return seconds.length > 0 ? `${first} ${seconds.join("|")}` : first;
  });
}
