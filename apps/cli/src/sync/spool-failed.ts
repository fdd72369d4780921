/** A record that could not be written to this machine's disk, as an error: the only failure of a push that a caller sees. */
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { type SpoolOutcome, spoolFolder } from "@devflow/team/spool";

export function spoolFailed(home: Home, { why, problem }: Extract<SpoolOutcome, { spooled: false }>): DevflowError {
  const path = spoolFolder(home.root).new;
  switch (why) {
    case "full":
      return new DevflowError("disk_full", { details: { path } });
    case "unwritable":
      return new DevflowError("permission_denied", { details: { path } });
    case "unfit":
      return new DevflowError("input_invalid", { details: { problem: `The record cannot be sent: ${problem}.` } });
    case "failed":
      return new DevflowError("internal", { details: { problem } });
  }
}
