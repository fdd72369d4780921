/** A video of a tab from Chromium's screencast. Frames are kept in memory, up to a limit, until the video is saved. */
import { DevflowError } from "@devflow/core/errors";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { outputFile, sizeWords, writeOutput } from "../output-file.ts";
import { type Frame, writeAvi } from "./avi.ts";

interface VideoRecording {
  frames: Frame[];
  bytes: number;
  stop?: () => Promise<void>;
}

const recordingKey = Symbol("video recording");
const recordingOf = (tab: Tab): VideoRecording => tab.memory(recordingKey, () => ({ frames: [], bytes: 0 }));
const maxBytes = 200 * 1024 * 1024;
const size = { maxWidth: 1280, maxHeight: 800 };

export async function videoStart(_input: object, { tab }: TabScope): Promise<Answer> {
  const recording = recordingOf(tab);
  if (recording.stop) throw failed(`${tab.id} is already being recorded.`, "Stop it: devflow browse video stop");
  const cdp = await tab.page.context().newCDPSession(tab.page);
  cdp.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
    const image = Buffer.from(data, "base64");
    if (recording.bytes < maxBytes) recording.frames.push({ image, atMs: (metadata.timestamp ?? 0) * 1000 });
    recording.bytes += image.length;
    cdp.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  recording.frames = [];
  recording.bytes = 0;
  recording.stop = async () => {
    await cdp.send("Page.stopScreencast").catch(() => {});
    await cdp.detach().catch(() => {});
  };
  await cdp.send("Page.startScreencast", { format: "jpeg", quality: 70, ...size });
  return { text: `Recording ${tab.id}.`, data: { filming: tab.id } };
}

export async function videoStop({ path }: { path?: string | undefined }, { tab, files }: TabScope): Promise<Answer> {
  const recording = recordingOf(tab);
  if (!recording.stop) throw failed(`${tab.id} is not being recorded.`, "Start: devflow browse video start");
  await recording.stop();
  delete recording.stop;
  if (recording.frames.length === 0)
    throw failed("Nothing changed on screen, so there are no frames.", "Start again: devflow browse video start");
  const target = await outputFile(files, path, { folder: "videos", extension: "avi" });
  const { bytes, seconds } = writeAvi(recording.frames);
  recording.frames = [];
  await writeOutput(target, bytes);
  const data = { path: target, bytes: bytes.length, seconds };
  return { text: `${target} (${seconds.toFixed(1)} s, ${sizeWords(bytes.length)})`, data };
}

function failed(reason: string, next: string): DevflowError {
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
