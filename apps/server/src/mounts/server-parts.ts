/** What the server provides to a mounted system. */
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
  /** Something was committed, in this team if known: notifies the subscribers. */
  wrote(teamId: string | undefined): void;
}
