/** `readBounded(response)` the text of an answer; throws a `ProviderFault` once it is larger than any honest one. */
import { ProviderFault } from "./provider.ts";

const maxBodyBytes = 16 * 1024 * 1024;

export async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    size += next.value.length;
    if (size > maxBodyBytes) {
      await reader?.cancel();
      throw new ProviderFault("failed", `its answer is larger than ${maxBodyBytes} bytes`);
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks).toString("utf8");
}
