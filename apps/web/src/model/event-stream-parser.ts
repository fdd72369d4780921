/**
 * Parses the text/event-stream format from chunks of bytes, split anywhere.
 *
 * - `createEventStreamParser(onFrame)` → `push(bytes)`; a frame is emitted at its closing empty line.
 */
export interface Frame {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

export function createEventStreamParser(onFrame: (frame: Frame) => void): { push(bytes: Uint8Array): void } {
  const decoder = new TextDecoder();
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id: string | undefined;

  function line(text: string): void {
    if (text === "") {
      if (data.length > 0) onFrame({ event: event || "message", data: data.join("\n"), id });
      event = "";
      data = [];
      id = undefined;
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return; // a comment
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
  }

  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      for (;;) {
        const end = rest.search(/[\r\n]/);
        // A carriage return at the very end may be the first half of a CRLF.
        if (end < 0 || (rest[end] === "\r" && end === rest.length - 1)) return;
        line(rest.slice(0, end));
        rest = rest.slice(end + (rest[end] === "\r" && rest[end + 1] === "\n" ? 2 : 1));
      }
    },
  };
}
