/** Messages to the webhook. Only a warning: runs go on without them. */
import { homeAt } from "@devflow/core/home";
import { NotificationState } from "@devflow/protocol";
import { callServer } from "../../server/client.ts";
import { findServer } from "../../server/state.ts";
import { type Check, pass, warn } from "../check.ts";

export const checkNotifications: Check = {
  name: "notifications",
  run: async ({ inspection: { home, config } }) => {
    const isSet = config?.webhookUrl !== undefined;
    const server = isSet ? await findServer(homeAt(home)) : undefined;
    if (!isSet) return pass("not configured; devflow config set webhook_url <url> sends messages about runs");
    if (!server) return pass("configured");
    const { waiting, failing, givenUp, lastError } = await callServer(
      server,
      "/api/runs/notifications",
      NotificationState,
    );
    if (failing + givenUp === 0) return pass(waiting === 0 ? "all messages were sent" : `${waiting} are being sent`);
    const detail = `${failing} fail, ${givenUp} were given up: ${lastError}`;
    return warn(detail, "Check the URL: devflow config set webhook_url <url>");
  },
};
