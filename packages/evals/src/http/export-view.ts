/** - `exportView(store, ref, as)` a run as a file of another tool's format, streamed as a download. */
import type { EvalResult } from "../results/result.ts";
import type { EvalStore } from "../store/index.ts";
import { refOf } from "./run-line.ts";

export async function exportView(store: EvalStore, ref: string, as: string): Promise<Response> {
  const { exporterNamed } = await import("../interop/index.ts");
  const { line, record } = await store.run(ref);
  const { extension, write } = exporterNamed(as);
  const pieces = write(record.run, resultsOf(store, refOf(line)))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => void (await pieces.return?.()),
  });
  // The name of a run may contain anything; a header may not.
  const name = `${line.suite}-${line.runId}`.replace(/[^\w.-]+/g, "_").slice(0, 120);
  return new Response(body, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}${extension}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

async function* resultsOf(store: EvalStore, ref: string): AsyncGenerator<EvalResult> {
  for await (const block of store.allResults(ref)) yield* block;
}
