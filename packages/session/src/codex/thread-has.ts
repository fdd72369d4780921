/** Whether a message of the user with this id is in a thread's history, newest turns first. */
import type { CodexServer } from "./codex-server.ts";
import type { CodexItem } from "./codex-transcript.ts";

interface Page {
  readonly data: readonly { readonly items: readonly CodexItem[] }[];
  readonly nextCursor: string | null;
}

export async function threadHas(server: CodexServer, threadId: string, id: string): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page = await pageOf(server, { threadId, cursor, itemsView: "full", limit: 20 });
    const items = page.data.flatMap((turn) => turn.items);
    if (items.some(({ type, clientId }) => type === "userMessage" && clientId === id)) return true;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return false;
}

function pageOf(server: CodexServer, about: object): Promise<Page> {
  return server.request<Page>("thread/turns/list", about).catch((error: Error) => {
    // A thread without a message has no list.
    if (/not materialized/.test(error.message)) return { data: [], nextCursor: null };
    throw error;
  });
}
