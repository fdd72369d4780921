/** Several files of definitions are wrong, of one kind or another: one error with every problem in every file. */
import { DevflowError } from "@devflow/core/errors";
import { type DefinitionFault, shownFaults } from "./read-definition.ts";

export function definitionsInvalid(
  whose: string,
  refused: readonly { readonly file: string; readonly faults: readonly DefinitionFault[] }[],
): DevflowError {
  const kinds = ["template", "persona", "schema"].filter((kind) =>
    refused.some(({ file }) => file.includes(`/${kind}s/`)),
  );
  const faults = refused.map(({ file, faults }) => shownFaults(file, faults)).join("\n");
  const next = kinds.map((kind) => `devflow ${kind} validate <file>`).join(", ");
  return new DevflowError("definitions_invalid", { details: { whose, faults, next } });
}
