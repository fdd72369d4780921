/** `docs/errors.md`: every error a user can see, from the registry. */
import { errorRegistry } from "@devflow/core/errors";
import { generatedFrom, markdownTable } from "./markdown.ts";

export function errorsPage(): string {
  const rows = Object.entries(errorRegistry).map(([code, entry]) => [
    `<a id="${code}"></a>\`${code}\``,
    said(entry.message),
    said(entry.hint),
    entry.class,
    String(entry.status),
    String(entry.exit),
  ]);
  return `# Errors

${generatedFrom("packages/core/src/errors.ts")}

Every error has a code whose meaning never changes, a message, and a hint about what to do next. With \`--json\` it is printed as
\`{"error": {"code", "message", "hint", "details"}}\` on standard output.

- \`recoverable\`: the same request may succeed later.
- \`user\`: the request has to change.
- \`human_required\`: a person has to decide.
- \`fatal\`: the machine or the installation has to change.

The exit codes are those of \`sysexits.h\`: 64 usage, 65 data, 66 no input, 69 unavailable, 70 internal, 73 cannot create,
74 input or output, 75 try again, 77 permission, 78 configuration.

${markdownTable(["code", "message", "hint", "class", "HTTP", "exit"], rows)
  // Only the anchors are HTML; everything else in a cell is text.
  .replaceAll("&lt;a id=", "<a id=")
  .replaceAll("&lt;/a>", "</a>")}
`;
}

function said(template: string): string {
  return /^\{\w+\}$/.test(template) ? "(depends on the error)" : template.replace(/\{(\w+)\}/g, "*$1*");
}
