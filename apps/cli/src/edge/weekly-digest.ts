/** Edge function: sends the weekly digest of each team that wants one, and erases what is no longer kept. */
import { serveAlerts } from "./serve-alerts.ts";

serveAlerts(["digests", "retention"]);
