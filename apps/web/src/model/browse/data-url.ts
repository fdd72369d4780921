/**
 * A picture's bytes as a `data:` URL, for an `img` element. Only formats without scripts: an SVG could contain one.
 */
const starts: readonly (readonly [type: string, bytes: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];

export function dataUrl(bytes: Uint8Array): string | undefined {
  const type = starts.find(([, start]) => start.every((byte, index) => bytes[index] === byte))?.[0];
  if (type === undefined) return undefined;
  let text = "";
  // In chunks: a large picture would exceed the limit on arguments of one call.
  for (let from = 0; from < bytes.length; from += 8_192) {
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  }
  return `data:${type};base64,${btoa(text)}`;
}
