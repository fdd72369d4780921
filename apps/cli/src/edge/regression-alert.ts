/** Edge function: compares eval runs that have arrived, and tells the team when a suite got worse or has recovered. */
import { serveAlerts } from "./serve-alerts.ts";

serveAlerts(["regressions"]);
