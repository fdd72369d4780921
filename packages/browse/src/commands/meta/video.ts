/** A film of a tab from Chromium's own screencast. Frames wait in memory, at most so many, until the film is saved. */
import { writeFile } from "node:fs/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { type Frame, writeAvi } from "./avi.ts";
import { outputFile, sizeWords } from "./output-file.ts";

interface Film {
  frames: Frame[];
  bytes: number;
  stop?: () => Promise<void>;
}

const filmOfTab = Symbol("film");
const filmOf = (tab: Tab): Film => tab.memory(filmOfTab, () => ({ frames: [], bytes: 0 }));
const mostBytes = 200 * 1024 * 1024;
const size = { maxWidth: 1280, maxHeight: 800 };

export async function videoStart(_input: object, { tab }: TabScope): Promise<Answer> {
  const film = filmOf(tab);
  if (film.stop) throw failed(`${tab.id} is filmed already.`, "End it: devflow browse video stop");
  const cdp = await tab.page.context().newCDPSession(tab.page);
  cdp.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
    const image = Buffer.from(data, "base64");
    if (film.bytes < mostBytes) film.frames.push({ image, atMs: (metadata.timestamp ?? 0) * 1000 });
    film.bytes += image.length;
    cdp.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  film.frames = [];
  film.bytes = 0;
  film.stop = async () => {
    await cdp.send("Page.stopScreencast").catch(() => {});
    await cdp.detach().catch(() => {});
  };
  await cdp.send("Page.startScreencast", { format: "jpeg", quality: 70, ...size });
  return { text: `${tab.id} is filmed.`, data: { filming: tab.id } };
}

export async function videoStop({ path }: { path?: string | undefined }, { tab, files }: TabScope): Promise<Answer> {
  const film = filmOf(tab);
  if (!film.stop) throw failed(`${tab.id} is not filmed.`, "Begin: devflow browse video start");
  await film.stop();
  delete film.stop;
  if (film.frames.length === 0)
    throw failed("Nothing moved, so there is no frame.", "Begin again: devflow browse video start");
  const target = await outputFile(files, path, { folder: "videos", extension: "avi" });
  const { bytes, seconds } = writeAvi(film.frames);
  film.frames = [];
  await writeFile(target, bytes);
  const data = { path: target, bytes: bytes.length, seconds };
  return { text: `${target} (${seconds.toFixed(1)} s, ${sizeWords(bytes.length)})`, data };
}

function failed(reason: string, next: string): DevflowError {
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
