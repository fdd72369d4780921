/** Records of the commands that record over time: requests (HAR), performance traces, video. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../../command.ts";

const path = (summary: string) =>
  option(z.string().optional().describe(`${summary}; by default a new one in .devflow`), {
    positional: 0,
    placeholder: "<file>",
  });

export const recordingCommands = [
  defineBrowseCommand(
    {
      name: "har start",
      summary: "Record the session's requests from now on",
      description: "Secret headers are redacted; bodies are not recorded.",
      group: "Meta",
      effect: "meta",
      needs: "session",
      args: z.object({}),
      examples: [{ run: "har start", does: "then har stop" }],
    },
    async () => (await import("./har.ts")).harStart,
  ),
  defineBrowseCommand(
    {
      name: "har stop",
      summary: "Save the recorded requests as HAR 1.2",
      group: "Meta",
      effect: "meta",
      needs: "session",
      args: z.object({ path: path("File, .har") }),
      examples: [{ run: "har stop login.har", does: "for any HAR viewer" }],
    },
    async () => (await import("./har.ts")).harStop,
  ),
  defineBrowseCommand(
    {
      name: "trace start",
      summary: "Record a performance trace of the tab",
      group: "Meta",
      effect: "meta",
      needs: "tab",
      args: z.object({}),
      examples: [{ run: "trace start", does: "then trace stop" }],
    },
    async () => (await import("./trace.ts")).traceStart,
  ),
  defineBrowseCommand(
    {
      name: "trace stop",
      summary: "Save the performance trace, for DevTools or Perfetto; secrets are redacted",
      group: "Meta",
      effect: "meta",
      needs: "tab",
      args: z.object({ path: path("File, .json") }),
      examples: [{ run: "trace stop trace.json", does: "for the Performance panel" }],
    },
    async () => (await import("./trace.ts")).traceStop,
  ),
  defineBrowseCommand(
    {
      name: "video start",
      summary: "Record a video of the tab from now on",
      group: "Meta",
      effect: "meta",
      needs: "tab",
      args: z.object({}),
      examples: [{ run: "video start", does: "then video stop" }],
    },
    async () => (await import("./video.ts")).videoStart,
  ),
  defineBrowseCommand(
    {
      name: "video stop",
      summary: "Save the video as .avi (Motion JPEG, no other program needed)",
      group: "Meta",
      effect: "meta",
      needs: "tab",
      args: z.object({ path: path("File, .avi") }),
      examples: [{ run: "video stop checkout.avi", does: "show it to a reviewer" }],
    },
    async () => (await import("./video.ts")).videoStop,
  ),
];
