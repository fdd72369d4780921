/** The flags of `browse snapshot`, one line each, from its record. */
import { type AnyCommand, optionsOf } from "@devflow/core/command";

export function snapshotFlags(commands: readonly AnyCommand[]): string {
  const snapshot = commands.find(({ name }) => name === "browse snapshot");
  if (!snapshot) return "";
  return optionsOf(snapshot.args)
    .filter(({ positional }) => positional === undefined)
    .map(({ flag, short, kind, placeholder, summary }) => {
      const form = `${short ? `-${short}, ` : ""}${flag}${kind === "flag" ? "" : ` ${placeholder}`}`;
      return `- \`${form}\` ${summary}`;
    })
    .join("\n");
}
