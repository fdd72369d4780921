/**
 * A transcript as a few blocks of text instead of many chunks. A full block never changes, so only the last one is rendered again.
 *
 * - `emptyTranscript`, `addChunks(transcript, chunks)`; repeated chunks are dropped. `seq` is where to continue reading.
 */
import { plainText } from "@devflow/protocol";

export interface Transcript {
  readonly seq: number;
  readonly blocks: readonly TranscriptBlock[];
}
export interface TranscriptBlock {
  readonly id: number;
  readonly text: string;
}
interface Chunk {
  readonly seq: number;
  readonly content: string;
}

export const emptyTranscript: Transcript = { seq: 0, blocks: [] };
const blockLength = 8_000;

export function addChunks(transcript: Transcript, chunks: readonly Chunk[]): Transcript {
  const fresh = chunks.filter((chunk) => chunk.seq > transcript.seq).sort((a, b) => a.seq - b.seq);
  if (fresh.length === 0) return transcript;
  const blocks = [...transcript.blocks];
  let open = blocks.pop()?.text ?? "";
  const close = () => {
    blocks.push({ id: blocks.length, text: open });
    open = "";
  };
  let seq = transcript.seq;
  for (const chunk of fresh) {
    if (chunk.seq === seq) continue;
    seq = chunk.seq;
    open += plainText(chunk.content);
    // Split after a line break if there is one: each block starts on a new line.
    while (open.length > blockLength) {
      const line = open.lastIndexOf("\n", blockLength);
      const end = line < 0 ? blockLength : line + 1;
      const rest = open.slice(end);
      open = open.slice(0, end);
      close();
      open = rest;
    }
  }
  if (open !== "") close();
  return { seq, blocks };
}
