/**
 * The body of a request as text, up to a limit: a longer one is refused before it is in memory, whether or not it declares
 * its length.
 */
import { DevflowError } from "@devflow/core/errors";

export async function readBody(request: Request, limit: number): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (!request.body) return "";
  // HTTP itself enforces a declared length, so the whole body can be read at once.
  if (request.headers.has("content-length")) return request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function tooLarge(limit: number): DevflowError {
  return new DevflowError("too_large", { details: { limit } });
}
