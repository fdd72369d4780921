/** What the server lends to a system that is mounted in it. */
import type { Clock } from "@devflow/core/clock";
import type { Log } from "@devflow/core/log";
import type { HubLimits } from "../live/change-hub.ts";
import type { LiveTimes } from "../live/live-streams.ts";

export interface ServerParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Of live streams. */
  readonly limits: HubLimits;
  readonly times: LiveTimes;
  /** Something was committed, in this team if it is known: whoever watches is told. */
  wrote(teamId: string | undefined): void;
}
